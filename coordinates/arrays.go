package coordinates

import (
	"context"
	"errors"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/cf"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// mostAbove is how many groups above an array are looked at.
const mostAbove = 16

// Around is a group that holds a node.
type Around struct {
	*zarr.Group
	// At is where the node lies below the group.
	At string
}

// Above gives the groups that hold a node, the nearest first.
func Above(ctx context.Context, n zarr.Node) (out []Around, err error) {
	at := ""
	for range mostAbove {
		g, err := n.Parent(ctx)
		if errors.Is(err, zarr.ErrNoNode) || errors.Is(err, zarr.ErrNotGroup) {
			break
		}
		if err != nil {
			return nil, err
		}
		name := path.Base(n.Path())
		if n.Path() == "" { // of a store of its own
			if name, err = url.PathUnescape(path.Base(n.URL())); err != nil {
				break
			}
		}
		at = path.Join(name, at)
		out = append(out, Around{g, at})
		n = g
	}
	return out, nil
}

// arrays finds coordinates as xarray stores them: an array of one axis that has the
// name of the axis, beside the array or in a group above; and those that the
// attribute "coordinates" names, which are other names for their axis.
func arrays(ctx context.Context, a *zarr.Array) ([]Axis, error) {
	dims := a.DimensionNames()
	if dims == nil {
		return nil, nil
	}
	var list string
	if _, err := a.Attributes().Get("coordinates", &list); err != nil {
		list = "" // of another convention
	}
	above, err := Above(ctx, a)
	if err != nil {
		return nil, err
	}
	var out []Axis
	for _, name := range append(slices.Clone(dims), strings.Fields(list)...) {
		if name == "" || strings.Contains(name, "/") || slices.ContainsFunc(out, func(x Axis) bool { return x.Name == name }) {
			continue
		}
		c, err := besides(ctx, a, above, name)
		if err != nil {
			return nil, err
		}
		if c == nil {
			continue
		}
		along := c.DimensionNames()
		at := slices.Index(dims, name)
		if at < 0 && len(along) == 1 && along[0] != "" {
			at = slices.Index(dims, along[0])
		}
		if at < 0 || len(c.Shape()) != 1 || c.Shape()[0] != a.Shape()[at] {
			continue
		}
		if line, unit := arrayLine(c); line != nil {
			out = append(out, Axis{Dim: at, Name: name, Unit: unit, Line: line})
		}
	}
	return out, nil
}

// besides finds the array of a name in the nearest group that has one, nil if none
// has.
func besides(ctx context.Context, a *zarr.Array, above []Around, name string) (*zarr.Array, error) {
	for _, g := range above {
		if g.At == name {
			return a, nil
		}
		c, err := g.Array(ctx, name)
		switch {
		case err == nil:
			return c, nil
		case errors.Is(err, zarr.ErrNoNode), errors.Is(err, zarr.ErrNotArray), errors.Is(err, zarr.ErrPath):
		default:
			return nil, err
		}
	}
	return nil, nil
}

// arrayLine are the elements of an array of one axis as coordinates, nil if they are
// of a type that has no order.
func arrayLine(c *zarr.Array) (*Line, string) {
	line := &Line{Len: c.Shape()[0]}
	t := c.DataType()
	d, decoded := cf.Of(c)
	if decoded {
		d = d.Complete()
	}
	unit := ""
	if _, err := c.Attributes().Get("units", &unit); err != nil {
		unit = ""
	}
	switch {
	case decoded && d.Kind() == cf.Times:
		line.Calendar = d.Calendar()
		line.Times = func(ctx context.Context, start, stop int) ([]cf.Time, error) {
			v, err := c.Make(stop - start)
			if err == nil {
				err = c.ReadInto(ctx, zarr.Select(zarr.Span(start, stop)), v)
			}
			if err != nil {
				return nil, err
			}
			out := make([]cf.Time, stop-start)
			for i := range out {
				out[i] = d.Time(v.At(i))
			}
			return out, nil
		}
		return line, ""
	case decoded:
		line.Narrow = t.Name() == "float32" && !d.Scaled()
		line.Numbers = func(ctx context.Context, start, stop int) ([]float64, error) {
			v, err := c.Make(stop - start)
			if err == nil {
				err = c.ReadInto(ctx, zarr.Select(zarr.Span(start, stop)), v)
			}
			if err != nil {
				return nil, err
			}
			out := make([]float64, stop-start)
			d.Floats(out, v.Data)
			return out, nil
		}
		if d.Kind() == cf.Durations {
			unit = "s"
		}
		return line, unit
	}
	switch t.Kind() {
	case dtype.Int, dtype.Uint, dtype.Float, dtype.Bool:
		line.Narrow = t.Name() == "float32"
		line.Numbers = func(ctx context.Context, start, stop int) ([]float64, error) {
			out, err := zarr.ReadAs[float64](ctx, c, zarr.Select(zarr.Span(start, stop)))
			return out.Data, err
		}
	case dtype.String, dtype.UTF32:
		line.Texts = func(ctx context.Context, start, stop int) ([]string, error) {
			return readTexts(ctx, c, start, stop)
		}
	default:
		return nil, ""
	}
	return line, unit
}

// textBytes is how many bytes of elements are in memory at once.
const textBytes = 1 << 22

// readTexts reads elements that are text.
func readTexts(ctx context.Context, c *zarr.Array, start, stop int) (out []string, err error) {
	for v, err := range c.Stream(ctx, zarr.Select(zarr.Span(start, stop)), textBytes) {
		if err != nil {
			return nil, err
		}
		blobs := v.Heap.Blobs()
		for i := range v.Len() {
			raw, err := c.DataType().AppendValue(nil, v.At(i), blobs)
			if err != nil {
				return nil, err
			}
			text, err := strictjson.String(raw)
			if err != nil {
				return nil, err
			}
			out = append(out, text)
		}
	}
	return out, nil
}
