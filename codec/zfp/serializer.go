package zfp

import (
	"context"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/zfp"
	"github.com/omnizarr/zarr/nd"
)

type serializer struct {
	elem   zfp.Elem
	name   string // of the type
	chunk  []int  // shape of a chunk
	shape  []int  // the same as an array of at least one dimension
	params zfp.Params
	other  *zfp.Params // what chunks of another length have been written with
	header bool
	native bool // only types that the library has are written
	size   int  // most bytes of a chunk
}

func newSerializer(in codec.Spec) (*serializer, error) {
	s := &serializer{name: in.Type.Name(), chunk: in.Shape, shape: in.Shape}
	if len(s.shape) == 0 {
		s.shape = []int{1}
	}
	if len(s.shape) > 4 {
		return nil, fmt.Errorf("a chunk of shape %v has %d dimensions: at most 4 can be written", in.Shape, len(in.Shape))
	}
	if slices.Contains(s.shape, 0) {
		return nil, fmt.Errorf("a chunk of shape %v has no elements", in.Shape)
	}
	var ok bool
	if s.elem, ok = element(in.Type); !ok {
		return nil, fmt.Errorf("cannot write %s, only integers, float32 and float64", in.Type.Name())
	}
	return s, nil
}

// element says how elements of a type become values of one that streams hold.
func element(t dtype.Type) (zfp.Elem, bool) {
	e := zfp.Elem{Type: zfp.Int32, Width: t.Size()}
	switch t.Kind() {
	case dtype.Int, dtype.Uint:
		e.Unsigned = t.Kind() == dtype.Uint
		switch bits := t.Units()[0].Bits; {
		case bits == 64:
			e.Type = zfp.Int64
		case bits < 32:
			e.Bits = bits
		}
	case dtype.Time, dtype.Duration:
		e.Type = zfp.Int64
	case dtype.Float:
		f, _ := dtype.FormatOf(t)
		switch {
		case f == nil:
			return e, false
		case f.Name() == "float32":
			e.Type = zfp.Float32
		case f.Name() == "float64":
			e.Type = zfp.Float64
		default:
			return e, false
		}
	default:
		return e, false
	}
	return e, true
}

// measure computes how large chunks can be.
func (s *serializer) measure() error {
	n, ok := zfp.MaxSize(s.shape, s.elem.Type, s.params)
	if s.other != nil && ok {
		var m int
		m, ok = zfp.MaxSize(s.shape, s.elem.Type, *s.other)
		n = max(n, m)
	}
	if s.header && ok {
		// A chunk may tell other parameters than those here, and another shape.
		exact, fits := zfp.MaxSize(s.shape, s.elem.Type, zfp.Reversible())
		count, counts := nd.Len(s.shape)
		flat, _ := zfp.MaxSize([]int{count}, s.elem.Type, zfp.Reversible())
		n, ok = max(n, exact, flat)+zfp.MaxHeader, fits && counts
	}
	if !ok {
		return fmt.Errorf("a chunk of shape %v has more bytes than can be counted", s.chunk)
	}
	s.size = n
	return nil
}

// Traits says whether something is lost.
func (s *serializer) Traits() codec.Traits {
	if s.params == zfp.Reversible() {
		return codec.Traits{}
	}
	return codec.Traits{Lossy: []string{"the mode is not reversible"}}
}

// Size is at most what blocks need that do not compress at all.
func (s *serializer) Size() codec.Size { return codec.AtMost(s.size) }

// length is the number of bytes of a chunk whose blocks all have the same size.
func (s *serializer) length(p zfp.Params) int {
	n, _ := zfp.MaxSize(s.shape, s.elem.Type, p)
	return n
}

// array is memory as package zfp takes it.
func (s *serializer) array(v nd.View) zfp.Array {
	a := zfp.Array{Elem: s.elem, Data: v.Data, Offset: v.Offset, Shape: v.Shape, Strides: v.Strides}
	if len(v.Shape) == 0 {
		a.Shape, a.Strides = s.shape, []int{s.elem.Width}
	}
	return a
}

// Encode appends the stream of a chunk.
func (s *serializer) Encode(_ context.Context, _ *codec.Chunk, dst []byte, src nd.View) ([]byte, error) {
	if s.native && (s.elem.Bits > 0 || s.elem.Unsigned) {
		return nil, fmt.Errorf("cannot write %s, which numcodecs does not read back", s.name)
	}
	return zfp.Append(dst, s.array(src), s.params, s.header)
}

// Decode fills dst with a box of the chunk.
func (s *serializer) Decode(ctx context.Context, ck *codec.Chunk, src codec.Source, box nd.Box, dst nd.View) error {
	var data []byte
	if m, ok := src.(*codec.Memory); ok {
		data = m.Bytes
	} else {
		hold, err := ck.Lend(min(s.size, 1<<16))
		if err != nil {
			return err
		}
		defer hold.Free()
		if hold.B, err = ck.ReadAll(ctx, src, s.Size(), hold.B); err != nil {
			return err
		}
		data = hold.B
	}
	if slices.Contains(box.Shape, 0) {
		return nil
	}
	start := box.Start
	if len(start) == 0 {
		start = []int{0}
	}
	stream := zfp.Stream{Data: data, Shape: s.shape, Params: s.params}
	if s.header {
		return s.decodeHeader(ck, stream, start, dst)
	}
	if s.other != nil && len(data) != s.length(s.params) && len(data) == s.length(*s.other) {
		stream.Params = *s.other
	}
	return bad(stream.Decode(start, s.array(dst), ck.Strict()))
}

// decodeHeader decodes a chunk that tells its own shape and parameters. The shape
// may be another one of as many elements: filters of numcodecs make one axis of
// all.
func (s *serializer) decodeHeader(ck *codec.Chunk, stream zfp.Stream, start []int, dst nd.View) error {
	h, err := zfp.ReadHeader(stream.Data)
	if err != nil {
		return bad(err)
	}
	if h.Type != s.elem.Type {
		return codec.Bad("holds %v, the chunk is of %s", h.Type, s.name)
	}
	stream.Start, stream.Params = h.Bits, h.Params
	if slices.Equal(h.Shape, s.shape) {
		return bad(stream.Decode(start, s.array(dst), ck.Strict()))
	}
	n, _ := nd.Len(s.shape)
	if m, ok := nd.Len(h.Shape); !ok || m != n {
		return codec.Bad("holds an array of shape %v, the chunk has shape %v", h.Shape, s.chunk)
	}
	own, hold, err := ck.LendView(s.elem.Width, h.Shape)
	if err != nil {
		return err
	}
	defer hold.Free()
	stream.Shape = h.Shape
	if err := stream.Decode(make([]int, len(h.Shape)), s.array(own), ck.Strict()); err != nil {
		return bad(err)
	}
	whole := nd.Of(own.Data, s.elem.Width, s.chunk...)
	nd.Copy(dst, whole.Box(nd.Box{Start: start[:len(s.chunk)], Shape: dst.Shape}))
	return nil
}

// bad marks what is wrong with a stream as bad data.
func bad(err error) error {
	if err == nil {
		return nil
	}
	return codec.Bad("%v", err)
}
