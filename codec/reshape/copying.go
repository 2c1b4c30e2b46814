package reshape

import (
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/nd"
)

// copying is a bound reshape that strides alone cannot do.
//
// Both shapes are cut into groups of neighbouring axes that have as many
// elements, as small as possible: the chunk [4, 6, 5] and its other shape
// [8, 3, 5] into [4, 6] and [8, 3], and [5] and [5]. Elements stay in their
// group, and there they are in order.
type copying struct {
	in     []int
	out    codec.Spec
	groups []group
}

// group is axes in[a:b] of the chunk and out[c:d] of the encoded one.
type group struct{ a, b, c, d int }

func newCopying(in []int, out codec.Spec) *copying {
	f := &copying{in: in, out: out}
	for a, c := 0, 0; a < len(in) || c < len(out.Shape); {
		g := group{a, a, c, c}
		n, m := 1, 1
		// At least one axis, and more until both have as many elements.
		for g.b < len(in) && (g.b == a || n < m) {
			n *= in[g.b]
			g.b++
			for g.d < len(out.Shape) && m < n {
				m *= out.Shape[g.d]
				g.d++
			}
		}
		if g.b == len(in) { // what is left is of length 1
			g.d = len(out.Shape)
		}
		f.groups = append(f.groups, g)
		a, c = g.b, g.d
	}
	return f
}

// Out is the same elements in the other shape.
func (f *copying) Out() codec.Spec { return f.out }

// span is the first and the last element of a box in one group, counted in it.
func (f *copying) span(g group, b nd.Box) (first, last int) {
	for i := g.a; i < g.b; i++ {
		first = first*f.in[i] + b.Start[i]
		last = last*f.in[i] + b.Start[i] + b.Shape[i] - 1
	}
	return first, last
}

// Needs is, in every group, the smallest box with all elements from the first to
// the last of b.
func (f *copying) Needs(b nd.Box) nd.Box {
	rank := len(f.out.Shape)
	mem := make([]int, 2*rank)
	need := nd.Box{Start: mem[:rank:rank], Shape: mem[rank:]}
	for _, n := range b.Shape {
		if n == 0 {
			return need
		}
	}
	for _, g := range f.groups {
		first, last := f.span(g, b)
		// An axis has one index for all elements between, or a range of them;
		// those behind the first range are needed as a whole.
		for i := g.c; i < g.d; i++ {
			below := product(f.out.Shape[i+1 : g.d])
			lo, hi := first/below, last/below
			if first, last = first%below, last%below; lo != hi {
				first, last = 0, below-1
			}
			need.Start[i], need.Shape[i] = lo, hi-lo+1
		}
	}
	return need
}

// Encode copies a chunk.
func (f *copying) Encode(_ *codec.Chunk, dst, src nd.View) error {
	whole := nd.Whole(f.in)
	same, err := f.decoded(dst, whole, nd.Whole(f.out.Shape))
	if err == nil {
		nd.Copy(same, src)
	}
	return err
}

// Decode copies a box.
func (f *copying) Decode(_ *codec.Chunk, dst nd.View, b nd.Box, src nd.View) error {
	for _, n := range b.Shape {
		if n == 0 {
			return nil
		}
	}
	same, err := f.decoded(src, b, f.Needs(b))
	if err == nil {
		nd.Copy(dst, same)
	}
	return err
}

// decoded views the elements of box b in v, which is box need of the encoded
// chunk and lies in C order, so that the elements of a group are evenly apart.
func (f *copying) decoded(v nd.View, b, need nd.Box) (nd.View, error) {
	if _, ok := v.Contiguous(); !ok {
		return nd.View{}, fmt.Errorf("memory for reshaping is not in C order")
	}
	rank := len(f.in)
	out := v
	out.Shape, out.Strides = b.Shape, make([]int, rank)
	for _, g := range f.groups {
		step := v.Size * product(need.Shape[g.d:])
		first, _ := f.span(g, b)
		start := 0
		for i := g.c; i < g.d; i++ {
			start = start*f.out.Shape[i] + need.Start[i]
		}
		out.Offset += (first - start) * step
		for i := g.b - 1; i >= g.a; i-- {
			out.Strides[i] = step
			step *= f.in[i]
		}
	}
	return out, nil
}
