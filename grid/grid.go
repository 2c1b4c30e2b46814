// Package grid cuts arrays into chunks and gives chunks their keys.
package grid

import "slices"

// Grid says where the chunks of an array lie. Grids are immutable and know the
// shape of their array.
type Grid interface {
	// Name is the Zarr v3 name.
	Name() string
	// MarshalJSON gives the chunk_grid member of Zarr v3 metadata.
	MarshalJSON() ([]byte, error)
	// Count is the number of chunks along each axis that hold elements of the
	// array.
	Count() []int
	// Span is where chunk i of an axis starts and how long it is; the last one
	// may reach past the end of the array.
	Span(axis, i int) (start, length int)
	// Find is the chunk of an axis that holds the element at pos.
	Find(axis, pos int) int
	// Uniform returns the shape that all chunks have, or nil if they differ.
	Uniform() []int
	// Resize returns the grid for the same chunks under another array shape.
	Resize(shape []int) (Grid, error)
}

// Keys gives chunks their keys, relative to the node.
type Keys interface {
	// Name is the Zarr v3 name.
	Name() string
	// MarshalJSON gives the chunk_key_encoding member of Zarr v3 metadata.
	MarshalJSON() ([]byte, error)
	// Append appends the key of the chunk at index to dst.
	Append(dst []byte, index []int) []byte
	// Parse reads a key back into index, which has the rank of the array, and
	// reports whether it is the key of a chunk.
	Parse(key string, index []int) bool
}

// Longest is the length of the longest chunk along each axis, at least 1. Those of a grid
// that is known here are not looked at one by one: a short document can tell of any number.
func Longest(g Grid) []int {
	if shape := g.Uniform(); shape != nil {
		return slices.Clone(shape)
	}
	out := make([]int, len(g.Count()))
	for i, n := range g.Count() {
		switch g := g.(type) {
		case *Bounded:
			_, out[i] = g.Span(i, 0)
		case *Rectilinear:
			out[i] = g.axes[i].longest(n)
		default:
			for k := range n {
				_, length := g.Span(i, k)
				out[i] = max(out[i], length)
			}
		}
		out[i] = max(out[i], 1)
	}
	return out
}
