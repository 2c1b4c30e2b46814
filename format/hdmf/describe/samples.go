package describe

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/rows"
)

// Samples gives what a time series holds, or the data of one. Those that are pictures,
// one for every time, are none.
func (o *Object) Samples(ctx context.Context) (*convention.Samples, error) {
	g, ok := o.object.(*hdmf.Group)
	if !ok && path.Base(o.object.Path()) == "data" {
		above, err := o.object.File().Object(ctx, path.Dir(o.object.Path()))
		if err != nil {
			return nil, err
		}
		g, ok = above.(*hdmf.Group)
	}
	if !ok || !hdmf.IsSeries(ctx, g) {
		return nil, nil
	}
	s, err := hdmf.OpenSeries(ctx, g)
	if err != nil {
		return nil, err
	}
	if s.Data().DType().Kind != hdmf.Number || len(s.Data().Shape()) > 2 && isPictures(g) {
		return nil, nil
	}
	out := &convention.Samples{
		Array: s.Data().Array(), Target: convention.Target{File: place(ctx, o.object.File(), s.Data().File()), Path: s.Data().Path()}, Unit: unitOf(s), Scale: s.Conversion, Offset: s.Offset, Factors: s.Factors(),
		Names: func(ctx context.Context) ([]string, error) { return channelNames(ctx, s) },
	}
	if rate, ok := s.Rate(); ok {
		if out.Rate = rate; s.Len() > 0 {
			if out.Start, _, err = s.Span(ctx); err != nil {
				return nil, err
			}
		}
	} else {
		out.Times = seriesAxes(s)[0].Line
	}
	return out, nil
}

// isPictures reports whether a series says by its type, or by what it holds, that every
// sample is a picture.
func isPictures(g *hdmf.Group) bool {
	for _, name := range []string{"dimension", "external_file", "format", "imaging_plane", "pmt_gain", "field_of_view"} {
		if _, ok := g.Attribute(name); ok {
			return true
		}
	}
	t := g.Type().Name
	for _, word := range []string{"Image", "Photon", "Video", "Mask"} {
		if strings.Contains(t, word) {
			return true
		}
	}
	return false
}

// mostNames is how many channels are named.
const mostNames = 1 << 16

// nameColumns are those that name electrodes, the best first.
var nameColumns = []string{"channel_name", "electrode_name", "label", "name"}

// channelNames are those of the electrodes that the channels of a series are, or their
// ids; nil if it has none.
func channelNames(ctx context.Context, s *hdmf.Series) ([]string, error) {
	shape := s.Data().Shape()
	if len(shape) != 2 || shape[1] > mostNames {
		return nil, nil
	}
	o, err := s.Group().Object(ctx, "electrodes")
	d, ok := o.(*hdmf.Dataset)
	if err != nil || !ok || len(d.Shape()) != 1 || d.Shape()[0] != shape[1] {
		return nil, ctx.Err()
	}
	table, err := d.RowsOf(ctx)
	if err != nil || table == nil {
		return nil, ctx.Err()
	}
	v, err := d.Read(ctx, zarr.All())
	if err != nil {
		return nil, err
	}
	list, err := v.Ints()
	if err != nil {
		return nil, err
	}
	at := make([]int, len(list))
	for i, n := range list {
		if n < 0 || n >= int64(table.Rows()) {
			return nil, nil // which a check tells
		}
		at[i] = int(n)
	}
	for _, name := range nameColumns {
		c, err := table.Column(name)
		if err == nil && c.Depth() == 0 && len(c.Dataset().Shape()) == 1 && c.Dataset().DType().Kind == hdmf.Text && c.Rows() == table.Rows() {
			return columnTexts(ctx, c, rows.Listed(at))
		}
	}
	return rowNames(ctx, table, rows.Listed(at))
}

// zeros are the datasets that say since when seconds count, the best first.
var zeros = []string{"/timestamps_reference_time", "/session_start_time"}

// Zero is the date that the seconds of the file count from.
func (o *Object) Zero(ctx context.Context) string {
	for _, at := range zeros {
		if text := scalarText(ctx, o.object.File(), at, 1); text != "" {
			return text
		}
	}
	return ""
}

// mostBands is how many tables of intervals are told.
const mostBands = 64

// Bands are the tables of intervals: trials, epochs, times that are invalid.
func (o *Object) Bands(ctx context.Context) (out []convention.Band) {
	above, err := o.object.File().Object(ctx, "/intervals")
	g, ok := above.(*hdmf.Group)
	if err != nil || !ok {
		return nil
	}
	for m, err := range g.Members(ctx) {
		if err != nil || len(out) == mostBands {
			continue
		}
		one, ok := m.Object.(*hdmf.Group)
		if m.Link != nil {
			to, err := m.Link.Target(ctx)
			if err != nil {
				continue
			}
			one, ok = to.(*hdmf.Group)
		}
		if !ok || !hdmf.IsTable(one) {
			continue
		}
		if t, err := hdmf.OpenTable(ctx, one); err == nil && bands(t) != nil {
			out = append(out, convention.Band{Path: "/intervals/" + m.Name, Name: m.Name, Rows: t.Rows()})
		}
	}
	return out
}

// bands names the columns of a table whose rows are intervals, nil if they are none.
func bands(t *hdmf.Table) *rows.Bands {
	isTime := func(name string) bool {
		c, err := t.Column(name)
		return err == nil && c.Depth() == 0 && len(c.Dataset().Shape()) == 1 && c.Dataset().DType().Kind == hdmf.Number
	}
	if !isTime("start_time") || !isTime("stop_time") {
		return nil
	}
	out := &rows.Bands{Start: "start_time", Stop: "stop_time"}
	columns := t.Columns()
	texts := slices.DeleteFunc(columns, func(c *hdmf.Column) bool {
		return c.Dataset().DType().Kind != hdmf.Text || len(c.Dataset().Shape()) != 1 || c.Depth() > 1
	})
	for _, name := range []string{"tags", "label", "name", "type", "condition", "description"} {
		if slices.ContainsFunc(texts, func(c *hdmf.Column) bool { return c.Name() == name }) {
			out.Label = name
			return out
		}
	}
	if len(texts) > 0 {
		out.Label = texts[0].Name()
	}
	return out
}
