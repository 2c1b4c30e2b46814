package pad

import (
	"encoding/json"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
)

// Func computes the padding of a chunk when it is written. It returns exactly
// c.Size bytes; any other number is an error and the chunk is not written. It is
// called by several goroutines at once and must give the same bytes for the same
// chunk. A function for one of several entries of a list returns c.Static() for
// the others.
type Func func(c *Context) ([]byte, error)

// Context is what a function gets to know. Its slices are only lent, and must not
// be changed, except Room.
type Context struct {
	Location Location
	Size     int // how many bytes to return

	// Shape and Type are of the array that was turned into bytes: the chunk,
	// behind the codecs that change or transpose arrays.
	Shape []int
	Type  dtype.Type
	// Index is the place of the chunk in the grid, and Extent the part of Shape
	// that lies inside the array, smaller than Shape at its edge. They have the
	// axes of Shape, and are nil for what is no chunk of the array, such as the
	// index of a shard.
	Index, Extent []int

	Data []byte // what the padding is for
	Room []byte // empty memory for the result, enough to append Size bytes

	literal []byte
}

// Static is the padding that the configuration says, in c.Room.
func (c *Context) Static() []byte {
	out := c.Room[:c.Size]
	clear(out[copy(out, c.literal):])
	return out
}

// Parser makes a parser for "pad" and "offset" whose padding fn computes. Put it
// into a registry to write with:
//
//	r := std.Registry()
//	r.Register(pad.Parser(fn), "pad")
//	a, err := zarr.CreateArray(ctx, url, spec, zarr.Codecs(r))
//
// Metadata keeps the static configuration of the entry, and reading needs no
// function.
func Parser(fn Func) codec.Parser {
	return func(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
		c, err := parse(name, raw)
		c.fill = fn
		return c, err
	}
}
