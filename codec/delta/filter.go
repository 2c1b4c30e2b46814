package delta

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/nd"
)

// filter is a bound Codec. Conversions are nil where there is nothing to do.
type filter struct {
	shape []int
	out   codec.Spec
	size  int // bytes of an element

	diff   kernel
	narrow numeric.Kernel // to what is stored
	back   numeric.Kernel // from what is stored, for integers

	widen   numeric.Kernel // from what is stored to what is added up
	sum     kernel
	sumSize int // bytes of a sum
	start   [16]byte
	finish  numeric.Kernel // from a sum to an element
}

// Out is differences in a chunk of the same shape. As fill value it has the
// first that a chunk of fill values would store, which is what others take it
// for.
func (f *filter) Out() codec.Spec { return f.out }

// Needs is everything up to the last element of b, as a box: axes along which b
// reaches only the first index stay short as long as no other came before them.
func (f *filter) Needs(b nd.Box) nd.Box {
	out := nd.Box{Start: make([]int, len(b.Start)), Shape: slices.Clone(f.shape)}
	for i, n := range b.Shape {
		if n == 0 {
			return nd.Box{Start: out.Start, Shape: make([]int, len(b.Shape))}
		}
		out.Shape[i] = b.Start[i] + n
		if out.Shape[i] > 1 {
			break
		}
	}
	return out
}

// Encode takes differences. The first element must fit the stored type, as it
// must in numcodecs; that differences do is up to those who chose the type.
func (f *filter) Encode(_ *codec.Chunk, dst, src nd.View) error {
	if src.Len() == 0 {
		return nil
	}
	s, hold := contiguous(src)
	defer hold.Free()
	d, direct := dst.Contiguous()
	if !direct {
		own := buf.Get(dst.Len() * dst.Size)
		defer own.Free()
		d = own.B[:dst.Len()*dst.Size]
	}
	f.encode(d, s)
	if f.back != nil {
		var first [8]byte
		f.back(first[:f.size], d[:dst.Size])
		if !bytes.Equal(first[:f.size], s[:f.size]) {
			return fmt.Errorf("the first element does not fit %s", f.out.Type.Name())
		}
	}
	if !direct {
		nd.Copy(dst, nd.Of(d, dst.Size, dst.Shape...))
	}
	return nil
}

// contiguous returns the elements of v in C order, in lent memory if they do not
// lie so.
func contiguous(v nd.View) ([]byte, *buf.Buffer) {
	if mem, ok := v.Contiguous(); ok {
		return mem, nil
	}
	hold := buf.Get(v.Len() * v.Size)
	mem := hold.B[:v.Len()*v.Size]
	nd.Copy(nd.Of(mem, v.Size, v.Shape...), v)
	return mem, hold
}

// piece is how many elements are computed before they are converted.
const piece = 512

func (f *filter) encode(dst, src []byte) {
	var carry [16]byte
	before := carry[:f.size]
	if f.narrow == nil {
		f.diff(dst, src, before)
		return
	}
	hold := buf.Get(piece * f.size)
	defer hold.Free()
	for len(src) > 0 {
		n := min(piece, len(src)/f.size)
		mem, out := hold.B[:n*f.size], n*f.out.Type.Size()
		f.diff(mem, src[:len(mem)], before)
		f.narrow(dst[:out], mem)
		dst, src = dst[out:], src[len(mem):]
	}
}

// Decode adds differences up.
func (f *filter) Decode(_ *codec.Chunk, dst nd.View, b nd.Box, src nd.View) error {
	n := src.Len()
	if n == 0 || dst.Len() == 0 {
		return nil
	}
	s, hold := contiguous(src)
	defer hold.Free()
	carry := f.start
	sum := carry[:f.sumSize]
	if slices.Equal(b.Shape, src.Shape) {
		// Everything that is there is wanted: it goes to where it belongs, run by
		// run.
		return numeric.Runs(dst, nd.Of(s, src.Size, src.Shape...), func(d, s []byte) error {
			f.decode(d, s, sum)
			return nil
		})
	}
	own := buf.Get(n * f.size)
	defer own.Free()
	d := own.B[:n*f.size]
	f.decode(d, s, sum)
	nd.Copy(dst, nd.Of(d, f.size, src.Shape...).Box(b))
	return nil
}

// decode continues sum, which it leaves for the next run.
func (f *filter) decode(dst, src, sum []byte) {
	if f.widen == nil && f.finish == nil {
		f.sum(dst, src, sum)
		return
	}
	hold := buf.Get(2 * piece * 16)
	defer hold.Free()
	terms, sums := hold.B[:piece*16], hold.B[piece*16:2*piece*16]
	for len(dst) > 0 {
		n := min(piece, len(dst)/f.size)
		in, out := src[:n*f.out.Type.Size()], dst[:n*f.size]
		dst, src = dst[len(out):], src[len(in):]
		if f.widen != nil {
			f.widen(terms[:n*f.sumSize], in)
			in = terms[:n*f.sumSize]
		}
		if f.finish == nil {
			f.sum(out, in, sum)
			continue
		}
		f.sum(sums[:n*f.sumSize], in, sum)
		f.finish(out, sums[:n*f.sumSize])
	}
}
