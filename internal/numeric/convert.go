package numeric

import (
	"math"
	"strconv"
)

// Converter turns numbers into those of another type, and finds the first that
// does not fit: a number outside the range of an integer type, or NaN. Fractions
// are cut off, and floats are rounded to the nearest.
type Converter struct {
	in      int    // bytes of a number that comes in
	pre     Kernel // makes numbers of type from of what is none, or nil
	from    Type
	out     int
	cast    Kernel
	outside func(src []byte) int // nil if all numbers fit
}

// NewConverter converts numbers of type from. With pre, what comes in has in bytes
// each and is made into such numbers first.
func NewConverter(to, from Type, in int, pre Kernel) *Converter {
	return &Converter{in: in, pre: pre, from: from, out: to.Size(), cast: Cast(to, from), outside: outside(to, from)}
}

// Run converts the numbers of src until one does not fit, and gives its position;
// -1 if all did.
func (c *Converter) Run(dst, src []byte) (bad int) {
	var mem *between
	if c.pre != nil {
		mem = betweens.Get().(*between)
		defer betweens.Put(mem)
	}
	for done := 0; len(src) > 0; {
		n := min(block, len(src)/c.in)
		cur := src[:n*c.in]
		if c.pre != nil {
			cur = mem[0][:n*c.from.Size()]
			c.pre(cur, src[:n*c.in])
		}
		if c.outside != nil {
			if k := c.outside(cur); k >= 0 {
				return done + k
			}
		}
		if c.cast == nil {
			copy(dst[:n*c.out], cur)
		} else {
			c.cast(dst[:n*c.out], cur)
		}
		dst, src, done = dst[n*c.out:], src[n*c.in:], done+n
	}
	return -1
}

// Text spells one number that comes in.
func (c *Converter) Text(src []byte) string {
	var mem [8]byte
	cur := src
	if c.pre != nil {
		cur = mem[:c.from.Size()]
		c.pre(cur, src)
	}
	var out [8]byte
	switch {
	case c.from.IsFloat():
		convert(out[:], cur, Cast(Float64, c.from))
		return strconv.FormatFloat(Slice[float64](out[:])[0], 'g', -1, 64)
	case c.from.IsSigned():
		convert(out[:], cur, Cast(Int64, c.from))
		return strconv.FormatInt(Slice[int64](out[:])[0], 10)
	}
	convert(out[:], cur, Cast(Uint64, c.from))
	return strconv.FormatUint(Slice[uint64](out[:])[0], 10)
}

func convert(dst, src []byte, k Kernel) {
	if k == nil {
		copy(dst, src)
		return
	}
	k(dst, src)
}

// outside finds the first number that an integer type cannot hold, -1 if there is
// none. It is nil if there can be none.
func outside(to, from Type) func(src []byte) int {
	if to.IsFloat() {
		return nil
	}
	lo, hi := limits(to)
	switch from {
	case Int8:
		return outsideInt[int8](lo, hi, from)
	case Int16:
		return outsideInt[int16](lo, hi, from)
	case Int32:
		return outsideInt[int32](lo, hi, from)
	case Int64:
		return outsideInt[int64](lo, hi, from)
	case Uint8:
		return outsideInt[uint8](lo, hi, from)
	case Uint16:
		return outsideInt[uint16](lo, hi, from)
	case Uint32:
		return outsideInt[uint32](lo, hi, from)
	case Uint64:
		return outsideInt[uint64](lo, hi, from)
	case Float16:
		return outsideFloat(lo, hi, Half.Float64)
	case Float32:
		return outsideFloat(lo, hi, func(x float32) float64 { return float64(x) })
	}
	return outsideFloat(lo, hi, func(x float64) float64 { return x })
}

// limits are the least and the largest number of an integer type.
func limits(t Type) (lo int64, hi uint64) {
	bits := 8 * t.Size()
	if t.IsSigned() {
		return -1 << (bits - 1), 1<<(bits-1) - 1
	}
	return 0, math.MaxUint64 >> (64 - bits)
}

func outsideInt[S Integer](lo int64, hi uint64, from Type) func(src []byte) int {
	least, most := limits(from)
	if least >= lo && most <= hi {
		return nil
	}
	from0, to0 := S(max(least, lo)), S(min(most, hi))
	return func(src []byte) int {
		for i, x := range Slice[S](src) {
			if x < from0 || x > to0 {
				return i
			}
		}
		return -1
	}
}

// outsideFloat compares what is left when the fraction is cut off.
func outsideFloat[S Float | Half](lo int64, hi uint64, value func(S) float64) func(src []byte) int {
	above, below := float64(lo)-1, float64(hi)+1
	if above == float64(lo) { // too large for a step of one
		above = math.Nextafter(above, math.Inf(-1))
	}
	return func(src []byte) int {
		for i, s := range Slice[S](src) {
			if x := value(s); !(x > above && x < below) {
				return i
			}
		}
		return -1
	}
}
