package cast

import (
	"math"
	"math/bits"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/numeric"
)

// floatTarget is what rounding to a format needs to know of it. Patterns of one
// sign are in the order of their numbers, so that the neighbours of a number are
// the patterns beside it.
type floatTarget struct {
	sign     uint64 // the sign bit; 0: the format has positive numbers only
	negZero  bool   // there is a -0
	largest  uint64 // pattern of the largest finite number
	mantissa int    // bits of a NaN's payload; 0: there is one NaN or none
}

func newFloatTarget(f *dtype.Format) floatTarget {
	top := uint64(1) << (f.Bits() - 1)
	out := floatTarget{sign: top, mantissa: mantissa(f), largest: top - 1}
	if f.Decode(top) > 0 { // the topmost bit is no sign
		out.sign, out.largest = 0, 2*top-1
	}
	out.negZero = out.sign != 0 && !f.IsNaN(top)
	if f.HasInf() {
		inf, _ := f.Encode(math.Inf(1))
		out.largest = inf - 1
	}
	for f.IsNaN(out.largest) {
		out.largest--
	}
	return out
}

// floatToFloat returns the conversion of a block of float64. The most common
// ones look for numbers first, and leave the rest to round.
func (t *target) floatToFloat() func([]uint64) int {
	switch {
	case t.format.Name() == "float64":
		return func(block []uint64) int { return len(block) }
	case t.format.Name() == "float32" && t.rounding == NearestEven:
		return func(block []uint64) int {
			for i, x := range block {
				y := math.Float32bits(float32(math.Float64frombits(x)))
				if y&0x7f800000 != 0x7f800000 {
					block[i] = uint64(y)
				} else if !t.round(block, i) {
					return i
				}
			}
			return len(block)
		}
	case t.format.Name() == "float16" && t.rounding == NearestEven:
		return func(block []uint64) int {
			for i, x := range block {
				y := numeric.RoundHalf64(math.Float64frombits(x))
				if y&0x7c00 != 0x7c00 {
					block[i] = uint64(y)
				} else if !t.round(block, i) {
					return i
				}
			}
			return len(block)
		}
	}
	return func(block []uint64) int {
		for i := range block {
			if !t.round(block, i) {
				return i
			}
		}
		return len(block)
	}
}

// intToFloat returns the conversion of a block of int64, or uint64.
func (t *target) intToFloat(unsigned bool) func([]uint64) int {
	float64s := t.format.Name() == "float64"
	return func(block []uint64) int {
		for i, x := range block {
			magnitude, negative := x, false
			if !unsigned && int64(x) < 0 {
				magnitude, negative = -x, true
			}
			y := t.fromInt(magnitude, negative, float64s)
			if negative {
				y = -y
			}
			block[i] = math.Float64bits(y)
			if !float64s && !t.round(block, i) {
				block[i] = x
				return i
			}
		}
		return len(block)
	}
}

// fromInt gives the float64 of a magnitude: rounded if that is the target, else
// to odd, from which rounding to fewer bits is as good as from the integer.
func (t *target) fromInt(magnitude uint64, negative, rounded bool) float64 {
	shift := bits.Len64(magnitude) - 53
	if shift <= 0 {
		return float64(magnitude)
	}
	q, rest, half := magnitude>>shift, magnitude&(1<<shift-1), uint64(1)<<(shift-1)
	up := false
	switch {
	case !rounded:
		if rest != 0 {
			q |= 1
		}
	case t.rounding == NearestEven:
		up = rest > half || rest == half && q&1 == 1
	case t.rounding == NearestAway:
		up = rest >= half
	default:
		up = rest != 0 && t.away(negative)
	}
	if up {
		q++
	}
	return math.Ldexp(float64(q), shift)
}

// away reports whether a directed rounding goes away from zero.
func (t *target) away(negative bool) bool {
	return t.rounding == TowardsPositive && !negative || t.rounding == TowardsNegative && negative
}

// round replaces the float64 at i by the target's pattern and reports whether
// there is one.
func (t *target) round(block []uint64, i int) bool {
	x := math.Float64frombits(block[i])
	f, ft := t.format, &t.floats
	negative := block[i]>>63 == 1
	var sign uint64
	if negative {
		sign = ft.sign
	}
	switch {
	case x != x:
		nan, ok := f.NaN()
		if m := ft.mantissa; m > 0 {
			if payload := block[i] & (1<<52 - 1) >> (52 - m); payload != 0 {
				nan = nan&^(1<<m-1) | payload
			}
			nan |= sign
		}
		block[i] = nan
		return ok
	case math.IsInf(x, 0):
		block[i] = ft.largest + 1 | sign
		return f.HasInf()
	case ft.sign == 0 && x <= 0:
		return t.beyond(block, i, true, 0)
	}
	p, fits := t.magnitude(math.Abs(x), negative)
	if !fits {
		return t.beyond(block, i, ft.sign == 0 && p == 0, sign)
	}
	if p == 0 && !ft.negZero {
		sign = 0
	}
	block[i] = p | sign
	return true
}

// magnitude rounds a finite number that is not negative, of the given sign.
// Where it does not fit, the pattern is the end of the range.
func (t *target) magnitude(x float64, negative bool) (pattern uint64, fits bool) {
	largest := t.floats.largest
	away, nearest := t.away(negative), t.rounding == NearestEven || t.rounding == NearestAway
	p, ok := t.format.Encode(x)
	if !ok || p > largest {
		return largest, !away && !nearest
	}
	if t.rounding == NearestEven {
		return p, true
	}
	y := t.format.Decode(p)
	switch {
	case y < x && (away || nearest && x-y == t.step(p)/2):
		if p == largest {
			return largest, false
		}
		p++
	case y > x && !away && !nearest:
		if p == 0 {
			return 0, false
		}
		p--
	}
	return p, true
}

// step is the distance from the number with a pattern to the next larger one,
// also where that would be beyond the largest.
func (t *target) step(p uint64) float64 {
	if p == t.floats.largest {
		p--
	}
	return t.format.Decode(p+1) - t.format.Decode(p)
}

// beyond treats a number outside the range of the target.
func (t *target) beyond(block []uint64, i int, low bool, sign uint64) bool {
	if t.outside != Clamp {
		return false
	}
	switch {
	case low:
		block[i] = 0
	case t.format.HasInf():
		block[i] = t.floats.largest + 1 | sign
	default:
		block[i] = t.floats.largest | sign
	}
	return true
}
