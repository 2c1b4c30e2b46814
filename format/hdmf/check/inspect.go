package check

import (
	"context"
	"path"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
)

// inspect looks at an object as nwbinspector does, at what it calls critical. The
// rules have the names of its checks.
func (c *checker) inspect(ctx context.Context, o hdmf.Object, at string) error {
	k := c.kind(o.Type())
	g, ok := o.(*hdmf.Group)
	switch {
	case !ok:
	case k.is("TimeSeries"):
		return c.inspectSeries(ctx, g, at, k)
	case k.is("DynamicTable"):
		return c.inspectTable(ctx, g, at, k)
	case k.is("NWBFile"):
		return c.inspectSession(ctx, g, at)
	case k.is("Subject"):
		return c.inspectSubject(ctx, g, at)
	}
	return nil
}

// child is a dataset that a group holds or has a link to, nil if there is none.
func child(ctx context.Context, g *hdmf.Group, name string) *hdmf.Dataset {
	o, err := g.File().Object(ctx, join(g.Path(), name))
	if err != nil {
		return nil
	}
	d, _ := o.(*hdmf.Dataset)
	return d
}

// textOf is the text that a group holds under a name, "" if there is none.
func textOf(ctx context.Context, g *hdmf.Group, name string) string {
	d := child(ctx, g, name)
	if d == nil || !d.Scalar() {
		return ""
	}
	v, err := d.Read(ctx, zarr.All())
	if err != nil || v.Len() != 1 {
		return ""
	}
	return v.Text(0)
}

// inspectSeries looks at a series of samples over time.
func (c *checker) inspectSeries(ctx context.Context, g *hdmf.Group, at string, k *kind) error {
	data := child(ctx, g, "data")
	if rate, ok := rateOf(ctx, g); ok {
		if rate == 0 && data != nil && len(data.Shape()) > 0 && data.Shape()[0] > 1 {
			c.tell(at, "check_rate_is_not_zero", "the rate is 0 Hz, and there are %d samples", data.Shape()[0])
		}
		if rate < 0 {
			c.tell(at, "check_rate_is_positive", "the rate is negative: %v Hz", rate)
		}
	}
	if k.is("ImageSeries") {
		if err := c.inspectExternal(ctx, g, at); err != nil {
			return err
		}
	}
	if data == nil || len(data.Shape()) == 0 {
		return nil
	}
	shape := data.Shape()
	for _, n := range shape[1:] {
		if n > shape[0] && !k.is("SpikeEventSeries") {
			c.tell(at, "check_data_orientation", "time is the first axis and mostly the longest; the shape is %v, is it transposed?", shape)
			break
		}
	}
	if k.is("SpatialSeries") && len(shape) > 1 && shape[1] > 3 {
		c.tell(at, "check_spatial_series_dims", "a position has 1, 2 or 3 numbers; these have %d", shape[1])
	}
	switch {
	case k.is("SpikeEventSeries"):
		c.inspectChannels(ctx, g, at, shape, 3, "electrodes", "check_electrical_series_dims")
	case k.is("ElectricalSeries"):
		c.inspectChannels(ctx, g, at, shape, 2, "electrodes", "check_electrical_series_dims")
	case k.is("RoiResponseSeries"):
		c.inspectChannels(ctx, g, at, shape, 2, "rois", "check_roi_response_series_dims")
	}
	return ctx.Err()
}

// inspectChannels compares the second axis with the rows that say what it is.
func (c *checker) inspectChannels(ctx context.Context, g *hdmf.Group, at string, shape []int, rank int, rows, rule string) {
	d := child(ctx, g, rows)
	if d == nil || len(d.Shape()) != 1 || len(shape) != rank || shape[1] == d.Shape()[0] {
		return
	}
	if n := d.Shape()[0]; shape[0] == n {
		c.tell(at, rule, "the data have shape %v and there are %d %s: they are transposed", shape, n, rows)
	} else {
		c.tell(at, rule, "the data have shape %v and there are %d %s", shape, n, rows)
	}
}

// rateOf is the rate of a series that has no times.
func rateOf(ctx context.Context, g *hdmf.Group) (float64, bool) {
	d := child(ctx, g, "starting_time")
	if d == nil {
		return 0, false
	}
	a, ok := d.Attribute("rate")
	if !ok {
		return 0, false
	}
	v, err := plain(a.Raw)
	rate, isNumber := v.(float64)
	return rate, err == nil && isNumber
}

// inspectExternal looks for the files that hold the images of a series. Only those
// are looked for that may lie in the folder around the file.
func (c *checker) inspectExternal(ctx context.Context, g *hdmf.Group, at string) error {
	d := child(ctx, g, "external_file")
	if d == nil {
		return nil
	}
	before := len(c.findings)
	return c.readable(ctx, at, eachBlock(ctx, d, func(_ []int, v *hdmf.Values) error {
		for i := 0; i < v.Len() && len(c.findings)-before < maxTold; i++ {
			name := strings.ReplaceAll(v.Text(i), `\`, "/")
			if path.IsAbs(name) || strings.Contains(name, "://") {
				continue
			}
			if there, known := c.besides(ctx, g.File(), name); known && !there {
				c.tell(at, "check_image_series_external_file_valid", "the file %s is not there", quote(name))
			}
		}
		return ctx.Err()
	}))
}

// readable tells of values that could not be read.
func (c *checker) readable(ctx context.Context, at string, err error) error {
	if err == nil {
		return nil
	}
	return c.unreadable(ctx, at, err)
}
