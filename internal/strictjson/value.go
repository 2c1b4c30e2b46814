package strictjson

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// The functions here take apart values that Validate or Object has checked as
// part of their document. They look no further than they must; on bytes that
// were not checked they may accept what is no JSON, but nothing worse.

// Describe names the type of a value for error messages.
func Describe(raw json.RawMessage) string {
	i := skipSpace(raw, 0)
	if i == len(raw) {
		return "nothing"
	}
	switch c := raw[i]; {
	case c == '{':
		return "an object"
	case c == '[':
		return "an array"
	case c == '"':
		return "a string"
	case c == 't' || c == 'f':
		return "a boolean"
	case hasToken(raw[i:], "null"):
		return "null"
	default:
		return "a number"
	}
}

// Excerpt is a value as an error message shows it: the start of it, on one
// line.
func Excerpt(raw json.RawMessage) string {
	const most = 40
	text := string(raw[:min(len(raw), most)])
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if len(raw) > most {
		text += "..."
	}
	return text
}

// IsNull reports whether the value is null.
func IsNull(raw json.RawMessage) bool { return string(raw) == "null" }

// IsNumber reports whether the value is a number.
func IsNumber(raw json.RawMessage) bool {
	n, err := numberLen(raw)
	return err == nil && n == len(raw)
}

// Int reads an integer. It must be spelled as one: 1.0, 1e3 and "1" are not.
func Int(raw json.RawMessage) (int64, error) {
	s := string(raw)
	if !IsNumber(raw) {
		return 0, fmt.Errorf("must be an integer, not %s", Describe(raw))
	}
	if strings.ContainsAny(s, ".eE") {
		return 0, fmt.Errorf("must be an integer, not %s", Excerpt(raw))
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s does not fit 64 bits", Excerpt(raw))
	}
	return n, nil
}

// Length reads an integer from min up to the largest int.
func Length(raw json.RawMessage, min int) (int, error) {
	n, err := Int(raw)
	if err != nil {
		return 0, err
	}
	if n < int64(min) {
		return 0, fmt.Errorf("%d is less than %d", n, min)
	}
	if int64(int(n)) != n {
		return 0, fmt.Errorf("%d does not fit an int", n)
	}
	return int(n), nil
}

// Lengths reads an array of at most limit integers from min upwards.
func Lengths(raw json.RawMessage, min, limit int) ([]int, error) {
	list := []int{}
	err := Each(raw, func(i int, elem json.RawMessage) error {
		if i >= limit {
			return fmt.Errorf("more than %d elements", limit)
		}
		n, err := Length(elem, min)
		list = append(list, n)
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// String reads a string. Halves of surrogate pairs become U+FFFD.
func String(raw json.RawMessage) (string, error) {
	if len(raw) < 2 || raw[0] != '"' || skipString(raw, 0) != len(raw) || raw[len(raw)-1] != '"' {
		return "", fmt.Errorf("must be a string, not %s", Describe(raw))
	}
	body := raw[1 : len(raw)-1]
	for i := 0; i < len(body); i++ {
		if body[i] == '\\' {
			n := escapeLen(body[i:])
			if n == 0 {
				return "", fmt.Errorf("bad escape in a string")
			}
			i += n - 1
		}
	}
	text, _ := unescape(body)
	return string(text), nil
}

// Bool reads true or false.
func Bool(raw json.RawMessage) (bool, error) {
	switch string(raw) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("must be true or false, not %s", Excerpt(raw))
}

// Split returns the members of an object that is part of a checked document.
func Split(raw json.RawMessage) ([]Member, error) {
	pos := skipSpace(raw, 0)
	if pos == len(raw) || raw[pos] != '{' {
		return nil, fmt.Errorf("must be an object, not %s", Describe(raw))
	}
	members := make([]Member, 0, 2) // name and configuration
	for pos++; ; {
		pos = skipSpace(raw, pos)
		if pos < len(raw) && raw[pos] == ',' {
			pos = skipSpace(raw, pos+1)
		}
		if pos < len(raw) && raw[pos] == '}' {
			return members, nil
		}
		end := skipValue(raw, pos)
		name, err := String(raw[pos:end])
		if err != nil {
			return nil, fmt.Errorf("malformed object")
		}
		pos = skipSpace(raw, end)
		if pos == len(raw) || raw[pos] != ':' {
			return nil, fmt.Errorf("malformed object")
		}
		pos = skipSpace(raw, pos+1)
		end = skipValue(raw, pos)
		if end == pos {
			return nil, fmt.Errorf("malformed object")
		}
		members = append(members, Member{name, raw[pos:end:end]})
		pos = end
	}
}

// Each calls f for the elements of an array that is part of a checked
// document, until f returns an error, to which the index is added.
func Each(raw json.RawMessage, f func(i int, elem json.RawMessage) error) error {
	pos := skipSpace(raw, 0)
	if pos == len(raw) || raw[pos] != '[' {
		return fmt.Errorf("must be an array, not %s", Describe(raw))
	}
	pos++
	for i := 0; ; i++ {
		pos = skipSpace(raw, pos)
		if i > 0 && pos < len(raw) && raw[pos] == ',' {
			pos = skipSpace(raw, pos+1)
		}
		if pos < len(raw) && raw[pos] == ']' {
			return nil
		}
		end := skipValue(raw, pos)
		if end == pos {
			return fmt.Errorf("malformed array")
		}
		if err := f(i, raw[pos:end:end]); err != nil {
			return AtIndex(i, err)
		}
		pos = end
	}
}
