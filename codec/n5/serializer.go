package n5

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/n5block"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// serializer is the bound codec.
type serializer struct {
	spec   codec.Spec
	chain  *codec.Chain
	raw    bool         // elements are not compressed
	padded bool         // blocks at the edge are as large as the others
	header []byte       // of a block that is as large as the chunk
	full   *codec.Bound // the chain for such blocks
	likely codec.Size   // of such blocks
	size   codec.Size   // of all that are read

	mu    sync.Mutex
	edges map[string]*codec.Bound // the chain for blocks of other shapes, by their header
}

// maxEdges bounds how many chains are kept. A regular grid cuts blocks in at
// most two lengths along each axis, which is 16 shapes in four dimensions; only
// a hostile array has many.
const maxEdges = 64

// maxGuess bounds what is lent before anybody knows how long a block is.
const maxGuess = 16 << 20

// Size is at most that of a block that is longer than the chunk, as others may
// have written it.
func (s *serializer) Size() codec.Size { return s.size }

// Traits says what the codecs of a block lose.
func (s *serializer) Traits() codec.Traits { return codec.Traits{Lossy: s.full.Lossy()} }

// Ranges reports whether the elements can be read in parts.
func (s *serializer) Ranges(box nd.Box) bool { return s.full.Ranges(box) }

// Encode appends the block, cut to what lies inside the array unless it is to be
// padded.
func (s *serializer) Encode(ctx context.Context, ck *codec.Chunk, dst []byte, src nd.View) ([]byte, error) {
	if ck.Extent != nil && !s.padded {
		src.Shape = inside(s.spec.Shape, ck.Extent)
	}
	at := len(dst)
	dst = n5block.AppendDefault(dst, src.Shape)
	b, err := s.bound(ck, dst[at:])
	if err != nil {
		return nil, err
	}
	return b.Encode(ctx, inner(ck, src.Shape), dst, src)
}

// inner is the chunk as the codecs of a block see it. The cache is left out: it
// keeps the whole chunk, under the same name. An extent says nothing to them
// without a place.
func inner(ck *codec.Chunk, shape []int) *codec.Chunk {
	out := &codec.Chunk{Index: ck.Index, Limits: ck.Limits}
	if ck.Index != nil && ck.Extent != nil {
		out.Extent = make([]int, len(shape))
		for i, n := range ck.Extent {
			out.Extent[i] = min(n, shape[i])
		}
	}
	return out
}

// bound gives the chain for the block that data begins with.
func (s *serializer) bound(ck *codec.Chunk, data []byte) (*codec.Bound, error) {
	if bytes.HasPrefix(data, s.header) {
		return s.full, nil
	}
	shape, err := n5block.ParseDefault(data, len(s.spec.Shape))
	if err != nil {
		return nil, codec.Bad("%v", err)
	}
	if err := fit(ck, shape, s.spec.Shape, s.spec.Type.Size()); err != nil {
		return nil, err
	}
	head := data[:len(s.header)]
	s.mu.Lock()
	b := s.edges[string(head)]
	s.mu.Unlock()
	if b != nil {
		return b, nil
	}
	spec := s.spec
	spec.Shape = shape
	if b, err = s.chain.Bind(spec); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.edges) >= maxEdges {
		clear(s.edges)
	}
	s.edges[string(head)] = b
	return b, nil
}

// Decode fills dst with a box of the chunk.
func (s *serializer) Decode(ctx context.Context, ck *codec.Chunk, src codec.Source, box nd.Box, dst nd.View) error {
	if m, ok := src.(*codec.Memory); ok {
		return s.decodeBytes(ctx, ck, m.Bytes, box, dst)
	}
	if s.apart(ck, src, box) {
		sized, err := s.decodeApart(ctx, ck, src, box, dst)
		if sized || err != nil {
			return err
		}
	}
	hold, err := ck.Lend(min(s.likely.N, maxGuess, ck.MaxChunk()))
	if err != nil {
		return err
	}
	defer hold.Free()
	data, err := ck.ReadAll(ctx, src, s.size, hold.B)
	if errors.Is(err, codec.ErrData) {
		// It is too long. A block of another mode or shape is better named.
		if _, _, why := s.readHeader(ctx, ck, src); why != nil {
			err = why
		}
	}
	if err != nil {
		return err
	}
	hold.B = data
	return s.decodeBytes(ctx, ck, data, box, dst)
}

