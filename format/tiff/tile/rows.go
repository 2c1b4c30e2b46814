package tile

import (
	"sync"

	"github.com/omnizarr/zarr/format/tiff/pixel"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/nd"
)

// decoder is a tile on its way into the caller's memory.
type decoder struct {
	geometry
	l        *Layout
	dst      nd.View
	box      nd.Box
	want     int
	unpacked *buf.Buffer // the decompressed tile
	row1     *buf.Buffer // samples of a row, where they cannot be made in place
	planesOf [][]byte    // where the samples of a row go
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

func (d *decoder) free() {
	d.unpacked.Free()
	d.row1.Free()
	clear(d.planesOf)
	*d = decoder{planesOf: d.planesOf[:0]}
	decoders.Put(d)
}

// block is how many bytes of rows are handed on at once where rows need not be
// looked at one by one.
const block = 16 << 10

// emit hands the rows of the box on, of which data holds the first; the others are
// zero.
func (d *decoder) emit(data []byte, mutable bool) {
	first, last := 0, 0
	if d.planes > 1 {
		first, last = d.box.Start[0], d.box.Start[0]+d.box.Shape[0]-1
	}
	y0 := d.box.Start[1]
	end := y0 + d.box.Shape[1]
	step := 1
	if d.dense() {
		step = max(1, block/d.row)
	}
	for p := first; p <= last; p++ {
		at := p * d.l.Height
		whole := min(max(len(data)/d.row-at, y0), end) // rows of this plane that are there
		for y := y0; y < whole; y += step {
			k := min(step, whole-y)
			d.rows(data[(at+y)*d.row:(at+y+k)*d.row], mutable, p, y, k)
		}
		d.clear(p, whole, end)
	}
}

// dense reports whether rows that follow one another in the tile do so in the
// caller's memory, so that several can be moved as if they were one.
func (d *decoder) dense() bool {
	return (d.spp == 1 || d.box.Shape[0] == d.l.Samples) && !d.packed() && d.predictor() == 1 && d.box.Shape[2] == d.l.Width &&
		d.dst.Strides[2] == d.size && d.dst.Strides[1] == d.size*d.l.Width
}

// rows hands k stored rows on, which begin at row y of plane p. They may be
// changed only if they are mutable.
func (d *decoder) rows(raw []byte, mutable bool, p, y, k int) {
	switch {
	case d.packed():
		elems := d.target(p, y, k)
		if d.l.little24() {
			widen(elems, raw)
		} else {
			pixel.Unpack(elems, raw, d.bits, d.size)
		}
		d.scatter(elems, p, y, k)
		return
	case d.predictor() == 3:
		elems := d.target(p, y, k)
		pixel.Unfloat(elems, raw, d.spp, d.size)
		d.scatter(elems, p, y, k)
		return
	}
	swap := d.l.BigEndian && d.unit > 1
	if swap && !mutable {
		to := d.target(p, y, k)
		copy(to, raw)
		raw = to
	}
	if swap {
		pixel.Swap(raw, d.unit)
	}
	if d.predictor() == 2 {
		pixel.Undelta(raw, d.spp, d.size)
	}
	d.scatter(raw, p, y, k)
}

// scratch is memory for samples of rows.
func (d *decoder) scratch(n int) []byte {
	if d.row1 == nil || cap(d.row1.B) < n {
		d.row1.Free()
		d.row1 = buf.Get(n)
	}
	return d.row1.B[:n]
}

// target is where the samples of k whole rows are to be made: in the caller's
// memory if they belong there as they are, so that scatter finds nothing to do,
// else in scratch.
func (d *decoder) target(p, y, k int) []byte {
	n := k * d.l.Width * d.spp * d.size
	if d.spp == 1 && d.box.Shape[2] == d.l.Width && d.dst.Strides[2] == d.size {
		at := d.at(p, y)
		return d.dst.Data[at : at+n]
	}
	return d.scratch(n)
}

// at is where row y of the box's sample s begins in the caller's memory.
func (d *decoder) at(s, y int) int {
	return d.dst.Offset + (s-d.box.Start[0])*d.dst.Strides[0] + (y-d.box.Start[1])*d.dst.Strides[1]
}

// scatter copies the samples of k rows to where they belong.
func (d *decoder) scatter(elems []byte, p, y, k int) {
	pixels := d.box.Shape[2] // of each row, or of all that are moved as one
	if k > 1 {
		pixels *= k
	}
	pixelSize := d.spp * d.size
	elems = elems[d.box.Start[2]*pixelSize:][:pixels*pixelSize]
	if d.spp > 1 && d.box.Shape[0] == d.spp && d.dst.Strides[0] == d.size && d.dst.Strides[2] == pixelSize {
		copy(d.dst.Data[d.at(0, y):][:len(elems)], elems) // pixels as they are stored
		return
	}
	if d.dst.Strides[2] != d.size || d.spp > 1 && d.box.Shape[0] != d.l.Samples {
		d.strided(elems, p, y)
		return
	}
	if d.spp == 1 {
		mem := d.dst.Data[d.at(p, y):][:len(elems)]
		if &mem[0] != &elems[0] { // unless they were made there
			copy(mem, elems)
		}
		return
	}
	d.planesOf = d.planesOf[:0]
	for s := range d.spp {
		d.planesOf = append(d.planesOf, d.dst.Data[d.at(s, y):][:pixels*d.size])
	}
	pixel.Split(d.planesOf, elems, d.size)
}

// strided copies the samples of one row to memory of any kind.
func (d *decoder) strided(elems []byte, p, y int) {
	samples, from, first := 1, 0, p
	if d.spp > 1 {
		samples, from, first = d.box.Shape[0], d.box.Start[0], d.box.Start[0]
	}
	shape := [2]int{samples, d.box.Shape[2]}
	to := [2]int{d.dst.Strides[0], d.dst.Strides[2]}
	src := [2]int{d.size, d.spp * d.size}
	nd.Copy(nd.View{Data: d.dst.Data, Offset: d.at(first, y), Size: d.size, Shape: shape[:], Strides: to[:]},
		nd.View{Data: elems, Offset: from * d.size, Size: d.size, Shape: shape[:], Strides: src[:]})
}

// clear sets rows of a plane to zero: of all samples, if they stand together.
func (d *decoder) clear(p, y, end int) {
	if y >= end {
		return
	}
	v := d.dst
	samples, first := d.box.Shape[0], d.box.Start[0]
	if d.planes > 1 {
		samples, first = 1, p
	}
	v.Offset = d.at(first, y)
	v.Shape = []int{samples, end - y, d.box.Shape[2]}
	zero(v)
}
