package write

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
)

var errReserved = errors.New("is reserved for the layout")

// reserved are the attributes that only the layout sets.
var reserved = []string{linksV2, dtypeV2, linksV3, dtypeV3, referenceFields, schemaLocation}

// attributeOf makes an attribute of a Go value: a reference, a list of them, or
// what has a JSON form.
func attributeOf(name string, v any) (hdmf.Attribute, error) {
	a := hdmf.Attribute{Name: name}
	if slices.Contains(reserved, name) {
		return a, strictjson.AtMember(name, errReserved)
	}
	switch v := v.(type) {
	case hdmf.Reference:
		a.References = []hdmf.Reference{v}
	case []hdmf.Reference:
		a.References, a.List = v, true
		if len(v) == 0 {
			a.References, a.Raw = nil, json.RawMessage("[]")
		}
	default:
		var err error
		if a.Raw, err = appendValue(nil, reflect.ValueOf(v), 0); err != nil {
			return a, strictjson.AtMember(name, err)
		}
	}
	return a, nil
}

// appendValue appends the JSON of a value. Floats show that they are some, by
// which readers in Python go: 1.0 and not 1. Those that JSON lacks are bare, as
// hdmf-zarr has them.
func appendValue(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if depth > maxDepth {
		return dst, fmt.Errorf("values inside each other more than %d times", maxDepth)
	}
	if !v.IsValid() {
		return append(dst, "null"...), nil
	}
	if _, own := v.Interface().(json.Marshaler); own {
		return appendPlain(dst, v)
	}
	switch v.Kind() {
	case reflect.Float32:
		return appendFloat(dst, v.Float(), 32), nil
	case reflect.Float64:
		return appendFloat(dst, v.Float(), 64), nil
	case reflect.Interface, reflect.Pointer:
		return appendValue(dst, v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 && v.Kind() == reflect.Slice {
			break // base64, as encoding/json has it
		}
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = appendValue(dst, v.Index(i), depth+1); err != nil {
				return dst, strictjson.AtIndex(i, err)
			}
		}
		return append(dst, ']'), nil
	case reflect.Map:
		m, ok := v.Interface().(map[string]any)
		if !ok {
			break
		}
		dst = append(dst, '{')
		for i, name := range slices.Sorted(maps.Keys(m)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = appendValue(append(appendText(dst, name), ':'), reflect.ValueOf(m[name]), depth+1); err != nil {
				return dst, strictjson.AtMember(name, err)
			}
		}
		return append(dst, '}'), nil
	}
	return appendPlain(dst, v)
}

func appendPlain(dst []byte, v reflect.Value) ([]byte, error) {
	raw, err := strictjson.Marshal(v.Interface(), true)
	return append(dst, raw...), err
}

func appendFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	at := len(dst)
	dst = strconv.AppendFloat(dst, f, 'g', -1, bits)
	if !strings.ContainsAny(string(dst[at:]), ".e") {
		dst = append(dst, ".0"...)
	}
	return dst
}
