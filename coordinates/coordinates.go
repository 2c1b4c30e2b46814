// Package coordinates selects parts of arrays by what their axes mean: by index, by
// name, and by value where an axis has coordinates.
//
//	sel, err := coordinates.Select(ctx, a, "time=2025-06-30, lat=40:60, lon=@0:10")
//	temperature, err := zarr.Read[float32](ctx, a, sel)
//
// Axes without names are selected by position, as NumPy does: "0:10, ::2, -1, ...".
// Of a named axis, "@5" and "@0:10" are indices always. What stands there without
// an @ is a value where the axis has coordinates, and an index where it has none:
//
//	lat=50              the position nearest to 50, or, with Exact, at 50
//	lat=40:60           all from 40 to 60, both included, in the order in which they
//	                    are stored, which may be downwards; also 60:40
//	lat=40:60:2         every second of them
//	time=2025-06-30     the time nearest to the beginning of the day
//	time=2025-06        all of the month; the same goes for a year
//	time=2025-06-30T06:00:2025-07-01
//	                    from six o'clock to the end of the next day
//	gene=Sox2           the position of that name; a number that is no name is an index
//
// A value that lies outside of the coordinates, by more than half the distance of
// the last two, is an error that says which there are.
package coordinates

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
)

// Axis is what the positions along an axis of an array mean.
type Axis struct {
	// Dim is the number of the axis in the array.
	Dim int
	// Name is what selections call it; it may have several, one Axis each.
	Name string
	// Unit is that of its numbers, such as "degrees_north"; may be empty.
	Unit string
	// Line has the coordinates, nil if there are none.
	Line *Line
}

// Source finds coordinates of an array. Axes of which it knows nothing it leaves out.
type Source func(ctx context.Context, a *zarr.Array) ([]Axis, error)

// Option says how values are looked for.
type Option func(*options)

type options struct {
	exact   bool
	sources []Source
}

// Exact takes single values only where there is a coordinate that is equal, not the
// nearest one.
func Exact() Option { return func(o *options) { o.exact = true } }

// Also looks for coordinates where a source knows of some, before those that any
// array may have.
func Also(sources ...Source) Option {
	return func(o *options) { o.sources = append(o.sources, sources...) }
}

// Select reads the text of a selection of an array.
func Select(ctx context.Context, n zarr.Node, text string, opts ...Option) (zarr.Selection, error) {
	a, ok := n.(*zarr.Array)
	if !ok {
		return nil, &zarr.Error{Op: "select", URL: n.URL(), Err: zarr.ErrNotArray}
	}
	terms, err := zarr.ParseTerms(text)
	if err != nil {
		return nil, named(a.URL(), err)
	}
	dims := a.DimensionNames()
	axes := dimensionAxes(dims)
	// Only values, and other names, make one look at what lies around.
	if slices.ContainsFunc(terms, func(t zarr.Term) bool { return t.Name != "" && (!t.Index || !slices.Contains(dims, t.Name)) }) {
		if axes, err = Of(ctx, a, opts...); err != nil {
			return nil, err
		}
	}
	sel, err := Choose(ctx, text, a.Shape(), axes, opts...)
	return sel, named(a.URL(), err)
}

// named says of which node an error is, unless it says so itself.
func named(url string, err error) error {
	var known *zarr.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known) && known.URL == "selection": // of a text alone
		err = known.Err
	case errors.As(err, &known):
		return err
	}
	return &zarr.Error{Op: "select", URL: url, Err: wrong{err}}
}

// wrong is an error that says that a selection does not fit.
type wrong struct{ error }

// Unwrap says so to errors.Is.
func (w wrong) Unwrap() []error { return []error{w.error, zarr.ErrSelection} }

