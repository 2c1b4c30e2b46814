package write

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
)

var errReserved = errors.New("is reserved for the layout")

// reserved are the attributes that only the layout sets.
var reserved = []string{linksV2, dtypeV2, linksV3, dtypeV3, referenceFields, schemaLocation}

// attributeOf makes an attribute of a Go value: a reference, or what has a JSON form
// and may hold references in lists and maps.
func attributeOf(name string, v any) (hdmf.Attribute, error) {
	a := hdmf.Attribute{Name: name}
	if slices.Contains(reserved, name) {
		return a, strictjson.AtMember(name, errReserved)
	}
	if !utf8.ValidString(name) {
		return a, strictjson.AtMember(name, errText)
	}
	raw, err := appendValue(nil, reflect.ValueOf(v), 0)
	if err != nil {
		return a, strictjson.AtMember(name, err)
	}
	return hdmf.ParseAttribute(name, raw), nil
}

// appendNeutral appends a reference with all that it says, in a form that is spelled
// anew when it is known how the layout has it.
func appendNeutral(dst []byte, r hdmf.Reference) ([]byte, error) {
	if err := checkReference(r); err != nil {
		return dst, err
	}
	for _, text := range []string{r.Source, r.Path, r.ObjectID, r.SourceObjectID} {
		if !utf8.ValidString(text) {
			return dst, errText
		}
	}
	dst = appendText(append(dst, `{"`+referenceV3+`":{"source":`...), r.Source)
	dst = appendText(append(dst, `,"path":`...), r.Path)
	dst = appendID(append(dst, `,"object_id":`...), r.ObjectID)
	dst = appendID(append(dst, `,"source_object_id":`...), r.SourceObjectID)
	if r.Region != nil {
		region, err := r.Region.MarshalJSON()
		if err != nil {
			return dst, err
		}
		dst = append(append(dst, `,"region":`...), region...)
	}
	return append(dst, "}}"...), nil
}

var (
	errEmpty  = errors.New("is a reference without a path, which leads nowhere")
	errBytes  = errors.New("bytes in a struct would be base64: make a list of numbers or a string of them, or use a map in place of the struct")
	errNested = errors.New("is a reference inside of a struct; lists and maps may hold some")
)

// appendValue appends the JSON of a value. Floats show that they are some, by
// which readers in Python go: 1.0 and not 1. Those that JSON lacks are bare, as
// hdmf-zarr has them. Bytes are numbers as others are; text is a string.
func appendValue(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if depth > maxDepth {
		return dst, fmt.Errorf("values inside each other more than %d times", maxDepth)
	}
	if !v.IsValid() {
		return append(dst, "null"...), nil
	}
	switch value := v.Interface().(type) {
	case hdmf.Reference:
		return appendNeutral(dst, value)
	case json.Marshaler, encoding.TextMarshaler:
		return appendPlain(dst, v)
	}
	switch v.Kind() {
	case reflect.String:
		if !utf8.ValidString(v.String()) {
			return dst, errText
		}
	case reflect.Float32:
		return appendFloat(dst, v.Float(), 32), nil
	case reflect.Float64:
		return appendFloat(dst, v.Float(), 64), nil
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
				return dst, strictjson.AtIndex(i, err)
			}
		}
		return append(dst, ']'), nil
	case reflect.Map:
		return appendMap(dst, v, depth)
	case reflect.Struct:
		// Its tags are for encoding/json; what comes of it is text that the rest of
		// this function knows nothing about.
		if err := textIn(v, depth); err != nil {
			return dst, err
		}
	}
	return appendPlain(dst, v)
}

// appendMap appends an object; keys are text, or numbers, as encoding/json has
// them.
func appendMap(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if v.IsNil() {
		return append(dst, "null"...), nil
	}
	values := map[string]reflect.Value{}
	for k, value := range v.Seq2() {
		switch _, own := k.Interface().(encoding.TextMarshaler); {
		case own || k.Kind() != reflect.String && !k.CanInt() && !k.CanUint():
			return dst, fmt.Errorf("keys of type %v are no text", k.Type())
		case k.Kind() == reflect.String && !utf8.ValidString(k.String()):
			return dst, strictjson.AtMember(k.String(), errText)
		}
		values[fmt.Sprint(k)] = value
	}
	dst = append(dst, '{')
	for i, name := range slices.Sorted(maps.Keys(values)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendValue(append(appendText(dst, name), ':'), values[name], depth+1); err != nil {
			return dst, strictjson.AtMember(name, err)
		}
	}
	return append(dst, '}'), nil
}

// textIn looks for text in a struct that JSON cannot hold, and for references,
// which are more than their members.
func textIn(v reflect.Value, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("values inside each other more than %d times", maxDepth)
	}
	if v.CanInterface() {
		switch v.Interface().(type) {
		case json.Marshaler, encoding.TextMarshaler:
			return nil // it says itself what it is
		}
	}
	switch v.Kind() {
	case reflect.String:
		if !utf8.ValidString(v.String()) {
			return errText
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return textIn(v.Elem(), depth+1)
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			return errBytes
		}
		for i := range v.Len() {
			if err := textIn(v.Index(i), depth+1); err != nil {
				return strictjson.AtIndex(i, err)
			}
		}
	case reflect.Map:
		for k, value := range v.Seq2() {
			if err := errors.Join(textIn(k, depth+1), textIn(value, depth+1)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[hdmf.Reference]() {
			return errNested
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				if err := textIn(v.Field(i), depth+1); err != nil {
					return strictjson.AtMember(f.Name, err)
				}
			}
		}
	}
	return nil
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
