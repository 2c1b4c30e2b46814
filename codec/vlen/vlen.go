// Package vlen holds the codecs for values of any length.
//
// Most write a count, then every value behind its length, all numbers of 32
// bits, little-endian: "vlen-utf8" for text, "vlen-bytes" for bytes,
// "vlen-array" for lists of numbers, each also under its name in numcodecs, and
// "zarrs.vlen_v2" for text and bytes. "zarrs.vlen" writes all values in one piece
// and their offsets in another, each through codecs of its own.
//
// Decoded values are references into the decoded bytes: nothing is copied or
// allocated per value.
package vlen

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// Codec is a parsed entry.
type Codec struct {
	name  string
	kinds []dtype.Kind
}

// The two codecs that Zarr v3 names.
var (
	UTF8  = Codec{"vlen-utf8", []dtype.Kind{dtype.String}}
	Bytes = Codec{"vlen-bytes", []dtype.Kind{dtype.Bytes}}
)

// Parse reads the configuration, which is empty; the name tells which it is.
func Parse(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	if err := codec.ParseConfig(raw, &struct{}{}); err != nil {
		return nil, err
	}
	kinds := []dtype.Kind{dtype.String, dtype.Bytes}
	switch {
	case strings.HasSuffix(name, UTF8.name):
		kinds = UTF8.kinds
	case strings.HasSuffix(name, Bytes.name):
		kinds = Bytes.kinds
	}
	return Codec{name, kinds}, nil
}

// Name is the name in the metadata.
func (c Codec) Name() string { return c.name }

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) { return codec.MarshalEntry(c.name, nil) }

// BindSerializer fits the codec to chunks.
func (c Codec) BindSerializer(in codec.Spec) (codec.Serializer, error) {
	if !slices.Contains(c.kinds, in.Type.Kind()) {
		return nil, fmt.Errorf("cannot write %s", in.Type.Name())
	}
	f := form{check: func([]byte) error { return nil }}
	if in.Type.Kind() == dtype.String {
		f.check = checkText
	}
	return bind(in, f)
}

// form is what the bytes of a value are.
type form struct {
	check func(value []byte) error // says what is wrong with stored bytes
	swap  func(value []byte)       // changes between stored bytes and memory; nil: they are the same
	canon func(value []byte) error // mends memory; nil: nothing to mend
}

// bind makes a serializer.
func bind(in codec.Spec, f form) (codec.Serializer, error) {
	n, ok := nd.Len(in.Shape)
	if !ok || n > math.MaxUint32 {
		return nil, fmt.Errorf("a chunk of shape %v has more values than can be counted in 32 bits", in.Shape)
	}
	return &serializer{in, n, f}, nil
}

var errText = errors.New("not UTF-8")

func checkText(value []byte) error {
	if !utf8.Valid(value) {
		return errText
	}
	return nil
}

type serializer struct {
	spec  codec.Spec
	count int
	form
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
		if bad := s.check(v); bad != nil {
			err = fmt.Errorf("value %q is %w", v[:min(len(v), 40)], bad)
		}
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(v)))
		dst = append(dst, v...)
		if s.swap != nil {
			s.swap(dst[len(dst)-len(v):])
		}
	})
	return dst, err
}

// Decode reads all values and refers to those in box.
func (s *serializer) Decode(ctx context.Context, ck *codec.Chunk, src codec.Source, box nd.Box, dst nd.View) error {
	data, err := s.keep(ctx, ck, src)
	if err != nil {
		return err
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
		if out, err = ck.Make(nd.RefSize, s.spec.Shape...); err != nil {
			return err
		}
	}
	if err := s.refer(out, data, dst.Heap.Add(data)); err != nil {
		return err
	}
	if !whole {
		nd.Copy(dst, out.Box(box))
	}
	return nil
}

// keep gives all bytes of a chunk for values to refer to. Bytes that will be
// changed are a copy, since others may read them at the same time.
func (s *serializer) keep(ctx context.Context, ck *codec.Chunk, src codec.Source) ([]byte, error) {
	m, ok := src.(*codec.Memory)
	if !ok {
		return ck.ReadAll(ctx, src, codec.Size{}, nil)
	}
	if s.swap != nil || s.canon != nil {
		return slices.Clone(m.Bytes), nil
	}
	return m.Keep(), nil
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
		if bad := s.value(data[at : at+n]); bad != nil {
			err = codec.Bad("value %d is %v", i, bad)
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

// value makes stored bytes what memory holds.
func (s *serializer) value(b []byte) error {
	if err := s.check(b); err != nil {
		return err
	}
	if s.swap != nil {
		s.swap(b)
	}
	if s.canon != nil {
		return s.canon(b)
	}
	return nil
}