// Choose is Select for what is no array: it has a shape, and axes that the caller
// knows.
func Choose(ctx context.Context, text string, shape []int, axes []Axis, opts ...Option) (zarr.Selection, error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	terms, err := zarr.ParseTerms(text)
	if err != nil {
		return nil, err
	}
	if len(terms) == 0 || terms[0].Name == "" {
		return zarr.ParseSlice(text)
	}
	out := make([]zarr.Axis, len(shape))
	by := make([]string, len(shape)) // which name an axis was selected by
	for i := range out {
		out[i] = zarr.Full()
	}
	for _, t := range terms {
		axis, err := called(axes, t.Name)
		if err == nil && by[axis.Dim] != "" {
			err = fmt.Errorf("%s and %s are the same axis", by[axis.Dim], t.Name)
		}
		if err == nil {
			by[axis.Dim] = t.Name
			out[axis.Dim], err = axis.choose(ctx, t, o.exact)
		}
		if err != nil {
			return nil, fmt.Errorf("selection %q: %w", text, err)
		}
	}
	return zarr.Select(out...), nil
}

// called finds the axis that a name stands for.
func called(axes []Axis, name string) (Axis, error) {
	found := slices.IndexFunc(axes, func(a Axis) bool { return a.Name == name })
	if found < 0 {
		if len(axes) == 0 {
			return Axis{}, fmt.Errorf("no axis is named %q: axes have no names", name)
		}
		return Axis{}, fmt.Errorf("no axis is named %q, only %s", name, strings.Join(names(axes), ", "))
	}
	for _, other := range axes[found+1:] {
		if other.Name == name && other.Dim != axes[found].Dim {
			return Axis{}, fmt.Errorf("axes %d and %d are both named %q", axes[found].Dim, other.Dim, name)
		}
	}
	return axes[found], nil
}

func names(axes []Axis) (out []string) {
	for _, a := range axes {
		if !slices.Contains(out, a.Name) {
			out = append(out, a.Name)
		}
	}
	return out
}

// choose selects along one axis.
func (a Axis) choose(ctx context.Context, t zarr.Term, exact bool) (zarr.Axis, error) {
	if t.Index || a.Line == nil {
		axis, err := t.Axis()
		var known *zarr.Error
		if errors.As(err, &known) {
			err = known.Err
		}
		if err != nil && !t.Index {
			err = fmt.Errorf("axis %s has no coordinates: %w", a.Name, err)
		}
		return axis, err
	}
	axis, err := a.Line.choose(ctx, t, exact)
	if err != nil {
		err = fmt.Errorf("axis %s: %w", a.Name, err)
	}
	return axis, err
}

// Of tells what the axes of an array mean, in their order. One that has neither a
// name nor coordinates is left out; one with several names is there for each.
func Of(ctx context.Context, a *zarr.Array, opts ...Option) ([]Axis, error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	var found []Axis
	for _, source := range append(o.sources, builtin...) {
		list, err := source(ctx, a)
		if err != nil {
			return nil, err
		}
		for _, axis := range list {
			if axis.Dim < 0 || axis.Dim >= len(a.Shape()) {
				continue
			}
			at := slices.IndexFunc(found, func(f Axis) bool { return f.Dim == axis.Dim && f.Name == axis.Name })
			switch {
			case at < 0:
				found = append(found, axis)
			case found[at].Line == nil:
				found[at] = axis
			}
		}
	}
	slices.SortStableFunc(found, func(x, y Axis) int { return x.Dim - y.Dim })
	return found, nil
}

// builtin are the sources that need nothing but the array and what lies around it.
// What an array says of itself goes before what is said of it as a level.
var builtin = []Source{dimensions, arrays, transforms, levels}

// dimensions gives the axes that have names.
func dimensions(_ context.Context, a *zarr.Array) ([]Axis, error) {
	return dimensionAxes(a.DimensionNames()), nil
}

func dimensionAxes(names []string) (out []Axis) {
	for i, name := range names {
		if name != "" {
			out = append(out, Axis{Dim: i, Name: name})
		}
	}
	return out
}
