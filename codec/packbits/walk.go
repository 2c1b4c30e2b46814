package packbits

import "github.com/omnizarr/zarr/nd"

// How many packed bytes are read at once, and how many unwanted ones are read
// along rather than asking again: for a local file, and over a network.
const (
	nearPiece = 256 << 10
	nearGap   = 8 << 10
	farPiece  = 64 << 20
	farGap    = 1 << 20
)

// walker cuts a box of a chunk into slabs, in C order. A slab is a box of
// elements that lie close together in the chunk.
type walker struct {
	strides []int // of the chunk, in elements
	piece   int   // elements from the first to the last of a slab, at most
	gap     int   // unwanted elements that a slab may hold in any case
	runs    bool  // what is one run in the chunk and in memory is not cut
	rows    bool  // slabs have one row
}

// slab is called with the number of the first element, how many there are in
// the chunk from it to the last, and the part of memory that they belong to,
// which has the axes of shape from k on.
type slab func(k, off, span int, shape []int, mem nd.View) error

// walk goes through the box of the given shape that starts at element off,
// which mem views. The axes before k are settled. Lengths in shape are changed
// on the way and put back.
func (w walker) walk(k, off int, shape []int, mem nd.View, do slab) error {
	span, useful := 1, 1
	for i := k; i < len(shape); i++ {
		if shape[i] == 0 {
			return nil
		}
		span += (shape[i] - 1) * w.strides[i]
		useful *= shape[i]
	}
	if w.runs {
		if _, ok := run(span, mem); ok {
			return do(k, off, span, shape, mem)
		}
	}
	cut := w.rows && k < len(shape)-1
	if k == len(shape) || !cut && span <= w.piece && w.close(span-useful, useful) {
		return do(k, off, span, shape, mem)
	}
	// Too much at once: cut along axis k, into as many of its layers as fit a
	// piece, if they are dense and lie close together.
	stride := w.strides[k]
	layer, used := span-(shape[k]-1)*stride, useful/shape[k]
	step := 1
	if !cut && w.close(layer-used, used) && w.close(stride-layer, layer) {
		step = max(1, w.piece/stride)
	}
	n, sub := shape[k], mem
	defer func() { shape[k] = n }()
	for i := 0; i < n; i += step {
		sub.Offset = mem.Offset + i*mem.Strides[0]
		at := off + i*stride
		var err error
		if step == 1 {
			sub.Shape, sub.Strides = shape[k+1:], mem.Strides[1:]
			err = w.walk(k+1, at, shape, sub, do)
		} else {
			shape[k] = min(step, n-i)
			sub.Shape = shape[k:]
			err = do(k, at, (shape[k]-1)*stride+layer, shape, sub)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// close reports whether taking so many unwanted elements along with the useful
// ones is better than to go for the parts.
func (w walker) close(unwanted, useful int) bool { return unwanted <= w.gap || unwanted <= useful }

// run returns the memory of v if its elements are one run there, and one run of
// span elements in the chunk.
func run(span int, v nd.View) ([]byte, bool) {
	mem, ok := v.Contiguous()
	return mem, ok && len(mem) == span*v.Size
}
