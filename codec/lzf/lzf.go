// Package lzf is the codec "omnizarr.lzf": the format of LibLZF, which is the filter
// "lzf" of h5py in HDF5 files. It has no header: what follows the last run is the end.
package lzf

import (
	"encoding/json"
	"math"

	"github.com/omnizarr/zarr/codec"
)

// Name is the name in metadata.
const Name = "omnizarr.lzf"

// Codec is a parsed entry. There is nothing to set.
type Codec struct{}

// Parse reads the configuration, which has no members.
func Parse(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	return Codec{}, codec.ParseConfig(raw, &struct{}{})
}

// Name is "omnizarr.lzf".
func (Codec) Name() string { return Name }

// MarshalJSON gives the entry for metadata.
func (Codec) MarshalJSON() ([]byte, error) { return codec.MarshalEntry(Name, nil) }

// BindBytes fits the codec to what comes in.
func (Codec) BindBytes(_ codec.Spec, in codec.Size) (codec.BytesFilter, error) {
	f := filter{}
	if in.Known && in.N < math.MaxInt/2 {
		f.size = codec.AtMost(bound(in.N))
	}
	return f, nil
}

type filter struct{ size codec.Size }

// Size is at most that of bytes that do not repeat.
func (f filter) Size() codec.Size { return f.size }

// Encode appends the runs of src. HDF5 leaves chunks as they are that would not get
// smaller; here they become a little longer.
func (filter) Encode(ck *codec.Chunk, dst, src []byte) ([]byte, error) {
	dst, err := ck.Grow(dst, bound(len(src)))
	if err != nil {
		return nil, err
	}
	return encode(dst, src), nil
}

// Decode appends what the runs hold, which is counted first.
func (filter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	n, err := measure(src, limit)
	if err != nil {
		return nil, err
	}
	if n > limit {
		return nil, ck.Over(-1, limit)
	}
	if dst, err = ck.Grow(dst, n); err != nil {
		return nil, err
	}
	at := len(dst)
	dst = dst[:at+n]
	decode(dst[at:], src)
	return dst, nil
}
