package downsample

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/nd"
)

// Sampler makes smaller versions of arrays of any rank: every element of the result
// stands for a window of so many elements along each axis, of which there may be fewer
// at the edges. It may be used by several goroutines.
type Sampler struct {
	how     Method
	factors []int
	typ     numeric.Type
	missing []byte
	half    *Halver // for the windows that it is made for
}

// NewSampler returns the Sampler of a data type of Zarr; the factors are the lengths of
// the windows. Elements that equal missing, if it is not nil, do not count, unless
// there is nothing else; a mean that would be equal to it by chance becomes the next
// larger value.
func NewSampler(dataType string, how Method, factors []int, missing []byte) (*Sampler, error) {
	s := &Sampler{how: how, factors: slices.Clone(factors), typ: numeric.Named(dataType), missing: missing}
	if dataType == "bool" && (how == Max || how == Min) {
		s.typ = numeric.Uint8
	}
	n, ok := nd.Len(factors)
	switch {
	case how < Average || how > Min:
		return nil, fmt.Errorf("%v does not exist", how)
	case len(factors) > nd.MaxRank || len(factors) > 0 && slices.Min(factors) < 1 || !ok || n > maxWindow:
		return nil, fmt.Errorf("windows of %v: lengths are at least 1, and they hold at most %d elements", factors, maxWindow)
	case s.typ == numeric.None && how != Nearest && how != Mode:
		return nil, fmt.Errorf("%s has no %v: smaller versions of it are made by %v or %v", dataType, how, Nearest, Mode)
	case missing != nil && s.typ != numeric.None && len(missing) != s.typ.Size():
		return nil, fmt.Errorf("the missing value of %s has %d bytes, not %d", dataType, len(missing), s.typ.Size())
	}
	r := len(factors)
	if r >= 2 && factors[r-2] == 2 && factors[r-1] == 2 && !slices.ContainsFunc(factors[:r-2], func(f int) bool { return f != 1 }) && how <= Mode {
		var err error
		if s.half, err = New(dataType, how, missing); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// maxWindow is how many elements may become one.
const maxWindow = 1 << 20

// Shape is the shape of the smaller version of an array.
func (s *Sampler) Shape(shape []int) []int {
	out := make([]int, len(shape))
	for i, n := range shape {
		out[i] = (n + s.factors[i] - 1) / s.factors[i]
	}
	return out
}

// Reduce makes the smaller version of src in dst, which has its Shape. They must not
// share memory.
func (s *Sampler) Reduce(dst, src nd.View) error {
	if len(src.Shape) != len(s.factors) || !slices.Equal(dst.Shape, s.Shape(src.Shape)) {
		return fmt.Errorf("of shape %v windows of %v do not make %v", src.Shape, s.factors, dst.Shape)
	}
	switch {
	case dst.Size != src.Size || s.typ != numeric.None && src.Size != s.typ.Size():
		return fmt.Errorf("elements of %d bytes become elements of %d bytes", src.Size, dst.Size)
	case s.missing != nil && len(s.missing) != src.Size:
		return fmt.Errorf("the missing value has %d bytes, elements have %d", len(s.missing), src.Size)
	}
	if err := src.Check(); err != nil {
		return err
	}
	if err := dst.Check(); err != nil {
		return err
	}
	if slices.Contains(src.Shape, 0) {
		return nil
	}
	if s.how == Nearest {
		src.Shape, src.Strides = dst.Shape, slices.Clone(src.Strides)
		for i, f := range s.factors {
			src.Strides[i] *= f
		}
		nd.Copy(dst, src)
		return nil
	}
	if s.half != nil && src.Size <= 8 {
		return s.half.Halve(dst, src)
	}
	if s.rows(dst, src) {
		return nil
	}
	w, err := s.window(src.Size)
	if err != nil {
		return err
	}
	s.each(dst, src, w)
	return nil
}

// each gathers the elements of every window, without allocating for it.
func (s *Sampler) each(dst, src nd.View, w func(dst, values []byte)) {
	rank := len(s.factors)
	full := make([]int, 0, 64) // where the elements of a whole window are
	var at, in, some [nd.MaxRank]int
	for more := true; more; more = nd.Next(in[:rank], s.factors) {
		full = append(full, src.Dot(in[:rank]))
	}
	values := make([]byte, len(full)*src.Size)
	for more := true; more; more = nd.Next(at[:rank], dst.Shape) {
		base, whole := src.Offset, true
		for i, f := range s.factors {
			base += at[i] * f * src.Strides[i]
			some[i] = min(f, src.Shape[i]-at[i]*f)
			whole = whole && some[i] == f
		}
		n := 0
		if whole {
			for _, o := range full {
				n += copy(values[n:], src.Data[base+o:base+o+src.Size])
			}
		} else {
			clear(in[:rank])
			for more := true; more; more = nd.Next(in[:rank], some[:rank]) {
				o := base + src.Dot(in[:rank])
				n += copy(values[n:], src.Data[o:o+src.Size])
			}
		}
		to := dst.Offset + dst.Dot(at[:rank])
		w(dst.Data[to:to+dst.Size], values[:n])
	}
}

// window finds what makes one element of those of a window. It has memory of its own.
func (s *Sampler) window(size int) (func(dst, values []byte), error) {
	if s.how == Mode {
		switch size {
		case 1:
			return modeWindow[uint8](s.missing), nil
		case 2:
			return modeWindow[uint16](s.missing), nil
		case 4:
			return modeWindow[uint32](s.missing), nil
		case 8:
			return modeWindow[uint64](s.missing), nil
		}
		return nil, fmt.Errorf("no mode of elements of %d bytes", size)
	}
	switch s.typ {
	case numeric.Int8:
		return integerWindow[int8, int64](s.how, s.missing), nil
	case numeric.Int16:
		return integerWindow[int16, int64](s.how, s.missing), nil
	case numeric.Int32:
		return integerWindow[int32, int64](s.how, s.missing), nil
	case numeric.Int64:
		return integerWindow[int64, int64](s.how, s.missing), nil
	case numeric.Uint8:
		return integerWindow[uint8, uint64](s.how, s.missing), nil
	case numeric.Uint16:
		return integerWindow[uint16, uint64](s.how, s.missing), nil
	case numeric.Uint32:
		return integerWindow[uint32, uint64](s.how, s.missing), nil
	case numeric.Uint64:
		return integerWindow[uint64, uint64](s.how, s.missing), nil
	case numeric.Float16:
		next := func(h numeric.Half) numeric.Half { return nextHalf(h) }
		return floatWindow(s.how, s.missing, numeric.Half.Float64, numeric.RoundHalf64, next), nil
	case numeric.Float32:
		return floatWindow(s.how, s.missing, func(x float32) float64 { return float64(x) }, func(x float64) float32 { return float32(x) },
			func(x float32) float32 { return math.Nextafter32(x, float32(math.Inf(1))) }), nil
	}
	same := func(x float64) float64 { return x }
	return floatWindow(s.how, s.missing, same, same, func(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }), nil
}

// integerWindow computes in W, the widest type of the same sign.
func integerWindow[T numeric.Integer, W int64 | uint64](how Method, missing []byte) func(dst, values []byte) {
	var none T
	if missing != nil {
		none = numeric.Slice[T](missing)[0]
	}
	narrow := unsafe.Sizeof(none) < unsafe.Sizeof(W(0))
	return func(dst, values []byte) {
		k, q, r := W(0), W(0), W(0)
		var best T
		vs := numeric.Slice[T](values)
		for _, v := range vs {
			if missing != nil && v == none {
				continue
			}
			if k++; k == 1 || how == Max && v > best || how == Min && v < best {
				best = v
			}
		}
		out := numeric.Slice[T](dst)
		switch {
		case k == 0:
			out[0] = none
			return
		case how != Average:
			out[0] = best
			return
		}
		for _, v := range vs {
			switch {
			case missing != nil && v == none:
			case narrow: // sums of so few cannot overflow
				r += W(v)
			default:
				whole, part := floored(W(v), k)
				q, r = q+whole, r+part
			}
		}
		whole, part := floored(r, k)
		m := T(nearest(q+whole, part, k))
		if missing != nil && m == none {
			m++ // if none is the largest number, all means are smaller
		}
		out[0] = m
	}
}

// floored divides so that the remainder is not below zero.
func floored[W int64 | uint64](v, by W) (whole, part W) {
	if whole, part = v/by, v%by; part < 0 {
		return whole - 1, part + by
	}
	return whole, part
}

// floatWindow computes in float64. NaN does not count, unless there is nothing else.
func floatWindow[T numeric.Float | numeric.Half](how Method, missing []byte, value func(T) float64, round func(float64) T, next func(T) T) func(dst, values []byte) {
	none := math.NaN()
	if missing != nil {
		none = value(numeric.Slice[T](missing)[0])
	}
	var all []float64
	return func(dst, values []byte) {
		vs, out := numeric.Slice[T](values), numeric.Slice[T](dst)
		all = all[:0]
		var best T
		for _, v := range vs {
			x := value(v)
			if x != x || x == none {
				continue
			}
			if all = append(all, x); len(all) == 1 || how == Max && x > value(best) || how == Min && x < value(best) {
				best = v
			}
		}
		switch {
		case len(all) == 0 && missing != nil:
			out[0] = numeric.Slice[T](missing)[0]
		case len(all) == 0:
			out[0] = round(none)
		case how != Average:
			out[0] = best
		default:
			m, _ := meanOfFloats(none, all...)
			if out[0] = round(m); value(out[0]) == none {
				out[0] = next(out[0])
			}
		}
	}
}

// nextHalf is the next larger number; the bits of those below zero count downwards.
func nextHalf(h numeric.Half) numeric.Half {
	switch {
	case h == 0x8000: // zero
		return 1
	case h > 0x8000:
		return h - 1
	}
	return h + 1
}

// fewValues is how many are compared with each other before they are counted in a map.
const fewValues = 64

func modeWindow[T numeric.Unsigned](missing []byte) func(dst, values []byte) {
	var none T
	if missing != nil {
		none = numeric.Slice[T](missing)[0]
	}
	counts := map[T]int{}
	return func(dst, values []byte) {
		vs := numeric.Slice[T](values)
		clear(counts)
		best, most := vs[0], 0
		for i, v := range vs {
			if missing != nil && v == none {
				continue
			}
			n := 1
			if len(vs) <= fewValues {
				for _, u := range vs[:i] {
					if u == v {
						n++
					}
				}
			} else {
				counts[v]++
				n = counts[v]
			}
			if n > most {
				best, most = v, n
			}
		}
		numeric.Slice[T](dst)[0] = best
	}
}
