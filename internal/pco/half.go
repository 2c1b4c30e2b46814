package pco

import "math"

// halfToFloat widens a half-precision number. Signalling NaNs become quiet, as
// processors make them.
func halfToFloat(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exp, man := uint32(h>>10&31), uint32(h&0x3ff)
	switch {
	case exp == 31 && man != 0:
		return math.Float32frombits(sign | 0x7fc00000 | man<<13)
	case exp == 31:
		return math.Float32frombits(sign | 0x7f800000)
	case exp == 0:
		f := float32(man) * 0x1p-24
		return math.Float32frombits(sign | math.Float32bits(f))
	}
	return math.Float32frombits(sign | (exp+112)<<23 | man<<13)
}

// floatToHalf rounds to the nearest half-precision number, ties to even.
func floatToHalf(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000:
		return sign | 0x7e00 | uint16(b>>13&0x3ff)
	case b >= 0x47800000: // 65536 and more
		return sign | 0x7c00
	case b < 0x38800000: // subnormal: let the addition round
		return sign | uint16(math.Float32bits(math.Float32frombits(b)+0.5)-0x3f000000)
	}
	return sign | uint16((b+0xfff+b>>13&1-0x38000000)>>13)
}
