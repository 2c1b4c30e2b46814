// Package blosc is the codec "blosc", and "numcodecs.blosc", which is how Zarr v2
// and numcodecs spell it: Blosc 1 frames. Elements are shuffled in blocks, so that
// bytes or bits that vary alike stand together, and compressed by one of several
// compressors.
//
// The blocks of a frame are decoded by themselves: where a part of a large chunk
// is wanted, only those are that hold it.
package blosc

import (
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/blosc"
	"github.com/omnizarr/zarr/nd"
)

// Codec is a parsed entry.
type Codec struct {
	// Compressor is blosclz, lz4, lz4hc, snappy, zlib or zstd.
	Compressor string
	// Level is from 0 (stored) to 9 (smallest).
	Level int
	// Shuffle is how elements are shuffled.
	Shuffle Shuffle
	// TypeSize is the number of bytes of an element, by which it is shuffled; 0
	// stands for that of the array's data type.
	TypeSize int
	// BlockSize is the number of bytes that are compressed together; 0 leaves it
	// to the compressor and the level.
	BlockSize int

	name string
}

// Shuffle is how elements are shuffled.
type Shuffle int

// The ways of shuffling. Auto is Bits where elements have one byte, else Bytes.
const (
	Auto  Shuffle = -1
	None  Shuffle = 0
	Bytes Shuffle = 1
	Bits  Shuffle = 2
)

// Name is "blosc", or what the entry was called.
func (c Codec) Name() string {
	if c.name == "" {
		return "blosc"
	}
	return c.name
}

// check says what is wrong with the fields.
func (c Codec) check() error {
	if _, ok := blosc.LookupCompressor(c.Compressor); !ok {
		return fmt.Errorf("cname is %q: must be blosclz, lz4, lz4hc, snappy, zlib or zstd", c.Compressor)
	}
	if c.Level < 0 || c.Level > 9 {
		return fmt.Errorf("clevel is %d: must be from 0 to 9", c.Level)
	}
	if c.Shuffle < Auto || c.Shuffle > Bits {
		return fmt.Errorf("shuffle is %d: must be from -1 to 2", c.Shuffle)
	}
	if c.TypeSize < 0 {
		return fmt.Errorf("typesize is %d: must be positive", c.TypeSize)
	}
	if c.BlockSize < 0 {
		return fmt.Errorf("blocksize is %d: must not be negative", c.BlockSize)
	}
	return nil
}

// Complete writes down the size of elements, which other readers of "blosc" want.
func (c Codec) Complete(in codec.Spec) (codec.Codec, error) {
	if c.TypeSize == 0 && c.Name() == "blosc" {
		c.TypeSize = elementSize(in, codec.Size{})
	}
	return c, nil
}

// minBlocks is from how many blocks on it pays to decode them by themselves: of
// fewer, a part of a chunk needs most.
const minBlocks = 4

// BindBytes fits the codec to what comes in.
func (c Codec) BindBytes(in codec.Spec, size codec.Size) (codec.BytesFilter, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	f := &filter{in: size, options: c.options(in, size)}
	if size.Known {
		if n := blosc.MaxLen(size.N); n > size.N {
			// Frames of other writers may have something behind them.
			f.size = codec.AtMost(n + 1<<12)
		}
	}
	if size.Exact && f.options.Blocks(size.N) >= minBlocks {
		return &ranged{f}, nil
	}
	return f, nil
}

// options says how the frames of an array are written.
func (c Codec) options(in codec.Spec, size codec.Size) blosc.Options {
	compressor, _ := blosc.LookupCompressor(c.Compressor)
	o := blosc.Options{Compressor: compressor, Level: c.Level, TypeSize: c.TypeSize, BlockSize: c.BlockSize}
	element := elementSize(in, size)
	if o.TypeSize == 0 {
		o.TypeSize = element
	}
	switch {
	case c.Shuffle == Bytes, c.Shuffle == Auto && o.TypeSize > 1:
		o.Shuffle = blosc.ByteShuffle
	case c.Shuffle == Bits, c.Shuffle == Auto:
		o.Shuffle = blosc.BitShuffle
	}
	return o
}

// elementSize is how many bytes of what comes in belong to an element: one if they
// are not elements as they lie in memory.
func elementSize(in codec.Spec, size codec.Size) int {
	n, ok := nd.Bytes(in.Shape, in.Type.Size())
	if !ok || len(in.Type.Refs()) > 0 || size.Known && size.N < n {
		return 1
	}
	return in.Type.Size()
}

// filter is the bound codec.
type filter struct {
	options  blosc.Options
	in, size codec.Size
}

// Size is that of the longest frame.
func (f *filter) Size() codec.Size { return f.size }

// From these sizes on several goroutines may work on a frame. What is encoded by several is
// moved together in the end, so that it must be worth that.
const (
	large       = 4 << 20
	largeEncode = 16 << 20
)

// Encode appends a frame.
func (f *filter) Encode(ck *codec.Chunk, dst, src []byte) ([]byte, error) {
	var run func(n int, part func(i int) error) error
	if len(src) >= largeEncode {
		run = ck.RunParts
	}
	return blosc.EncodeParts(dst, src, f.options, run)
}

// Decode appends what a frame holds.
func (f *filter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	var run func(n int, part func(i int) error) error
	if h, err := blosc.ParseHeader(src); err == nil {
		if h.Bytes > limit {
			return nil, ck.Over(h.Bytes, limit)
		}
		if ck.Strict() && h.Length < len(src) {
			return nil, codec.Bad("%d bytes behind a frame of %d", len(src)-h.Length, h.Length)
		}
		if h.Bytes >= large {
			run = ck.RunParts
		}
	}
	dst, err := blosc.DecodeParts(dst, src, limit, run)
	if err != nil {
		return nil, codec.Bad("%v", err)
	}
	return dst, nil
}
