package zarr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/omnizarr/zarr/nd"
)

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
