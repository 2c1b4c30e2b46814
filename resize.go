package zarr

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

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
		return nil, err
	}
	if err := a.Refresh(ctx); err != nil {
		lock.Unlock()
		return nil, err
	}
	return lock.Unlock, nil
}

func (a *Array) resize(ctx context.Context, shape []int) error {
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
			if err := a.WriteFrom(ctx, Box(b.Start, b.Shape), fill); err != nil {
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
	layer := 1
	for i, n := range shape {
		if i != axis {
			layer *= n
		}
	}
	s := a.now.Load()
	if err := errors.Join(s.checkGo(reflect.TypeFor[T]()), s.noCodec); err != nil {
		return a.fail("append to", err)
	}
	if layer == 0 || len(data)%layer != 0 {
		return a.fail("append to", mark(ErrSelection, errors.New("data does not fill whole layers of the array")))
	}
	sel := make([]Axis, len(shape))
	for i := range sel {
		sel[i] = Full()
	}
	from := shape[axis]
	shape[axis] += len(data) / layer
	sel[axis] = Span(from, shape[axis])
	if err := a.resize(ctx, shape); err != nil {
		return err
	}
	return Write(ctx, a, Select(sel...), data)
}
