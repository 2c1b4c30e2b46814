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

	"github.com/omnizarr/zarr/internal/locks"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
)

// Resize changes the array's shape. New elements have the fill value, also where
// the array was larger once: chunks outside the new shape are removed, and those
// at its edge are cleared behind it.
func (a *Array) Resize(ctx context.Context, shape ...int) error {
	unlock, err := a.lockShape(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return a.resize(ctx, shape)
}

// lockShape keeps others in this process from changing the shape, and looks at
// the shape that it has now.
func (a *Array) lockShape(ctx context.Context) (unlock func(), err error) {
	lock, err := growth.Lock(ctx, a.place)
	if err != nil {
		return nil, a.fail("resize", err)
	}
	if err := a.Refresh(ctx); err != nil {
		lock.Unlock()
		return nil, err
	}
	return lock.Unlock, nil
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
	held, err := shapes.Share(ctx, a.place)
	if err != nil {
		return nil, held, err
	}
	s, now, count := a.now.Load(), time.Now().UnixNano(), resizesOf(a.place).Load()
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
	a.seen.Store(resizesOf(a.place).Add(1))
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

func (a *Array) resize(ctx context.Context, shape []int) error {
	held, err := shapes.Lock(ctx, a.place)
	if err != nil {
		return a.fail("resize", err)
	}
	defer held.Unlock()
	defer a.known()
	old := a.now.Load()
	if len(shape) != len(old.meta.Shape) || len(shape) > 0 && slices.Min(shape) < 0 {
		return a.fail("resize", mark(ErrRange, fmt.Errorf("from shape %v to %v", old.meta.Shape, shape)))
	}
	g, err := old.meta.Grid.Resize(shape)
	if err != nil {
		return a.fail("resize", err)
	}
	shrinks := false
	for i, n := range shape {
		shrinks = shrinks || n < old.meta.Shape[i]
	}
	if shrinks {
		if _, err := a.again(ctx, old); err != nil { // it may have been removed meanwhile
			return a.fail("resize", err)
		}
		if err := a.clearBehind(ctx, old, shape); err != nil {
			return err
		}
	}
	err = a.change(ctx, "resize", func(m *meta.Array) error {
		m.Shape = slices.Clone(shape)
		m.Grid, err = m.Grid.Resize(shape)
		return err
	})
	if err != nil || !shrinks {
		return err
	}
	for idx, err := range a.storedKeys(ctx, old) {
		if err == nil && !inside(idx, g.Count()) {
			key := a.chunkKey(old, idx)
			done := a.changing(key)
			err = a.store.Delete(ctx, key)
			done()
		}
		if err != nil {
			return a.fail("resize", err)
		}
	}
	return nil
}

// clearBehind sets the elements outside a smaller shape to the fill value, in the
// stored chunks that also hold elements inside it.
func (a *Array) clearBehind(ctx context.Context, s *state, shape []int) error {
	var edge []ChunkInfo
	count := s.meta.Grid.Count()
	for idx, err := range a.storedKeys(ctx, s) {
		if err != nil {
			return a.fail("resize", err)
		}
		if !inside(idx, count) {
			continue
		}
		c := a.chunkInfo(s, slices.Clone(idx))
		kept, cut := true, false
		for i, n := range shape {
			kept = kept && c.Box.Start[i] < n
			cut = cut || c.Box.Start[i]+c.Box.Shape[i] > n
		}
		if kept && cut {
			edge = append(edge, c)
		}
	}
	err := a.limits.Workers.Run(ctx, len(edge), 1<<20, func(k int) error {
		for i, n := range shape {
			b := edge[k].Box
			if b.Start[i]+b.Shape[i] <= n {
				continue
			}
			b = nd.Box{Start: slices.Clone(b.Start), Shape: slices.Clone(b.Shape)}
			b.Shape[i] -= n - b.Start[i]
			b.Start[i] = n
			fill := nd.View{Data: s.spec.Fill, Size: s.spec.Type.Size(), Shape: b.Shape, Strides: make([]int, len(b.Shape)), Heap: s.spec.Heap}
			if err := a.writeView(ctx, s, Box(b.Start, b.Shape), fill); err != nil {
				return err
			}
		}
		return nil
	})
	return a.fail("resize", err)
}

// Append makes the array longer along an axis and writes data, in C order,
// there. data's other axes are as long as the array's.
func Append[T any](ctx context.Context, a *Array, axis int, data []T) error {
	unlock, err := a.lockShape(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	shape := a.Shape()
	if axis < 0 || axis >= len(shape) {
		return a.fail("append to", mark(ErrRange, fmt.Errorf("no axis %d in shape %v", axis, shape)))
	}
	layer, ok := nd.Len(slices.Delete(slices.Clone(shape), axis, axis+1))
	s := a.now.Load()
	if err := errors.Join(s.checkGo(reflect.TypeFor[T]()), s.noCodec); err != nil {
		return a.fail("append to", err)
	}
	if !ok || layer == 0 || len(data)%layer != 0 {
		return a.fail("append to", mark(ErrSelection, errors.New("data does not fill whole layers of the array")))
	}
	sel := make([]Axis, len(shape))
	for i := range sel {
		sel[i] = Full()
	}
	from := shape[axis]
	if len(data)/layer > math.MaxInt-from {
		return a.fail("append to", mark(ErrRange, fmt.Errorf("axis %d of shape %v cannot become longer by %d", axis, shape, len(data)/layer)))
	}
	shape[axis] += len(data) / layer
	sel[axis] = Span(from, shape[axis])
	if err := a.resize(ctx, shape); err != nil {
		return err
	}
	return Write(ctx, a, Select(sel...), data)
}
