package tifftile

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/format/tiff/tile"
	"github.com/omnizarr/zarr/nd"
)

type serializer struct {
	bound
	recent atomic.Int64 // bytes of a tile that was read: the next will have about as many
}

// maxRecent bounds what is lent because another tile had as much.
const maxRecent = 16 << 20

// Size is an upper bound.
func (s *serializer) Size() codec.Size { return s.size }

// Ranges reports that parts of tiles that are not compressed can be read by
// themselves.
func (s *serializer) Ranges(box nd.Box) bool {
	return s.layout.Compression == tile.None && !box.Covers(s.shape)
}

// Encode appends the tile.
func (s *serializer) Encode(_ context.Context, ck *codec.Chunk, dst []byte, src nd.View) ([]byte, error) {
	return s.encode(ck, dst, src)
}

// Decode fills dst with a box of the chunk.
func (s *serializer) Decode(ctx context.Context, ck *codec.Chunk, src codec.Source, box nd.Box, dst nd.View) error {
	return s.place(ck, box, dst, func(part nd.Box, v nd.View) error {
		return s.read(ctx, ck, src, part, v)
	})
}

// read fills v with a box of the tile.
func (s *serializer) read(ctx context.Context, ck *codec.Chunk, src codec.Source, box nd.Box, v nd.View) error {
	want := s.want(ck)
	if m, ok := src.(*codec.Memory); ok {
		return s.decode(ck, v, m.Bytes, box, want)
	}
	if s.layout.Compression == tile.None {
		short, err := s.readRows(ctx, ck, src, box, v)
		if !short {
			return err
		}
	}
	n := int(s.recent.Load())
	hold, err := ck.Lend(min(n+n/8+1<<16, ck.MaxChunk()))
	if err != nil {
		return err
	}
	defer hold.Free()
	if hold.B, err = ck.ReadAll(ctx, src, s.size, hold.B); err != nil {
		return err
	}
	s.recent.Store(int64(min(len(hold.B), maxRecent)))
	return s.decode(ck, v, hold.B, box, want)
}

// decode fills v with a box of the tile that data holds, if that takes no more
// memory than is allowed.
func (b *bound) decode(ck *codec.Chunk, v nd.View, data []byte, box nd.Box, want int) error {
	if err := ck.Check(b.layout.Scratch(data, box)); err != nil {
		return err
	}
	return b.layout.DecodeBox(v, data, box, want)
}

// place calls decode with the part of a box of the chunk that lies inside the
// tile, in the tile's axes, and the memory for it. What lies outside is set to
// zero.
func (b *bound) place(ck *codec.Chunk, box nd.Box, dst nd.View, decode func(nd.Box, nd.View) error) error {
	if slices.Contains(box.Shape, 0) {
		return nil
	}
	part, lead := b.inside(box)
	if !b.beside() {
		// Several axes hold the samples: they are joined in other memory.
		mem, hold, err := ck.LendView(b.esize, part.Shape)
		if err != nil {
			return err
		}
		defer hold.Free()
		if len(mem.Data) > 0 {
			if err := decode(part, mem); err != nil {
				return err
			}
		}
		shape := append(slices.Clone(lead), part.Shape[1:]...)
		from := nd.Of(mem.Data, b.esize, shape...)
		start := append(slices.Clone(box.Start[:len(lead)]), 0, 0)
		size := append(slices.Clone(box.Shape[:len(lead)]), part.Shape[1:]...)
		to := dst
		to.Shape = size
		zeroOutside(dst, to)
		nd.Copy(to, from.Box(nd.Box{Start: start, Shape: size}))
		return nil
	}
	last := len(b.shape) - 1
	v := dst
	v.Shape, v.Strides = part.Shape, []int{0, dst.Strides[last-1], dst.Strides[last]}
	covered := dst
	covered.Shape = slices.Clone(dst.Shape)
	covered.Shape[last-1], covered.Shape[last] = part.Shape[1], part.Shape[2]
	if b.samples >= 0 {
		v.Strides[0] = dst.Strides[b.samples]
		covered.Shape[b.samples] = part.Shape[0]
	}
	zeroOutside(dst, covered)
	if slices.Contains(part.Shape, 0) {
		return nil
	}
	return decode(part, v)
}

