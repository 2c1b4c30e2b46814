package zarr

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/bigmem"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/internal/number"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/nd"
)

// Number is a Go type that the elements of a numeric array can be converted to.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 |
		~float32 | ~float64 | ~complex64 | ~complex128
}

// ReadAs reads the selected elements of an array of any numbers as another type:
// integers, floats of every format, and booleans as 0 and 1; complex numbers as
// complex numbers alone. A value that an integer type cannot hold, and NaN, is an
// error that names the first such element; its kind is ErrRange. Fractions are cut
// off, and floats are rounded to the nearest.
func ReadAs[T Number](ctx context.Context, a *Array, sel Selection) (nd.Array[T], error) {
	var none nd.Array[T]
	s := a.now.Load()
	p, err := s.plan(sel)
	n := 0
	if err == nil {
		n, err = a.room(p.shape, int(reflect.TypeFor[T]().Size()))
	}
	if err != nil {
		return none, a.fail("read", err)
	}
	out := nd.Array[T]{Data: bigmem.Make[T](n), Shape: p.shape}
	if err := readAs(ctx, a, s, p, out.Data); err != nil {
		return none, err
	}
	return out, nil
}

// ReadSliceAs is ReadAs into dst, in C order.
func ReadSliceAs[T Number](ctx context.Context, a *Array, sel Selection, dst []T) error {
	s := a.now.Load()
	p, err := s.plan(sel)
	if err == nil {
		err = checkLength(p, len(dst))
	}
	if err != nil {
		return a.fail("read", err)
	}
	return readAs(ctx, a, s, p, dst)
}

func readAs[T Number](ctx context.Context, a *Array, s *state, p *plan, dst []T) error {
	t := reflect.TypeFor[T]()
	if s.noCodec != nil {
		return a.fail("read", s.noCodec)
	}
	if dtype.CheckGo(s.spec.Type, t) == nil && sameValues(s.spec.Type, t) {
		return readTyped(ctx, a, s, p, dst)
	}
	c, err := newConversion(s.spec.Type, t)
	if err != nil {
		return a.fail("read", err)
	}
	return a.convertPlan(ctx, s, p, nd.Of(bytesOf(dst), int(t.Size()), p.shape...), c)
}

var bfloat16 = reflect.TypeFor[dtype.BFloat16]()

// sameValues reports whether elements in memory are values of a Go type that fits
// them, and not only their bits, as those of a float are in an integer.
func sameValues(t dtype.Type, g reflect.Type) bool {
	source, _, pre := number.Source(t)
	return source == numeric.None || g == bfloat16 || pre == nil && source == targetType(g)
}

// conversion turns elements into others while they are read.
type conversion struct {
	*numeric.Converter
	to reflect.Type

	mu  sync.Mutex
	bad []int  // index in the array of the first element that does not fit
	why string // its value
}

func newConversion(from dtype.Type, to reflect.Type) (*conversion, error) {
	source, in, pre := number.Source(from)
	target := targetType(to)
	complexes := from.Kind() == dtype.Complex
	if source == numeric.None || target == numeric.None || complexes != (to.Kind() == reflect.Complex64 || to.Kind() == reflect.Complex128) {
		return nil, mark(ErrType, fmt.Errorf("array is %s, which does not become %v", from.Name(), to))
	}
	return &conversion{Converter: numeric.NewConverter(target, source, in, pre), to: to}, nil
}

// targetType is what a Go type is made of; complex numbers are two floats.
func targetType(t reflect.Type) numeric.Type {
	switch t {
	case reflect.TypeFor[dtype.Float16]():
		return numeric.Float16
	case bfloat16:
		return numeric.None
	}
	switch k := t.Kind(); k {
	case reflect.Int, reflect.Uint:
		return numeric.Named(fmt.Sprint(k.String(), 8*t.Size()))
	case reflect.Complex64:
		return numeric.Float32
	case reflect.Complex128:
		return numeric.Float64
	default:
		return numeric.Named(k.String())
	}
}

// convertPlan carries out a plan whose result is of another type than the array:
// every chunk goes through memory of its own.
func (a *Array) convertPlan(ctx context.Context, s *state, p *plan, dst nd.View, c *conversion) error {
	p.cut(cells{s.meta.Grid, s.meta.Shape, s.innerShape()})
	dst = p.expand(dst)
	err := a.limits.Workers.Run(ctx, p.tasks, s.weight(p, true), func(k int) error {
		t := p.task(k, dst, nil)
		key := a.chunkKey(s, t.chunk)
		if err := a.convertTask(ctx, s, &t, key, c); err != nil {
			return a.chunkError("read", key, err)
		}
		return nil
	})
	if err == nil && c.bad != nil {
		err = mark(ErrRange, fmt.Errorf("element %v is %s, which %v cannot hold", c.bad, c.why, c.to))
	}
	return a.fail("read", err)
}

