// Package raster tells what an image is: its resolutions, what its axes mean and how
// they are called, its channels, and which two axes are shown. An image is a group of
// several resolutions (OME-NGFF, TIFF with overviews, N5 viewers), or any array.
package raster

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
	"github.com/omnizarr/zarr/meta"
)

// ErrNone says that a group is no image.
var ErrNone = errors.New("is a group and no image: name an array in it")

// Axis is what positions along an axis of an image mean.
type Axis struct {
	Name string // "" for none
	Type string // space, time, channel or ""
	Unit string // of OME-NGFF, such as "micrometer"; may be empty
	// Scale is the distance of positions of the finest level, and Offset where the
	// first one is.
	Scale, Offset float64
}

// Level is a resolution of an image.
type Level struct {
	*zarr.Array
	// Name is where the array lies below the group, "" for one that is the image.
	Name string
	// Scale is how many positions of the finest level one of this is, along every axis.
	Scale []float64
}

// Image is what is known of an image.
type Image struct {
	Node   zarr.Node // the group of its levels, or the array
	Levels []Level   // the finest first
	Axes   []Axis
	// Channels say how channels are called and shown; there may be fewer than there are.
	Channels []ngff.Channel
	// Labels says that numbers are labels, Colors which colours they have.
	Labels bool
	Colors map[float64]color.NRGBA
	// Broken are the levels that cannot be opened, and are left out.
	Broken []error
}

// Option says how images are looked at.
type Option func(*options)

type options struct {
	attributes func(n zarr.Node) *meta.Attributes
}

// Described has f tell what nodes say, in the words of OME-NGFF, in place of their
// attributes.
func Described(f func(n zarr.Node) *meta.Attributes) Option {
	return func(o *options) { o.attributes = f }
}

