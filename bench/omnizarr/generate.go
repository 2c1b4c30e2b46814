package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

const (
	boxSide  = 64 // of the boxes that are read at random
	cellSide = 32 // of the grid whose random values are interpolated
)

// generate writes a volume that looks like microscopy, a smooth random field
// with noise of a few bits, and a list of where boxes begin. The same arguments
// give the same bytes. Zstandard at level 3 makes it about half as large.
func generate(dir, sideText, boxesText string) error {
	side, err := strconv.Atoi(sideText)
	if err != nil {
		return err
	}
	boxes, err := strconv.Atoi(boxesText)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(1, 2))
	if err := writeBoxes(filepath.Join(dir, "boxes.txt"), r, side, boxes); err != nil {
		return err
	}
	temp := volumePath(dir) + ".tmp"
	f, err := os.Create(temp)
	if err != nil {
		return err
	}
	field := newField(r, side)
	plane := make([]uint16, side*side)
	for z := range side {
		field.plane(z, func(i int, v float32) { plane[i] = uint16(v + 200 + 5*float32(r.NormFloat64())) })
		if _, err := f.Write(bytesOf(plane)); err != nil {
			f.Close()
			return err
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(temp, volumePath(dir))
}

func writeBoxes(path string, r *rand.Rand, side, n int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	last := side - boxSide + 1
	for range n {
		fmt.Fprintln(w, r.IntN(last), r.IntN(last), r.IntN(last))
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// field interpolates random values at the corners of cells.
type field struct {
	side, corners int
	values        []float32
}

func newField(r *rand.Rand, side int) field {
	c := side/cellSide + 2
	f := field{side, c, make([]float32, c*c*c)}
	for i := range f.values {
		f.values[i] = 900 * r.Float32()
	}
	return f
}

// plane calls set for every element of the plane at z.
func (f field) plane(z int, set func(i int, v float32)) {
	c := f.corners
	// The corners of the plane, then those of each row: two interpolations once
	// for many elements.
	flat := make([]float32, c*c)
	k, t := z/cellSide, float32(z%cellSide)/cellSide
	for i := range flat {
		flat[i] = mix(f.values[k*c*c+i], f.values[(k+1)*c*c+i], t)
	}
	row := make([]float32, c)
	for y := range f.side {
		k, t := y/cellSide, float32(y%cellSide)/cellSide
		for i := range row {
			row[i] = mix(flat[k*c+i], flat[(k+1)*c+i], t)
		}
		for x := range f.side {
			k, t := x/cellSide, float32(x%cellSide)/cellSide
			set(y*f.side+x, mix(row[k], row[k+1], t))
		}
	}
}

func mix(a, b, t float32) float32 { return a + (b-a)*t }
