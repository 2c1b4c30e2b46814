// Package blosc2 is the codec "omnizarr.blosc2": what the filter 32026 of HDF5 writes,
// which is only read. It is a contiguous frame of Blosc 2, which may say that its blocks
// are boxes of an array, or one chunk.
package blosc2

import (
	"encoding/json"
	"errors"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/blosc"
)

// Name is the name in metadata.
const Name = "omnizarr.blosc2"

// Codec is a parsed entry. There is nothing to set: frames say all.
type Codec struct{}

// Parse reads the configuration, which has no members.
func Parse(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	return Codec{}, codec.ParseConfig(raw, &struct{}{})
}

// Name is "omnizarr.blosc2".
func (Codec) Name() string { return Name }

// MarshalJSON gives the entry for metadata.
func (Codec) MarshalJSON() ([]byte, error) { return codec.MarshalEntry(Name, nil) }

// BindBytes fits the codec to what comes in, whatever it is.
func (Codec) BindBytes(codec.Spec, codec.Size) (codec.BytesFilter, error) { return filter{}, nil }

type filter struct{}

// Size is not known: frames may hold what is not elements.
func (filter) Size() codec.Size { return codec.Size{} }

// Encode is an error.
func (filter) Encode(*codec.Chunk, []byte, []byte) ([]byte, error) {
	return nil, errors.New("frames of Blosc 2 are only read: another codec writes, such as blosc")
}

// Decode appends what a frame or a chunk holds.
func (filter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	if isFrame(src) {
		f, err := parseFrame(src)
		if err != nil {
			return nil, codec.Bad("frame of Blosc 2: %v", err)
		}
		return f.decode(ck, dst, limit)
	}
	c, err := blosc.ParseChunk(src)
	if err != nil {
		return nil, codec.Bad("%v", err)
	}
	if c.Bytes > limit {
		return nil, ck.Over(c.Bytes, limit)
	}
	at := len(dst)
	if dst, err = ck.Grow(dst, c.Bytes); err != nil {
		return nil, err
	}
	dst = dst[:at+c.Bytes]
	if err := c.Decode(dst[at:], src); err != nil {
		return nil, codec.Bad("%v", err)
	}
	return dst, nil
}
