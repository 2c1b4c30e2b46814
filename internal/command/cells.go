package command

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/omnizarr/zarr"
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
	var near []cell // those that a row may meet
	for i := range volume {
		z, y, x := float32(i/side/side), float32(i/side%side), float32(i%side)
		if x == 0 {
			near = near[:0]
			for _, c := range table {
				if (z-c.Z)*(z-c.Z)*4+(y-c.Y)*(y-c.Y) < 5*c.Radius*c.Radius {
					near = append(near, c)
				}
			}
		}
		bright := 40.0
		for _, c := range near {
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
	g, err := root.RequireGroup(ctx, "cells")
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
