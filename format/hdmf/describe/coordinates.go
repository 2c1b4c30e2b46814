package describe

import (
	"context"
	"path"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/format/hdmf"
)

// Coordinates gives the times of the data of a time series. Those that another file
// tells are not looked for.
func (c *Convention) Coordinates(ctx context.Context, a *zarr.Array) ([]coordinates.Axis, error) {
	if a == nil || len(a.Shape()) == 0 {
		return nil, nil
	}
	above, err := coordinates.Above(ctx, a)
	if err != nil || len(above) == 0 || above[0].At != "data" {
		return nil, err
	}
	var top *zarr.Group
	at := ""
	for _, g := range above {
		is, err := hdmf.Is(ctx, g.Group)
		if err != nil {
			return nil, err
		}
		if is {
			top, at = g.Group, path.Dir(g.At)
		}
	}
	if top == nil {
		return nil, nil
	}
	f := hdmf.Of(ctx, top, hdmf.Zarr(zarr.ReadOnly()))
	o, err := f.Object(ctx, path.Join("/", at))
	g, ok := o.(*hdmf.Group)
	if err != nil || !ok || !hdmf.IsSeries(ctx, g) {
		return nil, f.Close()
	}
	s, err := hdmf.OpenSeries(ctx, g)
	if err != nil || s.Data().File() != f || s.Timestamps() != nil && s.Timestamps().File() != f {
		return nil, f.Close()
	}
	return seriesAxes(s), nil // nothing else was opened
}

// seriesAxes are what the axes of the data of a series mean: time, and channels by
// their number.
func seriesAxes(s *hdmf.Series) []coordinates.Axis {
	n := s.Len()
	if s.Timestamps() != nil {
		n = min(n, s.Timestamps().Shape()[0])
	}
	times := &coordinates.Line{Len: n, Numbers: func(ctx context.Context, start, stop int) ([]float64, error) {
		return s.Times(ctx, zarr.Select(zarr.Span(start, stop), zarr.Ellipsis()))
	}}
	axes := []coordinates.Axis{{Dim: 0, Name: "time", Unit: "s", Line: times}}
	if len(s.Data().Shape()) == 2 {
		axes = append(axes, coordinates.Axis{Dim: 1, Name: "channel"})
	}
	return axes
}

// tableAxes are the names by which rows of a table are selected: those of columns with
// a number or a text in every row, "time" for one that says when rows begin, and
// "row" for their numbers.
func tableAxes(t *hdmf.Table) []coordinates.Axis {
	axes := []coordinates.Axis{}
	add := func(name string, c *hdmf.Column) {
		axes = append(axes, coordinates.Axis{Name: name, Line: columnLine(c, t.Rows())})
	}
	if t.IDs() != nil {
		add("id", t.IDs())
	}
	for _, c := range t.Columns() {
		if columnLine(c, t.Rows()) != nil {
			add(c.Name(), c)
		}
	}
	has := func(name string) bool {
		return slices.ContainsFunc(axes, func(a coordinates.Axis) bool { return a.Name == name })
	}
	if c, err := t.Column("start_time"); err == nil && !has("time") && has("start_time") {
		add("time", c)
	}
	if !has("row") {
		axes = append(axes, coordinates.Axis{Name: "row"})
	}
	return axes
}

// columnLine are the cells of a column as coordinates, nil if they are lists or
// something else than numbers and text.
func columnLine(c *hdmf.Column, rows int) *coordinates.Line {
	if c.Depth() > 0 || len(c.Dataset().Shape()) != 1 || c.Rows() < rows {
		return nil
	}
	line := &coordinates.Line{Len: rows}
	switch c.Dataset().DType().Kind {
	case hdmf.Number:
		line.Narrow = c.Dataset().Array().DataType().Name() == "float32"
		line.Numbers = func(ctx context.Context, start, stop int) ([]float64, error) {
			cells, err := c.Read(ctx, start, stop)
			if err != nil {
				return nil, err
			}
			return cells.Floats()
		}
	case hdmf.Text:
		line.Texts = func(ctx context.Context, start, stop int) ([]string, error) {
			cells, err := c.Read(ctx, start, stop)
			if err != nil {
				return nil, err
			}
			out := make([]string, stop-start)
			for i := range out {
				out[i] = cells.Text(i)
			}
			return out, nil
		}
	default:
		return nil
	}
	return line
}
