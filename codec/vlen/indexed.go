package vlen

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// Indexed is the codec "zarrs.vlen": all values in one piece, and the offsets
// where they begin and the last ends, each encoded by itself.
type Indexed struct {
	name  string
	Data  *codec.Chain // of the values, as bytes
	Index *codec.Chain // of the offsets
	Wide  bool         // offsets have 64 bits, not 32
	Last  bool         // the index stands behind the values, not before
}

type indexedConfig struct {
	DataCodecs    json.RawMessage `json:"data_codecs"`
	IndexCodecs   json.RawMessage `json:"index_codecs"`
	IndexDataType *string         `json:"index_data_type"`
	IndexLocation *string         `json:"index_location"`
}

// ParseIndexed reads the configuration.
func ParseIndexed(r *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	var c indexedConfig
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	switch {
	case c.DataCodecs == nil:
		return nil, fmt.Errorf("configuration lacks data_codecs")
	case c.IndexCodecs == nil:
		return nil, fmt.Errorf("configuration lacks index_codecs")
	case c.IndexDataType == nil:
		return nil, fmt.Errorf("configuration lacks index_data_type")
	}
	out := Indexed{name: name}
	switch *c.IndexDataType {
	case "uint32":
	case "uint64":
		out.Wide = true
	default:
		return nil, fmt.Errorf("index_data_type is %q: must be \"uint32\" or \"uint64\"", *c.IndexDataType)
	}
	if c.IndexLocation != nil { // which its first version did not have
		switch *c.IndexLocation {
		case "start":
		case "end":
			out.Last = true
		default:
			return nil, fmt.Errorf("index_location is %q: must be \"start\" or \"end\"", *c.IndexLocation)
		}
	}
	var err error
	if out.Data, err = r.ParseList(c.DataCodecs); err != nil {
		return nil, fmt.Errorf("data_codecs: %w", err)
	}
	if out.Index, err = r.ParseList(c.IndexCodecs); err != nil {
		return nil, fmt.Errorf("index_codecs: %w", err)
	}
	return out, nil
}

// Name is the name in the metadata.
func (c Indexed) Name() string { return c.name }

// MarshalJSON gives the entry for metadata.
func (c Indexed) MarshalJSON() ([]byte, error) {
	data, err := c.Data.MarshalJSON()
	if err != nil {
		return nil, err
	}
	index, err := c.Index.MarshalJSON()
	if err != nil {
		return nil, err
	}
	typ, where := "uint32", "start"
	if c.Wide {
		typ = "uint64"
	}
	if c.Last {
		where = "end"
	}
	return codec.MarshalEntry(c.name, indexedConfig{data, index, &typ, &where})
}

// BindSerializer fits the codec to chunks.
func (c Indexed) BindSerializer(in codec.Spec) (codec.Serializer, error) {
	if k := in.Type.Kind(); k != dtype.String && k != dtype.Bytes {
		return nil, fmt.Errorf("cannot write %s", in.Type.Name())
	}
	n, ok := nd.Len(in.Shape)
	if !ok || n > math.MaxInt/32 {
		return nil, fmt.Errorf("a chunk of shape %v has more values than can be counted", in.Shape)
	}
	s := &indexed{codec: c, spec: in, count: n, width: 4}
	name := "uint32"
	if c.Wide {
		s.width, name = 8, "uint64"
	}
	var err error
	s.index, err = c.Index.Bind(codec.Spec{Type: dtype.MustParse(name), Shape: []int{n + 1}, Fill: make([]byte, s.width)})
	if err != nil {
		return nil, fmt.Errorf("index_codecs: %w", err)
	}
	if _, err := s.data(1); err != nil {
		return nil, fmt.Errorf("data_codecs: %w", err)
	}
	return s, nil
}

// indexed is the bound codec.
type indexed struct {
	codec Indexed
	spec  codec.Spec
	count int
	width int // bytes of an offset
	index *codec.Bound
	last  atomic.Pointer[codec.Bound] // the chain of values that was used last
}

// data is the chain for values of n bytes in all. Chunks differ in that, so it
// is bound anew unless the last had the same size.
func (s *indexed) data(n int) (*codec.Bound, error) {
	if b := s.last.Load(); b != nil && b.Spec().Shape[0] == n {
		return b, nil
	}
	b, err := s.codec.Data.Bind(codec.Spec{Type: dtype.MustParse("uint8"), Shape: []int{n}, Fill: []byte{0}})
	if err == nil {
		s.last.Store(b)
	}
	return b, err
}

// Size is not known before there are values.
func (s *indexed) Size() codec.Size { return codec.Size{} }

// Encode appends the values, the index and its length in the order of the
// configuration.
func (s *indexed) Encode(ctx context.Context, ck *codec.Chunk, dst []byte, src nd.View) ([]byte, error) {
	blobs := src.Heap.Blobs()
	values, err := ck.Lend(1 << 12)
	if err != nil {
		return nil, err
	}
	defer values.Free()
	offsets, err := ck.Lend((s.count + 1) * s.width)
	if err != nil {
		return nil, err
	}
	defer offsets.Free()
	offsets.B = s.offset(offsets.B, 0)
	src.Each(func(elem []byte) {
		v := blobs.Value(elem)
		if s.spec.Type.Kind() == dtype.String && err == nil {
			err = checkText(v)
		}
		values.B = append(values.B, v...)
		offsets.B = s.offset(offsets.B, len(values.B))
	})
	if err != nil {
		return nil, fmt.Errorf("a value is %w", err)
	}
	if s.width == 4 && len(values.B) > math.MaxUint32 {
		return nil, fmt.Errorf("values of %d bytes, offsets of 32 bits", len(values.B))
	}
	ck = inner(ck)
	index, err := s.index.Encode(ctx, ck, nil, nd.Of(offsets.B, s.width, s.count+1))
	if err != nil {
		return nil, fmt.Errorf("index_codecs: %w", err)
	}
	if !s.codec.Last {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(len(index)))
		dst = append(dst, index...)
	}
	if n := len(values.B); n > 0 {
		b, err := s.data(n)
		if err == nil {
			dst, err = b.Encode(ctx, ck, dst, nd.Of(values.B, 1, n))
		}
		if err != nil {
			return nil, fmt.Errorf("data_codecs: %w", err)
		}
	}
	if s.codec.Last {
		dst = append(dst, index...)
		dst = binary.LittleEndian.AppendUint64(dst, uint64(len(index)))
	}
	return dst, nil
}

