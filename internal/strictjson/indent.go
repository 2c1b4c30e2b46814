package strictjson

// lineWidth is how long an array may be to be written on one line.
const lineWidth = 80

// Indent appends a checked value to dst, two spaces deeper per level. Only
// white space changes: numbers, strings and the order of members stay as they
// are. Arrays without objects inside stay on one line when they are short.
func Indent(dst, raw []byte) []byte { return IndentAt(dst, raw, 0) }

// IndentAt is Indent for a value that stands so many levels deep in another.
func IndentAt(dst, raw []byte, level int) []byte { return indentValue(dst, raw, level).dst }

// indented is the output so far and where the input goes on.
type indented struct {
	dst []byte
	pos int
}

func indentValue(dst, raw []byte, level int) indented {
	pos := skipSpace(raw, 0)
	if pos == len(raw) {
		return indented{dst, pos}
	}
	open := raw[pos]
	if open != '{' && open != '[' {
		end := skipValue(raw, pos)
		return indented{append(dst, raw[pos:end]...), end}
	}
	if open == '[' {
		if line, end := oneLine(dst, raw, pos); end > 0 {
			return indented{line, end}
		}
	}
	dst = append(dst, open)
	empty := true
	for pos++; pos < len(raw); {
		switch c := raw[pos]; c {
		case ' ', '\t', '\n', '\r':
			pos++
		case ',':
			dst = append(dst, ',')
			pos++
		case '}', ']':
			if !empty {
				dst = newLine(dst, level)
			}
			return indented{append(dst, c), pos + 1}
		default:
			empty = false
			dst = newLine(dst, level+1)
			if open == '{' {
				end := skipString(raw, pos)
				dst = append(append(dst, raw[pos:end]...), ':', ' ')
				pos = skipSpace(raw, end)
				if pos < len(raw) && raw[pos] == ':' {
					pos++
				}
			}
			v := indentValue(dst, raw[pos:], level+1)
			if v.pos == 0 {
				return indented{v.dst, len(raw)}
			}
			dst, pos = v.dst, pos+v.pos
		}
	}
	return indented{dst, pos}
}

func newLine(dst []byte, level int) []byte {
	dst = append(dst, '\n')
	for range level {
		dst = append(dst, ' ', ' ')
	}
	return dst
}

// oneLine appends the array at pos as one line; end is 0 if it is too long or
// has an object inside.
func oneLine(dst, raw []byte, pos int) (line []byte, end int) {
	depth, limit := 0, len(dst)+lineWidth
	for pos < len(raw) && len(dst) <= limit {
		switch c := raw[pos]; c {
		case ' ', '\t', '\n', '\r':
			pos++
		case '{':
			return nil, 0
		case ',':
			dst = append(dst, ',', ' ')
			pos++
		case '[':
			depth++
			dst = append(dst, c)
			pos++
		case ']':
			depth--
			dst = append(dst, c)
			pos++
			if depth == 0 {
				return dst, pos
			}
		default:
			next := skipValue(raw, pos)
			if next == pos || next-pos > lineWidth {
				return nil, 0
			}
			dst = append(dst, raw[pos:next]...)
			pos = next
		}
	}
	return nil, 0
}
