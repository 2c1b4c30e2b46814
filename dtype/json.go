package dtype

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// object is a JSON object with its members in order.
type object []member

type member struct {
	name  string
	value json.RawMessage
}

// parseObject reads an object. encoding/json would silently keep the last of
// two members with one name, so they are read one by one.
func parseObject(raw json.RawMessage) (object, error) {
	if !json.Valid(raw) {
		return nil, errors.New("not valid JSON")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, errors.New("must be an object")
	}
	var out object
	seen := map[string]bool{}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, ok := tok.(string)
		if !ok {
			return nil, errors.New("member name is no string")
		}
		if seen[name] {
			return nil, fmt.Errorf("member %s appears twice", short(strconv.Quote(name)))
		}
		seen[name] = true
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		out = append(out, member{name, value})
	}
	return out, nil
}

// get returns the value of a member, nil when there is none.
func (o object) get(name string) json.RawMessage {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// only returns an error for the first member that is none of names.
func (o object) only(names ...string) error {
	for _, m := range o {
		if !slices.Contains(names, m.name) {
			return fmt.Errorf("unknown member %s", short(strconv.Quote(m.name)))
		}
	}
	return nil
}

// list reads a JSON array.
func list(raw json.RawMessage) ([]json.RawMessage, bool) {
	if first(raw) != '[' {
		return nil, false
	}
	var out []json.RawMessage
	return out, json.Unmarshal(raw, &out) == nil
}

// first is the first character of a JSON value, which tells its kind.
func first(raw json.RawMessage) byte {
	if raw = trim(raw); len(raw) > 0 {
		return raw[0]
	}
	return 0
}

func trim(raw json.RawMessage) json.RawMessage { return bytes.Trim(raw, " \t\r\n") }

// isNumber reports whether raw, without space around it, is a JSON number.
func isNumber(raw json.RawMessage) bool {
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') && json.Valid(raw)
}

// isInteger reports whether raw is a JSON number without fraction or exponent.
func isInteger(raw json.RawMessage) bool {
	return isNumber(raw) && !bytes.ContainsAny(raw, ".eE")
}

// text reads a JSON string. What encoding/json would replace by U+FFFD is
// refused, since a fill value must not change by being read.
func text(raw json.RawMessage) (string, error) {
	if raw = trim(raw); first(raw) != '"' || !json.Valid(raw) {
		return "", errors.New("must be a string")
	}
	if !utf8.Valid(raw) {
		return "", errors.New("not valid UTF-8")
	}
	if loneSurrogate(raw) {
		return "", errors.New("holds half of a surrogate pair")
	}
	var s string
	err := strictjson.Unmarshal(raw, &s)
	return s, err
}

// loneSurrogate looks for an escape of a surrogate without its partner in a
// valid JSON string.
func loneSurrogate(raw json.RawMessage) bool {
	unit := func(at int) uint64 {
		if at+6 > len(raw) || raw[at] != '\\' || raw[at+1] != 'u' {
			return 0
		}
		n, _ := strconv.ParseUint(string(raw[at+2:at+6]), 16, 16)
		return n
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		switch u := unit(i); {
		case u >= 0xD800 && u < 0xDC00:
			if low := unit(i + 6); low < 0xDC00 || low > 0xDFFF {
				return true
			}
			i += 11
		case u >= 0xDC00 && u <= 0xDFFF:
			return true
		default:
			i++ // the escaped character may itself be a backslash
		}
	}
	return false
}

// byteString reads bytes spelled as base64 or as an array of integers.
func byteString(raw json.RawMessage) ([]byte, error) {
	if items, ok := list(raw); ok {
		out := make([]byte, len(items))
		for i, item := range items {
			n, err := strconv.ParseUint(string(item), 10, 8)
			if err != nil || !isInteger(item) {
				return nil, fmt.Errorf("%s is not a byte", short(string(item)))
			}
			out[i] = byte(n)
		}
		return out, nil
	}
	s, err := text(raw)
	if err != nil {
		return nil, errors.New("must be base64 or an array of bytes")
	}
	out, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil {
		return nil, errors.New("not valid base64")
	}
	return out, nil
}

func appendBase64(dst, b []byte) []byte {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, b)
	return append(dst, '"')
}

// appendString appends s as a JSON string; bytes that are not UTF-8 become
// U+FFFD. Nothing is escaped that JSON does not ask for.
func appendString[S string | []byte](dst []byte, s S) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			dst = append(dst, s[from:i]...)
			dst = appendRune(dst, rune(c))
			i++
			from = i
			continue
		}
		end := min(i+utf8.UTFMax, len(s))
		r, n := utf8.DecodeRuneInString(string(s[i:end]))
		if r == utf8.RuneError && n == 1 {
			dst = append(dst, s[from:i]...)
			dst = utf8.AppendRune(dst, utf8.RuneError)
			from = i + 1
		}
		i += n
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

// appendRune appends one character of a JSON string.
func appendRune(dst []byte, r rune) []byte {
	switch {
	case r == '"' || r == '\\':
		return append(dst, '\\', byte(r))
	case r == '\n':
		return append(dst, '\\', 'n')
	case r == '\r':
		return append(dst, '\\', 'r')
	case r == '\t':
		return append(dst, '\\', 't')
	case r < ' ':
		const hex = "0123456789abcdef"
		return append(dst, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
	}
	return utf8.AppendRune(dst, r)
}

// short makes s fit for one line of an error.
func short(s string) string {
	const most = 60
	cut := len(s) > most
	if cut {
		s = s[:most]
	}
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
	if cut {
		s += "…"
	}
	return s
}

// badFill is the error for a fill value that the type does not have.
func badFill(name string, raw json.RawMessage, format string, args ...any) error {
	return fmt.Errorf("fill value %s for %s: %w", short(string(trim(raw))), name, fmt.Errorf(format, args...))
}
