package strictjson

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
)

// Decode stores a value in what v points to, as encoding/json does. Bare NaN,
// Infinity and -Infinity become floats: anything that may hold a float64 inside
// slices, arrays, pointers and maps with string keys can take them.
func Decode(raw json.RawMessage, v any) error {
	if err := Validate(raw, Options{NaN: true}); err != nil {
		return err
	}
	if !hasBare(raw) {
		return Unmarshal(raw, v)
	}
	p := reflect.ValueOf(v)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return fmt.Errorf("cannot decode into %T, which is no pointer", v)
	}
	return decodeBare(raw, p.Elem())
}

// hasBare reports whether a checked value has a bare token anywhere.
func hasBare(raw json.RawMessage) bool {
	_, end := nextBare(raw, 0)
	return end > 0
}

// nextBare returns where the first bare token at or behind pos lies; end is 0
// if there is none.
func nextBare(raw json.RawMessage, pos int) (start, end int) {
	for pos < len(raw) {
		switch c := raw[pos]; {
		case c == '"':
			pos = skipString(raw, pos)
		case isWord(c):
			if tok := bareToken(raw[pos:]); tok != "" {
				return pos, pos + len(tok)
			}
			for pos < len(raw) && isWord(raw[pos]) {
				pos++
			}
		default:
			pos++
		}
	}
	return 0, 0
}

// decodeBare decodes a checked value that has bare tokens somewhere.
func decodeBare(raw json.RawMessage, dst reflect.Value) error {
	if !hasBare(raw) {
		return Unmarshal(raw, dst.Addr().Interface())
	}
	raw = raw[skipSpace(raw, 0):]
	switch kind := dst.Kind(); {
	case kind == reflect.Pointer:
		p := reflect.New(dst.Type().Elem())
		if err := decodeBare(raw, p.Elem()); err != nil {
			return err
		}
		dst.Set(p)
		return nil
	case kind == reflect.Interface && dst.NumMethod() == 0:
		value := reflect.New(anyType(raw)).Elem()
		if err := decodeBare(raw, value); err != nil {
			return err
		}
		dst.Set(value)
		return nil
	case raw[0] == '[':
		return decodeArray(raw, dst)
	case raw[0] == '{':
		return decodeObject(raw, dst)
	case kind == reflect.Float32 || kind == reflect.Float64:
		dst.SetFloat(bareValue(bareToken(raw)))
		return nil
	default:
		return fmt.Errorf("must be %s, not %s", wanted(dst.Type()), Excerpt(raw))
	}
}

// anyType is the Go type that stands for a value with bare tokens in an any.
func anyType(raw json.RawMessage) reflect.Type {
	switch raw[0] {
	case '[':
		return reflect.TypeFor[[]any]()
	case '{':
		return reflect.TypeFor[map[string]any]()
	}
	return reflect.TypeFor[float64]()
}

func decodeArray(raw json.RawMessage, dst reflect.Value) error {
	kind := dst.Kind()
	if kind != reflect.Slice && kind != reflect.Array {
		return fmt.Errorf("must be %s, not an array", wanted(dst.Type()))
	}
	dst.SetZero()
	return Each(raw, func(i int, elem json.RawMessage) error {
		if kind == reflect.Array {
			if i >= dst.Len() {
				return nil // dropped, as encoding/json does
			}
			return decodeBare(elem, dst.Index(i))
		}
		dst.Set(reflect.Append(dst, reflect.Zero(dst.Type().Elem())))
		return decodeBare(elem, dst.Index(i))
	})
}

func decodeObject(raw json.RawMessage, dst reflect.Value) error {
	t := dst.Type()
	if t.Kind() != reflect.Map || t.Key().Kind() != reflect.String {
		if t.Kind() == reflect.Struct {
			return fmt.Errorf("holds bare NaN or Infinity, which only a map can take")
		}
		return fmt.Errorf("must be %s, not an object", wanted(t))
	}
	members, err := Split(raw)
	if err != nil {
		return err
	}
	if dst.IsNil() {
		dst.Set(reflect.MakeMapWithSize(t, len(members)))
	}
	for _, m := range members {
		value := reflect.New(t.Elem()).Elem()
		if err := decodeBare(m.Raw, value); err != nil {
			return AtMember(m.Name, err)
		}
		dst.SetMapIndex(reflect.ValueOf(m.Name).Convert(t.Key()), value)
	}
	return nil
}

func bareValue(tok string) float64 {
	switch tok {
	case "Infinity":
		return math.Inf(1)
	case "-Infinity":
		return math.Inf(-1)
	}
	return math.NaN()
}

// QuoteBare turns bare tokens into the strings "NaN", "Infinity" and
// "-Infinity", so that any JSON reader takes the value. It returns raw itself
// if there are none.
func QuoteBare(raw json.RawMessage) json.RawMessage {
	var quoted json.RawMessage
	done := 0
	for {
		start, end := nextBare(raw, done)
		if end == 0 {
			break
		}
		quoted = append(quoted, raw[done:start]...)
		quoted = append(quoted, '"')
		quoted = append(quoted, raw[start:end]...)
		quoted = append(quoted, '"')
		done = end
	}
	if done == 0 {
		return raw
	}
	return append(quoted, raw[done:]...)
}
