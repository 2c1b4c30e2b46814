package codectest

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/nd"
)

// huge is how many times as long an axis is made: a number that anybody can write
// into a document.
const huge = 1 << 40

// testHuge binds the chain to chunks that are 2⁴⁰ times as large, along each axis,
// and gives it 64 bytes. Neither reading nor changing one element may allocate what
// the document says, and both are errors, unless the chain does not bind at all.
func testHuge(t *testing.T, s *subject) {
	bound := uint64(8<<20 + 4*s.limits.MaxChunk)
	for axis := range s.Shape {
		spec := s.spec
		spec.Shape = slices.Clone(s.Shape)
		if spec.Shape[axis] *= huge; spec.Shape[axis] < huge {
			continue
		}
		var b *codec.Bound
		var err error
		if n := allocated(func() { b, err = s.chain.Bind(spec) }); n > bound && !race.Enabled {
			t.Errorf("binding to %v took %d bytes of memory", spec.Shape, n)
		}
		if err != nil {
			continue
		}
		good := s.encode(t, s.sample(s.random(t), s.Shape))
		for i, data := range [][]byte{make([]byte, 64), bytes.Repeat([]byte{0xff}, 64), good[:min(len(good), 64)], nil} {
			for _, src := range sources(data) {
				s.tryHuge(t, b, src, i < 3, bound)
			}
		}
	}
}

// tryHuge reads and changes the first and the last element of a chunk.
func (s *subject) tryHuge(t *testing.T, b *codec.Bound, src codec.Source, stored bool, most uint64) {
	t.Helper()
	shape := b.Spec().Shape
	for _, last := range []int{0, 1} {
		box := nd.Box{Start: make([]int, len(shape)), Shape: make([]int, len(shape))}
		for i, n := range shape {
			box.Start[i], box.Shape[i] = last*(n-1), 1
		}
		one := s.empty(box.Shape)
		ck := s.chunk()
		ck.Index = make([]int, len(shape))
		var err error
		n := allocated(func() { err = b.Decode(context.Background(), ck, src, box, one) })
		if n > most && !race.Enabled {
			t.Errorf("reading an element of %v took %d bytes of memory, %v", shape, n, err)
		}
		// The first bytes of a chunk may hold its first element.
		if err == nil && !s.Sparse && last == 1 {
			t.Errorf("an element of %v was read from nothing, through %T", shape, src)
		}
		keep := s.keeping()
		keep.Index = ck.Index
		old := src
		if !stored {
			old = nil
		}
		n = allocated(func() { _, err = b.Update(context.Background(), keep, nil, old, box, one) })
		if n > most+encoders && !race.Enabled || err == nil {
			t.Errorf("changing an element of %v took %d bytes of memory, %v", shape, n, err)
		}
	}
}
