package dtype_test

import (
	"testing"

	"github.com/omnizarr/zarr/dtype"
)

func TestHolds(t *testing.T) {
	for _, c := range []struct {
		to, from string
		want     bool
	}{
		{"int16", "int8", true}, {"int16", "uint8", true}, {"int8", "uint8", false}, {"uint16", "int8", false},
		{"float32", "int16", true}, {"float32", "int32", false}, {"float64", "int32", true}, {"float64", "uint64", false},
		{"float64", "float32", true}, {"float32", "float64", false}, {"float32", "bfloat16", true}, {"float16", "bfloat16", false},
		{"bfloat16", "float16", false}, {"int64", "float32", false}, {"complex64", "float32", true}, {"complex64", "complex128", false},
		{"float32", "complex64", false}, {"uint8", "bool", true}, {"bool", "uint8", false}, {"float8_e4m3", "float8_e5m2", false},
		{"int4", "int4", true}, {"int2", "int4", false}, {"float16", "float8_e4m3", true}, {"string", "int8", false}, {"float8_e4m3fn", "float8_e4m3", false},
	} {
		to, from := dtype.MustParse(c.to), dtype.MustParse(c.from)
		if got := dtype.Holds(to, from); got != c.want {
			t.Errorf("%s holds %s: %v", c.to, c.from, got)
		}
	}
}
