package picture

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/rows"
)

// lineBlock is how many elements of a line are read at once.
const lineBlock = 1 << 20

// Line sums up one dimension of an array in a number of places: the least and the
// largest value of each. The slice, in the syntax of package coordinates, has to leave
// one axis.
func Line(ctx context.Context, a *zarr.Array, slice string, stored bool, opts ...coordinates.Option) (*rows.Curves, error) {
	fail := func(err error) (*rows.Curves, error) {
		var known *zarr.Error
		if errors.As(err, &known) {
			return nil, err
		}
		return nil, &zarr.Error{Op: "plot", URL: a.URL(), Err: err}
	}
	switch t := a.DataType(); t.Kind() {
	case dtype.Bool, dtype.Int, dtype.Uint, dtype.Float:
	default:
		return fail(fmt.Errorf("elements of %s are no real numbers", t.Name()))
	}
	sel, err := coordinates.Select(ctx, a, slice, opts...)
	if err != nil {
		return fail(err)
	}
	shape, err := a.ResultShape(sel)
	if err != nil {
		return nil, err
	}
	at, err := zarr.Resolve(sel, a.Shape())
	if err != nil {
		return fail(err)
	}
	axes, along, free := make([]zarr.Axis, len(at)), -1, 0
	for i, p := range at {
		if p.Count == 0 {
			return fail(errors.New("nothing is selected"))
		}
		if axes[i] = zarr.At(p.At(0)); p.Count > 1 || along < 0 && p.Along >= 0 {
			if along >= 0 && at[along].Count > 1 {
				free++
			}
			along = i
		}
	}
	switch {
	case free > 0:
		return fail(fmt.Errorf("one dimension is drawn, %v has more: choose with --slice, or use omnizarr show", shape))
	case along < 0:
		return fail(errors.New("there is one element alone"))
	}
	name := "axis"
	if names := a.DimensionNames(); names != nil && names[along] != "" {
		name = names[along]
	}
	p := at[along]
	return &rows.Curves{Title: path.Base(a.URL()), Alone: true, Read: func(ctx context.Context, places int) (*rows.Drawing, error) {
		out := &rows.Drawing{From: float64(p.At(0)), To: float64(p.At(p.Count - 1)), Unit: "(" + name + ")", Traces: []rows.Trace{rows.NewTrace(places)}}
		for from := 0; from < p.Count; from += lineBlock {
			n := min(lineBlock, p.Count-from)
			list := make([]int, n)
			for k := range list {
				list[k] = p.At(from + k)
			}
			axes[along] = zarr.List(list...)
			values, err := readNumbers(ctx, a, zarr.Select(axes...), stored)
			if err != nil {
				return nil, err
			}
			for k, v := range values {
				out.Traces[0].Add((from+k)*places/p.Count, v)
			}
		}
		return out, nil
	}}, nil
}