func newOptions(opts []Option) options {
	o := options{attributes: zarr.Node.Attributes}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// Of gathers what is known of the image that a node is.
func Of(ctx context.Context, n zarr.Node, opts ...Option) (*Image, error) {
	o := newOptions(opts)
	if a, ok := n.(*zarr.Array); ok {
		return o.array(a), nil
	}
	g := n.(*zarr.Group)
	m, err := o.read(g)
	if err != nil {
		return nil, err
	}
	if len(m.Images) == 0 {
		return nil, ErrNone
	}
	return o.group(ctx, g, m)
}

// mostNested is how many collections may lie in each other.
const mostNested = 4

// Within is Of for a group that may also be a collection, a plate, a well or a list of
// labels: it is the first image in it then.
func Within(ctx context.Context, n zarr.Node, opts ...Option) (*Image, error) {
	o := newOptions(opts)
	for range mostNested {
		g, ok := n.(*zarr.Group)
		if !ok {
			break
		}
		m, err := o.read(g)
		if err != nil {
			return nil, err
		}
		inner := first(m)
		if inner == "" {
			break
		}
		if n, err = g.Open(ctx, inner); err != nil {
			return nil, err
		}
	}
	return Of(ctx, n, opts...)
}

// first is where the first image of a collection lies, "" if it is none.
func first(m *ngff.Metadata) string {
	switch {
	case len(m.Images) > 0:
	case len(m.Series) > 0:
		return m.Series[0]
	case m.Layout > 0:
		return "0"
	case len(m.Labels) > 0:
		return m.Labels[0]
	case m.Well != nil && len(m.Well.Images) > 0:
		return m.Well.Images[0].Path
	case m.Plate != nil && len(m.Plate.Wells) > 0:
		return m.Plate.Wells[0].Path
	}
	return ""
}

// read reads what a group says. Channels that make no sense do not hide the image.
func (o *options) read(g *zarr.Group) (*ngff.Metadata, error) {
	attrs := o.attributes(g)
	m, err := ngff.Read(attrs)
	if errors.Is(err, ngff.ErrNone) {
		return nil, ErrNone
	}
	if err != nil {
		images, also := ngff.Images(attrs)
		if also != nil || len(images) == 0 {
			return nil, err
		}
		return &ngff.Metadata{Images: images, OMERO: &ngff.OMERO{Channels: ngff.Hints(attrs)}}, nil
	}
	return m, nil
}

// array is an image of one resolution.
func (o *options) array(a *zarr.Array) *Image {
	rank := len(a.Shape())
	img := &Image{Node: a, Axes: make([]Axis, rank), Levels: []Level{{Array: a, Scale: ones(rank)}}}
	names, attrs := a.DimensionNames(), o.attributes(a)
	for i := range img.Axes {
		if img.Axes[i].Scale = 1; names != nil {
			img.Axes[i].Name = names[i]
		}
	}
	if m := ngff.Described(attrs, names); m != nil && len(m.Axes) == rank {
		img.place(m.Axes, m.Levels[0])
	}
	img.typed()
	img.Channels = ngff.Hints(attrs)
	if m, err := ngff.Read(attrs); err == nil && m.OMERO != nil {
		img.Channels = m.OMERO.Channels
	}
	img.Labels = slices.Contains(strings.Split(a.Path(), "/"), "labels")
	return img
}

func ones(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

// place takes up what metadata says of axes.
func (img *Image) place(axes []ngff.Axis, l ngff.Level) {
	for i, a := range axes {
		x := Axis{Name: a.Name, Type: a.Type, Unit: a.Unit, Scale: l.Scale[i]}
		if x.Name == "" {
			x.Name = img.Axes[i].Name
		}
		if l.Translation != nil {
			x.Offset = l.Translation[i]
		}
		img.Axes[i] = x
	}
}

// typed finds the types of axes that have none by their names.
func (img *Image) typed() {
	for i, a := range img.Axes {
		if a.Type == "" {
			img.Axes[i].Type = typeOf(a.Name)
		}
	}
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

// group is an image of the levels that metadata lists.
func (o *options) group(ctx context.Context, g *zarr.Group, m *ngff.Metadata) (*Image, error) {
	said := m.Images[0]
	img := &Image{Node: g, Axes: make([]Axis, len(said.Axes))}
	img.place(said.Axes, said.Levels[0])
	img.typed()
	for _, l := range said.Levels {
		a, err := g.Array(ctx, l.Path)
		if err == nil && len(a.Shape()) != len(img.Axes) {
			err = &zarr.Error{Op: "open", URL: a.URL(), Err: fmt.Errorf("level %s has %d axes, the image %d", l.Path, len(a.Shape()), len(img.Axes))}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			img.Broken = append(img.Broken, err)
			continue
		}
		level := Level{Array: a, Name: l.Path, Scale: ones(len(img.Axes))}
		if len(img.Levels) > 0 {
			level.Scale = scaleTo(img.Levels[0].Shape(), a.Shape())
		} else {
			img.place(said.Axes, l)
			img.typed()
		}
		img.Levels = append(img.Levels, level)
	}
	if len(img.Levels) == 0 {
		return nil, img.Broken[0]
	}
	if m.OMERO != nil {
		img.Channels = m.OMERO.Channels
	}
	if m.ImageLabel != nil {
		img.Labels, img.Colors = true, map[float64]color.NRGBA{}
		for _, c := range m.ImageLabel.Colors {
			if c.Color != nil {
				img.Colors[c.Value] = *c.Color
			}
		}
	}
	return img, nil
}

// scaleTo is how many positions of a shape one of another is. A last one that was left
// over by halving is a whole one of the smaller shape, so powers of two stay such.
func scaleTo(fine, coarse []int) []float64 {
	out := ones(len(fine))
	for i := range fine {
		if coarse[i] == 0 || fine[i] == 0 {
			continue
		}
		out[i] = float64(fine[i]) / float64(coarse[i])
		for f := 1; f <= fine[i]; f *= 2 {
			if (fine[i]+f-1)/f == coarse[i] || fine[i]/f == coarse[i] {
				out[i] = float64(f)
				break
			}
		}
	}
	return out
}

// Numbers says what is wrong if elements are no real numbers.
func (img *Image) Numbers() error {
	switch t := img.Levels[0].DataType(); t.Kind() {
	case dtype.Bool, dtype.Int, dtype.Uint, dtype.Float:
		return nil
	default:
		return fmt.Errorf("elements of %s are no real numbers", t.Name())
	}
}

// AxisName is what an axis is called, or its number.
func (img *Image) AxisName(axis int) string {
	if img.Axes[axis].Name != "" {
		return img.Axes[axis].Name
	}
	return fmt.Sprintf("axis %d", axis)
}
