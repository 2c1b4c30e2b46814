// Package tifftile is the codec
// "https://awslabs.github.io/osml-imagery-io/codecs/tiff-tile": a chunk is a tile
// or a strip of a TIFF file, as it stands in the file, and the configuration says
// what the tags of the file say about it.
//
// It turns arrays into bytes, as its text has it, and stands behind the codec
// "bytes" too, as the program writes it that the text comes from: there the bytes
// that come out are the samples, little-endian.
//
// The array of a chunk is (samples, height, width) of the tile. Axes of length one
// may stand before these, and a chunk may be higher or wider than the tile: what is
// beyond is zero.
//
// A tile whose data end early keeps the rows that are there; the others are zero.
// A row that ends in its middle is an error, and so is no data at all. In an array
// every row that lies inside it must be there. A JPEG image may be smaller than the
// tile, and one whose data end early is filled up, both as libtiff has it; an array
// does not have rows that were made up. See docs/tiff-tile.md.
package tifftile

import (
	"encoding/base64"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/format/tiff/tile"
	"github.com/omnizarr/zarr/nd"
)

// Name is the codec's name in metadata.
const Name = "https://awslabs.github.io/osml-imagery-io/codecs/tiff-tile"

// Codec is a parsed entry.
type Codec struct {
	layout   tile.Layout
	encoding tile.Encoding
	tables   string // jpeg_tables as it was given
}

// New makes a codec for tiles of a layout.
func New(l tile.Layout, e tile.Encoding) (*Codec, error) {
	c := &Codec{layout: l, encoding: e, tables: base64.StdEncoding.EncodeToString(l.JPEGTables)}
	return c, c.check()
}

// Layout is what the configuration says of tiles.
func (c *Codec) Layout() tile.Layout { return c.layout }

// Name is the codec's name in metadata.
func (*Codec) Name() string { return Name }

// BindSerializer fits the codec to chunks.
func (c *Codec) BindSerializer(in codec.Spec) (codec.Serializer, error) {
	b, err := c.bind(in)
	if err != nil {
		return nil, err
	}
	return &serializer{bound: *b}, nil
}

// BindBytes fits the codec to chunks that another codec has written as
// little-endian bytes.
func (c *Codec) BindBytes(in codec.Spec, size codec.Size) (codec.BytesFilter, error) {
	b, err := c.bind(in)
	if err != nil {
		return nil, err
	}
	n, ok := nd.Bytes(in.Shape, in.Type.Size())
	if !ok || !size.Exact || size.N != n {
		return nil, fmt.Errorf("must follow a codec that writes the elements of a chunk as they are")
	}
	return &filter{*b, n}, nil
}

// bound is a codec that is fitted to chunks.
type bound struct {
	layout   tile.Layout
	encoding tile.Encoding
	shape    []int // of a chunk
	esize    int   // bytes of an element
	samples  int   // axis that holds the samples, or one of the following
	size     codec.Size
}

// Traits says that JPEG loses.
func (b *bound) Traits() codec.Traits {
	if b.layout.Compression != tile.JPEG {
		return codec.Traits{}
	}
	return codec.Traits{Lossy: []string{"JPEG"}}
}

// Samples that are not on an axis of their own.
const (
	single = -1 // there is one, and no axis is longer than that
	joined = -2 // several axes together hold them
)

func (c *Codec) bind(in codec.Spec) (*bound, error) {
	name, err := c.layout.DataType()
	if err != nil {
		return nil, err
	}
	if got := in.Type.Name(); got != name && !(name == "bool" && got == "uint8") {
		return nil, fmt.Errorf("data type is %s, bits_per_sample %d and sample_format %d are %s", got, c.layout.BitsPerSample, c.layout.SampleFormat, name)
	}
	b := &bound{layout: c.layout, encoding: c.encoding, shape: in.Shape, esize: in.Type.Size()}
	if err := b.fit(); err != nil {
		return nil, err
	}
	l := &c.layout
	n, ok := nd.Bytes([]int{l.Samples, l.Height, l.Width}, b.esize)
	if ok && n < math.MaxInt/8 {
		// Tiles of other writers may be packed badly, or have more behind them
		// than belongs to them, so this is roomier than any format's own bound.
		b.size = codec.AtMost(4*n + 1<<20)
	}
	return b, nil
}

// fit finds the axes of the tile in those of the chunk.
func (b *bound) fit() error {
	l := &b.layout
	rank := len(b.shape)
	mismatch := func() error {
		return fmt.Errorf("a chunk of shape %v does not hold samples_per_pixel %d, tile_height %d and tile_width %d", b.shape, l.Samples, l.Height, l.Width)
	}
	if rank < 2 || b.shape[rank-2] < l.Height || b.shape[rank-1] < l.Width {
		return mismatch()
	}
	lead := b.shape[:rank-2]
	product, ok := nd.Len(lead)
	if !ok {
		return mismatch()
	}
	b.samples = single
	several := 0
	for i, n := range lead {
		if n != 1 {
			b.samples = i
			several++
		}
	}
	switch {
	case product != l.Samples:
		return mismatch()
	case several > 1:
		b.samples = joined
	}
	return nil
}

// beside reports whether at most one axis of a chunk holds samples, so that a
// view of its memory is all it takes to see a tile.
func (b *bound) beside() bool { return b.samples != joined }

// want is how many rows of the tile must be there.
func (b *bound) want(ck *codec.Chunk) int {
	if ck == nil || ck.Extent == nil {
		return -1
	}
	rows := b.layout.Height
	for i, n := range ck.Extent {
		if n == 0 {
			return 0
		}
		if i == len(ck.Extent)-2 {
			rows = min(rows, n)
		}
	}
	return rows
}

var (
	_ codec.ArrayToBytes = (*Codec)(nil)
	_ codec.BytesToBytes = (*Codec)(nil)
)
