package dtype_test

import (
	"math"
	"slices"
	"testing"

	"github.com/omnizarr/zarr/dtype"
)

func TestNumbersOfEveryTypeAreFloats(t *testing.T) {
	for name, c := range map[string]struct {
		elems []byte
		want  []float64
	}{
		"bool":     {[]byte{0, 1}, []float64{0, 1}},
		"int8":     {[]byte{0xff, 2}, []float64{-1, 2}},
		"uint8":    {[]byte{0xff, 2}, []float64{255, 2}},
		"int16":    {[]byte{0xfe, 0xff, 1, 1}, []float64{-2, 257}},
		"uint16":   {[]byte{0xfe, 0xff}, []float64{65534}},
		"int32":    {[]byte{0xfe, 0xff, 0xff, 0xff}, []float64{-2}},
		"uint32":   {[]byte{0xfe, 0xff, 0xff, 0xff}, []float64{math.MaxUint32 - 1}},
		"int64":    {[]byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, []float64{-2}},
		"uint64":   {[]byte{0, 0, 0, 0, 0, 0, 0, 0x80}, []float64{1 << 63}},
		"float16":  {[]byte{0, 0x3c}, []float64{1}},
		"bfloat16": {[]byte{0x80, 0x3f}, []float64{1}},
		"float32":  {[]byte{0, 0, 0x80, 0x3f}, []float64{1}},
		"float64":  {[]byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}, []float64{1}},
	} {
		got := make([]float64, len(c.want))
		if !dtype.Floats(dtype.MustParse(`"`+name+`"`), got, c.elems) || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if dtype.Floats(dtype.MustParse(`"complex64"`), make([]float64, 1), make([]byte, 8)) || dtype.Ints(dtype.MustParse(`"float64"`), make([]int64, 1), make([]byte, 8)) {
		t.Error("numbers of something else")
	}
}
