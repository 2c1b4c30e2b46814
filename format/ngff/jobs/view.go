package jobs

import (
	"context"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/nd"
)

// view is an array with its axes in another order, some of them joined.
type view struct {
	a    *zarr.Array
	of   [][]int    // the axes of the array that every axis is, the slowest first
	typ  dtype.Type // of the elements that are given
	size []int
}

func newView(a *zarr.Array, axes []axis, typ dtype.Type) *view {
	v := &view{a: a, typ: typ}
	shape := a.Shape()
	for _, x := range axes {
		n := 1
		for _, i := range x.of {
			n *= shape[i]
		}
		v.of, v.size = append(v.of, x.of), append(v.size, n)
	}
	return v
}

// chunks are the shape of the chunks of the array along the axes of the view, nil if
// they differ.
func (v *view) chunks() []int {
	own := v.a.ChunkShape()
	if own == nil {
		return nil
	}
	shape := v.a.Shape()
	out := make([]int, len(v.of))
	for k, of := range v.of {
		out[k] = 1
		for i := len(of) - 1; i >= 0; i-- {
			out[k] *= min(own[of[i]], shape[of[i]])
			if own[of[i]] < shape[of[i]] {
				break
			}
		}
	}
	return out
}

// read fills dst with the elements from start on.
func (v *view) read(ctx context.Context, start []int, dst nd.View) error {
	if dtype.Equal(v.a.DataType(), v.typ) {
		return v.gather(ctx, start, dst)
	}
	from := v.a.DataType()
	in := nd.Make(from.Size(), dst.Shape...)
	if err := v.gather(ctx, start, in); err != nil {
		return err
	}
	if err := copying.Convert(v.typ, dst, from, in); err != nil {
		return &zarr.Error{Op: "copy", URL: v.a.URL(), Err: err}
	}
	return nil
}

// gather reads elements as they are: at once where joined axes are asked for in whole
// runs or one by one, which is what an array has axes for.
func (v *view) gather(ctx context.Context, start []int, dst nd.View) error {
	shape := v.a.Shape()
	from, length, strides := make([]int, len(shape)), make([]int, len(shape)), make([]int, len(shape))
	for k, of := range v.of {
		inner := 1
		for _, i := range of[1:] {
			inner *= shape[i]
		}
		at, n, stride := start[k], dst.Shape[k], dst.Strides[k]
		if len(of) > 1 && n > 1 && (at%inner != 0 || n%inner != 0) {
			for i := range n {
				box := nd.Box{Start: make([]int, len(dst.Shape)), Shape: slices.Clone(dst.Shape)}
				box.Start[k], box.Shape[k] = i, 1
				one := slices.Clone(start)
				one[k] += i
				if err := v.gather(ctx, one, dst.Box(box)); err != nil {
					return err
				}
			}
			return nil
		}
		for j := len(of) - 1; j >= 0; j-- {
			i := of[j]
			switch {
			case n == 1:
				from[i], length[i] = at%shape[i], 1
				at /= shape[i]
			case j > 0:
				from[i], length[i] = 0, shape[i]
				at, n = at/shape[i], n/shape[i]
			default:
				from[i], length[i] = at, n
			}
			strides[i] = stride
			stride *= length[i]
		}
	}
	dst.Shape, dst.Strides = length, strides
	return v.a.ReadInto(ctx, zarr.Box(from, length), dst)
}
