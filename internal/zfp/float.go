package zfp

import "math"

// Floats are held in blocks as their bits. floats is what a type needs to turn
// them into integers that share an exponent, and back.
type floats[T integer] struct {
	// exponent is that of the largest magnitude m of the block, as
	// m = f·2^e with f from ½ to 1, and -bias for a block of zeros.
	exponent func(block []T) int
	// quantize replaces floats with integers of the unit 2^(e-prec+2), cut
	// towards zero.
	quantize func(block []T, e int)
	// restore undoes quantize, as far as bits were not cut.
	restore func(block []T, e int)
	// exact reports whether ints, which quantize made of block, lead back to it.
	exact func(ints, block []T, e int) bool
}

var floats32 = floats[int32]{
	exponent: func(block []int32) int {
		const inf = 0x7f800000
		top := uint32(0)
		for _, b := range block {
			if m := uint32(b) & 0x7fffffff; m > top && m <= inf { // what is no number counts for nothing
				top = m
			}
		}
		switch {
		case top == 0:
			return -127
		case top == inf:
			return 0
		}
		return max(int(top>>23)-126, -126)
	},
	quantize: func(block []int32, e int) {
		s := float32(math.Ldexp(1, 30-e))
		for i, b := range block {
			block[i] = toInt32(s * math.Float32frombits(uint32(b)))
		}
	},
	restore: func(block []int32, e int) {
		s := float32(math.Ldexp(1, e-30))
		for i, b := range block {
			block[i] = int32(math.Float32bits(s * float32(b)))
		}
	},
	exact: func(ints, block []int32, e int) bool {
		s := float32(math.Ldexp(1, e-30))
		block = block[:len(ints)]
		for i, b := range ints {
			if block[i] != int32(math.Float32bits(s*float32(b))) {
				return false
			}
		}
		return true
	},
}

var floats64 = floats[int64]{
	exponent: func(block []int64) int {
		const inf = 0x7ff0000000000000
		top := uint64(0)
		for _, b := range block {
			if m := uint64(b) & math.MaxInt64; m > top && m <= inf {
				top = m
			}
		}
		switch {
		case top == 0:
			return -1023
		case top == inf:
			return 0
		}
		return max(int(top>>52)-1022, -1022)
	},
	quantize: func(block []int64, e int) {
		s := math.Ldexp(1, 62-e)
		for i, b := range block {
			block[i] = toInt64(s * math.Float64frombits(uint64(b)))
		}
	},
	restore: func(block []int64, e int) {
		s := math.Ldexp(1, e-62)
		for i, b := range block {
			block[i] = int64(math.Float64bits(s * float64(b)))
		}
	},
	exact: func(ints, block []int64, e int) bool {
		s := math.Ldexp(1, e-62)
		block = block[:len(ints)]
		for i, b := range ints {
			if block[i] != int64(math.Float64bits(s*float64(b))) {
				return false
			}
		}
		return true
	},
}

// toInt32 cuts x towards zero. What has no integer (infinite, no number, or tiny
// values whose scale overflows) becomes the least one on every machine: that is
// what the library gets on those for which streams are usually written.
func toInt32(x float32) int32 {
	if x >= math.MinInt32 && x < -math.MinInt32 {
		return int32(x)
	}
	return math.MinInt32
}

func toInt64(x float64) int64 {
	if x >= math.MinInt64 && x < -math.MinInt64 {
		return int64(x)
	}
	return math.MinInt64
}

// turn exchanges the bits of a float and an integer that has the same order,
// which is two's complement rather than sign and magnitude.
func turn[T integer](block []T, prec int) {
	m := T(mask(prec - 1))
	for i, b := range block {
		if b < 0 {
			block[i] = b ^ m
		}
	}
}
