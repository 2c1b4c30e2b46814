package coordinates

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/meta"
)

// levels finds the coordinates of a level of an OME-NGFF image: its scales and
// translations, in the units of the axes, and the names of channels.
func levels(ctx context.Context, a *zarr.Array) ([]Axis, error) {
	l, err := LevelOf(ctx, a)
	if err != nil || l == nil {
		return nil, err
	}
	return levelAxes(a.Shape(), l.Image.Axes, l.Image.Levels[l.Number], l.omero), nil
}

// Level is an array as a level of an OME-NGFF image.
type Level struct {
	Image  ngff.Multiscales
	Number int // in Image.Levels

	omero *ngff.OMERO
	shown json.RawMessage
}

// LevelOf finds the image that an array is a level of, by the groups that hold it; nil if
// it is of none.
func LevelOf(ctx context.Context, a *zarr.Array) (*Level, error) {
	above, err := Above(ctx, a)
	if err != nil {
		return nil, err
	}
	for _, g := range above {
		attrs := g.Attributes()
		if attrs.Raw("ome") == nil && attrs.Raw("multiscales") == nil {
			continue
		}
		m, err := ngff.Read(attrs)
		if err != nil {
			continue // validate says what is wrong with it
		}
		for _, image := range m.Images {
			for i, l := range image.Levels {
				if l.Path != g.At || len(image.Axes) != len(a.Shape()) {
					continue
				}
				shown := attrs.Raw("omero")
				var ome struct {
					OMERO json.RawMessage `json:"omero"`
				}
				if ok, err := attrs.Get("ome", &ome); ok && err == nil {
					shown = ome.OMERO
				}
				return &Level{Image: image, Number: i, omero: m.OMERO, shown: shown}, nil
			}
		}
	}
	return nil, nil
}

// Channels are those of the image, as far as they are known.
func (l *Level) Channels() []ngff.Channel {
	if l.omero == nil {
		return nil
	}
	return l.omero.Channels
}

// Alone adds what the image says of the level to attributes of the array, in the form that
// an image has which is no part of a group, see ngff.Described. What they say themselves
// stays.
func (l *Level) Alone(attrs *meta.Attributes) (*meta.Attributes, error) {
	out := &meta.Attributes{}
	if attrs != nil {
		out = attrs.Clone()
	}
	if out.Raw("scale") == nil {
		type axis struct {
			Name string `json:"name"`
			Type string `json:"type,omitempty"`
			Unit string `json:"unit,omitempty"`
		}
		var axes []axis
		for _, a := range l.Image.Axes {
			axes = append(axes, axis{a.Name, a.Type, a.Unit})
		}
		if err := out.Set("axes", axes); err != nil {
			return nil, err
		}
		if err := ngff.Describe(out, &ngff.Multiscales{Axes: l.Image.Axes, Levels: l.Image.Levels[l.Number : l.Number+1]}); err != nil {
			return nil, err
		}
	}
	if out.Raw("omero") == nil && l.shown != nil {
		return out, out.Set("omero", l.shown)
	}
	return out, nil
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
