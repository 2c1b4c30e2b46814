package zarr

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/locks"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store/lock"
)

// Resize changes the array's shape. New elements have the fill value, also where
// the array was larger once, or something was written behind its end by who then
// stopped: what lies where the array grows is cleared before the new shape is known,
// and what lies outside the new shape is removed once it is.
func (a *Array) Resize(ctx context.Context, shape ...int) error {
	return a.reshape(ctx, "resize", func(old *state) error {
		if err := checkShape(old, shape); err != nil {
			return err
		}
		wide, err := a.wide(ctx, old, shape)
		if err != nil {
			return err
		}
		grows := !slices.Equal(wide.meta.Shape, old.meta.Shape)
		if grows {
			if err := a.clearOutside(ctx, wide, old.meta.Shape, false); err != nil {
				return err
			}
		}
		if err := a.publish(ctx, old, shape); err != nil {
			return err
		}
		if grows && slices.Equal(wide.meta.Shape, shape) {
			return nil
		}
		if slices.Equal(old.meta.Shape, shape) {
			// One that was stopped may have left something in chunks at the edge.
			if edges, err := a.wide(ctx, old, ends(old)); err == nil {
				wide = edges
			}
		}
		return a.clearOutside(ctx, wide, shape, true)
	})
}

// ends is where the last chunks along each axis end.
func ends(s *state) []int {
	out := slices.Clone(s.meta.Shape)
	for i, n := range s.meta.Grid.Count() {
		if n > 0 {
			start, length := s.meta.Grid.Span(i, n-1)
			out[i] = start + length
		}
	}
	return out
}

// Grow makes the array larger, for who writes all that is new before anybody reads it,
// as in a store that keeps documents back: what lies there is not cleared.
func (a *Array) Grow(ctx context.Context, shape ...int) error {
	return a.reshape(ctx, "resize", func(old *state) error {
		err := checkShape(old, shape)
		for i, n := range shape {
			if err == nil && n < old.meta.Shape[i] {
				err = mark(ErrRange, fmt.Errorf("shape %v cannot grow to %v", old.meta.Shape, shape))
			}
		}
		if err != nil {
			return err
		}
		return a.publish(ctx, old, shape)
	})
}

func checkShape(old *state, shape []int) error {
	if len(shape) != len(old.meta.Shape) || len(shape) > 0 && slices.Min(shape) < 0 {
		return mark(ErrRange, fmt.Errorf("from shape %v to %v", old.meta.Shape, shape))
	}
	return nil
}

// reshape changes the shape, by a function that gets the state that the array has now.
// Nobody else in this process writes the array meanwhile, and no other process changes
// its shape, where the store has locks or conditions.
func (a *Array) reshape(ctx context.Context, op string, do func(old *state) error) (err error) {
	held, err := shapes.Lock(ctx, a.place())
	if err != nil {
		return a.fail(op, err)
	}
	defer held.Unlock()
	unlock, err := lock.Wait(ctx, a.store, a.path)
	if err != nil {
		return a.fail(op, err)
	}
	defer func() {
		if also := unlock(); err == nil {
			err = a.fail(op, also)
		}
	}()
	if err := a.Refresh(ctx); err != nil {
		return err
	}
	defer a.known()
	return a.fail(op, do(a.now.Load()))
}

// wide is the state that the array would have if each of its axes were as long as it
// is, or as in another shape, whichever is longer.
func (a *Array) wide(ctx context.Context, s *state, shape []int) (*state, error) {
	longer := slices.Clone(s.meta.Shape)
	for i, n := range shape {
		longer[i] = max(longer[i], n)
	}
	if slices.Equal(longer, s.meta.Shape) {
		return s, nil
	}
	m := *s.meta
	m.Shape = longer
	var err error
	if m.Grid, err = s.meta.Grid.Resize(longer); err != nil {
		return nil, err
	}
	return newState(ctx, a.engine, &m)
}

// errReshaped says that somebody who has no part in locks changed the shape.
var errReshaped = errors.New("the shape was changed by another program meanwhile; nothing was published: try again")

// publish stores another shape, if it is still the one of old.
func (a *Array) publish(ctx context.Context, old *state, shape []int) error {
	return a.change(ctx, "resize", func(m *meta.Array) (err error) {
		if !slices.Equal(m.Shape, old.meta.Shape) {
			return errReshaped
		}
		m.Shape = slices.Clone(shape)
		m.Grid, err = m.Grid.Resize(shape)
		return err
	})
}

// resizes counts changes of shapes in this process, of all arrays whose names have
// the same hash.
var resizes [1024]atomic.Uint64

var resizeSeed = maphash.MakeSeed()

// resizesOf counts those of the array at a place; its removal is one too.
func resizesOf(place string) *atomic.Uint64 {
	return &resizes[maphash.String(resizeSeed, place)%uint64(len(resizes))]
}

// shapeAge is how old the knowledge of an array's shape may be when it is written.
const shapeAge = int64(time.Second)

// holdShape keeps the array's shape as it is until the lock is given back, and
// gives the state that goes with it. Usually that is the one that is known: the
// document is read again when somebody in this process has changed a shape since,
// or when it was last looked at too long ago to know of other processes.
func (a *Array) holdShape(ctx context.Context) (*state, locks.Held, error) {
	held, err := shapes.Share(ctx, a.place())
	if err != nil {
		return nil, held, err
	}
	s, now, count := a.now.Load(), time.Now().UnixNano(), resizesOf(a.place()).Load()
	if count == a.seen.Load() && now-a.when.Load() < shapeAge {
		return s, held, nil
	}
	if s, err = a.again(ctx, s); err != nil {
		held.Unlock()
		return nil, held, err
	}
	a.seen.Store(count)
	a.when.Store(now)
	return s, held, nil
}

