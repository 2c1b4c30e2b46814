package endian

import (
	"context"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// How much is read at once, and how many unwanted bytes are read along rather
// than asking again. A local file is read in pieces that stay in the
// second-level cache until they are copied to where they belong; over a network
// one request is worth about a mebibyte.
const (
	nearPiece = 256 << 10
	nearGap   = 8 << 10
	farPiece  = 64 << 20
	farGap    = 1 << 20
)

// maxDeep bounds what is read at once so that whole cache lines are written.
const (
	cacheLine = 64
	maxDeep   = 16 << 20
)

// rows reads a box of a chunk by ranges.
type rows struct {
	s          *serializer
	ctx        context.Context
	ck         *codec.Chunk
	src        codec.Source
	piece, gap int
	scratch    *codec.Buffer
}

func (r *rows) done() { r.scratch.Free() }

// share is how many bytes of a large box one worker reads: enough that to begin does not matter.
const share = 4 << 20

// readAll is read of a whole box. A large one is cut along its first axis for all workers that have nothing
// else to do.
func (r *rows) readAll(off int, shape []int, dst nd.View) error {
	bytes, _ := nd.Bytes(shape, dst.Size)
	axis := slices.IndexFunc(shape, func(n int) bool { return n > 1 })
	parts := 1
	if axis >= 0 {
		parts = max(1, min(shape[axis], bytes/max(share, r.piece)))
	}
	if parts == 1 {
		defer r.done()
		return r.read(0, off, shape, dst)
	}
	return r.ck.Run(r.ctx, parts, int64(r.piece), func(i int) error {
		part := *r
		defer part.done()
		lo, hi := shape[axis]*i/parts, shape[axis]*(i+1)/parts
		sub := dst
		sub.Shape = slices.Clone(shape)
		sub.Shape[axis] = hi - lo
		sub.Offset += lo * dst.Strides[axis]
		return part.read(0, off+lo*r.s.strides[axis], sub.Shape, sub)
	})
}

// read fills dst with the box of the given shape that starts at byte off of the
// chunk, looking at the axes from k on; the axes before k are settled.
func (r *rows) read(k, off int, shape []int, dst nd.View) error {
	size := r.s.spec.Type.Size()
	span, useful := size, size
	for i := k; i < len(shape); i++ {
		if shape[i] == 0 {
			return nil
		}
		span += (shape[i] - 1) * r.s.strides[i]
		useful *= shape[i]
	}
	if span == useful {
		if mem, ok := dst.Contiguous(); ok {
			return r.place(off, mem)
		}
	}
	if k == len(shape) || r.close(span-useful, useful) && span <= r.piece {
		return r.slab(k, off, span, shape, dst)
	}
	// Too much at once: cut along axis k, into as many of its layers as fit a
	// piece, if they are dense and lie close together.
	stride := r.s.strides[k]
	layer, used := span-(shape[k]-1)*stride, useful/shape[k]
	step := 1
	if r.close(layer-used, used) && r.close(stride-layer, layer) {
		step = max(1, r.piece/stride)
		// Where the memory runs along axis k, as that of a transposed chunk
		// does, fewer layers would fill parts of cache lines only.
		if deep := cacheLine / size; step < deep && dst.Strides[0] == size && deep*stride <= min(maxDeep, r.ck.Piece()) {
			step = deep
		}
	}
	part := append([]int(nil), shape...)
	sub := dst
	for i := 0; i < shape[k]; i += step {
		sub.Offset = dst.Offset + i*dst.Strides[0]
		at := off + i*stride
		var err error
		if step == 1 {
			sub.Shape, sub.Strides = part[k+1:], dst.Strides[1:]
			err = r.read(k+1, at, part, sub)
		} else {
			part[k] = min(step, shape[k]-i)
			sub.Shape = part[k:]
			err = r.slab(k, at, (part[k]-1)*stride+layer, part, sub)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// close reports whether reading so many unwanted bytes along with the useful
// ones is better than asking for the parts.
func (r *rows) close(unwanted, useful int) bool { return unwanted <= r.gap || unwanted <= useful }

// place reads what lies in mem as it is stored, but for the order of bytes. That
// is changed piece by piece, while a piece is still in the cache.
func (r *rows) place(off int, mem []byte) error {
	if r.s.swap == nil {
		return r.get(off, len(mem), mem[:0:len(mem)])
	}
	size := r.s.spec.Type.Size()
	step := max(r.piece/size, 1) * size
	for len(mem) > 0 {
		n := min(step, len(mem))
		if err := r.get(off, n, mem[:0:n]); err != nil {
			return err
		}
		swap(mem[:n], r.s.swap, size)
		off, mem = off+n, mem[n:]
	}
	return nil
}

// slab reads one span through the scratch buffer.
func (r *rows) slab(k, off, span int, shape []int, dst nd.View) error {
	if r.scratch == nil || cap(r.scratch.B) < span {
		r.scratch.Free()
		var err error
		if r.scratch, err = r.ck.Lend(span); err != nil {
			return err
		}
	}
	if err := r.get(off, span, r.scratch.B[:0:span]); err != nil {
		return err
	}
	r.s.copy(dst, nd.View{Data: r.scratch.B[:span], Size: dst.Size, Shape: shape[k:], Strides: r.s.strides[k:]})
	return nil
}

// get reads a range into mem, whose capacity is its length.
func (r *rows) get(off, n int, mem []byte) error {
	out, info, err := r.src.Get(r.ctx, store.Part(int64(off), int64(n)), mem)
	if info.Size > 0 && info.Size != int64(r.s.size) {
		return codec.Bad("got %d bytes, want %d", info.Size, r.s.size)
	}
	if err != nil {
		return codec.RangeError(err)
	}
	if n > 0 && &out[0] != &mem[:1][0] {
		copy(mem[:n], out)
	}
	return nil
}
