package cast

import (
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/nd"
)

// numpy casts elements of one type to another, as NumPy does. A complex number
// is two parts, one behind the other.
type numpy struct {
	cast     numeric.Kernel // of a number, or of one part
	in, out  int            // bytes of one
	both     bool           // the imaginary part is cast too
	addZero  bool           // the target has an imaginary part, the source none
	eitherOr bool           // true if one of two parts is not zero
}

func newNumpy(from, to dtype.Type) (*numpy, error) {
	in, out := part(from), part(to)
	times := isTime(from) || isTime(to)
	switch {
	case in == numeric.None || out == numeric.None,
		times && (in.IsFloat() || out.IsFloat() || from.Kind() == dtype.Bool || to.Kind() == dtype.Bool),
		isTime(from) && isTime(to) && !dtype.Equal(from, to):
		return nil, fmt.Errorf("cannot cast %v to %v", from, to)
	}
	n := &numpy{cast: numeric.Cast(out, in), in: in.Size(), out: out.Size()}
	if to.Kind() == dtype.Bool {
		n.cast = truth(n.in, in.IsFloat())
	}
	if n.cast == nil {
		n.cast = func(dst, src []byte) { copy(dst, src) }
	}
	n.both = from.Kind() == dtype.Complex && to.Kind() == dtype.Complex
	n.addZero = from.Kind() != dtype.Complex && to.Kind() == dtype.Complex
	n.eitherOr = from.Kind() == dtype.Complex && to.Kind() == dtype.Bool
	return n, nil
}

// part is the type of a number, or of the parts of a complex one.
func part(t dtype.Type) numeric.Type {
	switch t.Kind() {
	case dtype.Bool:
		return numeric.Uint8
	case dtype.Time, dtype.Duration:
		return numeric.Int64
	case dtype.Int, dtype.Uint:
		return numeric.Named(t.Name())
	case dtype.Float, dtype.Complex:
		f, _ := dtype.FormatOf(t)
		return numeric.Named(f.Name())
	}
	return numeric.None
}

func isTime(t dtype.Type) bool { return t.Kind() == dtype.Time || t.Kind() == dtype.Duration }

// truth makes 1 of everything but zero.
func truth(size int, float bool) numeric.Kernel {
	sign := byte(0xff)
	if float {
		sign = 0x7f // -0 is zero
	}
	return func(dst, src []byte) {
		for i := range dst {
			elem := src[i*size : (i+1)*size]
			any := elem[size-1] & sign
			for _, b := range elem[:size-1] {
				any |= b
			}
			dst[i] = 0
			if any != 0 {
				dst[i] = 1
			}
		}
	}
}

// run casts all elements; there is nothing that cannot be cast.
func (n *numpy) run(ck *codec.Chunk, dst, src nd.View) error {
	if n.eitherOr {
		re, err := ck.Make(1, dst.Shape...)
		if err != nil {
			return err
		}
		im, err := ck.Make(1, dst.Shape...)
		if err != nil {
			return err
		}
		n.parts(re, view(src, 0, n.in))
		n.parts(im, view(src, n.in, n.in))
		for i, x := range im.Data {
			re.Data[i] |= x
		}
		nd.Copy(dst, re)
		return nil
	}
	n.parts(view(dst, 0, n.out), view(src, 0, n.in))
	switch {
	case n.both:
		n.parts(view(dst, n.out, n.out), view(src, n.in, n.in))
	case n.addZero:
		nd.Fill(view(dst, n.out, n.out), make([]byte, n.out))
	}
	return nil
}

// view is one part of the elements of v.
func view(v nd.View, at, size int) nd.View {
	v.Offset, v.Size = v.Offset+at, size
	return v
}

func (n *numpy) parts(dst, src nd.View) {
	_ = numeric.Runs(dst, src, func(d, s []byte) error {
		n.cast(d, s)
		return nil
	})
}
