package plain

import (
	"context"
	"fmt"
	"image/color"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/raster"
)

// isZarr reports whether a node is stored as Zarr, and so says of itself what its writer
// meant it to say. Other formats have had made up what OME-NGFF wants.
func isZarr(n zarr.Node) bool { return strings.HasPrefix(n.Format(), "zarr") }

// describe completes what a group of another format says of an image, for viewers that
// want more than OME-NGFF does: the axis of channels is called c, and channels say how
// they are shown.
func (s *Store) describe(ctx context.Context, g *zarr.Group, doc *meta.Group) {
	if isZarr(g) || doc.Attributes.Len() == 0 {
		return
	}
	m, err := ngff.Read(doc.Attributes)
	if err != nil || len(m.Images) == 0 {
		return
	}
	attrs := doc.Attributes.Clone()
	for i := range m.Images {
		m.Images[i].Axes = named(m.Images[i].Axes)
	}
	if m.OMERO == nil && m.ImageLabel == nil {
		if img, err := raster.Of(ctx, g); err == nil && !img.Labels {
			m.OMERO = &ngff.OMERO{Channels: channels(img)}
		}
	}
	if m.Write(attrs) == nil {
		doc.Attributes = attrs
	}
}

// named calls the axis of channels c, unless another is called so.
func named(axes []ngff.Axis) []ngff.Axis {
	out := slices.Clone(axes)
	if !slices.ContainsFunc(out, func(a ngff.Axis) bool { return a.Name == "c" }) {
		if i := slices.IndexFunc(out, func(a ngff.Axis) bool { return a.Type == "channel" }); i >= 0 {
			out[i].Name = "c"
		}
	}
	return out
}

// colours are those of channels that have none.
var colours = []color.NRGBA{{R: 0xff, A: 0xff}, {G: 0xff, A: 0xff}, {B: 0xff, A: 0xff}, {R: 0xff, G: 0xff, A: 0xff}, {R: 0xff, B: 0xff, A: 0xff}, {G: 0xff, B: 0xff, A: 0xff}}

// channels says of every channel how it is called and shown.
func channels(img *raster.Image) []ngff.Channel {
	count, rgb := 1, false
	if v, err := img.Show(nil); err == nil && v.Channel >= 0 {
		count, rgb = img.Levels[0].Shape()[v.Channel], v.RGB
	}
	out := make([]ngff.Channel, min(count, 1024))
	low, high := limits(img.Levels[0].DataType())
	for i := range out {
		if i < len(img.Channels) {
			out[i] = img.Channels[i]
		}
		c := &out[i]
		if c.Label == "" {
			c.Label = fmt.Sprint("Channel ", i)
			if rgb && i < 4 {
				c.Label = []string{"Red", "Green", "Blue", "Alpha"}[i]
			}
		}
		if c.Color == nil {
			c.Color = &color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
			if len(out) > 1 {
				c.Color = &colours[i%len(colours)]
			}
		}
		if c.Window == nil {
			c.Window = &ngff.Window{Start: low, End: high, Min: low, Max: high}
		}
		if c.Active == nil {
			active := i < 3
			c.Active = &active
		}
	}
	return out
}

// limits are those of the values that a type has; floats rarely leave 0 to 1.
func limits(t dtype.Type) (low, high float64) {
	bits := float64(8 * t.Size())
	switch t.Kind() {
	case dtype.Uint:
		return 0, math.Exp2(bits) - 1
	case dtype.Int:
		return -math.Exp2(bits - 1), math.Exp2(bits-1) - 1
	}
	return 0, 1
}

// name gives the dimensions of an array the names that the image around it has for them,
// which OME-NGFF 0.5 demands.
func (s *Store) name(ctx context.Context, at string, a *zarr.Array, m *meta.Array) {
	if at == "" || isZarr(a) && s.opt.Version == 2 || isZarr(a) && anyName(m) {
		return
	}
	above := strings.TrimPrefix(path.Dir("/"+at), "/")
	n, err := s.nodes.Node(ctx, "/"+above)
	g, ok := n.(*zarr.Group)
	if err != nil || !ok {
		return // which is told when the group is asked for
	}
	doc, err := s.group(ctx, above, g)
	if err != nil {
		return
	}
	images, err := ngff.Images(doc.Attributes)
	if err != nil {
		return
	}
	for _, img := range images {
		for _, l := range img.Levels {
			if l.Path == path.Base(at) && len(img.Axes) == len(m.Shape) {
				m.DimensionNames = make([]*string, len(m.Shape))
				for i := range img.Axes {
					m.DimensionNames[i] = &img.Axes[i].Name
				}
			}
		}
	}
}

func anyName(m *meta.Array) bool {
	return slices.ContainsFunc(m.DimensionNames, func(name *string) bool { return name != nil && *name != "" })
}
