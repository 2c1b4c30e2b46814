package jobs

import (
	"context"
	"path/filepath"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/n5/convention"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/kind"
)

// sampleName is that of the container with the sample.
const sampleName = "cells.n5"

// Sample writes the volume of the cells once more as N5, as an image of two levels
// with the attributes that programs for N5 look for.
func (*Kind) Sample(ctx context.Context, root *zarr.Group, dir string, opts []zarr.Option) (kind.Sample, error) {
	g, err := writeSample(ctx, root, filepath.Join(dir, sampleName), opts)
	return kind.Sample{
		Group: g, Title: "The volume of /cells once more as an N5 container of two levels", Name: sampleName + ", axes z, y, x",
		Try: [][]string{{"info", "--reversed", filepath.Join(dir, sampleName, "s0")}},
	}, err
}

func writeSample(ctx context.Context, root *zarr.Group, url string, opts []zarr.Option) (*zarr.Group, error) {
	from, err := root.Array(ctx, "cells/volume")
	if err != nil {
		return nil, err
	}
	whole, err := zarr.Read[uint16](ctx, from, zarr.All())
	if err != nil {
		return nil, err
	}
	g, err := zarr.RequireGroup(ctx, url, append(opts[:len(opts):len(opts)], Copy{Reversed: true}.Format().Options...)...)
	if err != nil {
		return nil, err
	}
	um := func(name string) ngff.Axis { return ngff.Axis{Name: name, Type: "space", Unit: "micrometer"} }
	image := ngff.Multiscales{Axes: []ngff.Axis{um("x"), um("y"), um("z")}, Levels: []ngff.Level{
		{Path: "s0", Scale: []float64{1, 1, 2}}, {Path: "s1", Scale: []float64{2, 2, 2}, Translation: []float64{0.5, 0.5, 0}},
	}}
	volume, shape := whole.Data, whole.Shape
	for i, level := range image.Levels {
		attrs, err := convention.Attributes(&image, i)
		if err != nil {
			return g, err
		}
		a, err := g.CreateArray(ctx, level.Path, zarr.ArraySpec{Shape: shape, Chunks: []int{16, 48, 48}, DataType: "uint16", Attributes: attrs, Overwrite: true})
		if err != nil {
			return g, err
		}
		if err := zarr.Write(ctx, a, zarr.All(), volume); err != nil {
			return g, err
		}
		volume, shape = halved(volume, shape)
	}
	return g, nil
}

// halved is a volume with the means of 2 × 2 elements of every plane.
func halved(v []uint16, shape []int) ([]uint16, []int) {
	h, w := shape[1], shape[2]
	out := make([]uint16, 0, len(v)/4)
	for row := 0; row < shape[0]*h; row += 2 {
		for x := row * w; x < row*w+w; x += 2 {
			out = append(out, uint16((int(v[x])+int(v[x+1])+int(v[x+w])+int(v[x+w+1])+2)/4))
		}
	}
	return out, []int{shape[0], h / 2, w / 2}
}
