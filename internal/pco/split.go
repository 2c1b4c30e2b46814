package pco

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// load reads numbers from memory as ordered ones.
func load(l []uint64, src []byte, t Type) {
	switch t {
	case U8, I8:
		flip := byte(ordered(0, t))
		for i := range l {
			l[i] = uint64(src[i] ^ flip)
		}
	case U16, I16:
		flip := uint16(ordered(0, t))
		for i := range l {
			l[i] = uint64(binary.LittleEndian.Uint16(src[2*i:]) ^ flip)
		}
	case U32, I32:
		flip := uint32(ordered(0, t))
		for i := range l {
			l[i] = uint64(binary.LittleEndian.Uint32(src[4*i:]) ^ flip)
		}
	case U64, I64:
		flip := ordered(0, t)
		for i := range l {
			l[i] = binary.LittleEndian.Uint64(src[8*i:]) ^ flip
		}
	case F16:
		for i := range l {
			x := binary.LittleEndian.Uint16(src[2*i:])
			l[i] = uint64(x ^ (uint16(int16(x)>>15) | 1<<15))
		}
	case F32:
		for i := range l {
			x := binary.LittleEndian.Uint32(src[4*i:])
			l[i] = uint64(x ^ (uint32(int32(x)>>31) | 1<<31))
		}
	case F64:
		for i := range l {
			x := binary.LittleEndian.Uint64(src[8*i:])
			l[i] = x ^ (uint64(int64(x)>>63) | 1<<63)
		}
	}
}

// scheme is a mode with its parameter.
type scheme struct {
	mode mode
	base uint64 // as the file has it
}

// split makes latents of ordered numbers. b is for the second ones.
func (s scheme) split(a, b, nums []uint64, t Type) {
	switch s.mode {
	case classic:
		copy(a, nums)
	case intMult:
		for i, x := range nums {
			a[i], b[i] = x/s.base, x%s.base
		}
	case floatQuant:
		quantise(a, b, nums, uint(s.base), t.bits())
	case floatMult:
		multipliers(a, b, nums, unordered(s.base, t), t)
	}
}

// quantise is the inverse of unquantise.
func quantise(a, b, nums []uint64, k, bits uint) {
	mid, low := uint64(1)<<(bits-1), uint64(1)<<k-1
	for i, x := range nums {
		a[i], b[i] = x>>k, x&low
		if x < mid {
			b[i] = low - b[i]
		}
	}
}

// multipliers is the inverse of multiples. Numbers without a finite multiplier
// are taken as a correction of zero, since not all processors treat NaN alike.
func multipliers(a, b, nums []uint64, base uint64, t Type) {
	mid, mask := uint64(1)<<(t.bits()-1), masks[t.bits()]
	if t == F32 {
		f := math.Float32frombits(uint32(base))
		inverse := 1 / f
		for i, x := range nums {
			m := float32(math.Round(float64(math.Float32frombits(uint32(unordered(x, t))) * inverse)))
			product := m * f
			if product-product != 0 {
				m, product = 0, 0
			}
			a[i] = fromIntegral(uint64(math.Float32bits(m)), t)
			b[i] = (x - ordered(uint64(math.Float32bits(product)), t) + mid) & mask
		}
		return
	}
	f := math.Float64frombits(base)
	inverse := 1 / f
	for i, x := range nums {
		m := math.Round(math.Float64frombits(unordered(x, t)) * inverse)
		product := m * f
		if product-product != 0 {
			m, product = 0, 0
		}
		a[i] = fromIntegral(math.Float64bits(m), t)
		b[i] = x - ordered(math.Float64bits(product), t) + mid
	}
}

// fromIntegral is the inverse of integral.
func fromIntegral(x uint64, t Type) uint64 {
	mid := uint64(1) << (t.bits() - 1)
	exact := uint64(1) << (t.mantissa() + 1)
	abs := x & (mid - 1)
	var l uint64
	if e := fromInt(exact, t); abs >= e {
		l = exact + abs - e
	} else if t == F32 {
		l = uint64(math.Float32frombits(uint32(abs)))
	} else {
		l = uint64(math.Float64frombits(abs))
	}
	if x&mid != 0 {
		return mid - 1 - l
	}
	return mid + l
}

// findSchemes adds the modes that may suit the numbers better than the classic
// one.
func (e *encoder) findSchemes() {
	if !e.t.isFloat() {
		var g uint64
		if g, e.scratch = commonDivisor(e.sample, e.scratch); g > 1 {
			e.schemes = append(e.schemes, scheme{intMult, g})
		}
		return
	}
	if k := trailingZeros(e.sample, e.t); k > 1 {
		e.schemes = append(e.schemes, scheme{floatQuant, uint64(k)})
	}
	if base, ok := decimal(e.sample, e.t); ok {
		e.schemes = append(e.schemes, scheme{floatMult, ordered(base, e.t)})
	}
}

// commonDivisor finds the number that divides the differences of most
// neighbours, or 0.
func commonDivisor(sample, scratch []uint64) (uint64, []uint64) {
	scratch = scratch[:0]
	for i := 2; i < len(sample); i++ {
		if g := gcd(distance(sample[i-2], sample[i-1]), distance(sample[i-1], sample[i])); g > 1 {
			scratch = append(scratch, g)
		}
	}
	slices.Sort(scratch)
	best, most := uint64(0), len(sample)/4 // three random multiples share no more in 61% of cases
	for i := 0; i < len(scratch); {
		j := i + 1
		for j < len(scratch) && scratch[j] == scratch[i] {
			j++
		}
		if j-i > most {
			best, most = scratch[i], j-i
		}
		i = j
	}
	return best, scratch
}

func distance(a, b uint64) uint64 { return max(a, b) - min(a, b) }

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// telling reports whether a float, given by its bits, says something about how
// others are made: it is neither zero nor infinite nor NaN.
func telling(x uint64, t Type) bool {
	x &= masks[t.bits()-1]
	return x != 0 && x>>t.mantissa() != masks[t.bits()-1-t.mantissa()]
}

// trailingZeros is how many bits of the mantissa are zero in nearly all floats.
func trailingZeros(sample []uint64, t Type) uint {
	var counts [64]int
	total := 0
	for _, x := range sample {
		if b := unordered(x, t); telling(b, t) {
			counts[min(uint(bits.TrailingZeros64(b)), t.mantissa())]++
			total++
		}
	}
	few := total / 64
	for k := range t.mantissa() {
		if few -= counts[k]; few < 0 {
			return k
		}
	}
	return t.mantissa()
}

// decimal finds the largest power of ten of which nearly all floats are
// multiples, but for rounding.
func decimal(sample []uint64, t Type) (base uint64, ok bool) {
	if t == F16 {
		return 0, false
	}
	for _, ten := range []float64{1e2, 1e1, 1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6} {
		base = math.Float64bits(ten)
		if t == F32 {
			base = uint64(math.Float32bits(float32(ten)))
		}
		var a, b [1]uint64
		bad, total := 0, 0
		for _, x := range sample {
			if !telling(unordered(x, t), t) {
				continue
			}
			total++
			multipliers(a[:], b[:], []uint64{x}, base, t)
			if d := int64(b[0] - 1<<(t.bits()-1)); d < -4 || d > 4 {
				if bad++; bad > len(sample)/64 {
					break
				}
			}
		}
		if bad <= total/64 {
			return base, true
		}
	}
	return 0, false
}
