package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/format/n5/convention"
	"github.com/omnizarr/zarr/format/ngff"
)

// cell is an element of the table of cells; its layout is that of the struct.
type cell struct {
	ID              uint32
	Z, Y, X, Radius float32
}

// The volume of the cells, which are twice as far apart along z.
const (
	depth, side = 32, 96
	cellCount   = 24
)

// makeCells makes up cells, their names and what a microscope sees of them.
func makeCells() (table []cell, names []string, volume []uint16) {
	rng := rand.New(rand.NewPCG(1, 2))
	table, names = make([]cell, cellCount), make([]string, cellCount)
	for i := range table {
		table[i] = cell{uint32(i + 1), 4 + 24*rng.Float32(), 8 + 80*rng.Float32(), 8 + 80*rng.Float32(), 4 + 5*rng.Float32()}
		names[i] = fmt.Sprintf("%s-%02d", []string{"Purkinje", "granule", "stellate", "basket"}[i%4], i+1)
	}
	volume = make([]uint16, depth*side*side)
	for i := range volume {
		z, y, x := float32(i/side/side), float32(i/side%side), float32(i%side)
		bright := 40.0
		for _, c := range table {
			d := (z-c.Z)*(z-c.Z)*4 + (y-c.Y)*(y-c.Y) + (x-c.X)*(x-c.X)
			if r := float64(d / (c.Radius * c.Radius)); r < 4 {
				bright += 3000 * math.Exp(-r)
			}
		}
		volume[i] = uint16(bright)
	}
	return table, names, volume
}

// writeCells writes a volume in shards, a table and names.
func writeCells(ctx context.Context, root *zarr.Group) error {
	g, err := root.CreateGroup(ctx, "cells")
	if err != nil {
		return err
	}
	table, names, volume := makeCells()
	err = put(ctx, g, "volume", zarr.ArraySpec{
		Shape: []int{depth, side, side}, Chunks: []int{16, 16, 16}, Shards: []int{32, 48, 48}, DataType: "uint16",
		DimensionNames: []string{"z", "y", "x"}, Attributes: attrs("unit", "counts", "voxel_size_um", []float64{2, 1, 1}),
	}, volume)
	if err != nil {
		return err
	}
	fields := `{"name": "struct", "configuration": {"fields": [
		{"name": "id", "data_type": "uint32"}, {"name": "z", "data_type": "float32"}, {"name": "y", "data_type": "float32"},
		{"name": "x", "data_type": "float32"}, {"name": "radius", "data_type": "float32"}]}}`
	if err := put(ctx, g, "table", zarr.ArraySpec{Shape: []int{cellCount}, DataType: fields, DimensionNames: []string{"cell"}}, table); err != nil {
		return err
	}
	return put(ctx, g, "names", zarr.ArraySpec{Shape: []int{cellCount}, DataType: "string", DimensionNames: []string{"cell"}}, names)
}

// containerName is that of the sample that is N5, in the folder of the others.
const containerName = "cells.n5"

// writeContainer writes the volume of the cells once more as N5, as an image of two
// levels with the attributes that programs for N5 look for.
func writeContainer(ctx context.Context, dir string, opts []zarr.Option) (*zarr.Group, error) {
	g, err := zarr.CreateGroup(ctx, filepath.Join(dir, containerName), append(opts, zarr.As("n5"), zarr.With(n5.Reversed))...)
	if err != nil {
		return nil, err
	}
	um := func(name string) ngff.Axis { return ngff.Axis{Name: name, Type: "space", Unit: "micrometer"} }
	image := ngff.Multiscales{Axes: []ngff.Axis{um("x"), um("y"), um("z")}, Levels: []ngff.Level{
		{Path: "s0", Scale: []float64{1, 1, 2}}, {Path: "s1", Scale: []float64{2, 2, 2}, Translation: []float64{0.5, 0.5, 0}},
	}}
	_, _, volume := makeCells()
	shape := []int{depth, side, side}
	for i, level := range image.Levels {
		attrs, err := convention.Attributes(&image, i)
		if err != nil {
			return nil, err
		}
		spec := zarr.ArraySpec{Shape: shape, Chunks: []int{16, 48, 48}, DataType: "uint16", Attributes: attrs}
		if err := put(ctx, g, level.Path, spec, volume); err != nil {
			return nil, err
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
