package scale

import (
	"encoding/binary"
	"errors"
	"math/big"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/numeric"
)

var errZero = errors.New("scale is 0")

// kernelsFor chooses the kernels for elements of type t, with offset and scale
// as elements; nil stands for zero and one.
func kernelsFor(t dtype.Type, offset, scale []byte) (encode, decode checked, err error) {
	if t.Kind() == dtype.Float {
		format, _ := dtype.FormatOf(t)
		return floatKernels(format, offset, scale)
	}
	r := newRange(t.Units()[0], offset, scale)
	if r.scale.Sign() == 0 {
		return nil, nil, errZero
	}
	switch signed := t.Kind() == dtype.Int; t.Size() {
	case 1:
		if signed {
			return exact[int8](r)
		}
		return exact[uint8](r)
	case 2:
		if signed {
			return exact[int16](r)
		}
		return exact[uint16](r)
	case 4:
		if signed {
			return exact[int32](r)
		}
		return exact[uint32](r)
	default:
		if signed {
			return exact[int64](r)
		}
		return exact[uint64](r)
	}
}

// limits is the smallest and the largest number that is allowed.
type limits struct{ lo, hi *big.Int }

func (l limits) meet(other limits) limits {
	if other.lo.Cmp(l.lo) > 0 {
		l.lo = other.lo
	}
	if other.hi.Cmp(l.hi) < 0 {
		l.hi = other.hi
	}
	return l
}

func (l limits) plus(n *big.Int) limits {
	return limits{new(big.Int).Add(l.lo, n), new(big.Int).Add(l.hi, n)}
}

func (l limits) times(n *big.Int) limits {
	out := limits{new(big.Int).Mul(l.lo, n), new(big.Int).Mul(l.hi, n)}
	if n.Sign() < 0 {
		out.lo, out.hi = out.hi, out.lo
	}
	return out
}

// over is the numbers of which n times is in l.
func (l limits) over(n *big.Int) limits {
	if n.Sign() < 0 {
		return limits{new(big.Int).Neg(l.hi), new(big.Int).Neg(l.lo)}.over(new(big.Int).Neg(n))
	}
	// Div rounds down for positive n; what is rounded up is the negative of the
	// negative rounded down.
	lo := new(big.Int).Neg(l.lo)
	return limits{lo.Neg(lo.Div(lo, n)), new(big.Int).Div(l.hi, n)}
}

// ranges says for which integers the results exist. Both formulas grow or fall
// all the way, so these are intervals, and inside them arithmetic that wraps
// around never does.
type ranges struct {
	offset, scale  *big.Int
	encode, decode limits
}

func newRange(u dtype.Unit, offset, scale []byte) ranges {
	r := ranges{offset: value(u, offset, 0), scale: value(u, scale, 1)}
	if r.scale.Sign() == 0 {
		return r
	}
	one := big.NewInt(1)
	all := limits{new(big.Int), new(big.Int).Lsh(one, uint(u.Bits))}
	if u.Signed {
		all = all.plus(new(big.Int).Neg(new(big.Int).Lsh(one, uint(u.Bits-1))))
	}
	all.hi = new(big.Int).Sub(all.hi, one)
	minus := new(big.Int).Neg(r.offset)
	r.encode = all.over(r.scale).meet(all).plus(r.offset).meet(all)
	r.decode = all.plus(minus).meet(all).times(r.scale).meet(all)
	if r.encode.lo.Cmp(r.encode.hi) > 0 {
		r.encode = limits{all.hi, all.lo}
	}
	if r.decode.lo.Cmp(r.decode.hi) > 0 {
		r.decode = limits{all.hi, all.lo}
	}
	return r
}

// value is the integer in an element, or the given one if there is none.
func value(u dtype.Unit, elem []byte, none int64) *big.Int {
	if elem == nil {
		return big.NewInt(none)
	}
	var b [8]byte
	copy(b[:], elem)
	bits := binary.LittleEndian.Uint64(b[:])
	if u.Signed {
		unused := 64 - 8*u.Width
		return big.NewInt(int64(bits<<unused) >> unused)
	}
	return new(big.Int).SetUint64(bits)
}

// low is n as an integer type that has it.
func low[T numeric.Integer](n *big.Int) T {
	if n.Sign() < 0 {
		return T(n.Int64())
	}
	return T(n.Uint64())
}

// exact makes the kernels for integers.
func exact[T numeric.Integer](r ranges) (encode, decode checked, err error) {
	offset, scale := low[T](r.offset), low[T](r.scale)
	encode = within(low[T](r.encode.lo), low[T](r.encode.hi), func(d, s []T) int {
		for i, x := range s {
			d[i] = (x - offset) * scale
		}
		return -1
	})
	divide := func(d, s []T) int {
		for i, y := range s {
			q := y / scale
			if q*scale != y {
				return i
			}
			d[i] = q + offset
		}
		return -1
	}
	if scale == 1 {
		divide = func(d, s []T) int {
			for i, y := range s {
				d[i] = y + offset
			}
			return -1
		}
	}
	return encode, within(low[T](r.decode.lo), low[T](r.decode.hi), divide), nil
}

// within calls f if all elements are within limits.
func within[T numeric.Integer](lo, hi T, f func(d, s []T) int) checked {
	return func(dst, src []byte) int {
		d, s := numeric.Slice[T](dst), numeric.Slice[T](src)
		d = d[:len(s)]
		for i, x := range s {
			if x < lo || x > hi {
				return i
			}
		}
		return f(d, s)
	}
}
