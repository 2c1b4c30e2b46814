package coordinates

import (
	"context"
	"math"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff"
)

// levels finds the coordinates of a level of an OME-NGFF image: its scales and
// translations, in the units of the axes, and the names of channels.
func levels(ctx context.Context, a *zarr.Array) ([]Axis, error) {
	above, err := Above(ctx, a)
	if err != nil {
		return nil, err
	}
	for _, g := range above {
		if g.Attributes().Raw("ome") == nil && g.Attributes().Raw("multiscales") == nil {
			continue
		}
		m, err := ngff.Read(g.Attributes())
		if err != nil {
			continue // validate says what is wrong with it
		}
		for _, image := range m.Images {
			for _, l := range image.Levels {
				if l.Path == g.At && len(image.Axes) == len(a.Shape()) {
					return levelAxes(a.Shape(), image.Axes, l, m.OMERO), nil
				}
			}
		}
	}
	return nil, nil
}

// levelAxes are the axes of a level.
func levelAxes(shape []int, axes []ngff.Axis, l ngff.Level, shown *ngff.OMERO) (out []Axis) {
	for i, axis := range axes {
		x := Axis{Dim: i, Name: axis.Name, Unit: axis.Unit}
		switch axis.Type {
		case "channel":
			x.Line = channels(shape[i], shown)
		default:
			first := 0.0
			if l.Translation != nil {
				first = l.Translation[i]
			}
			if l.Scale[i] != 1 || first != 0 || axis.Unit != "" {
				x.Line = Even(shape[i], first, l.Scale[i])
			}
		}
		out = append(out, x)
	}
	return out
}

// channels are the names of channels, nil unless each has one of its own.
func channels(n int, shown *ngff.OMERO) *Line {
	if shown == nil || len(shown.Channels) != n {
		return nil
	}
	var list []string
	for _, c := range shown.Channels {
		if c.Label == "" || slices.Contains(list, c.Label) {
			return nil
		}
		list = append(list, c.Label)
	}
	return &Line{Len: n, Texts: func(_ context.Context, start, stop int) ([]string, error) { return list[start:stop], nil }}
}

// transforms finds the coordinates of an image that lies on the ground, by the
// attribute "spatial:transform": those of the middles of its pixels.
func transforms(_ context.Context, a *zarr.Array) ([]Axis, error) {
	attrs := a.Attributes()
	var t []float64
	var crs string
	found, err := attrs.Get("spatial:transform", &t)
	if _, also := attrs.Get("proj:code", &crs); err == nil {
		err = also
	}
	// A turned image has no coordinates along its axes.
	if !found || err != nil || len(t) != 6 || t[1] != 0 || t[3] != 0 || t[0] == 0 || t[4] == 0 {
		return nil, nil
	}
	dims, middle := onGround(attrs)
	names, shape := a.DimensionNames(), a.Shape()
	var out []Axis
	for k, step := range []float64{t[4], t[0]} { // rows, then columns
		at := slices.Index(names, dims[k])
		first := []float64{t[5], t[2]}[k] + middle*step
		if at >= 0 && !math.IsNaN(first) && !math.IsInf(first, 0) {
			out = append(out, Axis{Dim: at, Name: dims[k], Unit: crs, Line: Even(shape[at], first, step)})
		}
	}
	return out, nil
}
