package n5

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/n5block"
	"github.com/omnizarr/zarr/nd"
)

// StringsName is the name of blocks of strings in metadata.
const StringsName = "omnizarr.n5_strings"

// Strings is the codec "omnizarr.n5_strings": a block of mode varlength as Java's
// N5 writes it for the data type "string". All strings follow each other, those
// along the first axis first, each with a NUL behind it, and the header counts
// their bytes.
type Strings struct{ Payload Payload }

// ParseStrings reads the configuration, which is the list of codecs for the bytes.
func ParseStrings(r *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	p, err := parsePayloadConfig(r, raw)
	return Strings{p}, err
}

// Name is "omnizarr.n5_strings".
func (Strings) Name() string { return StringsName }

// MarshalJSON gives the entry for metadata.
func (c Strings) MarshalJSON() ([]byte, error) { return c.Payload.marshalConfig(StringsName) }

// BindSerializer fits the codec to chunks of strings.
func (c Strings) BindSerializer(in codec.Spec) (codec.Serializer, error) {
	if in.Type.Kind() != dtype.String {
		return nil, fmt.Errorf("cannot write %s", in.Type.Name())
	}
	if err := checkShape(in.Shape, nd.RefSize); err != nil {
		return nil, err
	}
	s := &stringBlocks{payload: c.Payload, spec: in}
	for i := range in.Shape {
		s.order = append(s.order, len(in.Shape)-1-i)
	}
	return s, nil
}

type stringBlocks struct {
	payload Payload
	spec    codec.Spec
	order   []int // of the axes in a block, the slowest first
}

// Size is not known before there are strings.
func (s *stringBlocks) Size() codec.Size { return codec.Size{} }

// Encode appends the block, cut to what lies inside the array.
func (s *stringBlocks) Encode(_ context.Context, ck *codec.Chunk, dst []byte, src nd.View) ([]byte, error) {
	if ck.Extent != nil {
		src.Shape = inside(s.spec.Shape, ck.Extent)
	}
	hold, err := ck.Lend(1 << 12)
	if err != nil {
		return nil, err
	}
	defer hold.Free()
	blobs := src.Heap.Blobs()
	src.Permute(s.order).Each(func(elem []byte) {
		v := blobs.Value(elem)
		switch {
		case !utf8.Valid(v):
			err = fmt.Errorf("value %q is not UTF-8", v[:min(len(v), 40)])
		case bytes.IndexByte(v, 0) >= 0:
			err = fmt.Errorf("value %q has a NUL, which ends the strings of N5", v[:min(len(v), 40)])
		}
		hold.B = append(append(hold.B, v...), 0)
	})
	if err == nil && len(hold.B) > math.MaxInt32 {
		err = fmt.Errorf("%d bytes of strings in a block: at most %d are possible", len(hold.B), math.MaxInt32)
	}
	if err != nil {
		return nil, err
	}
	dst = n5block.Append(dst, n5block.Header{Mode: n5block.Varlength, Shape: src.Shape, Count: len(hold.B)})
	return s.payload.encode(ck, dst, hold.B)
}

// Decode reads all strings and refers to those in box.
func (s *stringBlocks) Decode(ctx context.Context, ck *codec.Chunk, src codec.Source, box nd.Box, dst nd.View) error {
	m, err := wholeBlock(ctx, ck, src)
	if err != nil {
		return err
	}
	h, err := s.header(ck, m.Bytes)
	if err != nil {
		return err
	}
	data, err := s.payload.decode(ck, m.Bytes[h.Size:], h.Count)
	if err != nil {
		return err
	}
	if len(data) != h.Count {
		return codec.Bad("the block has %d bytes of strings, its header says %d", len(data), h.Count)
	}
	// The values refer to the bytes.
	if s.payload.plain() {
		m.Keep()
	}
	if n, _ := nd.Len(h.Shape); n > len(data) {
		return codec.Bad("%d bytes are too few for the %d strings of a block of shape %v", len(data), n, h.Shape)
	}
	if slices.Equal(h.Shape, s.spec.Shape) && box.Covers(h.Shape) {
		return s.refer(dst, data, dst.Heap.Add(data))
	}
	all, err := ck.Make(nd.RefSize, h.Shape...)
	if err != nil {
		return err
	}
	if err := s.refer(all, data, dst.Heap.Add(data)); err != nil {
		return err
	}
	part := corner(box, h.Shape)
	fillOutside(s.spec, dst, part.Shape)
	if !slices.Contains(part.Shape, 0) {
		dst.Shape = part.Shape
		nd.Copy(dst, all.Box(part))
	}
	return nil
}

// wholeBlock gives all bytes of a block.
func wholeBlock(ctx context.Context, ck *codec.Chunk, src codec.Source) (*codec.Memory, error) {
	if m, ok := src.(*codec.Memory); ok {
		return m, nil
	}
	data, err := ck.ReadAll(ctx, src, codec.Size{}, nil)
	return &codec.Memory{Bytes: data}, err
}

// header reads the header, which must be that of strings.
func (s *stringBlocks) header(ck *codec.Chunk, data []byte) (n5block.Header, error) {
	h, err := n5block.Parse(data)
	switch {
	case err != nil:
		return h, codec.Bad("%v", err)
	case h.Mode != n5block.Varlength:
		return h, codec.Bad("the block has mode %v: strings have mode %v", h.Mode, n5block.Varlength)
	case len(h.Shape) != len(s.spec.Shape):
		return h, codec.Bad("the block has %d dimensions, the array has %d", len(h.Shape), len(s.spec.Shape))
	}
	return h, fit(ck, h.Shape, s.spec.Shape, nd.RefSize)
}

// refer writes the references to all strings in data, which is a blob of the heap
// already.
func (s *stringBlocks) refer(out nd.View, data []byte, blob int) error {
	if !utf8.Valid(data) {
		return codec.Bad("the strings are not UTF-8 from byte %d on", validUntil(data))
	}
	at, i := 0, 0
	out.Permute(s.order).Each(func(elem []byte) {
		n := bytes.IndexByte(data[at:], 0)
		if n < 0 {
			return
		}
		nd.PutRef(elem, blob, at, n)
		at += n + 1
		i++
	})
	switch {
	case i < out.Len():
		return codec.Bad("the block ends in string %d of %d", i, out.Len())
	case at < len(data):
		return codec.Bad("%d bytes follow the last of %d strings", len(data)-at, i)
	}
	return nil
}

// validUntil is where text stops to be UTF-8.
func validUntil(text []byte) int {
	at := 0
	for at < len(text) {
		r, n := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return at
}
