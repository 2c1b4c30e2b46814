// Package nbit is the codec "omnizarr.hdf5_nbit", the filter 5 of HDF5: of every
// number only the bits are stored that its type says to be used, the most significant
// first, without gaps. It is for reading only.
package nbit

import (
	"encoding/json"
	"errors"
	"math"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/bitreader"
)

// Name is the name in metadata.
const Name = "omnizarr.hdf5_nbit"

// Codec is a parsed entry.
type Codec struct {
	// Values are the parameters of the filter: how many there are, whether bytes
	// are stored as they are, how many elements a chunk has, and the type.
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

// Name is "omnizarr.hdf5_nbit".
func (Codec) Name() string { return Name }

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) { return codec.MarshalEntry(Name, config(c)) }

// BindBytes fits the codec to what comes in.
func (c Codec) BindBytes(_ codec.Spec, in codec.Size) (codec.BytesFilter, error) {
	f, err := c.bind()
	if err == nil && in.Known && in.N < math.MaxInt/2 {
		f.size = codec.AtMost(in.N + 8) // there is a byte more than bits need
	}
	return f, err
}

func (c Codec) bind() (*filter, error) {
	if len(c.Values) < 5 {
		return nil, errors.New("values: nbit has at least 5 parameters")
	}
	f := &filter{plain: c.Values[1] != 0, count: uint64(c.Values[2])}
	p := parser{c.Values[3:]}
	var err error
	f.typ, err = p.node(0)
	return f, err
}

type filter struct {
	plain bool // bytes are stored as they are
	count uint64
	typ   node
	size  codec.Size
}

func (f *filter) Size() codec.Size { return f.size }

// Encode is refused.
func (f *filter) Encode(*codec.Chunk, []byte, []byte) ([]byte, error) {
	return nil, errors.New("nbit of HDF5 is only read")
}

func (f *filter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	if f.plain {
		if len(src) > limit {
			return nil, ck.Over(len(src), limit)
		}
		return append(dst, src...), nil
	}
	// All numbers were below 1<<32, and a type has fewer bits than 1<<50.
	n := f.count * f.typ.size
	if n > uint64(limit) {
		return nil, ck.Over(int(min(n, math.MaxInt)), limit)
	}
	if f.count > 0 && f.typ.bits > uint64(len(src))*8/f.count {
		return nil, codec.Bad("%d bytes are too short for %d elements of %d bits", len(src), f.count, f.typ.bits)
	}
	dst, err := ck.Grow(dst, int(n))
	if err != nil {
		return nil, err
	}
	dst = dst[:len(dst)+int(n)]
	out := dst[len(dst)-int(n):]
	clear(out)
	r := bitreader.New(src)
	for ; len(out) > 0; out = out[f.typ.size:] {
		f.typ.unpack(&r, out[:f.typ.size])
	}
	return dst, nil
}
