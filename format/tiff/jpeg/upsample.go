package jpeg

import "encoding/binary"

// upsampling is how a component gets to the size of the image.
type upsampling uint8

const (
	upNone   upsampling = iota
	upH2V1              // interpolated, twice the width
	upH2V2              // interpolated, twice the width and height
	upH1V2              // interpolated, twice the height
	upRepeat            // samples repeated, any factors
)

// modeOf is what libjpeg does for a component of w samples, by the factors.
func modeOf(h, v, w int) upsampling {
	switch {
	case h == 1 && v == 1:
		return upNone
	case h == 2 && v == 1 && w > 2:
		return upH2V1
	case h == 2 && v == 2 && w > 2:
		return upH2V2
	case h == 1 && v == 2:
		return upH1V2
	}
	return upRepeat
}

// emit writes what can be written once row m of units is there. With
// interpolation between rows, the last row has to wait for the next unit.
func (d *Decoder) emit(m int) {
	f := &d.frame
	unit := 8 * f.vmax
	lag := 0
	for i := range f.n {
		c := &f.comp[i]
		if c.mode == upH2V2 || c.mode == upH1V2 {
			lag = 1
		}
		if c.mode == upH2V1 || c.mode == upH2V2 {
			c.padRows(m)
		}
	}
	first, end := max(m*unit-lag, 0), (m+1)*unit-lag
	if m == f.mcusY-1 {
		end = f.height
	}
	for y := first; y < end; y++ {
		d.emitRow(y)
	}
}

// padRows repeats the first and the last sample of every row beyond the row's
// ends, so that interpolation needs no special case there.
func (c *channel) padRows(m int) {
	for y := m * 8 * c.v; y < (m+1)*8*c.v; y++ {
		r := c.row(y)
		r[marginLeft-1] = r[marginLeft]
		r[marginLeft+c.w] = r[marginLeft+c.w-1]
	}
}

// emitRow writes row y of the image.
func (d *Decoder) emitRow(y int) {
	f := &d.frame
	at := y * d.dst.Stride
	if !d.rgb {
		for i := range f.n {
			copy(d.dst.Data[i][at:at+f.width], f.comp[i].row(y)[marginLeft:])
		}
		return
	}
	var rows [3][]byte
	for i := range rows {
		rows[i] = d.fullRow(i, y)[:f.width+marginRight]
	}
	p := d.dst.Data
	colour(p[0][at:at+f.width], p[1][at:at+f.width], p[2][at:at+f.width], rows[0], rows[1], rows[2])
}

// fullRow is row y of a component in the size of the image, with marginRight
// more bytes that may be anything.
func (d *Decoder) fullRow(i, y int) []byte {
	f, c := &d.frame, &d.frame.comp[i]
	out := d.up[i]
	switch c.mode {
	case upNone:
		return c.row(y)[marginLeft:]
	case upH2V1:
		doubleRow(out, c.row(y), f.width)
	case upH2V2, upH1V2:
		near := y / 2
		far := near + y&1*2 - 1
		far = min(max(far, 0), c.rows-1)
		if c.mode == upH2V2 {
			doubleRows(out, c.row(near), c.row(far), f.width)
		} else {
			blendRows(out, c.row(near)[marginLeft:], c.row(far)[marginLeft:], f.width, 1+y&1)
		}
	default:
		repeatRow(out[:f.width], c.row(y * c.v / f.vmax)[marginLeft:], f.hmax/c.h)
	}
	return out
}

// The next functions work on four 16-bit lanes at once: eight samples are split
// into those at even and those at odd places.
const (
	lanes    = 1<<48 | 1<<32 | 1<<16 | 1
	laneByte = 0xff * lanes
)

// double interpolates sixteen samples from eight in lanes, those at even and those
// at odd places, with the one before them, and the one after them in the lowest
// lane. Of every two, first is added for rounding to the left one and second to
// the right one; shift divides by the sum of all weights.
func double(out []byte, before, even, odd, after, first, second uint64, shift uint) {
	e, o := 3*even, 3*odd
	a := (e+(odd<<16|before)+first)>>shift&laneByte | (e+odd+second)>>shift&laneByte<<8
	b := (o+even+first)>>shift&laneByte | (o+(even>>16|after<<48)+second)>>shift&laneByte<<8
	_ = out[15]
	putUint64(out, interleave(uint32(a), uint32(b)))
	putUint64(out[8:], interleave(uint32(a>>32), uint32(b>>32)))
}

// interleave takes 16 bits of a and of b in turn.
func interleave(a, b uint32) uint64 {
	const mask = 0x0000ffff0000ffff
	x, y := uint64(a), uint64(b)
	return (x|x<<16)&mask | (y|y<<16)&mask<<16
}

// doubleRowGo interpolates n samples from a row of half as many, which has
// margins. It writes up to fifteen more.
func doubleRowGo(out, src []byte, n int) {
	src = src[marginLeft-1:]
	before := uint64(src[0])
	v := binary.LittleEndian.Uint64(src[1:])
	even, odd := v&laneByte, v>>8&laneByte
	for x := 0; x < n; x += 16 {
		v := binary.LittleEndian.Uint64(src[x/2+9:])
		even2, odd2 := v&laneByte, v>>8&laneByte
		double(out[x:], before, even, odd, even2, lanes, 2*lanes, 2)
		before, even, odd = odd>>48, even2, odd2
	}
}

// doubleRowsGo interpolates n samples between two rows of half as many, which
// have margins: near is the nearer one. It writes up to fifteen more.
func doubleRowsGo(out, near, far []byte, n int) {
	near, far = near[marginLeft-1:], far[marginLeft-1:]
	before := 3*uint64(near[0]) + uint64(far[0])
	v, w := binary.LittleEndian.Uint64(near[1:]), binary.LittleEndian.Uint64(far[1:])
	even, odd := 3*(v&laneByte)+w&laneByte, 3*(v>>8&laneByte)+w>>8&laneByte
	for x := 0; x < n; x += 16 {
		v, w := binary.LittleEndian.Uint64(near[x/2+9:]), binary.LittleEndian.Uint64(far[x/2+9:])
		even2, odd2 := 3*(v&laneByte)+w&laneByte, 3*(v>>8&laneByte)+w>>8&laneByte
		double(out[x:], before, even, odd, even2, 8*lanes, 7*lanes, 4)
		before, even, odd = odd>>48, even2, odd2
	}
}

// blendRowsGo interpolates n samples between two rows of as many. The upper of
// two rows is rounded with 1, the lower with 2.
func blendRowsGo(out, near, far []byte, n, round int) {
	out, near, far = out[:n], near[:n], far[:n]
	for i := range out {
		out[i] = uint8((3*int32(near[i]) + int32(far[i]) + int32(round)) >> 2)
	}
}

// repeatRow repeats every sample.
func repeatRow(out, src []byte, times int) {
	for i := range out {
		out[i] = src[i/times]
	}
}
