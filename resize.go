package zarr

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
)

// Resize changes the array's shape. New elements have the fill value, also where
// the array was larger once: chunks outside the new shape are removed, and those
// at its edge are cleared behind it.
func (a *Array) Resize(ctx context.Context, shape ...int) error {
	a.grow.Lock()
	defer a.grow.Unlock()
	return a.resize(ctx, shape)
}

func (a *Array) resize(ctx context.Context, shape []int) error {
	old := a.now.Load()
	if len(shape) != len(old.meta.Shape) || len(shape) > 0 && slices.Min(shape) < 0 {
		return &Error{Op: "resize", URL: a.URL(), Err: fmt.Errorf("from shape %v to %v", old.meta.Shape, shape)}
	}
	g, err := old.meta.Grid.Resize(shape)
	if err != nil {
		return &Error{Op: "resize", URL: a.URL(), Err: err}
	}
	shrinks := false
	for i, n := range shape {
		if n < old.meta.Shape[i] {
			shrinks = true
			if err := a.clearBehind(ctx, old, i, n); err != nil {
				return err
			}
		}
	}
	err = a.change(ctx, "resize", func(m *meta.Array) error {
		m.Shape, m.Grid = slices.Clone(shape), g
		return nil
	})
	if err != nil || !shrinks {
		return err
	}
	for idx, err := range a.storedKeys(ctx, old) {
		if err == nil && !inside(idx, g.Count()) {
			key := a.chunkKey(old, idx)
			a.limits.Cache.Forget(key)
			err = a.store.Delete(ctx, key)
		}
		if err != nil {
			return &Error{Op: "resize", URL: a.URL(), Err: err}
		}
	}
	return nil
}

// clearBehind sets the elements from n on to the fill value, in the chunks that
// also hold elements before n.
func (a *Array) clearBehind(ctx context.Context, s *state, axis, n int) error {
	if n == 0 {
		return nil
	}
	start, length := s.meta.Grid.Span(axis, s.meta.Grid.Find(axis, n-1))
	end := min(start+length, s.meta.Shape[axis])
	if end <= n || slices.Contains(s.meta.Shape, 0) {
		return nil
	}
	sel := make([]Axis, len(s.meta.Shape))
	shape := slices.Clone(s.meta.Shape)
	for i := range sel {
		sel[i] = Full()
	}
	sel[axis] = Span(n, end)
	shape[axis] = end - n
	fill := nd.View{Data: s.spec.Fill, Size: s.spec.Type.Size(), Shape: shape, Strides: make([]int, len(shape)), Heap: s.spec.Heap}
	return a.WriteFrom(ctx, Select(sel...), fill)
}

// Append makes the array longer along an axis and writes data, in C order,
// there. data's other axes are as long as the array's.
func Append[T any](ctx context.Context, a *Array, axis int, data []T) error {
	a.grow.Lock()
	defer a.grow.Unlock()
	shape := a.Shape()
	if axis < 0 || axis >= len(shape) {
		return &Error{Op: "append to", URL: a.URL(), Err: fmt.Errorf("no axis %d in shape %v", axis, shape)}
	}
	layer := 1
	for i, n := range shape {
		if i != axis {
			layer *= n
		}
	}
	if layer == 0 || len(data)%layer != 0 {
		return &Error{Op: "append to", URL: a.URL(), Err: errors.New("data does not fill whole layers of the array")}
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
