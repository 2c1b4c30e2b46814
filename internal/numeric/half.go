package numeric

import "math"

// Half is the memory of a float16.
type Half uint16

// Float32 is the number, which is exact. A NaN keeps its bits.
func (h Half) Float32() float32 {
	sign, rest := uint32(h&0x8000)<<16, uint32(h&0x7fff)
	switch {
	case rest >= 0x7c00:
		return math.Float32frombits(sign | 0x7f800000 | rest<<13)
	case rest < 0x400:
		return math.Float32frombits(sign | math.Float32bits(float32(rest)*0x1p-24))
	}
	return math.Float32frombits(sign | (rest<<13 + 112<<23))
}

// Float64 is the number, which is exact. A NaN keeps its bits.
func (h Half) Float64() float64 {
	if h&0x7fff > 0x7c00 {
		return math.Float64frombits(uint64(h&0x8000)<<48 | 0x7ff<<52 | uint64(h&0x3ff)<<42)
	}
	return float64(h.Float32())
}

// RoundHalf is the float16 nearest to x, the even one of two that are equally
// near. A NaN keeps the upper bits of its payload.
func RoundHalf(x float32) Half {
	b := math.Float32bits(x)
	sign, rest := Half(b>>16&0x8000), b&0x7fffffff
	switch {
	case rest > 0x7f800000:
		return sign | nanHalf(Half(rest>>13&0x3ff))
	case rest >= 0x47800000: // 65536
		return sign | 0x7c00
	case rest < 0x38800000: // 2⁻¹⁴
		// The sum has the unit of the subnormal numbers in its last place, and the
		// machine rounds to it.
		sum := math.Float32frombits(rest) + 0.5
		return sign | Half(math.Float32bits(sum)-0x3f000000)
	}
	// A carry out of the significand goes into the exponent, as it should.
	return sign | Half((rest+0xfff+rest>>13&1-112<<23)>>13)
}

// RoundHalf64 is RoundHalf for a float64, rounded once.
func RoundHalf64(x float64) Half {
	if x != x {
		b := math.Float64bits(x)
		return Half(b>>48&0x8000) | nanHalf(Half(b>>42&0x3ff))
	}
	f := float32(x)
	if float64(f) != x {
		// Rounding twice is right if the first time is towards zero with the last
		// bit set where something was lost.
		b := math.Float32bits(f)
		if math.Abs(float64(f)) > math.Abs(x) {
			b--
		}
		f = math.Float32frombits(b | 1)
	}
	return RoundHalf(f)
}

func nanHalf(payload Half) Half { return 0x7c00 | max(payload, 1) }
