package pyjson

import (
	"errors"
	"math"
	"strconv"
	"unicode/utf8"
)

// errText refuses text that Python has no string for.
var errText = errors.New("text is not UTF-8")

// NotFinite reports whether the text of a number is NaN, Infinity or -Infinity.
func NotFinite(number []byte) bool {
	return len(number) > 0 && (number[0] == 'N' || number[0] == 'I' || len(number) > 1 && number[1] == 'I')
}

// IsInteger reports whether the text of a number is an integer in Python.
func IsInteger(number []byte) bool {
	for _, c := range number {
		if c != '-' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// ParseFloat reads the text of a number as a float; one that is too large is an
// infinity.
func ParseFloat(number []byte) float64 {
	switch string(number) {
	case "NaN":
		return math.Float64frombits(0x7ff8 << 48) // the bits of Python's NaN
	case "Infinity":
		return math.Inf(1)
	case "-Infinity":
		return math.Inf(-1)
	}
	x, _ := strconv.ParseFloat(string(number), 64)
	return x
}

// AppendFloat appends a float as Python spells it: the shortest digits that
// give it back, and always with a point or an exponent.
func AppendFloat(dst []byte, v float64) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, "NaN"...)
	case math.IsInf(v, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(v, -1):
		return append(dst, "-Infinity"...)
	}
	if a := math.Abs(v); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.AppendFloat(dst, v, 'e', -1, 64)
	}
	at := len(dst)
	dst = strconv.AppendFloat(dst, v, 'f', -1, 64)
	for _, c := range dst[at:] {
		if c == '.' {
			return dst
		}
	}
	return append(dst, ".0"...)
}

// AppendText appends text as a JSON string, with escapes for all but printable
// ASCII if ascii is set. It stops when dst has grown beyond limit.
func AppendText(dst, text []byte, ascii bool, limit int) ([]byte, error) {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		r, n := decode(text[i:])
		if n == 0 {
			return dst, errText
		}
		if r >= 0x7f && !ascii && !surrogate(r) {
			i += n
			continue
		}
		dst = append(dst, text[from:i]...)
		if len(dst) > limit {
			return dst, ErrLimit
		}
		dst = appendEscape(dst, r)
		i += n
		from = i
	}
	dst = append(dst, text[from:]...)
	return append(dst, '"'), nil
}

func surrogate(r rune) bool { return r >= 0xd800 && r <= 0xdfff }

// decode reads a code point of UTF-8, or half of a surrogate pair in three
// bytes; n is 0 if there is none.
func decode(b []byte) (r rune, n int) {
	if len(b) >= 3 && b[0] == 0xed && b[1] >= 0xa0 && b[1] <= 0xbf && b[2]&0xc0 == 0x80 {
		return 0xd000 | rune(b[1]&0x3f)<<6 | rune(b[2]&0x3f), 3
	}
	if r, n = utf8.DecodeRune(b); r == utf8.RuneError && n <= 1 {
		return 0, 0
	}
	return r, n
}

// appendCodePoint is the reverse of decode.
func appendCodePoint(dst []byte, r rune) []byte {
	if surrogate(r) {
		return append(dst, 0xed, 0x80|byte(r>>6&0x3f), 0x80|byte(r&0x3f))
	}
	return utf8.AppendRune(dst, r)
}

func appendEscape(dst []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	if r > 0xffff {
		r -= 0x10000
		return appendUnit(appendUnit(dst, 0xd800|r>>10), 0xdc00|r&0x3ff)
	}
	return appendUnit(dst, r)
}

func appendUnit(dst []byte, u rune) []byte {
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[u>>12&15], hex[u>>8&15], hex[u>>4&15], hex[u&15])
}

// Unquote decodes a string that a Writer wrote, quotes included, in place: the
// result lies in quoted. It is an error if the text is not UTF-8, since half of
// a surrogate pair stands in it.
func Unquote(quoted []byte) ([]byte, error) {
	body := quoted[1 : len(quoted)-1]
	out, err := unescape(body[:0], body, true)
	if err == nil && !utf8.Valid(out) {
		err = errText
	}
	return out, err
}

// AppendQuotingBare appends a value that a Writer wrote, with the bare words of
// numbers that JSON lacks in quotes.
func AppendQuotingBare(dst, value []byte) []byte {
	from, quoted := 0, false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == 'N' || c == 'I' || c == '-' && i+1 < len(value) && value[i+1] == 'I':
			end := i + 1
			for end < len(value) && value[end] >= 'A' && value[end] <= 'z' && value[end] != ']' {
				end++
			}
			dst = append(append(dst, value[from:i]...), '"')
			dst = append(append(dst, value[i:end]...), '"')
			from, i = end, end-1
		}
	}
	return append(dst, value[from:]...)
}

// HasBare reports whether a value that a Writer wrote has a bare word that JSON
// lacks.
func HasBare(value []byte) bool {
	quoted := false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == 'N' || c == 'I'):
			return true
		}
	}
	return false
}
