// Package szip is the codec "omnizarr.hdf5_szip", the filter 4 of HDF5: the adaptive
// entropy coding of CCSDS 121.0, as szlib and libaec do it. It is for reading only.
//
// Numbers of 32 and 64 bits are coded as bytes: the first of every number, then the
// second of every number, and so on. Lines of so many samples are coded by themselves,
// filled up to whole blocks.
package szip

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/codec"
)

// Name is the name in metadata.
const Name = "omnizarr.hdf5_szip"

// Codec is a parsed entry.
type Codec struct {
	// Values are the parameters of the filter: the mask of options, and the numbers of
	// samples of a block, of bits of a sample, and of samples of a line.
	Values []uint32
}

type config struct {
	Values []uint32 `json:"values"`
}

// Parse reads the configuration.
func Parse(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	var c config
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	out := Codec(c)
	_, err := out.bind()
	return out, err
}

// Name is "omnizarr.hdf5_szip".
func (Codec) Name() string { return Name }

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) { return codec.MarshalEntry(Name, config(c)) }

// BindBytes fits the codec to what comes in.
func (c Codec) BindBytes(_ codec.Spec, in codec.Size) (codec.BytesFilter, error) {
	f, err := c.bind()
	if err == nil && in.Known && in.N < math.MaxInt/256 {
		// Lines are filled up to blocks, and blocks tell how they are coded.
		f.size = codec.AtMost(header + 2*(in.N+(in.N/f.line+1)*f.block))
	}
	return f, err
}

// Options in the mask that decoding goes by.
const (
	bigEndian   = 16
	differences = 32 // to the sample before, as numbers without sign
)

// What parameters may be, and how many bytes tell how many there were.
const (
	maxBlock = 64
	maxLine  = 4096 * maxBlock
	header   = 4
)

func (c Codec) bind() (*filter, error) {
	v := c.Values
	if len(v) < 4 {
		return nil, errors.New("values: szip has 4 parameters")
	}
	mask, block, bits, line := v[0], v[1], v[2], v[3]
	switch {
	case block == 0 || block > maxBlock || block%2 != 0:
		return nil, fmt.Errorf("values: szip blocks of %d pixels: must be an even number up to %d", block, maxBlock)
	case line == 0 || line > maxLine:
		return nil, fmt.Errorf("values: szip lines of %d pixels: must be from 1 to %d", line, maxLine)
	case bits == 0 || bits > 32 && bits != 64:
		return nil, fmt.Errorf("values: szip pixels of %d bits: must be from 1 to 32, or 64", bits)
	}
	f := &filter{block: int(block), line: int(line), bits: int(bits), big: mask&bigEndian != 0, predict: mask&differences != 0, planes: 1}
	switch {
	case bits == 32 || bits == 64:
		f.planes, f.bits, f.bytes = int(bits)/8, 8, 1
	case bits > 16:
		f.bytes = 4
	case bits > 8:
		f.bytes = 2
	default:
		f.bytes = 1
	}
	return f, nil
}

// filter is the bound codec.
type filter struct {
	block, line int // in samples
	bits, bytes int // of a sample
	planes      int // that numbers are taken apart into
	big         bool
	predict     bool
	size        codec.Size
}

func (f *filter) Size() codec.Size { return f.size }

// Encode is refused.
func (f *filter) Encode(*codec.Chunk, []byte, []byte) ([]byte, error) {
	return nil, errors.New("szip is only read")
}

func (f *filter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	if len(src) < header {
		return nil, codec.Bad("%d bytes are too short for the size in front of szip", len(src))
	}
	n := int(binary.LittleEndian.Uint32(src))
	if n < 0 || n > limit {
		return nil, ck.Over(n, limit)
	}
	if n%(f.bytes*f.planes) != 0 {
		return nil, codec.Bad("a size of %d bytes is none of whole pixels", n)
	}
	dst, err := ck.Grow(dst, n)
	if err != nil {
		return nil, err
	}
	dst = dst[:len(dst)+n]
	return dst, f.decode(dst[len(dst)-n:], src[header:])
}
