package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Marshal gives the JSON of v as encoding/json does, but leaves <, > and & as
// they are. With nan, floats that are no JSON numbers become the bare tokens
// NaN, Infinity and -Infinity wherever they lie inside slices, arrays,
// pointers, interfaces and maps with string keys, and a json.RawMessage there
// may hold such tokens.
func Marshal(v any, nan bool) (json.RawMessage, error) {
	raw, err := marshalPlain(v)
	if err == nil || !nan {
		return raw, err
	}
	return appendValue(nil, reflect.ValueOf(v), 0)
}

func marshalPlain(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// AppendString appends s as a JSON string.
func AppendString(dst []byte, s string) []byte {
	if isPlain(s) {
		dst = append(append(dst, '"'), s...)
		return append(dst, '"')
	}
	raw, err := marshalPlain(s)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return append(dst, raw...)
}

// isPlain reports whether text has only characters that stand for themselves in JSON, as
// most names have.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// AppendInts appends a JSON array of integers.
func AppendInts(dst []byte, list []int) []byte {
	dst = append(dst, '[')
	for i, n := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = fmt.Appendf(dst, "%d", n)
	}
	return append(dst, ']')
}

// appendValue writes what encoding/json could not write as a whole.
func appendValue(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if depth > DefaultDepth {
		return nil, fmt.Errorf("nested deeper than %d levels", DefaultDepth)
	}
	if !v.IsValid() {
		return append(dst, "null"...), nil
	}
	if raw, ok := v.Interface().(json.RawMessage); ok && raw != nil {
		if err := Validate(raw, Options{NaN: true}); err != nil {
			return nil, err
		}
		return append(dst, bytes.TrimSpace(raw)...), nil
	}
	if raw, err := marshalPlain(v.Interface()); err == nil {
		return append(dst, raw...), nil
	} else if _, ok := v.Interface().(json.Marshaler); ok {
		return nil, err
	}
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		return append(dst, bareName(v.Float())...), nil
	case reflect.Interface, reflect.Pointer:
		return appendValue(dst, v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = appendValue(dst, v.Index(i), depth+1); err != nil {
				return nil, AtIndex(i, err)
			}
		}
		return append(dst, ']'), nil
	case reflect.Map:
		if v.Type().Key().Kind() == reflect.String {
			return appendMap(dst, v, depth)
		}
	}
	return nil, fmt.Errorf("no JSON for Go's %v with NaN, infinite or unknown values", v.Type())
}

func appendMap(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	dst = append(dst, '{')
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, key.String()), ':')
		var err error
		if dst, err = appendValue(dst, v.MapIndex(key), depth+1); err != nil {
			return nil, AtMember(key.String(), err)
		}
	}
	return append(dst, '}'), nil
}

func bareName(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return "NaN"
}