func (a *Array) convertTask(ctx context.Context, s *state, t *task, key string, c *conversion) error {
	b, err := s.bound(t.length)
	if err != nil {
		return err
	}
	box, mem, err := t.scratch(a.limits, s.spec.Type)
	if err != nil {
		return err
	}
	defer mem.Free()
	if err := a.readBox(ctx, s, b, t, key, box); err != nil && (!errors.Is(err, ErrMissing) || a.failMissing) {
		return err
	}
	if t.pieces == nil && t.points == nil {
		if c.run(t.user, box) {
			return nil
		}
	} else if c.gather(t, box) {
		return nil
	}
	c.blame(s, t, box)
	return nil
}

var errUnfit = errors.New("does not fit")

// run converts all elements of src, and reports whether they fit.
func (c *conversion) run(dst, src nd.View) bool {
	return numeric.Runs(dst, src, func(d, s []byte) error {
		if c.Run(d, s) >= 0 {
			return errUnfit
		}
		return nil
	}) == nil
}

// gather converts the elements of the box that are wanted, and no others.
func (c *conversion) gather(t *task, box nd.View) bool {
	one := *t
	shape := []int{0}
	if t.points != nil {
		shape[0] = len(t.points.to)
		g := *t.points
		g.to = counting(len(g.to))
		one.points = &g
	} else {
		shape = t.user.Shape
		one.pieces = slices.Clone(t.pieces)
		for i, p := range one.pieces {
			if p.from != nil {
				one.pieces[i].to = counting(len(p.to))
			}
		}
	}
	n, _ := nd.Len(shape)
	from, to := buf.Get(n*box.Size), buf.Get(n*t.user.Size)
	defer from.Free()
	defer to.Free()
	one.user = nd.Of(from.B[:n*box.Size], box.Size, shape...)
	one.gather(box)
	out := nd.Of(to.B[:n*t.user.Size], t.user.Size, shape...)
	if !c.run(out, one.user) {
		return false
	}
	if t.points != nil {
		for k, at := range t.points.to {
			copy(t.user.At(at), out.At(k))
		}
		return true
	}
	user, _ := t.indexes()
	compact, _ := one.indexes()
	nd.CopyIndexed(t.user, user, out, compact)
	return true
}

func counting(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// blame finds the first wanted element of a box that does not fit, and keeps it if
// it is the first in the array so far.
func (c *conversion) blame(s *state, t *task, box nd.View) {
	origin := make([]int, len(t.chunk))
	for i, k := range t.chunk {
		start, _ := s.meta.Grid.Span(i, k)
		origin[i] = start + t.box.Start[i]
	}
	out := make([]byte, c.to.Size())
	for at := range t.wanted() {
		elem := box.At(at...)
		if c.Run(out, elem) < 0 {
			continue
		}
		for i := range origin {
			origin[i] += at[i]
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.bad == nil || slices.Compare(origin, c.bad) < 0 {
			c.bad, c.why = origin, c.Text(elem)
		}
		return
	}
}

// wanted yields the positions in the task's box that go to the caller; the slice is
// used again.
func (t *task) wanted() func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		if t.points != nil {
			for k := range t.points.to {
				if !yield(t.points.at(k)) {
					return
				}
			}
			return
		}
		count := t.box.Shape
		if t.pieces != nil {
			count = make([]int, len(t.pieces))
			for i, p := range t.pieces {
				count[i] = p.count
			}
		}
		idx, at := make([]int, len(count)), make([]int, len(count))
		for more := true; more; more = nd.Next(idx, count) {
			copy(at, idx)
			for i, p := range t.pieces {
				switch {
				case p.from != nil:
					at[i] = p.from[idx[i]]
				case p.step < 0:
					at[i] = p.n - 1 + idx[i]*p.step
				default:
					at[i] = idx[i] * p.step
				}
			}
			if !yield(at) {
				return
			}
		}
	}
}

// checkLength checks the number of elements that a caller has room for.
func checkLength(p *plan, n int) error {
	if want, ok := nd.Len(p.shape); !ok || want != n {
		return mark(ErrSelection, fmt.Errorf("slice of %d elements for a selection of shape %v", n, p.shape))
	}
	return nil
}
