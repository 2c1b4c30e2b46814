package numeric

import "math"

// Kernel turns the numbers in src into as many in dst, which do not overlap.
type Kernel func(dst, src []byte)

// Cast returns the conversion that NumPy's astype is: integers wrap around,
// floats are cut towards zero to become integers and rounded to the nearest,
// the even one of two, to become shorter floats. Floats beyond the range of an
// integer type, and NaN, for which C defines nothing, give what x86-64 gives
// NumPy, on every machine. It is nil if from is to.
func Cast(to, from Type) Kernel {
	if to == from {
		return nil
	}
	switch to {
	case Int8:
		return toInt[int8](from)
	case Int16:
		return toInt[int16](from)
	case Int32:
		return toInt[int32](from)
	case Int64:
		return toLong[int64](from)
	case Uint8:
		return toInt[uint8](from)
	case Uint16:
		return toInt[uint16](from)
	case Uint32:
		return toLong[uint32](from)
	case Uint64:
		return toUint64(from)
	case Float16:
		return toHalf(from)
	case Float32:
		return toFloat[float32](from)
	}
	return toFloat[float64](from)
}

func plain[D, S Integer | Float](dst, src []byte) {
	d, s := Slice[D](dst), Slice[S](src)
	d = d[:len(s)]
	for i, x := range s {
		d[i] = D(x)
	}
}

// fromInteger converts integers, which is defined for every number type.
func fromInteger[D Integer | Float](from Type) Kernel {
	switch from {
	case Int8:
		return plain[D, int8]
	case Int16:
		return plain[D, int16]
	case Int32:
		return plain[D, int32]
	case Int64:
		return plain[D, int64]
	case Uint8:
		return plain[D, uint8]
	case Uint16:
		return plain[D, uint16]
	case Uint32:
		return plain[D, uint32]
	}
	return plain[D, uint64]
}

// toInt converts to integers that are made of the lower bits of an int32.
func toInt[D Integer](from Type) Kernel {
	switch from {
	case Float16:
		return func(dst, src []byte) {
			d := Slice[D](dst)
			for i, x := range Slice[Half](src) {
				d[i] = D(cut32(x.Float64()))
			}
		}
	case Float32:
		return floatToInt[D, float32]
	case Float64:
		return floatToInt[D, float64]
	}
	return fromInteger[D](from)
}

func floatToInt[D Integer, S Float](dst, src []byte) {
	d, s := Slice[D](dst), Slice[S](src)
	d = d[:len(s)]
	for i, x := range s {
		d[i] = D(cut32(float64(x)))
	}
}

// toLong converts to integers that are made of the lower bits of an int64.
func toLong[D Integer](from Type) Kernel {
	switch from {
	case Float16:
		return func(dst, src []byte) {
			d := Slice[D](dst)
			for i, x := range Slice[Half](src) {
				d[i] = D(cut64(x.Float64()))
			}
		}
	case Float32:
		return floatToLong[D, float32]
	case Float64:
		return floatToLong[D, float64]
	}
	return fromInteger[D](from)
}

func floatToLong[D Integer, S Float](dst, src []byte) {
	d, s := Slice[D](dst), Slice[S](src)
	d = d[:len(s)]
	for i, x := range s {
		d[i] = D(cut64(float64(x)))
	}
}

func toUint64(from Type) Kernel {
	switch from {
	case Float16:
		return func(dst, src []byte) {
			d := Slice[uint64](dst)
			for i, x := range Slice[Half](src) {
				d[i] = cutUint64(x.Float64())
			}
		}
	case Float32:
		return floatToUint64[float32]
	case Float64:
		return floatToUint64[float64]
	}
	return fromInteger[uint64](from)
}

func floatToUint64[S Float](dst, src []byte) {
	d, s := Slice[uint64](dst), Slice[S](src)
	d = d[:len(s)]
	for i, x := range s {
		d[i] = cutUint64(float64(x))
	}
}

// cut32 and its kin cut off the fraction. What does not fit becomes the number
// of which only the highest bit is set.
func cut32(x float64) int32 {
	if x > -0x1p31-1 && x < 0x1p31 {
		return int32(x)
	}
	return math.MinInt32
}

func cut64(x float64) int64 {
	if x >= -0x1p63 && x < 0x1p63 {
		return int64(x)
	}
	return math.MinInt64
}

// cutUint64 has the upper half of the numbers behind the lower one. Negative
// numbers wrap around.
func cutUint64(x float64) uint64 {
	if x >= 0x1p63 {
		return uint64(cut64(x-0x1p63)) ^ 1<<63
	}
	return uint64(cut64(x))
}

// toHalf goes through float32 from integers, as NumPy does.
func toHalf(from Type) Kernel {
	if from == Float64 {
		return func(dst, src []byte) {
			d := Slice[Half](dst)
			for i, x := range Slice[float64](src) {
				d[i] = RoundHalf64(x)
			}
		}
	}
	switch from {
	case Int8:
		return rounded[int8]
	case Int16:
		return rounded[int16]
	case Int32:
		return rounded[int32]
	case Int64:
		return rounded[int64]
	case Uint8:
		return rounded[uint8]
	case Uint16:
		return rounded[uint16]
	case Uint32:
		return rounded[uint32]
	case Uint64:
		return rounded[uint64]
	}
	return rounded[float32]
}

func rounded[S Integer | Float](dst, src []byte) {
	d, s := Slice[Half](dst), Slice[S](src)
	d = d[:len(s)]
	for i, x := range s {
		d[i] = RoundHalf(float32(x))
	}
}

func toFloat[D Float](from Type) Kernel {
	switch from {
	case Float16:
		return func(dst, src []byte) {
			d := Slice[D](dst)
			for i, x := range Slice[Half](src) {
				d[i] = D(x.Float64())
			}
		}
	case Float32:
		return plain[D, float32]
	case Float64:
		return plain[D, float64]
	}
	return fromInteger[D](from)
}
