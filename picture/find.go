package picture

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/ngff"
)

// images is an image of one or more resolutions.
type images struct {
	levels   []*zarr.Array // the finest first
	names    []string      // of the axes, "" for none
	types    []string      // of the axes: space, time, channel or ""
	scale    []float64     // of the finest level
	channels []ngff.Channel
	labels   bool
	colors   map[float64]color.NRGBA // of labels
}

// find gathers what is known of an image.
func find(ctx context.Context, n zarr.Node) (*images, error) {
	a, ok := n.(*zarr.Array)
	if !ok {
		return findGroup(ctx, n.(*zarr.Group), 0)
	}
	img := &images{levels: []*zarr.Array{a}}
	for i := range a.Shape() {
		name := ""
		if names := a.DimensionNames(); names != nil {
			name = names[i]
		}
		img.names = append(img.names, name)
		img.types = append(img.types, typeOf(name))
		img.scale = append(img.scale, 1)
	}
	img.labels = slices.Contains(strings.Split(a.Path(), "/"), "labels")
	return img, img.check()
}

// typeOf is what an axis of a name is.
func typeOf(name string) string {
	switch strings.ToLower(name) {
	case "band", "channel", "channels", "sample", "samples", "rgb":
		return "channel"
	case "lat", "latitude", "lon", "longitude", "long":
		return "space"
	case "time":
		return "time"
	}
	return ngff.AxisType(name)
}

func (img *images) check() error {
	switch t := img.levels[0].DataType(); t.Kind() {
	case dtype.Bool, dtype.Int, dtype.Uint, dtype.Float:
		return nil
	default:
		return fmt.Errorf("elements of %s are no real numbers", t.Name())
	}
}

// mostNested is how many collections may lie in each other.
const mostNested = 4

func findGroup(ctx context.Context, g *zarr.Group, depth int) (*images, error) {
	m, err := ngff.Read(g.Attributes())
	if errors.Is(err, ngff.ErrNone) {
		return nil, errors.New("is a group and no image: name an array in it")
	}
	if err != nil {
		return nil, err
	}
	if len(m.Images) == 0 {
		inner := ""
		switch {
		case len(m.Series) > 0:
			inner = m.Series[0]
		case m.Layout > 0:
			inner = "0"
		case len(m.Labels) > 0:
			inner = m.Labels[0]
		case m.Well != nil && len(m.Well.Images) > 0:
			inner = m.Well.Images[0].Path
		case m.Plate != nil && len(m.Plate.Wells) > 0:
			inner = m.Plate.Wells[0].Path
		}
		if inner == "" || depth == mostNested {
			return nil, errors.New("is a group and no image: name an array in it")
		}
		below, err := g.Group(ctx, inner)
		if err != nil {
			return nil, err
		}
		return findGroup(ctx, below, depth+1)
	}
	first := m.Images[0]
	img := &images{scale: first.Levels[0].Scale}
	for _, a := range first.Axes {
		img.names, img.types = append(img.names, a.Name), append(img.types, a.Type)
		if a.Type == "" {
			img.types[len(img.types)-1] = typeOf(a.Name)
		}
	}
	for _, l := range first.Levels {
		a, err := g.Array(ctx, l.Path)
		if err != nil {
			return nil, err
		}
		if len(a.Shape()) != len(img.names) {
			return nil, fmt.Errorf("level %s has %d axes, the image %d", l.Path, len(a.Shape()), len(img.names))
		}
		img.levels = append(img.levels, a)
	}
	if m.OMERO != nil {
		img.channels = m.OMERO.Channels
	}
	if m.ImageLabel != nil {
		img.labels, img.colors = true, map[float64]color.NRGBA{}
		for _, c := range m.ImageLabel.Colors {
			if c.Color != nil {
				img.colors[c.Value] = *c.Color
			}
		}
	}
	return img, img.check()
}

// name is that of an axis, or its number.
func (img *images) name(axis int) string {
	if img.names[axis] != "" {
		return img.names[axis]
	}
	return fmt.Sprintf("axis %d", axis)
}
