// Package lzw is the codec "imagecodecs_lzw", also spelled "lzw": the LZW of
// TIFF, with codes of 9 to 12 bits from the most significant bit down.
//
// It differs from that of GIF and PDF, and from compress/lzw, in the order of
// bits and in that codes become longer one code early. What was written before
// TIFF said so, with neither of the two, is read as well.
package lzw

import (
	"encoding/json"
	"math"

	"github.com/omnizarr/zarr/codec"
)

// Codec is a parsed entry.
type Codec struct{ name string }

const defaultName = "imagecodecs_lzw"

// Parse reads the configuration, which is empty.
func Parse(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	return Codec{name}, codec.ParseConfig(raw, &struct{}{})
}

// Name is "imagecodecs_lzw", or what the entry was called.
func (c Codec) Name() string {
	if c.name == "" {
		return defaultName
	}
	return c.name
}

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) { return codec.MarshalEntry(c.Name(), nil) }

// BindBytes fits the codec to what comes in.
func (Codec) BindBytes(_ codec.Spec, in codec.Size) (codec.BytesFilter, error) {
	var f filter
	if in.Known && in.N < math.MaxInt/4 {
		// At worst every byte takes a code of twelve bits.
		f.size = codec.AtMost(2*in.N + 1<<10)
	}
	return f, nil
}

type filter struct{ size codec.Size }

func (f filter) Size() codec.Size { return f.size }

func (filter) Encode(_ *codec.Chunk, dst, src []byte) ([]byte, error) {
	return AppendEncode(dst, src), nil
}

func (filter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	return appendDecode(ck, dst, src, limit)
}

// Codes that are no strings, and the range of those that are.
const (
	clearCode = 256
	endCode   = 257
	firstCode = 258
	minWidth  = 9
	maxWidth  = 12
	maxCodes  = 1 << maxWidth
)
