// Package bitshuffle is the codec "omnizarr.bitshuffle": what the filter 32008 of HDF5
// writes. The bits of elements are gathered in blocks, first the lowest of all elements,
// then the next, and each block may be compressed by LZ4 or Zstandard. What is left
// when elements are taken by eights is stored as it is.
package bitshuffle

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/lz4"
	"github.com/omnizarr/zarr/internal/zstddec"
	"github.com/omnizarr/zarr/internal/zstdenc"
)

// Name is the name in metadata.
const Name = "omnizarr.bitshuffle"

// Codec is a parsed entry.
type Codec struct {
	// ElementSize is how many bytes an element has, 1 or more.
	ElementSize int
	// BlockSize is how many elements are a block, a multiple of 8; 0 stands for as
	// many as have about 8 KiB.
	BlockSize int
	// Compressor is what blocks are compressed with.
	Compressor Compressor
	// Level is that of Zstandard; 0 stands for its default.
	Level int
}

// Compressor is what blocks are compressed with.
type Compressor string

// The compressors. None leaves blocks as they are, without any header.
const (
	None Compressor = "none"
	LZ4  Compressor = "lz4"
	Zstd Compressor = "zstd"
)

type config struct {
	ElementSize *int    `json:"element_size"`
	BlockSize   *int    `json:"block_size"`
	Compressor  *string `json:"compressor"`
	Level       *int    `json:"level,omitempty"`
}

// Parse reads the configuration. Without one, elements are bytes and blocks are not
// compressed.
func Parse(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	var c config
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	out := Codec{ElementSize: 1, Compressor: None}
	if c.ElementSize != nil {
		out.ElementSize = *c.ElementSize
	}
	if c.BlockSize != nil {
		out.BlockSize = *c.BlockSize
	}
	if c.Compressor != nil {
		out.Compressor = Compressor(*c.Compressor)
	}
	if c.Level != nil {
		out.Level = *c.Level
	}
	return out, out.check()
}

// maxBlock is how many bytes a block may have, so that its length can be written.
const maxBlock = 1 << 30

// maxLevel is that of Zstandard.
const maxLevel = 22

func (c Codec) check() error {
	switch {
	case c.ElementSize < 1 || c.ElementSize > maxBlock/minBlock:
		return fmt.Errorf("element_size is %d: must be from 1 to %d", c.ElementSize, maxBlock/minBlock)
	case c.BlockSize < 0 || c.BlockSize%8 != 0 || c.BlockSize > maxBlock/c.ElementSize:
		return fmt.Errorf("block_size is %d: must be a multiple of 8, from 0 to %d", c.BlockSize, maxBlock/c.ElementSize&^7)
	case c.Compressor != None && c.Compressor != LZ4 && c.Compressor != Zstd:
		return fmt.Errorf("compressor is %q: must be none, lz4 or zstd", c.Compressor)
	case c.Level < 0 || c.Level > maxLevel:
		return fmt.Errorf("level is %d: must be from 0 to %d", c.Level, maxLevel)
	}
	return nil
}

// Name is "omnizarr.bitshuffle".
func (Codec) Name() string { return Name }

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	out := config{ElementSize: &c.ElementSize, BlockSize: &c.BlockSize, Compressor: (*string)(&c.Compressor)}
	if c.Compressor == Zstd {
		out.Level = &c.Level
	}
	return codec.MarshalEntry(Name, out)
}

// Blocks of about targetBytes have at least minBlock elements.
const (
	targetBytes = 8 << 10
	minBlock    = 128
)

// defaultBlock is how many elements are a block where nobody says it.
func defaultBlock(element int) int { return max(targetBytes/element&^7, minBlock) }

// BindBytes fits the codec to what comes in.
func (c Codec) BindBytes(_ codec.Spec, in codec.Size) (codec.BytesFilter, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	f := &filter{element: c.ElementSize, block: c.BlockSize * c.ElementSize, level: c.Level}
	if f.block == 0 {
		f.block = defaultBlock(f.element) * f.element
	}
	switch c.Compressor {
	case None:
		f.size = in
		return f, nil
	case LZ4:
		f.bound, f.ratio, f.decode = lz4.Bound, 255, lz4.Decode
		f.encode = func(dst, src []byte, _ int) []byte {
			n := lz4.Encode(dst[len(dst):len(dst)+lz4.Bound(len(src))], src, 1)
			return dst[:len(dst)+n]
		}
	case Zstd:
		f.bound, f.ratio, f.decode = zstdenc.MaxEncodedLen, 1<<15, zstddec.Decode
		f.encode = func(dst, src []byte, level int) []byte { return zstdenc.AppendEncode(dst, src, level, false) }
	}
	if in.Known && in.N < math.MaxInt/8 {
		f.size = codec.AtMost(f.most(in.N))
	}
	return packed{f}, nil
}
