package delta

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/codec"
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
	exact  bool           // integers, all of whose differences are stored
	back   numeric.Kernel // from what is stored, for integers

	widen   numeric.Kernel // from what is stored to what is added up
	sum     kernel
	sumSize int // bytes of a sum
	start   [16]byte
	finish  numeric.Kernel // from a sum to an element
}

// Traits says what differences lose.
func (f *filter) Traits() codec.Traits {
	if f.exact {
		return codec.Traits{}
	}
	return codec.Traits{Lossy: []string{"differences are rounded or cut to " + f.out.Type.Name()}}
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
func (f *filter) Encode(ck *codec.Chunk, dst, src nd.View) error {
	if src.Len() == 0 {
		return nil
	}
	s, hold, err := contiguous(ck, src)
	if err != nil {
		return err
	}
	defer hold.Free()
	d, direct := dst.Contiguous()
	if !direct {
		own, hold, err := ck.LendView(dst.Size, dst.Shape)
		if err != nil {
			return err
		}
		defer hold.Free()
		d = own.Data
	}
	if err := f.encode(ck, d, s); err != nil {
		return err
	}
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
func contiguous(ck *codec.Chunk, v nd.View) ([]byte, *codec.Buffer, error) {
	if mem, ok := v.Contiguous(); ok {
		return mem, nil, nil
	}
	own, hold, err := ck.LendView(v.Size, v.Shape)
	if err != nil {
		return nil, nil, err
	}
	nd.Copy(own, v)
	return own.Data, hold, nil
}

// piece is how many elements are computed before they are converted.
const piece = 512

func (f *filter) encode(ck *codec.Chunk, dst, src []byte) error {
	var carry [16]byte
	before := carry[:f.size]
	if f.narrow == nil {
		f.diff(dst, src, before)
		return nil
	}
	hold, err := ck.Lend(piece * f.size)
	if err != nil {
		return err
	}
	defer hold.Free()
	for len(src) > 0 {
		n := min(piece, len(src)/f.size)
		mem, out := hold.B[:n*f.size], n*f.out.Type.Size()
		f.diff(mem, src[:len(mem)], before)
		f.narrow(dst[:out], mem)
		dst, src = dst[out:], src[len(mem):]
	}
	return nil
}

// Decode adds differences up.
func (f *filter) Decode(ck *codec.Chunk, dst nd.View, b nd.Box, src nd.View) error {
	if src.Len() == 0 || dst.Len() == 0 {
		return nil
	}
	s, hold, err := contiguous(ck, src)
	if err != nil {
		return err
	}
	defer hold.Free()
	carry := f.start
	sum := carry[:f.sumSize]
	if slices.Equal(b.Shape, src.Shape) {
		// Everything that is there is wanted: it goes to where it belongs, run by
		// run.
		return numeric.Runs(dst, nd.Of(s, src.Size, src.Shape...), func(d, s []byte) error {
			return f.decode(ck, d, s, sum)
		})
	}
	own, mem, err := ck.LendView(f.size, src.Shape)
	if err != nil {
		return err
	}
	defer mem.Free()
	if err := f.decode(ck, own.Data, s, sum); err != nil {
		return err
	}
	nd.Copy(dst, own.Box(b))
	return nil
}

// decode continues sum, which it leaves for the next run.
func (f *filter) decode(ck *codec.Chunk, dst, src, sum []byte) error {
	if f.widen == nil && f.finish == nil {
		f.sum(dst, src, sum)
		return nil
	}
	hold, err := ck.Lend(2 * piece * 16)
	if err != nil {
		return err
	}
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
	return nil
}