// How large a block must be for its header to be read by itself, which is a
// request more: if a part of the elements is wanted, and if all of them are, but
// need not be in memory at once.
const (
	nearPart  = 8 << 10
	farPart   = 1 << 20
	nearWhole = 256 << 10
	farWhole  = 16 << 20
)

// apart reports whether the header is read by itself.
func (s *serializer) apart(ck *codec.Chunk, src codec.Source, box nd.Box) bool {
	part, whole := farPart, farWhole
	if store.IsNear(src) {
		part, whole = nearPart, nearWhole
	}
	n := s.likely.N
	if !s.likely.Known {
		n = ck.MaxChunk()
	}
	return n > part && s.full.Ranges(box) || n > min(whole, ck.MaxChunk()) && s.raw
}

// decodeBytes decodes a block that is all there.
func (s *serializer) decodeBytes(ctx context.Context, ck *codec.Chunk, data []byte, box nd.Box, dst nd.View) error {
	b, err := s.bound(ck, data)
	if err != nil {
		return err
	}
	data = data[len(s.header):]
	if err := check(b, int64(len(data))); err != nil {
		return err
	}
	return s.place(ctx, ck, b, &codec.Memory{Bytes: data}, box, dst)
}

// decodeApart reads the header and lets the codecs of the block ask for what
// they need behind it. sized is false, and nothing was done, if nobody knows how
// much that is.
func (s *serializer) decodeApart(ctx context.Context, ck *codec.Chunk, src codec.Source, box nd.Box, dst nd.View) (sized bool, err error) {
	b, n, err := s.readHeader(ctx, ck, src)
	if err != nil || n < 0 {
		return false, err
	}
	return true, s.place(ctx, ck, b, &section{src, int64(len(s.header)), n}, box, dst)
}

// readHeader reads the header alone. It gives the chain for the block and the
// number of bytes behind the header, -1 if nobody knows it.
func (s *serializer) readHeader(ctx context.Context, ck *codec.Chunk, src codec.Source) (b *codec.Bound, n int64, err error) {
	head, info, err := src.Get(ctx, store.Part(0, int64(len(s.header))), make([]byte, 0, len(s.header)))
	if err != nil {
		return nil, -1, codec.RangeError(err)
	}
	if b, err = s.bound(ck, head); err != nil {
		return nil, -1, err
	}
	if info.Size >= 0 {
		n = info.Size - int64(len(s.header))
		return b, n, check(b, n)
	}
	if size := b.Size(); size.Exact {
		return b, int64(size.N), nil
	}
	return b, -1, nil
}

// check compares the number of bytes behind the header with what it can be.
func check(b *codec.Bound, n int64) error {
	switch size := b.Size(); {
	case size.Exact && n != int64(size.N):
		return codec.Bad("%d bytes follow the header of a block of shape %v, want %d", n, b.Spec().Shape, size.N)
	case size.Known && n > int64(size.N):
		return codec.Bad("%d bytes follow the header of a block of shape %v, at most %d are possible", n, b.Spec().Shape, size.N)
	}
	return nil
}

// place decodes what the box has of the block, which lies in the corner of the
// chunk, and fills the rest.
func (s *serializer) place(ctx context.Context, ck *codec.Chunk, b *codec.Bound, src codec.Source, box nd.Box, dst nd.View) error {
	shape := b.Spec().Shape
	if b != s.full {
		box = corner(box, shape)
		fillOutside(s.spec, dst, box.Shape)
		dst.Shape = box.Shape
	}
	if slices.Contains(box.Shape, 0) {
		return nil
	}
	return b.Decode(ctx, inner(ck, shape), src, box, dst)
}

// section is what stands behind the header, as a source of its own.
type section struct {
	src    codec.Source
	off, n int64
}

// Get appends a range of the section.
func (s *section) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	info := store.Info{Size: s.n}
	off, n, err := r.Resolve(s.n)
	if err != nil {
		return dst, info, err
	}
	out, _, err := s.src.Get(ctx, store.Part(s.off+off, n), dst)
	return out, info, err
}

// Near passes on what the source is.
func (s *section) Near() bool { return store.IsNear(s.src) }
