package zarr

import (
	"context"
	"iter"
	"slices"

	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/nd"
)

// ResultShape is the shape that reading the selection gives.
func (a *Array) ResultShape(sel Selection) ([]int, error) {
	p, err := a.now.Load().plan(sel)
	if err != nil {
		return nil, a.fail("read", err)
	}
	return p.shape, nil
}

// Stream reads the selected elements in C order, about size bytes at a time, so
// that a result larger than memory can be passed on. Every view has one axis
// and holds the next elements of the result; its memory is used again when the
// loop goes on. Parts end at chunk borders where size allows. Points and masks
// come in one part.
func (a *Array) Stream(ctx context.Context, sel Selection, size int) iter.Seq2[nd.View, error] {
	return func(yield func(nd.View, error) bool) {
		s := a.now.Load()
		err := s.noCodec
		if err == nil {
			err = a.stream(ctx, s, sel, size, func(v nd.View) bool { return yield(v, nil) })
		}
		if err != nil {
			yield(nd.View{}, a.fail("read", err))
		}
	}
}

func (a *Array) stream(ctx context.Context, s *state, sel Selection, size int, yield func(nd.View) bool) error {
	r := partReader{a: a, s: s}
	p, err := s.plan(sel)
	if err != nil || slices.Contains(p.full, 0) {
		return err
	}
	if len(p.sel) == 0 {
		_, err := r.read(ctx, p, yield)
		return err
	}
	res, count := p.sel, p.full
	cut, rows := cutAxis(count, s.spec.Type.Size(), size)
	part, lead := slices.Clone(res), make([]int, cut)
	for {
		for i, k := range lead {
			part[i] = res[i].part(k, 1)
		}
		for k := 0; k < count[cut]; {
			m := res[cut].run(s.meta.Grid, cut, k, rows)
			part[cut] = res[cut].part(k, m)
			more, err := r.read(ctx, planAxes(slices.Clone(part)), yield)
			if err != nil || !more {
				return err
			}
			k += m
		}
		if !nd.Next(lead, count[:cut]) {
			return nil
		}
	}
}

// cutAxis says how to cut a result into parts of about size bytes: the axes
// behind cut are whole in every part, along cut it has at most rows positions,
// and of the axes before one.
func cutAxis(count []int, elem, size int) (cut, rows int) {
	inner := max(elem, 1)
	for cut = len(count) - 1; cut > 0 && count[cut] <= size/inner; cut-- {
		inner *= count[cut]
	}
	return cut, max(size/inner, 1)
}

// part selects m positions from the k-th on.
func (r resolved) part(k, m int) resolved {
	if r.list != nil {
		r.list = r.list[k : k+m]
	} else {
		r.start += k * r.step
	}
	r.count = m
	return r
}

// run is how many positions from the k-th on to read at once, at most rows:
// fewer if the run would end inside a chunk that could be left to the next one.
func (r resolved) run(g grid.Grid, axis, k, rows int) int {
	if r.count-k <= rows || r.list != nil {
		return min(rows, r.count-k)
	}
	next := r.start + (k+rows)*r.step
	start, length := g.Span(axis, g.Find(axis, next))
	over := 0 // positions of the run in the chunk that holds next
	if r.step > 0 {
		over = (next - start) / r.step
	} else {
		over = (start + length - 1 - next) / -r.step
	}
	if over < rows {
		return rows - over
	}
	return rows
}

// partReader reads one part after the other into the same memory.
type partReader struct {
	a   *Array
	s   *state
	mem []byte
}

func (r *partReader) read(ctx context.Context, p *plan, yield func(nd.View) bool) (more bool, err error) {
	size := r.s.spec.Type.Size()
	n, err := r.a.room(p.shape, size)
	if err != nil {
		return false, err
	}
	if cap(r.mem) < n*size {
		r.mem = make([]byte, n*size)
	}
	v := nd.Of(r.mem[:n*size], size, p.shape...)
	if len(r.s.spec.Type.Refs()) > 0 {
		v.Heap = &nd.Heap{}
	}
	if err := r.a.readPlan(ctx, r.s, p, v, r.a.failMissing); err != nil {
		return false, err
	}
	flat := nd.Of(v.Data, size, n)
	flat.Heap = v.Heap
	return yield(flat), nil
}