// known notes that this handle knows the shape, and that others must look.
func (a *Array) known() {
	a.seen.Store(resizesOf(a.place()).Add(1))
	a.when.Store(time.Now().UnixNano())
}

// again reads the document and gives the state that it says, which is s if nothing
// that writing depends on is different. An array without one, which was removed or is
// known from consolidated metadata alone, cannot be written.
func (a *Array) again(ctx context.Context, s *state) (*state, error) {
	doc, _, err := readDocument(ctx, a.engine, a.path, false)
	if err != nil {
		return nil, err
	}
	m, ok := doc.(*meta.Array)
	if !ok {
		return nil, ErrNotArray
	}
	if slices.Equal(m.Shape, s.meta.Shape) && fingerprintOf(m) == s.fingerprint() {
		return s, nil
	}
	if s, err = newState(ctx, a.engine, m); err == nil {
		a.now.Store(s)
	}
	return s, err
}

// clearOutside removes the stored chunks that lie outside a shape, those outside of s too
// if all is set, and sets elements outside it to the fill value in chunks that lie there
// in part.
func (a *Array) clearOutside(ctx context.Context, s *state, shape []int, all bool) error {
	var edge []ChunkInfo
	count := s.meta.Grid.Count()
	for idx, err := range a.storedKeys(ctx, s) {
		if err != nil {
			return err
		}
		within := inside(idx, count)
		if !within && !all {
			continue
		}
		outside, cut := !within, false
		if within {
			c := a.chunkInfo(s, slices.Clone(idx))
			for i, n := range shape {
				outside = outside || c.Box.Start[i] >= n
				cut = cut || c.Box.Start[i]+c.Box.Shape[i] > n
			}
			if !outside && cut {
				edge = append(edge, c)
			}
		}
		if outside {
			key := a.chunkKey(s, idx)
			done := a.changing(key)
			err := a.store.Delete(ctx, key)
			done()
			if err != nil {
				return a.chunkError("resize", key, err)
			}
		}
	}
	return a.limits.Workers.Run(ctx, len(edge), 1<<20, func(k int) error {
		for i, n := range shape {
			b := edge[k].Box
			if b.Start[i]+b.Shape[i] <= n {
				continue
			}
			b = nd.Box{Start: slices.Clone(b.Start), Shape: slices.Clone(b.Shape)}
			b.Shape[i] -= n - b.Start[i]
			b.Start[i] = n
			if err := a.clearBox(ctx, s, b); err != nil {
				return err
			}
		}
		return nil
	})
}

// clearBox sets elements of one chunk to the fill value, unless they have it.
func (a *Array) clearBox(ctx context.Context, s *state, b nd.Box) error {
	sel := Box(b.Start, b.Shape)
	p, err := s.plan(sel)
	if err != nil {
		return err
	}
	now, mem, err := (&codec.Chunk{Limits: s.limits}).LendView(s.spec.Type.Size(), b.Shape)
	if err != nil {
		return err
	}
	defer mem.Free()
	if len(s.spec.Type.Refs()) > 0 {
		now.Heap = &nd.Heap{}
	}
	if err := a.readPlan(ctx, s, p, now, false); err != nil || s.spec.IsFill(now) {
		return err
	}
	return a.writeView(ctx, s, sel, nd.View{
		Data: s.spec.Fill, Size: s.spec.Type.Size(), Shape: b.Shape, Strides: make([]int, len(b.Shape)), Heap: s.spec.Heap})
}

// Append makes the array longer along an axis and writes data, in C order,
// there. data's other axes are as long as the array's.
//
// The data is stored first, behind the end, and then the new shape in one document: who
// stops in between leaves the array as it was, and nobody reads a row that was not
// written. Goroutines and processes that append at once take turns, where the store has
// locks or conditions.
func Append[T any](ctx context.Context, a *Array, axis int, data []T) error {
	return a.reshape(ctx, "append to", func(old *state) error {
		shape := slices.Clone(old.meta.Shape)
		if axis < 0 || axis >= len(shape) {
			return mark(ErrRange, fmt.Errorf("no axis %d in shape %v", axis, shape))
		}
		if err := errors.Join(old.checkGo(reflect.TypeFor[T]()), old.noCodec); err != nil {
			return err
		}
		layer, ok := nd.Len(slices.Delete(slices.Clone(shape), axis, axis+1))
		if !ok || layer == 0 || len(data)%layer != 0 {
			return mark(ErrSelection, errors.New("data does not fill whole layers of the array"))
		}
		from := shape[axis]
		if len(data)/layer > math.MaxInt-from {
			return mark(ErrRange, fmt.Errorf("axis %d of shape %v cannot become longer by %d", axis, shape, len(data)/layer))
		}
		shape[axis] += len(data) / layer
		wide, err := a.wide(ctx, old, shape)
		if err != nil {
			return err
		}
		sel := make([]Axis, len(shape))
		for i := range sel {
			sel[i] = Full()
		}
		sel[axis] = Span(from, shape[axis])
		p, err := wide.plan(Select(sel...))
		if err == nil {
			err = writeTyped(ctx, a, wide, p, data)
		}
		if err != nil {
			return err
		}
		return a.publish(ctx, old, shape)
	})
}
