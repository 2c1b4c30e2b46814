package schema

import (
	"testing"

	"github.com/omnizarr/zarr/internal/zerotest"
)

// What a program leaves out is an error or nothing, and never a panic.
func TestZeroValuesDoNotPanic(t *testing.T) {
	for _, of := range []any{&AttributeSpec{}, &Catalog{}, &DType{}, &DatasetSpec{}, &Error{}, &Field{}, &GroupSpec{}, Kind(0), &LinkSpec{}, &Namespace{}, Primitive(0), &Quantity{}, Shape(nil), &Type{}} {
		zerotest.Methods(t, "zero", of)
	}
	zerotest.Func(t, "CompareVersions", CompareVersions)
	zerotest.Func(t, "DateTime", DateTime)
	zerotest.Func(t, "ShapesFit", ShapesFit)
	zerotest.Func(t, "ParsePrimitive", ParsePrimitive)
}