func (s *indexed) offset(dst []byte, n int) []byte {
	if s.width == 4 {
		return binary.LittleEndian.AppendUint32(dst, uint32(n))
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(n))
}

// inner is the chunk as inner codecs see it.
func inner(ck *codec.Chunk) *codec.Chunk { return &codec.Chunk{Limits: ck.Limits} }

// Decode reads the index, then all values, and refers to those in box.
func (s *indexed) Decode(ctx context.Context, ck *codec.Chunk, src codec.Source, box nd.Box, dst nd.View) error {
	var data []byte
	if m, ok := src.(*codec.Memory); ok {
		data = m.Bytes
	} else {
		var err error
		if data, err = ck.ReadAll(ctx, src, codec.Size{}, nil); err != nil {
			return err
		}
	}
	index, values, err := s.cut(data)
	if err != nil {
		return err
	}
	ck = inner(ck)
	hold, err := ck.Lend((s.count + 1) * s.width)
	if err != nil {
		return err
	}
	defer hold.Free()
	offsets := hold.B[:(s.count+1)*s.width]
	err = s.index.Decode(ctx, ck, &codec.Memory{Bytes: index}, nd.Whole([]int{s.count + 1}), nd.Of(offsets, s.width, s.count+1))
	if err != nil {
		return fmt.Errorf("index_codecs: %w", err)
	}
	blob, err := s.values(ctx, ck, values, s.at(offsets, s.count))
	if err != nil {
		return err
	}
	out := dst
	whole := box.Covers(s.spec.Shape)
	if !whole {
		if out, err = ck.Make(nd.RefSize, s.spec.Shape...); err != nil {
			return err
		}
	}
	if err := s.refer(out, offsets, blob, dst.Heap.Add(blob)); err != nil {
		return err
	}
	if !whole {
		nd.Copy(dst, out.Box(box))
	}
	return nil
}

// cut takes a chunk apart.
func (s *indexed) cut(data []byte) (index, values []byte, err error) {
	if len(data) < 8 {
		return nil, nil, codec.Bad("%d bytes are too few for the length of an index", len(data))
	}
	rest, length := data[8:], data[:8]
	if s.codec.Last {
		rest, length = data[:len(data)-8], data[len(data)-8:]
	}
	n := binary.LittleEndian.Uint64(length)
	if n > uint64(len(rest)) {
		return nil, nil, codec.Bad("the index has %d bytes, %d are left", n, len(rest))
	}
	if s.codec.Last {
		at := len(rest) - int(n)
		return rest[at:], rest[:at], nil
	}
	return rest[:n], rest[n:], nil
}

// at is offset i of an index.
func (s *indexed) at(offsets []byte, i int) uint64 {
	if s.width == 4 {
		return uint64(binary.LittleEndian.Uint32(offsets[4*i:]))
	}
	return binary.LittleEndian.Uint64(offsets[8*i:])
}

// values decodes all values, which have n bytes.
func (s *indexed) values(ctx context.Context, ck *codec.Chunk, data []byte, n uint64) ([]byte, error) {
	if n == 0 && len(data) > 0 {
		return nil, codec.Bad("%d bytes for values that are all empty", len(data))
	}
	if n == 0 {
		return nil, nil
	}
	if err := ck.Check(int(min(n, math.MaxInt))); err != nil {
		return nil, err
	}
	b, err := s.data(int(n))
	if err != nil {
		return nil, fmt.Errorf("data_codecs: %w", err)
	}
	if size := b.Size(); size.Known && len(data) > size.N || size.Exact && len(data) != size.N {
		return nil, codec.Bad("values of %d bytes in %d", n, len(data))
	}
	out := slices.Grow([]byte(nil), int(n))[:n]
	err = b.Decode(ctx, ck, &codec.Memory{Bytes: data}, nd.Whole([]int{int(n)}), nd.Of(out, 1, int(n)))
	if err != nil {
		return nil, fmt.Errorf("data_codecs: %w", err)
	}
	return out, nil
}

// refer writes the references to all values in data.
func (s *indexed) refer(out nd.View, offsets, data []byte, blob int) error {
	var err error
	i, from := 0, s.at(offsets, 0)
	out.Each(func(elem []byte) {
		i++
		to := s.at(offsets, i)
		switch {
		case err != nil:
		case to < from || to > uint64(len(data)) || to-from > math.MaxUint32:
			err = codec.Bad("value %d lies at bytes %d to %d of %d", i-1, from, to, len(data))
		case s.spec.Type.Kind() == dtype.String && checkText(data[from:to]) != nil:
			err = codec.Bad("value %d is not UTF-8", i-1)
		default:
			nd.PutRef(elem, blob, int(from), int(to-from))
			from = to
		}
	})
	return err
}
