package strictjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Unmarshal is json.Unmarshal with errors for people who read documents, not
// Go: they say which member has which type of JSON, and which it must have.
func Unmarshal(raw json.RawMessage, v any) error {
	err := json.Unmarshal(raw, v)
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	return At(wrong.Field, mismatch(wrong.Value, wrong.Type))
}

// mismatch says that a value, as encoding/json describes it, is not what t
// holds.
func mismatch(value string, t reflect.Type) error {
	want := wanted(t)
	number, ok := strings.CutPrefix(value, "number ")
	switch {
	case ok && want == anInteger && !strings.ContainsAny(number, ".eE"):
		return fmt.Errorf("%s is out of range", Excerpt(json.RawMessage(number)))
	case ok:
		return fmt.Errorf("must be %s, not %s", want, Excerpt(json.RawMessage(number)))
	}
	return fmt.Errorf("must be %s, not %s", want, described[value])
}

const anInteger = "an integer"

// described are encoding/json's words for values in those of Describe.
var described = map[string]string{
	"object": "an object", "array": "an array", "string": "a string", "bool": "a boolean", "number": "a number", "null": "null",
}

// wanted names the values of JSON that a Go type can hold.
func wanted(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Interface:
		return "a value"
	}
	return anInteger
}
