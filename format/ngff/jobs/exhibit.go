package jobs

import (
	"context"
	"image/color"
	"path/filepath"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/downsample"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/internal/scene"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/pyramid"
)

// Exhibited is a name.
func (*Kind) Exhibited() string { return "cells.zarr" }

// Exhibit writes cells in several colours, planes and moments, in shards, with their
// nuclei as labels.
func (k *Kind) Exhibit(ctx context.Context, dir string, opts []zarr.Option) (kind.Exhibit, error) {
	e := kind.Exhibit{Name: k.Exhibited(), Title: "living cells in three colours, and their nuclei", Array: "/0", Slice: "0,0,2,:64,:64"}
	g, err := zarr.RequireGroup(ctx, filepath.Join(dir, e.Name), opts...)
	if err != nil {
		return e, err
	}
	defer g.Close()
	const moments, depth, height, width = 3, 5, 512, 768
	space := func(name string) ngff.Axis { return ngff.Axis{Name: name, Type: "space", Unit: "micrometer"} }
	axes := []ngff.Axis{{Name: "t", Type: "time", Unit: "minute"}, {Name: "c", Type: "channel"}, space("z"), space("y"), space("x")}
	scale := []float64{10, 1, 1, 0.325, 0.325}

	image := &exhibited{group: g, name: "cells", axes: axes, scale: scale, shape: []int{moments, scene.Channels, depth, height, width},
		omero: &ngff.OMERO{Channels: []ngff.Channel{
			channel("DAPI", color.NRGBA{0x4a, 0xa8, 0xff, 0xff}, 2600), channel("GFP", color.NRGBA{0x54, 0xe3, 0x9b, 0xff}, 1800), channel("mCherry", color.NRGBA{0xff, 0x6d, 0x8a, 0xff}, 1700),
		}}}
	first, err := image.create(ctx, "uint16")
	if err != nil {
		return e, err
	}
	nuclei, err := g.RequireGroup(ctx, "labels/nuclei")
	if err != nil {
		return e, err
	}
	labels := &exhibited{group: nuclei, name: "nuclei", axes: append(axes[:1:1], axes[2:]...), scale: append(scale[:1:1], scale[2:]...),
		shape: []int{moments, depth, height, width}, label: &ngff.ImageLabel{}}
	marked, err := labels.create(ctx, "uint16")
	if err != nil {
		return e, err
	}
	for t := range moments {
		channels, in := scene.Cells(t, depth, height, width)
		for c, data := range channels {
			if err := zarr.Write(ctx, first, zarr.Box([]int{t, c, 0, 0, 0}, []int{1, 1, depth, height, width}), data); err != nil {
				return e, err
			}
		}
		if err := zarr.Write(ctx, marked, zarr.Box([]int{t, 0, 0, 0}, []int{1, depth, height, width}), in); err != nil {
			return e, err
		}
	}
	if err := image.finish(ctx, downsample.Average); err != nil {
		return e, err
	}
	if err := labels.finish(ctx, downsample.Mode); err != nil {
		return e, err
	}
	list, err := g.RequireGroup(ctx, "labels")
	if err != nil {
		return e, err
	}
	attrs := list.Attributes().Clone()
	if err := (&ngff.Metadata{Labels: []string{"nuclei"}}).Write(attrs); err != nil {
		return e, err
	}
	if err := list.SetAttributes(ctx, attrs); err != nil {
		return e, err
	}
	return e, g.Consolidate(ctx)
}

func channel(label string, c color.NRGBA, end float64) ngff.Channel {
	active := true
	return ngff.Channel{Label: label, Color: &c, Active: &active, Window: &ngff.Window{Start: 110, End: end, Min: 0, Max: 65535}}
}

// exhibited is an image that is made.
type exhibited struct {
	group *zarr.Group
	name  string
	axes  []ngff.Axis
	scale []float64
	shape []int
	omero *ngff.OMERO
	label *ngff.ImageLabel
}

// create makes its first level.
func (x *exhibited) create(ctx context.Context, dataType string) (*zarr.Array, error) {
	attrs := x.group.Attributes().Clone()
	err := (&ngff.Metadata{
		Images: []ngff.Multiscales{{Name: x.name, Axes: x.axes, Levels: []ngff.Level{{Path: "0", Scale: x.scale}}}}, OMERO: x.omero, ImageLabel: x.label,
	}).Write(attrs)
	if err != nil {
		return nil, err
	}
	if err := x.group.SetAttributes(ctx, attrs); err != nil {
		return nil, err
	}
	names := make([]string, len(x.axes))
	chunks, shards := make([]int, len(x.axes)), make([]int, len(x.axes))
	for i, a := range x.axes {
		names[i] = a.Name
		chunks[i], shards[i] = 1, 1
		switch a.Name {
		case "z":
			shards[i] = x.shape[i]
		case "y", "x":
			chunks[i], shards[i] = 128, (x.shape[i]+127)/128*128
		}
	}
	return x.group.CreateArray(ctx, "0", zarr.ArraySpec{Shape: x.shape, Chunks: chunks, Shards: shards, DataType: dataType, DimensionNames: names, Overwrite: true})
}

// finish makes the smaller levels.
func (x *exhibited) finish(ctx context.Context, how downsample.Method) error {
	factors := make([]int, len(x.axes))
	for i, a := range x.axes {
		factors[i] = 1
		if a.Name == "y" || a.Name == "x" {
			factors[i] = 2
		}
	}
	_, err := pyramid.Build(ctx, x.group, "0", pyramid.Options{Levels: 3, Factors: factors, Method: how, Overwrite: true})
	return err
}
