// Package endian is the codec "bytes": elements one after the other in C order,
// in little- or big-endian byte order.
//
// Little-endian chunks are memory as it is: they are read straight into, and
// written straight from, the caller's memory where its strides allow. A part of
// a chunk is read as just the rows that hold it.
package endian

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// Codec is a parsed entry.
type Codec struct {
	// Endian is "little", "big", or "" for types whose scalars are one byte.
	Endian string
}

type config struct {
	Endian *string `json:"endian,omitempty"`
}

// Parse reads the configuration.
func Parse(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	var c config
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	if c.Endian == nil {
		return Codec{}, nil
	}
	if *c.Endian != "little" && *c.Endian != "big" {
		return nil, fmt.Errorf("endian is %q: must be \"little\" or \"big\"", *c.Endian)
	}
	return Codec{*c.Endian}, nil
}

// Name is "bytes".
func (Codec) Name() string { return "bytes" }

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	if c.Endian == "" {
		return codec.MarshalEntry("bytes", nil)
	}
	return codec.MarshalEntry("bytes", config{&c.Endian})
}

// BindSerializer fits the codec to chunks.
func (c Codec) BindSerializer(in codec.Spec) (codec.Serializer, error) {
	if len(in.Type.Refs()) > 0 {
		return nil, fmt.Errorf("cannot write %s, whose values have no fixed length", in.Type.Name())
	}
	if in.Type.Kind() == dtype.Optional {
		return nil, fmt.Errorf("cannot write %s, whose values may be missing", in.Type.Name())
	}
	n, ok := nd.Bytes(in.Shape, in.Type.Size())
	if !ok {
		return nil, fmt.Errorf("a chunk of shape %v has more bytes than can be counted", in.Shape)
	}
	s := &serializer{spec: in, size: n, strides: nd.Strides(in.Shape, in.Type.Size())}
	wide := slices.ContainsFunc(in.Type.Units(), func(u dtype.Unit) bool { return u.Width > 1 })
	if wide && c.Endian == "" {
		return nil, fmt.Errorf("configuration lacks endian, which %s needs", in.Type.Name())
	}
	if wide && c.Endian == "big" {
		s.swap = in.Type.Units()
	}
	s.canon, _ = in.Type.(dtype.Canonicaliser)
	return s, nil
}

type serializer struct {
	spec    codec.Spec
	size    int
	strides []int
	swap    []dtype.Unit // nil if bytes stay as they are
	canon   dtype.Canonicaliser
}

// Size is the number of elements times their size.
func (s *serializer) Size() codec.Size { return codec.Exactly(s.size) }

// Ranges is always true: any part of the chunk can be read by itself.
func (s *serializer) Ranges(box nd.Box) bool { return !box.Covers(s.spec.Shape) }

// front is where the last element of the box ends.
func (s *serializer) front(box nd.Box) int {
	n := s.spec.Type.Size()
	for i, k := range box.Start {
		n += (k + box.Shape[i] - 1) * s.strides[i]
	}
	return n
}

// Place gives the memory of a whole chunk that needs no change of byte order.
func (s *serializer) Place(v nd.View) ([]byte, bool) {
	if s.swap != nil {
		return nil, false
	}
	return v.Contiguous()
}

// Placed checks the values that were decoded in place.
func (s *serializer) Placed(v nd.View) error {
	if s.canon == nil {
		return nil
	}
	return s.canon.Canonicalise(v)
}

// Encode appends the elements.
func (s *serializer) Encode(_ context.Context, ck *codec.Chunk, dst []byte, src nd.View) ([]byte, error) {
	at := len(dst)
	dst, err := ck.Grow(dst, s.size)
	if err != nil {
		return nil, err
	}
	dst = dst[:at+s.size]
	out := nd.View{Data: dst[at:], Size: src.Size, Shape: src.Shape, Strides: s.strides}
	s.copy(out, src)
	return dst, nil
}

// Traits says that parts of a chunk can be encoded by themselves.
func (s *serializer) Traits() codec.Traits { return codec.Traits{Rows: s.rows, Front: s.front} }

// rows encodes a part of a chunk: elements that lie one behind the other in it.
func (s *serializer) rows(dst []byte, part nd.View) {
	s.copy(nd.View{Data: dst, Size: part.Size, Shape: part.Shape, Strides: s.strides}, part)
}

// copy copies elements between memory and a chunk, in its byte order.
func (s *serializer) copy(dst, src nd.View) {
	if s.swap != nil {
		copySwapped(dst, src, s.swap)
		return
	}
	nd.Copy(dst, src)
}

// decodeSmall fills dst with a whole chunk that is read at once.
func (s *serializer) decodeSmall(ctx context.Context, ck *codec.Chunk, src codec.Source, dst nd.View) error {
	mem, err := ck.Lend(s.size)
	if err != nil {
		return err
	}
	defer mem.Free()
	data, err := ck.ReadAll(ctx, src, codec.Exactly(s.size), mem.B)
	if err != nil {
		return err
	}
	s.copy(dst, nd.View{Data: data, Size: dst.Size, Shape: s.spec.Shape, Strides: s.strides})
	return s.Placed(dst)
}

// Decode fills dst with a box of the chunk.
func (s *serializer) Decode(ctx context.Context, ck *codec.Chunk, src codec.Source, box nd.Box, dst nd.View) error {
	if m, ok := src.(*codec.Memory); ok {
		if m.Len() != s.size {
			return codec.Bad("got %d bytes, want %d", m.Len(), s.size)
		}
		from := nd.View{Data: m.Bytes, Size: dst.Size, Shape: s.spec.Shape, Strides: s.strides}
		s.copy(dst, from.Box(box))
		return s.Placed(dst)
	}
	if s.size <= nearPiece && box.Covers(s.spec.Shape) {
		return s.decodeSmall(ctx, ck, src, dst)
	}
	r := rows{s: s, ctx: ctx, ck: ck, src: src, piece: nearPiece, gap: nearGap}
	if !store.IsNear(src) {
		r.piece, r.gap = farPiece, farGap
	}
	r.piece = min(r.piece, ck.Piece())
	off := 0
	for i, k := range box.Start {
		off += k * s.strides[i]
	}
	if err := r.readAll(off, box.Shape, dst); err != nil {
		return err
	}
	return s.Placed(dst)
}
