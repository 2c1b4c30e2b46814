// Package lz4 is the codec "numcodecs.lz4", also spelled "lz4": the size of the
// bytes in four bytes, little-endian, and one LZ4 block. "omnizarr.lz4_block" is the
// stream of such blocks that Java's N5 writes, and "omnizarr.lz4_hdf5" the one of
// HDF5.
package lz4

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/lz4"
)

// Codec is a parsed entry.
type Codec struct {
	// Acceleration is 1 or more; the larger it is, the faster is packing, and
	// the less is packed. Less than 1 stands for 1, as in numcodecs.
	Acceleration int

	name string
}

type config struct {
	Acceleration *int32 `json:"acceleration"`
}

// DefaultAcceleration is used where metadata gives none; it is that of
// numcodecs.
const DefaultAcceleration = 1

const (
	defaultName = "numcodecs.lz4"
	headerSize  = 4
)

// Parse reads the configuration; an absent one means the default acceleration.
func Parse(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	var c config
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	out := Codec{DefaultAcceleration, name}
	if c.Acceleration != nil {
		out.Acceleration = int(*c.Acceleration)
	}
	return out, nil
}

// Name is "numcodecs.lz4", or what the entry was called.
func (c Codec) Name() string {
	if c.name == "" {
		return defaultName
	}
	return c.name
}

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	return codec.MarshalEntry(c.Name(), struct {
		Acceleration int `json:"acceleration"`
	}{c.Acceleration})
}

// BindBytes fits the codec to what comes in. Chunks that are always too large
// are an error here and not when the first one is written.
func (c Codec) BindBytes(_ codec.Spec, in codec.Size) (codec.BytesFilter, error) {
	if in.Known && in.Exact && in.N > lz4.MaxSource {
		return nil, fmt.Errorf("chunks have %d bytes: at most %d are possible", in.N, lz4.MaxSource)
	}
	f := &filter{acceleration: c.Acceleration}
	if in.Known && in.N < math.MaxInt/2 {
		f.size = codec.AtMost(headerSize + lz4.Bound(in.N))
	}
	return f, nil
}

type filter struct {
	acceleration int
	size         codec.Size
}

func (f *filter) Size() codec.Size { return f.size }

func (f *filter) Encode(_ *codec.Chunk, dst, src []byte) ([]byte, error) {
	if len(src) > lz4.MaxSource {
		return nil, fmt.Errorf("%d bytes in a chunk: at most %d are possible", len(src), lz4.MaxSource)
	}
	at := len(dst) + headerSize
	dst = slices.Grow(dst, headerSize+lz4.Bound(len(src)))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(src)))
	n := lz4.Encode(dst[at:at+lz4.Bound(len(src))], src, f.acceleration)
	return dst[:at+n], nil
}

func (f *filter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	if len(src) < headerSize {
		return nil, codec.Bad("%d bytes, too few for a header of %d", len(src), headerSize)
	}
	claimed, block := uint64(binary.LittleEndian.Uint32(src)), src[headerSize:]
	switch {
	case claimed > uint64(limit):
		return nil, ck.Over(int(claimed), limit)
	case claimed > 255*uint64(len(block)):
		return nil, codec.Bad("claims to hold %d bytes: %d packed ones cannot", claimed, len(block))
	}
	at, size := len(dst), int(claimed)
	dst = slices.Grow(dst, size)[:at+size]
	n, err := lz4.Decode(dst[at:at+size:at+size], block)
	switch {
	case errors.Is(err, lz4.ErrRoom):
		return nil, codec.Bad("holds more than the %d bytes that it claims", size)
	case err != nil:
		return nil, codec.Bad("%v", err)
	case n < size:
		return nil, codec.Bad("holds %d of the %d bytes that it claims", n, size)
	}
	return dst, nil
}
