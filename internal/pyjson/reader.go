package pyjson

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Reader reads values out of a text.
type Reader struct {
	Src []byte
	// Control allows control characters in strings, as Python does if it is not
	// told to be strict.
	Control bool

	depth   int
	scratch []byte
}

// bad is an error with the place where it was found.
func bad(at int, format string, args ...any) error {
	return fmt.Errorf("at byte %d: %w", at, fmt.Errorf(format, args...))
}

// Space returns where the white space at pos ends.
func (r *Reader) Space(pos int) int {
	for pos < len(r.Src) {
		switch r.Src[pos] {
		case ' ', '\t', '\n', '\r':
			pos++
		default:
			return pos
		}
	}
	return pos
}

// at is the byte at pos, or 0 behind the end.
func (r *Reader) at(pos int) byte {
	if pos < len(r.Src) {
		return r.Src[pos]
	}
	return 0
}

// Expect reads one character behind white space and returns where it ends.
func (r *Reader) Expect(pos int, c byte) (int, error) {
	pos = r.Space(pos)
	if pos >= len(r.Src) {
		return pos, bad(pos, "the text ends where %q should stand", c)
	}
	if r.Src[pos] != c {
		return pos, bad(pos, "%q where %q should stand", r.Src[pos], c)
	}
	return pos + 1, nil
}

// Value reads the value at pos, behind white space, into s and returns where it
// ends.
func (r *Reader) Value(pos int, s Sink) (int, error) {
	pos = r.Space(pos)
	switch c := r.at(pos); {
	case c == '"':
		text, end, err := r.text(pos)
		if err != nil {
			return end, err
		}
		return end, s.Text(text)
	case c == '[':
		return r.list(pos, s)
	case c == '{':
		return r.object(pos, s)
	case c == '-' || c >= '0' && c <= '9' || c == 'N' || c == 'I':
		end, err := r.number(pos)
		if err != nil {
			return end, err
		}
		return end, s.Number(r.Src[pos:end])
	case r.word(pos, "null"):
		return pos + 4, s.Null()
	case r.word(pos, "true"):
		return pos + 4, s.Bool(true)
	case r.word(pos, "false"):
		return pos + 5, s.Bool(false)
	case pos >= len(r.Src):
		return pos, bad(pos, "the text ends where a value should stand")
	}
	return pos, bad(pos, "no value begins with %q", r.Src[pos])
}

// All reads src, which is nothing but one value, into s.
func (r *Reader) All(src []byte, s Sink) error {
	r.Src, r.depth = src, 0
	end, err := r.Value(0, s)
	if err != nil {
		return err
	}
	if end = r.Space(end); end < len(src) {
		return bad(end, "%d bytes follow the value", len(src)-end)
	}
	return nil
}

func (r *Reader) word(pos int, w string) bool {
	return len(r.Src)-pos >= len(w) && string(r.Src[pos:pos+len(w)]) == w
}

func (r *Reader) down(pos int) error {
	if r.depth++; r.depth > MaxDepth {
		return bad(pos, "%w", ErrDepth)
	}
	return nil
}

func (r *Reader) list(pos int, s Sink) (int, error) {
	err := r.down(pos)
	if err == nil {
		err = s.List()
	}
	if err != nil {
		return pos, err
	}
	if pos = r.Space(pos + 1); r.at(pos) != ']' {
		for {
			if pos, err = r.Value(pos, s); err != nil {
				return pos, err
			}
			if pos = r.Space(pos); r.at(pos) != ',' {
				break
			}
			pos++
		}
	}
	if pos, err = r.Expect(pos, ']'); err != nil {
		return pos, err
	}
	r.depth--
	return pos, s.End()
}

