package packbits

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// Numcodecs is the codec "numcodecs.packbits". It turns an array of bool into
// one axis of uint8: the number of padding bits, then eight truth values a byte
// from the most-significant bit down.
type Numcodecs struct{}

// ParseNumcodecs reads the configuration, which is empty.
func ParseNumcodecs(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	return Numcodecs{}, codec.ParseConfig(raw, &struct{}{})
}

// Name is "numcodecs.packbits".
func (Numcodecs) Name() string { return "numcodecs.packbits" }

// MarshalJSON gives the entry for metadata.
func (Numcodecs) MarshalJSON() ([]byte, error) {
	return codec.MarshalEntry("numcodecs.packbits", struct{}{})
}

// BindArray fits the codec to chunks.
func (Numcodecs) BindArray(in codec.Spec) (codec.ArrayFilter, error) {
	if in.Type.Kind() != dtype.Bool {
		return nil, fmt.Errorf("cannot pack %s, only bool", in.Type.Name())
	}
	n, ok := nd.Len(in.Shape)
	if !ok {
		return nil, fmt.Errorf("a chunk of shape %v has more elements than can be counted", in.Shape)
	}
	f := newField(1, 0, 1, false, true)
	f.order = MSB
	return &filter{newSerializer(in.Shape, 1, n, f, FirstByte)}, nil
}

// filter is a bound Numcodecs.
type filter struct{ s *serializer }

// Out is one axis of uint8.
func (f *filter) Out() codec.Spec {
	return codec.Spec{Type: dtype.MustParse("uint8"), Shape: []int{f.s.total()}, Fill: []byte{0}}
}

// Needs is the bytes from the first to the last that hold a part of the chunk,
// and all bytes for the whole of it.
func (f *filter) Needs(b nd.Box) nd.Box {
	if b.Covers(f.s.shape) {
		return nd.Whole([]int{f.s.total()})
	}
	lo, end := f.s.offset(b), 1
	for i, n := range b.Shape {
		if n == 0 {
			return nd.Box{Start: []int{0}, Shape: []int{0}}
		}
		end += (n - 1) * f.s.strides[i]
	}
	end += lo
	return nd.Box{Start: []int{1 + lo/8}, Shape: []int{(end+7)/8 - lo/8}}
}

// Encode packs a chunk.
func (f *filter) Encode(ck *codec.Chunk, dst, src nd.View) error {
	if out, ok := dst.Contiguous(); ok {
		return f.s.pack(ck, out, src)
	}
	hold, err := ck.Lend(f.s.total())
	if err != nil {
		return err
	}
	defer hold.Free()
	out := hold.B[:f.s.total()]
	if err := f.s.pack(ck, out, src); err != nil {
		return err
	}
	nd.Copy(dst, nd.Of(out, 1, dst.Shape...))
	return nil
}

// Decode unpacks a box of a chunk.
func (f *filter) Decode(ck *codec.Chunk, dst nd.View, b nd.Box, src nd.View) error {
	data, ok := src.Contiguous()
	if !ok {
		hold, err := ck.Lend(src.Len())
		if err != nil {
			return err
		}
		defer hold.Free()
		data = hold.B[:src.Len()]
		nd.Copy(nd.Of(data, 1, src.Shape...), src)
	}
	if b.Covers(f.s.shape) {
		return f.s.decodeWhole(ck, data, b, dst)
	}
	off := f.s.offset(b)
	m := memory{s: f.s, ck: ck, packed: data, skip: off / 8}
	defer m.done()
	return m.walker(dst).walk(0, off, slices.Clone(b.Shape), dst, m.unpack)
}
