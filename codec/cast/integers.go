package cast

import (
	"math"

	"github.com/omnizarr/zarr/dtype"
)

// target is what elements are converted to, and how.
type target struct {
	rounding Rounding
	outside  Range
	format   *dtype.Format // nil for integers

	// Of integers: how many bits they have, and their range.
	bits   int
	signed bool
	lo     int64  // 0 if unsigned
	hi     uint64 // the largest

	// Of floats: see newFloatTarget.
	floats floatTarget
}

func newTarget(t dtype.Type, rounding Rounding, outside Range) *target {
	out := &target{rounding: rounding, outside: outside}
	if format, ok := dtype.FormatOf(t); ok {
		out.format, out.floats = format, newFloatTarget(format)
		return out
	}
	unit := t.Units()[0]
	out.bits, out.signed = unit.Bits, unit.Signed
	out.hi = ^uint64(0) >> (64 - out.bits)
	if out.signed {
		out.hi >>= 1
		out.lo = -1 << (out.bits - 1)
	}
	return out
}

// wrap takes the number with these low bits that is in range.
func (t *target) wrap(x uint64) uint64 {
	unused := 64 - t.bits
	if t.signed {
		return uint64(int64(x<<unused) >> unused)
	}
	return x << unused >> unused
}

// end is one end of the range.
func (t *target) end(low bool) uint64 {
	if low {
		return uint64(t.lo)
	}
	return t.hi
}

// intToInt converts block, which holds int64.
func (t *target) intToInt(block []uint64) int {
	hi := int64(min(t.hi, math.MaxInt64))
	for i, x := range block {
		if n := int64(x); n >= t.lo && n <= hi {
			continue
		}
		switch t.outside {
		case Clamp:
			block[i] = t.end(int64(x) < t.lo)
		case Wrap:
			block[i] = t.wrap(x)
		default:
			return i
		}
	}
	return len(block)
}

// uintToInt converts block, which holds uint64.
func (t *target) uintToInt(block []uint64) int {
	for i, x := range block {
		if x <= t.hi {
			continue
		}
		switch t.outside {
		case Clamp:
			block[i] = t.hi
		case Wrap:
			block[i] = t.wrap(x)
		default:
			return i
		}
	}
	return len(block)
}

// floatToInt returns the conversion of a block of float64.
func (t *target) floatToInt() func([]uint64) int {
	// The range is lo <= x < end, where both are powers of two or zero, and
	// therefore exact. A NaN is not in it.
	lo, end := float64(t.lo), math.Ldexp(1, t.bits)
	if t.signed {
		end /= 2
	}
	return func(block []uint64) int {
		t.rounding.whole(block)
		for i, x := range block {
			switch r := math.Float64frombits(x); {
			case r >= lo && r < end && r < 1<<63:
				block[i] = uint64(int64(r))
			case r >= lo && r < end:
				block[i] = uint64(r)
			case math.IsNaN(r) || math.IsInf(r, 0):
				return i
			case t.outside == Clamp:
				block[i] = t.end(r < lo)
			case t.outside == Wrap:
				block[i] = t.wrap(lowBits(r))
			default:
				return i
			}
		}
		return len(block)
	}
}

// whole rounds float64 to whole numbers. There is a loop for each rounding so
// that the compiler puts the processor's instruction into it.
func (r Rounding) whole(block []uint64) {
	switch r {
	case TowardsZero:
		for i, x := range block {
			block[i] = math.Float64bits(math.Trunc(math.Float64frombits(x)))
		}
	case TowardsPositive:
		for i, x := range block {
			block[i] = math.Float64bits(math.Ceil(math.Float64frombits(x)))
		}
	case TowardsNegative:
		for i, x := range block {
			block[i] = math.Float64bits(math.Floor(math.Float64frombits(x)))
		}
	case NearestAway:
		for i, x := range block {
			block[i] = math.Float64bits(math.Round(math.Float64frombits(x)))
		}
	default:
		for i, x := range block {
			block[i] = math.Float64bits(math.RoundToEven(math.Float64frombits(x)))
		}
	}
}

// lowBits is the whole number r modulo 2^64, in two's complement.
func lowBits(r float64) uint64 {
	b := math.Float64bits(r)
	shift := int(b>>52&0x7ff) - 1075
	n := b&(1<<52-1) | 1<<52
	switch {
	case shift >= 64 || shift <= -53:
		n = 0
	case shift >= 0:
		n <<= shift
	default:
		n >>= -shift
	}
	if r < 0 {
		n = -n
	}
	return n
}
