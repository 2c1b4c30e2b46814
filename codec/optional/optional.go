// Package optional is the codec "zarrs.optional" for values that may be missing:
// which are there, and then only these, each encoded by codecs of its own.
//
// A chunk is the lengths of the two parts as 64-bit numbers, little-endian, the
// mask and the values. A type that is optional twice needs the codec twice: the
// values are then optional themselves.
package optional

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// Codec is a parsed entry.
type Codec struct {
	name string
	Mask *codec.Chain // of bools, shaped as the chunk
	Data *codec.Chain // of the values that are there, one after the other
}

type config struct {
	MaskCodecs json.RawMessage `json:"mask_codecs"`
	DataCodecs json.RawMessage `json:"data_codecs"`
}

// Parse reads the configuration.
func Parse(r *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	var c config
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	switch {
	case c.MaskCodecs == nil:
		return nil, fmt.Errorf("configuration lacks mask_codecs")
	case c.DataCodecs == nil:
		return nil, fmt.Errorf("configuration lacks data_codecs")
	}
	out := Codec{name: name}
	var err error
	if out.Mask, err = r.ParseList(c.MaskCodecs); err != nil {
		return nil, fmt.Errorf("mask_codecs: %w", err)
	}
	if out.Data, err = r.ParseList(c.DataCodecs); err != nil {
		return nil, fmt.Errorf("data_codecs: %w", err)
	}
	return out, nil
}

// Name is the name in the metadata.
func (c Codec) Name() string { return c.name }

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	mask, err := c.Mask.MarshalJSON()
	if err != nil {
		return nil, err
	}
	data, err := c.Data.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return codec.MarshalEntry(c.name, config{mask, data})
}

// BindSerializer fits the codec to chunks of an optional type.
func (c Codec) BindSerializer(in codec.Spec) (codec.Serializer, error) {
	if in.Type.Kind() != dtype.Optional {
		return nil, fmt.Errorf("cannot write %s, whose values are never missing", in.Type.Name())
	}
	n, ok := nd.Bytes(in.Shape, in.Type.Size())
	if !ok {
		return nil, fmt.Errorf("a chunk of shape %v has more bytes than can be counted", in.Shape)
	}
	s := &serializer{codec: c, spec: in, inner: dtype.Inner(in.Type), count: n / in.Type.Size()}
	var err error
	s.mask, err = c.Mask.Bind(codec.Spec{Type: dtype.MustParse("bool"), Shape: in.Shape, Fill: []byte{0}})
	if err != nil {
		return nil, fmt.Errorf("mask_codecs: %w", err)
	}
	full, err := s.data(max(s.count, 1))
	if err != nil {
		return nil, fmt.Errorf("data_codecs: %w", err)
	}
	if m, d := s.mask.Size(), full.Size(); m.Known && d.Known && d.N <= math.MaxInt-header-m.N {
		s.size = codec.AtMost(header + m.N + d.N)
	}
	return s, nil
}

// header is the two lengths before the mask.
const header = 16

// serializer is the bound codec.
type serializer struct {
	codec Codec
	spec  codec.Spec
	inner dtype.Type
	count int
	size  codec.Size
	mask  *codec.Bound
	last  atomic.Pointer[codec.Bound] // the chain of values that was used last
}

// Traits says what the values lose.
func (s *serializer) Traits() codec.Traits {
	b, err := s.data(max(s.count, 1))
	if err != nil {
		return codec.Traits{}
	}
	return codec.Traits{Lossy: b.Lossy()}
}

// data is the chain for n values. Chunks differ in that, so it is bound anew
// unless the last had as many.
func (s *serializer) data(n int) (*codec.Bound, error) {
	if b := s.last.Load(); b != nil && b.Spec().Shape[0] == n {
		return b, nil
	}
	b, err := s.codec.Data.Bind(codec.Spec{Type: s.inner, Shape: []int{n}, Fill: make([]byte, s.inner.Size()), Heap: &nd.Heap{}})
	if err == nil {
		s.last.Store(b)
	}
	return b, err
}

// Size is at most that of a chunk in which nothing is missing.
func (s *serializer) Size() codec.Size { return s.size }

// inner is the chunk as inner codecs see it.
func inner(ck *codec.Chunk) *codec.Chunk { return &codec.Chunk{Limits: ck.Limits} }

