// Package crc32c is the codec "crc32c": four bytes of checksum behind the data.
package crc32c

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"

	"github.com/omnizarr/zarr/codec"
)

const length = 4

var table = crc32.MakeTable(crc32.Castagnoli)

// Codec is a parsed entry.
type Codec struct{}

// Parse reads the configuration, which is empty.
func Parse(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	return Codec{}, codec.ParseConfig(raw, &struct{}{})
}

// Name is "crc32c".
func (Codec) Name() string { return "crc32c" }

// MarshalJSON gives the entry for metadata.
func (Codec) MarshalJSON() ([]byte, error) { return codec.MarshalEntry("crc32c", nil) }

// BindBytes fits the codec to what comes in.
func (Codec) BindBytes(_ codec.Spec, in codec.Size) (codec.BytesFilter, error) {
	in.N += length
	return filter{in}, nil
}

type filter struct{ size codec.Size }

func (f filter) Size() codec.Size { return f.size }

func (f filter) Encode(_ *codec.Chunk, dst, src []byte) ([]byte, error) {
	dst = append(dst, src...)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(src, table)), nil
}

// Slice checks the sum and cuts it off.
func (f filter) Slice(_ *codec.Chunk, src []byte) ([]byte, error) {
	n := len(src) - length
	if n < 0 {
		return nil, codec.Bad("%d bytes are too few for a checksum", len(src))
	}
	want, got := binary.LittleEndian.Uint32(src[n:]), crc32.Checksum(src[:n], table)
	if want != got {
		return nil, codec.Bad("checksum is %08x, the data has %08x", want, got)
	}
	return src[:n:n], nil
}

func (f filter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	src, err := f.Slice(ck, src)
	if err != nil {
		return nil, err
	}
	if len(src) > limit {
		return nil, codec.Bad("%d bytes, at most %d are possible", len(src), limit)
	}
	return append(dst, src...), nil
}
