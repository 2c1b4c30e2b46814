package zfp

import (
	"fmt"
	"math"
)

// Type is a type of numbers that streams hold.
type Type uint8

// The types, as headers number them.
const (
	Int32 Type = iota + 1
	Int64
	Float32
	Float64
)

// String is the name of the type in Zarr.
func (t Type) String() string {
	switch t {
	case Int32:
		return "int32"
	case Int64:
		return "int64"
	case Float32:
		return "float32"
	case Float64:
		return "float64"
	}
	return fmt.Sprintf("type %d", uint8(t))
}

// precision is the number of bits of a value.
func (t Type) precision() int {
	if t == Int32 || t == Float32 {
		return 32
	}
	return 64
}

// exponentBits is the number of bits of the exponent, 0 for integers.
func (t Type) exponentBits() int {
	switch t {
	case Float32:
		return 8
	case Float64:
		return 11
	}
	return 0
}

// What the library uses where nothing is asked for.
const (
	leastBits = 1     // of a block
	mostBits  = 16658 // of a block: no block has more
	mostPrec  = 64
	leastExp  = -1074 // exponents below ask for the reversible variant
)

// limitBits is the largest size of a block that can be asked for: headers hold no
// more, and no block has half as much in it.
const limitBits = 1 << 15

// Params bounds what is written of each block.
type Params struct {
	MinBits int // a block is filled up with zeros to this many bits
	MaxBits int // a block ends at this many bits
	MaxPrec int // number of bit planes
	MinExp  int // the last bit plane of floats is that of 2 to this power; below -1074: reversible
}

// Reversible is for streams that lose nothing.
func Reversible() Params { return Params{leastBits, mostBits, mostPrec, leastExp - 1} }

// FixedPrecision keeps a number of bit planes; 0 stands for all.
func FixedPrecision(planes int) Params {
	if planes <= 0 || planes > mostPrec {
		planes = mostPrec
	}
	return Params{leastBits, mostBits, planes, leastExp}
}

// FixedAccuracy keeps floats to within a tolerance; 0 stands for as exact as
// can be.
func FixedAccuracy(tolerance float64) Params {
	exp := leastExp
	if tolerance > 0 {
		_, exp = math.Frexp(tolerance)
		exp--
	}
	return Params{leastBits, mostBits, mostPrec, exp}
}

// FixedRate gives all blocks the same size, so that a value has rate bits on
// average. Blocks of floats have at least room for their exponent.
func FixedRate(rate float64, t Type, dims int) (Params, error) {
	values := float64(int(1) << (2 * dims))
	n := math.Floor(values*rate + 0.5)
	if !(n >= 1 && n <= limitBits) {
		return Params{}, fmt.Errorf("rate is %g: must be more than %g and at most %g in %d dimensions", rate, 0.5/values, limitBits/values, dims)
	}
	bits := int(n)
	if e := t.exponentBits(); e > 0 {
		bits = max(bits, 1+e)
	}
	return Params{bits, bits, mostPrec, leastExp}, nil
}

// Check reports parameters that make no stream.
func (p Params) Check() error {
	switch {
	case p.MinBits < 0 || p.MinBits > limitBits:
		return fmt.Errorf("minbits is %d: must be from 0 to %d", p.MinBits, limitBits)
	case p.MaxBits < 1: // blocks of nothing would take time but no data
		return fmt.Errorf("maxbits is %d: must be positive", p.MaxBits)
	case p.MaxBits < p.MinBits:
		return fmt.Errorf("maxbits is %d: must not be below minbits, which is %d", p.MaxBits, p.MinBits)
	case p.MaxPrec < 1 || p.MaxPrec > mostPrec:
		return fmt.Errorf("maxprec is %d: must be from 1 to %d", p.MaxPrec, mostPrec)
	}
	return nil
}

// reversible reports whether the reversible variant is asked for.
func (p Params) reversible() bool { return p.MinExp < leastExp }

// overhead is the largest number of bits of a block before its bit planes.
func (p Params) overhead(t Type) int {
	n := 0
	if e := t.exponentBits(); e > 0 {
		n = 1 + e
		if p.reversible() {
			n++
		}
	}
	if p.reversible() {
		n += precisionBits(t)
	}
	return n
}

// precisionBits is the number of bits in which a reversible block tells how many
// planes it has.
func precisionBits(t Type) int {
	if t.precision() == 32 {
		return 5
	}
	return 6
}

// fixed is the size of every block in bits, 0 if they differ.
func (p Params) fixed(t Type) int {
	if p.MinBits == p.MaxBits && p.MaxBits >= p.overhead(t) && !p.reversible() {
		return p.MaxBits
	}
	return 0
}

// blockBits is the largest size of a block in bits.
func (p Params) blockBits(t Type, dims int) int {
	values := 1 << (2 * dims)
	planes := t.precision()
	if !p.reversible() {
		planes = min(planes, p.MaxPrec)
	}
	n := p.overhead(t) + values - 1 + values*planes
	if p.MaxBits >= p.overhead(t) {
		n = min(n, p.MaxBits)
	}
	return max(n, p.MinBits)
}

// MaxSize is the largest number of bytes of a stream without header; it is false
// if that cannot be counted.
func MaxSize(shape []int, t Type, p Params) (int, bool) {
	blocks := 1
	for _, n := range shape {
		k := (n + 3) / 4
		if n <= 0 || n > math.MaxInt-3 || blocks > math.MaxInt/k {
			return 0, false
		}
		blocks *= k
	}
	per := p.blockBits(t, len(shape))
	if blocks > (math.MaxInt-127)/per {
		return 0, false
	}
	return words(blocks * per), true
}

// words is the size of a number of bits in bytes of whole words.
func words(bits int) int { return (bits + 63) / 64 * 8 }
