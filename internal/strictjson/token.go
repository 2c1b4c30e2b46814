package strictjson

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// bareTokens are the numbers that JSON lacks.
var bareTokens = [...]string{"NaN", "Infinity", "-Infinity"}

// bareToken returns the bare token that data starts with, or "".
func bareToken(data []byte) string {
	for _, tok := range bareTokens {
		if hasToken(data, tok) {
			return tok
		}
	}
	return ""
}

// hasToken reports whether data starts with the word tok.
func hasToken(data []byte, tok string) bool {
	return len(data) >= len(tok) && string(data[:len(tok)]) == tok &&
		(len(data) == len(tok) || !isWord(data[len(tok)]))
}

// isWord reports whether c would go on a number or a literal before it.
func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-' || c == '+'
}

func skipSpace(data []byte, pos int) int {
	for pos < len(data) {
		switch data[pos] {
		case ' ', '\t', '\n', '\r':
			pos++
		default:
			return pos
		}
	}
	return pos
}

// skipString returns where the string that starts at pos ends, or len(data).
func skipString(data []byte, pos int) int {
	pos++
	for short := min(pos+32, len(data)); pos < short; pos++ {
		switch data[pos] {
		case '"':
			return pos + 1
		case '\\':
			pos++
		}
	}
	// Of a long one, such as a schema or the bytes of a header, only quotes are looked at:
	// one ends it unless an odd number of backslashes stands before.
	for start := pos; pos < len(data); pos++ {
		i := bytes.IndexByte(data[pos:], '"')
		if i < 0 {
			break
		}
		pos += i
		slash := pos
		for slash > start && data[slash-1] == '\\' {
			slash--
		}
		if (pos-slash)%2 == 0 {
			return pos + 1
		}
	}
	return len(data)
}

// skipValue returns where the value at pos of a checked document ends.
func skipValue(data []byte, pos int) int {
	depth := 0
	for pos < len(data) {
		switch data[pos] {
		case '"':
			pos = skipString(data, pos)
		case '{', '[':
			depth++
			pos++
		case '}', ']':
			depth--
			pos++
		case ' ', '\t', '\n', '\r', ',', ':':
			pos++
			continue // the value has not ended, or not begun
		default:
			for pos++; pos < len(data) && isWord(data[pos]); pos++ {
			}
		}
		if depth <= 0 {
			return pos
		}
	}
	return pos
}

// escapeLen is the length of the escape that data starts with, 0 if it is bad.
func escapeLen(data []byte) int {
	if len(data) < 2 {
		return 0
	}
	switch data[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(data) < 6 {
			return 0
		}
		for _, c := range data[2:6] {
			if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
				return 0
			}
		}
		return 6
	}
	return 0
}

// unescape decodes the inside of a checked string. Halves of surrogate pairs
// become U+FFFD, as in encoding/json; whole is false if there were any.
func unescape(body []byte) (text []byte, whole bool) {
	text, whole = make([]byte, 0, len(body)), true
	for i := 0; i < len(body); {
		if body[i] != '\\' {
			text = append(text, body[i])
			i++
			continue
		}
		switch c := body[i+1]; c {
		case 'u':
			r := unit(body[i:])
			i += 6
			if utf16.IsSurrogate(r) {
				second := rune(-1)
				if i+6 <= len(body) && body[i] == '\\' && body[i+1] == 'u' {
					second = unit(body[i:])
				}
				if r = utf16.DecodeRune(r, second); r == utf8.RuneError {
					whole = false
				} else {
					i += 6
				}
			}
			text = utf8.AppendRune(text, r)
			continue
		case 'b':
			text = append(text, '\b')
		case 'f':
			text = append(text, '\f')
		case 'n':
			text = append(text, '\n')
		case 'r':
			text = append(text, '\r')
		case 't':
			text = append(text, '\t')
		default:
			text = append(text, c)
		}
		i += 2
	}
	return text, whole
}

// unit is the code unit of the checked escape, such as \u00e9, that data starts with.
func unit(data []byte) rune {
	n, _ := strconv.ParseUint(string(data[2:6]), 16, 16)
	return rune(n)
}