// Encode appends both parts.
func (s *serializer) Encode(ctx context.Context, ck *codec.Chunk, dst []byte, src nd.View) ([]byte, error) {
	mask, err := ck.Lend(s.count)
	if err != nil {
		return nil, err
	}
	defer mask.Free()
	data, err := ck.Lend(s.count * s.inner.Size())
	if err != nil {
		return nil, err
	}
	defer data.Free()
	src.Each(func(elem []byte) {
		mask.B = append(mask.B, elem[0])
		if elem[0] != 0 {
			data.B = append(data.B, elem[1:]...)
		}
	})
	at := len(dst)
	dst = append(dst, make([]byte, header)...)
	ck = inner(ck)
	dst, err = s.mask.Encode(ctx, ck, dst, nd.Of(mask.B, 1, s.spec.Shape...))
	if err != nil {
		return nil, fmt.Errorf("mask_codecs: %w", err)
	}
	maskLen := len(dst) - at - header
	if n := len(data.B) / s.inner.Size(); n > 0 {
		b, err := s.data(n)
		if err == nil {
			v := nd.Of(data.B, s.inner.Size(), n)
			v.Heap = src.Heap
			dst, err = b.Encode(ctx, ck, dst, v)
		}
		if err != nil {
			return nil, fmt.Errorf("data_codecs: %w", err)
		}
	}
	binary.LittleEndian.PutUint64(dst[at:], uint64(maskLen))
	binary.LittleEndian.PutUint64(dst[at+8:], uint64(len(dst)-at-header-maskLen))
	return dst, nil
}

// Decode reads all of the chunk and fills dst with the elements in box.
func (s *serializer) Decode(ctx context.Context, ck *codec.Chunk, src codec.Source, box nd.Box, dst nd.View) error {
	var chunk []byte
	m, ok := src.(*codec.Memory)
	if ok {
		chunk = m.Bytes
	} else {
		var err error
		if chunk, err = ck.ReadAll(ctx, src, s.size, nil); err != nil {
			return err
		}
		m = &codec.Memory{}
	}
	if len(chunk) < header {
		return codec.Bad("%d bytes are too few for two lengths", len(chunk))
	}
	maskLen, dataLen := binary.LittleEndian.Uint64(chunk), binary.LittleEndian.Uint64(chunk[8:])
	chunk = chunk[header:]
	if left := uint64(len(chunk)); maskLen > left || dataLen != left-maskLen {
		return codec.Bad("parts of %d and %d bytes, there are %d", maskLen, dataLen, left)
	}
	ck = inner(ck)
	mask, err := ck.Lend(s.count)
	if err != nil {
		return err
	}
	defer mask.Free()
	mask.B = mask.B[:s.count]
	err = s.mask.Decode(ctx, ck, &codec.Memory{Bytes: chunk[:maskLen]}, nd.Whole(s.spec.Shape), nd.Of(mask.B, 1, s.spec.Shape...))
	if err != nil {
		return fmt.Errorf("mask_codecs: %w", err)
	}
	n := 0
	for _, there := range mask.B {
		if there > 1 {
			return codec.Bad("%d in the mask: must be 0 or 1", there)
		}
		n += int(there)
	}
	data, err := ck.Lend(n * s.inner.Size())
	if err != nil {
		return err
	}
	defer data.Free()
	data.B = data.B[:n*s.inner.Size()]
	part := &codec.Memory{Bytes: chunk[maskLen:]}
	if err := s.decodeData(ctx, ck, part, n, data.B, dst.Heap); err != nil {
		return err
	}
	if part.Kept() {
		m.Keep() // values refer to the chunk
	}
	out := dst
	whole := box.Covers(s.spec.Shape)
	if !whole {
		if out, err = ck.Make(s.spec.Type.Size(), s.spec.Shape...); err != nil {
			return err
		}
	}
	s.spread(out, mask.B, data.B)
	if !whole {
		nd.Copy(dst, out.Box(box))
	}
	return nil
}

// decodeData reads the n values that are there.
func (s *serializer) decodeData(ctx context.Context, ck *codec.Chunk, src *codec.Memory, n int, dst []byte, heap *nd.Heap) error {
	if n == 0 {
		if len(src.Bytes) > 0 {
			return codec.Bad("%d bytes of values, all are missing", len(src.Bytes))
		}
		return nil
	}
	b, err := s.data(n)
	if err != nil {
		return fmt.Errorf("data_codecs: %w", err)
	}
	if size := b.Size(); size.Known && len(src.Bytes) > size.N || size.Exact && len(src.Bytes) != size.N {
		return codec.Bad("%d values in %d bytes", n, len(src.Bytes))
	}
	v := nd.Of(dst, s.inner.Size(), n)
	v.Heap = heap
	if err := b.Decode(ctx, ck, src, nd.Whole([]int{n}), v); err != nil {
		return fmt.Errorf("data_codecs: %w", err)
	}
	return nil
}

// spread puts values where the mask says that they are, and zeros elsewhere.
func (s *serializer) spread(out nd.View, mask, data []byte) {
	i, size := 0, s.inner.Size()
	out.Each(func(elem []byte) {
		elem[0] = mask[i]
		if mask[i] != 0 {
			copy(elem[1:], data[:size])
			data = data[size:]
		} else {
			clear(elem[1:])
		}
		i++
	})
}
