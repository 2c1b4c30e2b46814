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
	to      Type
	cast    Kernel
	outside func(src []byte) int      // nil if all numbers fit
	lost    func(dst, src []byte) int // finds what did not fit by what it became, or nil
	out     int                       // bytes of a number that goes out
	then    func(dst, src []byte) int // makes what goes out of numbers of type to, or nil
}

// NewConverter converts numbers of type from. With pre, what comes in has in bytes
// each and is made into such numbers first.
func NewConverter(to, from Type, in int, pre Kernel) *Converter {
	return &Converter{in: in, pre: pre, from: from, to: to, out: to.Size(), cast: Cast(to, from), outside: outside(to, from, 8*to.Size(), false)}
}

// NewExact is NewConverter for numbers that are to stay what they are: what has a
// fraction does not fit an integer type, of which only the lowest bits are used, and
// what would become infinite does not fit a float. Floats are still rounded.
func NewExact(to, from Type, bits, in int, pre Kernel) *Converter {
	c := NewConverter(to, from, in, pre)
	c.outside = outside(to, from, bits, true)
	c.lost = c.overflown()
	return c
}

// Then makes what goes out, of size bytes each, of the converted numbers; f gives the
// position of the first that it cannot take, or -1.
func (c *Converter) Then(size int, f func(dst, src []byte) (bad int)) *Converter {
	c.out, c.then = size, f
	return c
}

// Run converts the numbers of src until one does not fit, and gives its position;
// -1 if all did.
func (c *Converter) Run(dst, src []byte) (bad int) {
	var mem *between
	if c.pre != nil || c.then != nil {
		mem = betweens.Get().(*between)
		defer betweens.Put(mem)
	}
	for done := 0; len(src) > 0; {
		n := min(block, len(src)/c.in)
		cur, made := src[:n*c.in], dst[:n*c.out]
		if c.pre != nil {
			cur = mem[0][:n*c.from.Size()]
			c.pre(cur, src[:n*c.in])
		}
		if c.then != nil {
			made = mem[1][:n*c.to.Size()]
		}
		if c.outside != nil {
			if k := c.outside(cur); k >= 0 {
				return done + k
			}
		}
		convert(made, cur, c.cast)
		if c.lost != nil {
			if k := c.lost(made, cur); k >= 0 {
				return done + k
			}
		}
		if c.then != nil {
			if k := c.then(dst[:n*c.out], made); k >= 0 {
				return done + k
			}
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
func outside(to, from Type, bits int, exact bool) func(src []byte) int {
	if to.IsFloat() {
		return nil
	}
	lo, hi := limits(to, bits)
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
		return outsideFloat(lo, hi, exact, Half.Float64)
	case Float32:
		return outsideFloat(lo, hi, exact, func(x float32) float64 { return float64(x) })
	}
	return outsideFloat(lo, hi, exact, func(x float64) float64 { return x })
}

// limits are the least and the largest number of so many bits of an integer type.
func limits(t Type, bits int) (lo int64, hi uint64) {
	if t.IsSigned() {
		return -1 << (bits - 1), 1<<(bits-1) - 1
	}
	return 0, math.MaxUint64 >> (64 - bits)
}

func outsideInt[S Integer](lo int64, hi uint64, from Type) func(src []byte) int {
	least, most := limits(from, 8*from.Size())
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

// outsideFloat compares what is left when the fraction is cut off; exact ones must have
// none.
func outsideFloat[S Float | Half](lo int64, hi uint64, exact bool, value func(S) float64) func(src []byte) int {
	above, below := float64(lo)-1, float64(hi)+1
	if above == float64(lo) { // too large for a step of one
		above = math.Nextafter(above, math.Inf(-1))
	}
	return func(src []byte) int {
		for i, s := range Slice[S](src) {
			if x := value(s); !(x > above && x < below) || exact && x != math.Trunc(x) {
				return i
			}
		}
		return -1
	}
}

// overflown finds numbers that became infinite and were not; nil if there can be none.
func (c *Converter) overflown() func(dst, src []byte) int {
	switch {
	case c.to == Float32 && c.from == Float64:
		return func(dst, src []byte) int {
			s := Slice[float64](src)
			for i, x := range Slice[float32](dst) {
				if math.IsInf(float64(x), 0) && !math.IsInf(s[i], 0) {
					return i
				}
			}
			return -1
		}
	case c.to == Float16 && c.from != Float16:
		number := Cast(Float64, c.from)
		return func(dst, src []byte) int {
			for i, x := range Slice[Half](dst) {
				if x&0x7fff != 0x7c00 {
					continue
				}
				var was [8]byte
				size := c.from.Size()
				convert(was[:], src[i*size:(i+1)*size], number)
				if !math.IsInf(Slice[float64](was[:])[0], 0) {
					return i
				}
			}
			return -1
		}
	}
	return nil
}
