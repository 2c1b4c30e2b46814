package schema

import (
	"reflect"
	"testing"
)

// What a program leaves out is an error or nothing, and never a panic.
func TestZeroValuesDoNotPanic(t *testing.T) {
	for _, of := range []any{&AttributeSpec{}, &Catalog{}, &DType{}, &DatasetSpec{}, &Error{}, &Field{}, &GroupSpec{}, Kind(0), &LinkSpec{}, &Namespace{}, Primitive(0), &Quantity{}, Shape(nil), &Type{}} {
		v := reflect.ValueOf(of)
		for i := range v.NumMethod() {
			func() {
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("%v.%s with zero values: %v", v.Type(), v.Type().Method(i).Name, p)
					}
				}()
				var in []reflect.Value
				for k := range v.Method(i).Type().NumIn() {
					if arg := v.Method(i).Type().In(k); !v.Method(i).Type().IsVariadic() || k < v.Method(i).Type().NumIn()-1 {
						in = append(in, reflect.Zero(arg))
					}
				}
				v.Method(i).Call(in)
			}()
		}
	}
	CompareVersions("", "")
	DateTime("")
	ShapesFit(nil, nil)
	ParsePrimitive("")
}
