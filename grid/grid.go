// Package grid cuts arrays into chunks and gives chunks their keys.
package grid

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
