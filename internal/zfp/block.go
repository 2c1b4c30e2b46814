package zfp

import (
	"math"
	"math/bits"
	"sync"
)

// work codes blocks of one type. It is scratch memory that is used again.
type work[T integer] struct {
	floats *floats[T]
	ints   [256]T // the block
	copy   [256]T // floats of the block, while they may be needed again
	u      [256]uint64
	planes planes

	typ    Type
	params Params
	dims   int
	prec   int // bits of a value
	ebits  int // bits of an exponent, 0 for integers
	n      int // values of a block

	// What parse found in a block.
	form form
	exp  int
	low  int // the last plane that is there
}

// form is how the values of a block are written.
type form uint8

const (
	zero   form = iota // all are zero
	scaled             // floats, as integers of a common exponent
	plain              // integers
	turned             // floats, as integers of the same order
)

var (
	pool32 = sync.Pool{New: func() any { return &work[int32]{floats: &floats32} }}
	pool64 = sync.Pool{New: func() any { return &work[int64]{floats: &floats64} }}
)

func (b *work[T]) set(t Type, dims int, p Params) {
	b.typ, b.params, b.dims = t, p, dims
	b.prec, b.ebits, b.n = t.precision(), t.exponentBits(), 1<<(2*dims)
}

// bias is what is added to exponents.
func (b *work[T]) bias() int { return 1<<(b.ebits-1) - 1 }

// left is how many of the bits of a block are left when used are used. Where the
// parameters have no room for what stands before the planes, the library forgets
// that there is a limit, and such streams exist.
func (b *work[T]) left(used int) int {
	if n := b.params.MaxBits - used; n >= 0 {
		return n
	}
	return math.MaxInt32
}

// planesFor is how many planes are written of a block of floats.
func (b *work[T]) planesFor(exp int) int {
	return min(b.params.MaxPrec, max(0, exp-b.params.MinExp+2*b.dims+2))
}

// last is the number of the lowest of so many planes.
func (b *work[T]) last(planes int) int { return max(0, b.prec-planes) }

// encode writes the block in ints, which is scratch afterwards. Blocks of zeros of
// the reversible variant are filled up to MinBits like all others; the library
// does not do that, and then cannot read back what it wrote.
func (b *work[T]) encode(w *writer) {
	start := w.at()
	switch {
	case b.params.reversible():
		b.encodeExact(w)
	case b.ebits == 0:
		b.encodeLossy(w, b.left(0), b.params.MaxPrec)
	default:
		b.encodeFloats(w)
	}
	w.zeros(b.params.MinBits - (w.at() - start))
}

func (b *work[T]) encodeFloats(w *writer) {
	exp := b.floats.exponent(b.ints[:b.n])
	planes := b.planesFor(exp)
	e := exp + b.bias()
	if planes == 0 || e == 0 {
		w.put(0, 1)
		return
	}
	w.put(uint64(2*e+1), uint(1+b.ebits))
	b.floats.quantize(b.ints[:b.n], exp)
	b.encodeLossy(w, b.left(1+b.ebits), planes)
}

func (b *work[T]) encodeLossy(w *writer, limit, planes int) {
	forward(b.ints[:b.n])
	sort(b.u[:b.n], b.ints[:], b.dims, b.prec)
	last := b.last(planes)
	b.planes.split(b.u[:b.n], b.prec, last)
	b.planes.encode(w, limit, b.n, b.prec, last)
}

// encodeExact writes the block so that nothing is lost, if the parameters allow.
func (b *work[T]) encodeExact(w *writer) {
	used := 0
	if b.ebits > 0 {
		if used = b.encodeForm(w); used == 1 {
			return
		}
	}
	forwardExact(b.ints[:b.n])
	sort(b.u[:b.n], b.ints[:], b.dims, b.prec)
	all := uint64(0)
	for _, x := range b.u[:b.n] {
		all |= x
	}
	planes := 0
	if all != 0 {
		planes = b.prec - bits.TrailingZeros64(all)
	}
	planes = max(1, min(planes, b.params.MaxPrec))
	pbits := precisionBits(b.typ)
	w.put(uint64(planes-1), uint(pbits))
	last := b.last(planes)
	b.planes.split(b.u[:b.n], b.prec, last)
	b.planes.encode(w, b.left(used+pbits), b.n, b.prec, last)
}

// encodeForm writes how a block of floats becomes one of integers, and returns
// the number of bits; it is 1 for a block of zeros, which has no more.
func (b *work[T]) encodeForm(w *writer) int {
	block, floats := b.ints[:b.n], b.copy[:b.n]
	exp := b.floats.exponent(block)
	copy(floats, block)
	if exp == -b.bias() {
		if !negative(block) {
			w.put(0, 1)
			return 1
		}
	} else {
		b.floats.quantize(block, exp)
		if b.floats.exact(block, floats, exp) {
			w.put(1, 2)
			w.put(uint64(exp+b.bias()), uint(b.ebits))
			return 2 + b.ebits
		}
	}
	copy(block, floats)
	turn(block, b.prec)
	w.put(3, 2)
	return 2
}

// negative reports whether a block of zeros, or of what is no number, has any
// bits at all: zero has a sign.
func negative[T integer](block []T) bool {
	for _, x := range block {
		if x != 0 {
			return true
		}
	}
	return false
}

// parse reads a block as far as is needed to know where it ends; finish does the
// rest.
func (b *work[T]) parse(r *reader) {
	start := r.pos
	b.form = plain
	used, planes := 0, b.params.MaxPrec
	if b.ebits > 0 {
		b.parseForm(r)
		used = r.pos - start
		if !b.params.reversible() {
			planes = b.planesFor(b.exp)
		}
	}
	if b.form != zero {
		if b.params.reversible() {
			pbits := precisionBits(b.typ)
			planes = int(r.get(pbits)) + 1
			used += pbits
		}
		b.low = b.planes.decode(r, b.left(used), b.n, b.prec, b.last(planes))
	}
	r.pos = max(r.pos, start+b.params.MinBits)
}

func (b *work[T]) parseForm(r *reader) {
	switch {
	case r.get(1) == 0:
		b.form = zero
		return
	case b.params.reversible() && r.get(1) == 1:
		b.form = turned
		return
	}
	b.form = scaled
	b.exp = int(r.get(b.ebits)) - b.bias()
}

// finish computes the values of a block that was parsed. They are in ints.
func (b *work[T]) finish() {
	block := b.ints[:b.n]
	exact := b.params.reversible()
	if b.form == zero || b.form == scaled && exact && b.exp == -b.bias() {
		clear(block)
		return
	}
	b.planes.join(b.u[:b.n], b.prec, b.low)
	unsort(block, b.u[:b.n], b.dims)
	if exact {
		inverseExact(block)
	} else {
		inverse(block)
	}
	switch b.form {
	case scaled:
		b.floats.restore(block, b.exp)
	case turned:
		turn(block, b.prec)
	}
}