// inside is the part of a box of the chunk that lies inside the tile. Where
// several axes hold the samples, which are lead, it is all samples.
func (b *bound) inside(box nd.Box) (part nd.Box, lead []int) {
	l := &b.layout
	last := len(b.shape) - 1
	mem := [6]int{0, box.Start[last-1], box.Start[last], 1, box.Shape[last-1], box.Shape[last]}
	switch {
	case !b.beside():
		lead = b.shape[:last-1]
		mem[3] = l.Samples
	case b.samples >= 0:
		mem[0], mem[3] = box.Start[b.samples], box.Shape[b.samples]
	}
	for i, most := range [3]int{l.Samples, l.Height, l.Width} {
		mem[3+i] = max(min(mem[i]+mem[3+i], most)-mem[i], 0)
	}
	return nd.Box{Start: mem[:3:3], Shape: mem[3:]}, lead
}

// zeroOutside sets what v has and its corner does not have to zero.
func zeroOutside(v, corner nd.View) {
	if slices.Equal(v.Shape, corner.Shape) {
		return
	}
	var elem [16]byte
	nd.Fill(v, elem[:v.Size])
}

// encode appends the tile that a chunk holds.
func (b *bound) encode(ck *codec.Chunk, dst []byte, src nd.View) ([]byte, error) {
	l := &b.layout
	if err := b.nothingOutside(src); err != nil {
		return nil, err
	}
	last := len(b.shape) - 1
	if !b.beside() {
		src.Shape = append(slices.Clone(b.shape[:last-1]), l.Height, l.Width)
		own, hold, err := ck.LendView(b.esize, src.Shape)
		if err != nil {
			return nil, err
		}
		defer hold.Free()
		nd.Copy(own, src)
		return l.AppendEncode(dst, nd.Of(own.Data, b.esize, l.Samples, l.Height, l.Width), b.encoding)
	}
	v := src
	v.Shape, v.Strides = []int{l.Samples, l.Height, l.Width}, []int{0, src.Strides[last-1], src.Strides[last]}
	if b.samples >= 0 {
		v.Strides[0] = src.Strides[b.samples]
	}
	return l.AppendEncode(dst, v, b.encoding)
}

// nothingOutside reports elements that lie outside the tile and are not zero:
// they would be lost.
func (b *bound) nothingOutside(src nd.View) error {
	l := &b.layout
	last := len(b.shape) - 1
	most := slices.Clone(b.shape)
	most[last-1], most[last] = l.Height, l.Width
	var elem [16]byte
	for i, n := range b.shape {
		if n == most[i] {
			continue
		}
		box := nd.Box{Start: make([]int, len(b.shape)), Shape: slices.Clone(b.shape)}
		box.Start[i], box.Shape[i] = most[i], n-most[i]
		if !nd.IsFill(src.Box(box), elem[:b.esize]) {
			return fmt.Errorf("elements outside the tile, from %d of %d on along axis %d, are not zero and cannot be stored", most[i], n, i)
		}
	}
	return nil
}

// filter is the codec behind one that writes elements as bytes.
type filter struct {
	bound
	n int // bytes of a chunk
}

// Size is an upper bound.
func (f *filter) Size() codec.Size { return f.size }

// Encode appends the tile that the bytes of a chunk make.
func (f *filter) Encode(ck *codec.Chunk, dst, src []byte) ([]byte, error) {
	if len(src) != f.n {
		return nil, codec.Bad("got %d bytes, want %d", len(src), f.n)
	}
	return f.encode(ck, dst, nd.Of(src, f.esize, f.shape...))
}

// Decode appends the samples of a tile.
func (f *filter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	if f.n > limit {
		return nil, ck.Over(f.n, limit)
	}
	want := f.want(ck)
	if err := f.layout.Probe(src, want); err != nil {
		return nil, err // before memory is asked for
	}
	at := len(dst)
	dst, err := ck.Grow(dst, f.n)
	if err != nil {
		return nil, err
	}
	dst = dst[:at+f.n]
	v := nd.Of(dst[at:], f.esize, f.shape...)
	err = f.place(ck, nd.Whole(f.shape), v, func(part nd.Box, v nd.View) error {
		return f.decode(ck, v, src, part, want)
	})
	return dst, err
}