func (r *Reader) object(pos int, s Sink) (int, error) {
	err := r.down(pos)
	if err == nil {
		err = s.Map()
	}
	if err != nil {
		return pos, err
	}
	if pos = r.Space(pos + 1); r.at(pos) != '}' {
		for {
			if pos = r.Space(pos); r.at(pos) != '"' {
				return pos, bad(pos, "no name where one should stand")
			}
			var name []byte
			if name, pos, err = r.text(pos); err != nil {
				return pos, err
			}
			if err = s.Text(name); err != nil {
				return pos, err
			}
			if pos, err = r.Expect(pos, ':'); err != nil {
				return pos, err
			}
			if pos, err = r.Value(pos, s); err != nil {
				return pos, err
			}
			if pos = r.Space(pos); r.at(pos) != ',' {
				break
			}
			pos++
		}
	}
	if pos, err = r.Expect(pos, '}'); err != nil {
		return pos, err
	}
	r.depth--
	return pos, s.End()
}

// number returns where the number at pos ends.
func (r *Reader) number(pos int) (int, error) {
	start := pos
	if r.at(pos) == '-' {
		pos++
	}
	switch {
	case r.word(pos, "Infinity"):
		return pos + 8, nil
	case pos == start && r.word(pos, "NaN"):
		return pos + 3, nil
	}
	whole := r.digits(pos)
	if whole == pos || r.at(pos) == '0' && whole > pos+1 {
		return pos, bad(start, "not a number")
	}
	pos = whole
	if r.at(pos) == '.' {
		end := r.digits(pos + 1)
		if end == pos+1 {
			return pos, bad(start, "a number without digits behind its point")
		}
		pos = end
	}
	if c := r.at(pos); c == 'e' || c == 'E' {
		from := pos + 1
		if c := r.at(from); c == '+' || c == '-' {
			from++
		}
		end := r.digits(from)
		if end == from {
			return pos, bad(start, "a number without digits in its exponent")
		}
		pos = end
	}
	return pos, nil
}

func (r *Reader) digits(pos int) int {
	for pos < len(r.Src) && r.Src[pos] >= '0' && r.Src[pos] <= '9' {
		pos++
	}
	return pos
}

// text decodes the string at pos. The result lasts until the next one.
func (r *Reader) text(pos int) (text []byte, end int, err error) {
	start := pos + 1
	escaped := false
	for end = start; ; end++ {
		if end >= len(r.Src) {
			return nil, end, bad(pos, "a string without end")
		}
		c := r.Src[end]
		if c == '"' {
			break
		}
		if c == '\\' {
			escaped = true
			end++
		}
		if c < ' ' && !r.Control {
			return nil, end, bad(end, "a control character in a string")
		}
	}
	text = r.Src[start:end]
	if !utf8.Valid(text) {
		return nil, end, bad(start, "%w", errText)
	}
	if escaped {
		if r.scratch, err = unescape(r.scratch[:0], text, false); err != nil {
			return nil, end, bad(start, "%w", err)
		}
		text = r.scratch
	}
	return text, end + 1, nil
}

var errEscape = errors.New("an escape that JSON does not have")

// unescape appends the inside of a string without its escapes. dst may be the
// start of body, since the result is never longer; moved says so.
func unescape(dst, body []byte, moved bool) ([]byte, error) {
	if moved && bytes.IndexByte(body, '\\') < 0 {
		return body, nil
	}
	for i := 0; i < len(body); {
		c := body[i]
		if c != '\\' {
			dst = append(dst, c)
			i++
			continue
		}
		if i+1 >= len(body) {
			return dst, errEscape
		}
		switch c = body[i+1]; c {
		case '"', '\\', '/':
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			u := unit(body[i:])
			if u < 0 {
				return dst, errEscape
			}
			i += 6
			if low := unit(body[i:]); u >= 0xd800 && u < 0xdc00 && low >= 0xdc00 && low < 0xe000 {
				u = 0x10000 + (u-0xd800)<<10 + (low - 0xdc00)
				i += 6
			}
			dst = appendCodePoint(dst, u)
			continue
		default:
			return dst, errEscape
		}
		dst = append(dst, c)
		i += 2
	}
	return dst, nil
}

// unit is the number in an escape such as \u00e9 at the start of b, -1 if there is none.
func unit(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	var u rune
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		u = u<<4 | rune(c)
	}
	return u
}
