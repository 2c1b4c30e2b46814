// Package downsample makes smaller versions of arrays: of any rank by windows of any
// shape (Sampler), and overviews, images of half the width and height, by kernels of
// their own (Halver).
package downsample

import (
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/nd"
)

// Method says how several elements become one.
type Method int

// The methods. What they make of blocks of four pixels is what GDAL makes of
// them.
const (
	// Average is the mean, for integers rounded to the nearest, halves away from
	// zero. NaN does not count, unless there is nothing else.
	Average Method = iota
	// Nearest is the pixel with the smaller coordinates.
	Nearest
	// Mode is the value that is there most often, for classes; of several the one
	// that is there so often first, going through the rows.
	Mode
	// Max and Min are the largest and the least value, which only a Sampler makes. NaN
	// does not count, unless there is nothing else.
	Max
	Min
)

// String is the name of the method.
func (m Method) String() string {
	if m < Average || m > Min {
		return fmt.Sprintf("method %d", int(m))
	}
	return [...]string{"average", "nearest", "mode", "max", "min"}[m]
}

// Half is the length of the overview of n pixels: an odd one at the end has a
// pixel of its own.
func Half(n int) int { return n/2 + n%2 }

// kernel makes a row of the overview of two rows, which are the same one if
// only one is left. The last pixel of an odd number stands for two.
type kernel func(dst, top, bottom []byte)

// Halver makes overviews of arrays of one data type. It may be used by several
// goroutines.
type Halver struct {
	how     Method
	kernel  kernel
	missing []byte
	size    int // of an element, 0: any
}

// New returns the Halver of a data type of Zarr. Pixels that equal missing, if
// it is not nil, do not count, unless there is nothing else; an average that
// would be equal to it by chance becomes the next larger value.
func New(dataType string, how Method, missing []byte) (*Halver, error) {
	t := numeric.Named(dataType)
	h := &Halver{how: how, missing: missing}
	if t != numeric.None {
		h.size = t.Size()
	}
	if missing != nil && h.size > 0 && len(missing) != h.size {
		return nil, fmt.Errorf("the missing value of %s has %d bytes, not %d", dataType, len(missing), h.size)
	}
	switch {
	case how < Average || how > Min:
		return nil, fmt.Errorf("%v does not exist", how)
	case how > Mode:
		return nil, fmt.Errorf("overviews are not made by %v: only a Sampler does that", how)
	case how == Average && t == numeric.None:
		return nil, fmt.Errorf("%s has no average: overviews of it are made by %v or %v", dataType, Nearest, Mode)
	case how == Average:
		h.kernel = average(t, missing)
	}
	return h, nil
}

// Halve makes the overview of src, whose last two axes are y and x, in dst,
// which has the other axes of src, and half the length along those two. They
// must not share memory.
func (h *Halver) Halve(dst, src nd.View) error {
	if err := h.check(dst, src); err != nil {
		return err
	}
	if slices.Contains(src.Shape, 0) {
		return nil
	}
	rank := len(src.Shape)
	if h.how == Nearest {
		src.Shape, src.Strides = dst.Shape, slices.Clone(src.Strides)
		src.Strides[rank-2] *= 2
		src.Strides[rank-1] *= 2
		nd.Copy(dst, src)
		return nil
	}
	k := h.kernel
	if h.how == Mode {
		if k = mode(src.Size, h.missing); k == nil {
			return fmt.Errorf("no mode of elements of %d bytes", src.Size)
		}
	}
	in, out := newRows(src), newRows(dst)
	defer in.free()
	defer out.free()
	var at [nd.MaxRank]int
	idx := at[:rank-1]
	for {
		y := idx[rank-2]
		top := out.offset(idx)
		d := out.memory(top, 0)
		idx[rank-2] = 2 * y
		t := in.read(in.offset(idx), 0)
		b := t
		if idx[rank-2]++; idx[rank-2] < src.Shape[rank-2] {
			b = in.read(in.offset(idx), 1)
		}
		k(d, t, b)
		out.write(top)
		idx[rank-2] = y
		if !nd.Next(idx, dst.Shape[:rank-1]) {
			return nil
		}
	}
}

func (h *Halver) check(dst, src nd.View) error {
	rank := len(src.Shape)
	if rank < 2 || len(dst.Shape) != rank {
		return fmt.Errorf("an overview of %d dimensions of %d: both must have the same number, at least 2", len(dst.Shape), rank)
	}
	for i, n := range src.Shape {
		if i >= rank-2 {
			n = Half(n)
		}
		if dst.Shape[i] != n {
			return fmt.Errorf("the overview of shape %v has shape %v, axis %d must have length %d", src.Shape, dst.Shape, i, n)
		}
	}
	switch {
	case dst.Size != src.Size || h.size > 0 && src.Size != h.size:
		return fmt.Errorf("elements of %d bytes become elements of %d bytes, %d are expected", src.Size, dst.Size, max(h.size, src.Size))
	case h.missing != nil && len(h.missing) != src.Size:
		return fmt.Errorf("the missing value has %d bytes, elements have %d", len(h.missing), src.Size)
	}
	if err := src.Check(); err != nil {
		return err
	}
	return dst.Check()
}

// rows goes through the rows of a view. Those whose pixels do not follow one
// another pass through lent memory.
type rows struct {
	view   nd.View
	n      int // bytes of a row
	hold   *buf.Buffer
	strip  nd.View // a row of view
	packed nd.View // the same in lent memory
}

func newRows(v nd.View) *rows {
	last := len(v.Shape) - 1
	width := v.Shape[last]
	r := &rows{view: v, n: width * v.Size}
	if width > 1 && v.Strides[last] != v.Size {
		r.hold = buf.Get(2 * r.n)
		r.strip = nd.View{Data: v.Data, Size: v.Size, Shape: v.Shape[last:], Strides: v.Strides[last:]}
		r.packed = nd.Of(r.hold.B[:r.n], v.Size, width)
		r.packed.Data = r.hold.B[:2*r.n]
	}
	return r
}

func (r *rows) free() { r.hold.Free() }

// offset is where the row with an index begins.
func (r *rows) offset(idx []int) int { return r.view.Offset + r.view.Dot(idx) }

// memory is where a row is, or will be: there is room for two.
func (r *rows) memory(offset, slot int) []byte {
	if r.hold == nil {
		return r.view.Data[offset : offset+r.n]
	}
	return r.packed.Data[slot*r.n : (slot+1)*r.n]
}

// read gives a row.
func (r *rows) read(offset, slot int) []byte {
	if r.hold != nil {
		r.strip.Offset, r.packed.Offset = offset, slot*r.n
		nd.Copy(r.packed, r.strip)
	}
	return r.memory(offset, slot)
}

// write puts the row in its place that was made in memory.
func (r *rows) write(offset int) {
	if r.hold != nil {
		r.strip.Offset = offset
		nd.Copy(r.strip, r.packed)
	}
}
