package dtype

import "github.com/omnizarr/zarr/internal/numeric"

// Floats converts elements as they lie in memory, as many as dst holds: integers,
// floats of every format, booleans as 0 and 1, dates and durations as what they count.
// Those of the largest integers are the nearest ones. It is false for other types.
func Floats(t Type, dst []float64, elems []byte) bool {
	switch f, ok := FormatOf(t); {
	case t.Kind() == Float && t.Name() == "float64":
		copy(dst, numeric.Slice[float64](elems))
	case t.Kind() == Float && t.Name() == "float32":
		convert(dst, numeric.Slice[float32](elems))
	case t.Kind() == Float && ok:
		size := t.Size()
		for i := range dst {
			bits := uint64(0)
			for k, b := range elems[i*size : (i+1)*size] {
				bits |= uint64(b) << (8 * k)
			}
			dst[i] = f.Decode(bits)
		}
	default:
		return integers(t, dst, elems)
	}
	return true
}

// Ints is Floats for integers, which wrap around if they do not fit.
func Ints(t Type, dst []int64, elems []byte) bool { return integers(t, dst, elems) }

func integers[T int64 | float64](t Type, dst []T, elems []byte) bool {
	signed := t.Kind() == Int || t.Kind() == Time || t.Kind() == Duration
	switch {
	case !signed && t.Kind() != Uint && t.Kind() != Bool:
		return false
	case signed && t.Size() == 1:
		convert(dst, numeric.Slice[int8](elems))
	case signed && t.Size() == 2:
		convert(dst, numeric.Slice[int16](elems))
	case signed && t.Size() == 4:
		convert(dst, numeric.Slice[int32](elems))
	case signed:
		convert(dst, numeric.Slice[int64](elems))
	case t.Size() == 1:
		convert(dst, elems)
	case t.Size() == 2:
		convert(dst, numeric.Slice[uint16](elems))
	case t.Size() == 4:
		convert(dst, numeric.Slice[uint32](elems))
	default:
		convert(dst, numeric.Slice[uint64](elems))
	}
	return true
}

func convert[T int64 | float64, S numeric.Integer | numeric.Float](dst []T, src []S) {
	for i, x := range src[:len(dst)] {
		dst[i] = T(x)
	}
}
