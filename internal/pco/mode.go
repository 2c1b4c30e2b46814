package pco

import (
	"encoding/binary"
	"fmt"
	"math"
)

// combine makes ordered numbers of k latents, in d.primary.out.
func (d *decoder) combine(k int) error {
	a, b := d.primary.out[:k], d.secondary.out[:k]
	switch d.mode {
	case intMult:
		for i := range a {
			a[i] = a[i]*d.base + b[i]
		}
	case floatMult:
		multiples(a, b, unordered(d.base, d.t), d.t)
	case floatQuant:
		unquantise(a, b, uint(d.base), d.t.bits())
	case dict:
		for i, x := range a {
			if uint64(uint32(x)) >= uint64(len(d.words)) {
				return fmt.Errorf("word %d of a dictionary of %d", uint32(x), len(d.words))
			}
			a[i] = d.words[uint32(x)]
		}
	}
	return nil
}

// unquantise puts the quantised bits back, which are counted away from zero.
func unquantise(a, b []uint64, k, bits uint) {
	mask, mid, low := masks[bits], uint64(1)<<(bits-1)>>k, uint64(1)<<k-1
	for i, x := range a {
		x &= mask
		if x >= mid {
			a[i] = x<<k + b[i]
		} else {
			a[i] = x<<k + low - b[i]
		}
	}
}

// multiples multiplies by base, given by its bits, and corrects by units in the
// last place.
func multiples(a, b []uint64, base uint64, t Type) {
	switch t {
	case F64:
		f := math.Float64frombits(base)
		for i, x := range a {
			x = math.Float64bits(math.Float64frombits(integral(x, t)) * f)
			a[i] = ordered(x, t) + b[i] ^ 1<<63
		}
	case F32:
		f := math.Float32frombits(uint32(base))
		for i, x := range a {
			y := math.Float32bits(math.Float32frombits(uint32(integral(x, t))) * f)
			a[i] = ordered(uint64(y), t) + b[i] ^ 1<<31
		}
	case F16:
		// The product of two half-precision numbers is exact in single
		// precision.
		f := halfToFloat(uint16(base))
		for i, x := range a {
			y := floatToHalf(halfToFloat(uint16(integral(x, t))) * f)
			a[i] = ordered(uint64(y), t) + b[i] ^ 1<<15
		}
	}
}

// integral gives the bits of the float that a latent stands for: integers in
// order, first all that are exact, then every representable one.
func integral(l uint64, t Type) uint64 {
	bits, m := t.bits(), t.mantissa()
	mid, mask := uint64(1)<<(bits-1), masks[bits]
	l &= mask
	var sign uint64
	if l >= mid {
		l -= mid
	} else {
		l = mid - 1 - l
		sign = mid
	}
	exact := uint64(1) << (m + 1)
	var abs uint64
	if l < exact {
		abs = fromInt(l, t)
	} else {
		abs = fromInt(exact, t) + l - exact
	}
	return (abs ^ sign) & mask
}

// fromInt gives the bits of a float with an integral value that is exact.
func fromInt(n uint64, t Type) uint64 {
	switch t {
	case F64:
		return math.Float64bits(float64(n))
	case F32:
		return uint64(math.Float32bits(float32(n)))
	}
	return uint64(floatToHalf(float32(n)))
}

// unordered gives the bits of a number whose ordered form is l.
func unordered(l uint64, t Type) uint64 {
	sign := uint64(1) << (t.bits() - 1)
	switch {
	case types[t].class == unsigned:
		return l & masks[t.bits()]
	case types[t].class == signed || l&sign != 0:
		return (l ^ sign) & masks[t.bits()]
	}
	return ^l & masks[t.bits()]
}

// ordered maps the bits of a number to an unsigned one, so that they sort alike.
func ordered(x uint64, t Type) uint64 {
	sign := uint64(1) << (t.bits() - 1)
	switch {
	case types[t].class == unsigned:
		return x
	case types[t].class == signed || x&sign == 0:
		return x ^ sign
	}
	return ^x & masks[t.bits()]
}

// store writes ordered numbers to memory.
func store(dst []byte, l []uint64, t Type) {
	switch t {
	case U8, I8:
		flip := byte(ordered(0, t))
		for i, x := range l {
			dst[i] = byte(x) ^ flip
		}
	case U16, I16:
		flip := uint16(ordered(0, t))
		for i, x := range l {
			binary.LittleEndian.PutUint16(dst[2*i:], uint16(x)^flip)
		}
	case U32, I32:
		flip := uint32(ordered(0, t))
		for i, x := range l {
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(x)^flip)
		}
	case U64, I64:
		flip := ordered(0, t)
		for i, x := range l {
			binary.LittleEndian.PutUint64(dst[8*i:], x^flip)
		}
	// A float whose ordered form has the sign bit loses it; otherwise all bits
	// are inverted.
	case F16:
		for i, x := range l {
			y := uint16(x)
			binary.LittleEndian.PutUint16(dst[2*i:], y^(^uint16(int16(y)>>15)|1<<15))
		}
	case F32:
		for i, x := range l {
			y := uint32(x)
			binary.LittleEndian.PutUint32(dst[4*i:], y^(^uint32(int32(y)>>31)|1<<31))
		}
	case F64:
		for i, x := range l {
			binary.LittleEndian.PutUint64(dst[8*i:], x^(^uint64(int64(x)>>63)|1<<63))
		}
	}
}
