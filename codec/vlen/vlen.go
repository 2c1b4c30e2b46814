// Package vlen holds the codecs "vlen-utf8" and "vlen-bytes": a count, then
// every value behind its length, all numbers of 32 bits, little-endian.
//
// Decoded values are references into the decoded bytes: nothing is copied or
// allocated per value.
package vlen

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// Codec is a parsed entry.
type Codec struct {
	name string
	kind dtype.Kind
}

// The two codecs.
var (
	UTF8  = Codec{"vlen-utf8", dtype.String}
	Bytes = Codec{"vlen-bytes", dtype.Bytes}
)

// Parse reads the configuration, which is empty; the name tells which it is.
func Parse(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	if err := codec.ParseConfig(raw, &struct{}{}); err != nil {
		return nil, err
	}
	if name == UTF8.name {
		return UTF8, nil
	}
	return Bytes, nil
}

// Name is "vlen-utf8" or "vlen-bytes".
func (c Codec) Name() string { return c.name }

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) { return codec.MarshalEntry(c.name, nil) }

// BindSerializer fits the codec to chunks.
func (c Codec) BindSerializer(in codec.Spec) (codec.Serializer, error) {
	if in.Type.Kind() != c.kind {
		return nil, fmt.Errorf("cannot write %s", in.Type.Name())
	}
	n, ok := nd.Len(in.Shape)
	if !ok || n > math.MaxUint32 {
		return nil, fmt.Errorf("a chunk of shape %v has more values than can be counted in 32 bits", in.Shape)
	}
	return &serializer{c, in, n}, nil
}

type serializer struct {
	codec Codec
	spec  codec.Spec
	count int
}

// Size is not known before there are values.
func (s *serializer) Size() codec.Size { return codec.Size{} }

// Encode appends the count and the values.
func (s *serializer) Encode(_ context.Context, _ *codec.Chunk, dst []byte, src nd.View) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(s.count))
	blobs := src.Heap.Blobs()
	var err error
	src.Each(func(elem []byte) {
		v := blobs.Value(elem)
		if s.codec.kind == dtype.String && !utf8.Valid(v) {
			err = fmt.Errorf("text %q is not UTF-8", v)
		}
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(v)))
		dst = append(dst, v...)
	})
	return dst, err
}

// Decode reads all values and refers to those in box.
func (s *serializer) Decode(ctx context.Context, ck *codec.Chunk, src codec.Source, box nd.Box, dst nd.View) error {
	var data []byte
	if m, ok := src.(*codec.Memory); ok {
		data = m.Keep()
	} else {
		var err error
		if data, err = codec.ReadAll(ctx, src, codec.Size{}, ck.Limits.MaxChunk, nil); err != nil {
			return err
		}
	}
	if len(data) < 4 {
		return codec.Bad("%d bytes are too few for a count", len(data))
	}
	if n := int(binary.LittleEndian.Uint32(data)); n != s.count {
		return codec.Bad("holds %d values, the chunk has %d", n, s.count)
	}
	if s.count > (len(data)-4)/4 {
		return codec.Bad("%d bytes are too few for %d values", len(data), s.count)
	}
	out := dst
	whole := box.Covers(s.spec.Shape)
	if !whole {
		out = nd.Make(nd.RefSize, s.spec.Shape...)
	}
	if err := s.refer(out, data, dst.Heap.Add(data)); err != nil {
		return err
	}
	if !whole {
		nd.Copy(dst, out.Box(box))
	}
	return nil
}

// refer writes the references to all values in data, which is a blob of the
// heap already.
func (s *serializer) refer(out nd.View, data []byte, blob int) error {
	at, i := 4, 0
	var err error
	out.Each(func(elem []byte) {
		if err != nil {
			return
		}
		if len(data)-at < 4 {
			err = codec.Bad("data ends before value %d of %d", i, s.count)
			return
		}
		n := int(binary.LittleEndian.Uint32(data[at:]))
		at += 4
		if n > len(data)-at {
			err = codec.Bad("value %d has %d bytes, %d are left", i, n, len(data)-at)
			return
		}
		if s.codec.kind == dtype.String && !utf8.Valid(data[at:at+n]) {
			err = codec.Bad("value %d is not UTF-8", i)
			return
		}
		nd.PutRef(elem, blob, at, n)
		at += n
		i++
	})
	if err == nil && at != len(data) {
		err = codec.Bad("%d bytes follow the last value", len(data)-at)
	}
	return err
}
