package nd

import (
	"encoding/binary"
	"fmt"
)

// loop is one axis of a copy after normalisation.
type loop struct {
	n      int
	ds, ss int // strides of destination and source
}

// copier is a copy between two memories.
type copier struct {
	dst, src []byte
	run      int // bytes that are contiguous in both
	width    int // of the scalars whose bytes are reversed; 1: none are
}

// Copy copies src to dst, which must have the same shape and element size and
// must not overlap it. References are copied as they are: see Rebase.
func Copy(dst, src View) { move(&dst, &src, 1) }

// CopySwapped is Copy with the bytes of every scalar reversed. An element is one
// or more scalars of width bytes.
func CopySwapped(dst, src View, width int) {
	if width < 1 || dst.Size%width != 0 {
		panic(fmt.Sprintf("nd: elements of %d bytes are no scalars of %d", dst.Size, width))
	}
	move(&dst, &src, width)
}

func move(dst, src *View, width int) {
	if dst.Size != src.Size || len(dst.Shape) != len(src.Shape) {
		panic(fmt.Sprintf("nd: copy of %d-byte elements %v to %d-byte elements %v", src.Size, src.Shape, dst.Size, dst.Shape))
	}
	var mem [8]loop // more are rare, and to clear MaxRank takes as long as a small copy
	loops := mem[:0]
	for i, n := range dst.Shape {
		if n != src.Shape[i] {
			panic(fmt.Sprintf("nd: copy of shape %v to %v", src.Shape, dst.Shape))
		}
		if n == 0 {
			return
		}
		if n > 1 {
			loops = append(loops, loop{n, dst.Strides[i], src.Strides[i]})
		}
	}
	loops, run := normalise(loops, dst.Size)
	var c copier // set field by field, which takes less than a literal
	c.dst, c.src, c.run, c.width = dst.Data, src.Data, run, width
	if len(loops) < 2 || !c.turn(dst.Offset, src.Offset, loops) {
		c.copy(dst.Offset, src.Offset, loops)
	}
	settle(dst.Data)
}

// normalise orders the axes by the destination's stride, largest first, so
// that memory is written in order, and joins those that are one run in both.
// run is the number of bytes that are contiguous in both.
func normalise(loops []loop, size int) ([]loop, int) {
	for i := 1; i < len(loops); i++ {
		for k := i; k > 0 && abs(loops[k].ds) > abs(loops[k-1].ds); k-- {
			loops[k], loops[k-1] = loops[k-1], loops[k]
		}
	}
	out := loops[:0]
	for _, l := range loops {
		if k := len(out) - 1; k >= 0 && out[k].ds == l.ds*l.n && out[k].ss == l.ss*l.n {
			out[k] = loop{out[k].n * l.n, l.ds, l.ss}
			continue
		}
		out = append(out, l)
	}
	if k := len(out) - 1; k >= 0 && out[k].ds == size && out[k].ss == size {
		return out[:k], size * out[k].n
	}
	return out, size
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// copy goes through the loops from the outermost to the innermost.
func (c *copier) copy(d, s int, loops []loop) {
	switch len(loops) {
	case 0:
		if c.width > 1 {
			c.swapRow(d, s, loop{n: 1})
			return
		}
		copy(c.dst[d:d+c.run], c.src[s:s+c.run])
	case 1:
		c.row(d, s, loops[0])
	case 2:
		c.plane(d, s, loops[0], loops[1])
	default:
		l := loops[0]
		for range l.n {
			c.copy(d, s, loops[1:])
			d += l.ds
			s += l.ss
		}
	}
}

// tile is the edge of the square blocks in which a transposing copy proceeds:
// 64 rows of one cache line each stay in the first-level cache.
const tile = 64

// plane copies two axes. When the source runs the other way than the
// destination, it goes in tiles, so that every cache line that is fetched is
// used up while it is near.
func (c *copier) plane(d, s int, outer, inner loop) {
	if c.run > 32 || abs(outer.ss) >= abs(inner.ss) || outer.n < tile/8 {
		for range outer.n {
			c.row(d, s, inner)
			d += outer.ds
			s += outer.ss
		}
		return
	}
	for i := 0; i < inner.n; i += tile {
		part := inner
		part.n = min(tile, inner.n-i)
		for o := 0; o < outer.n; o += tile {
			dd, ss := d+i*inner.ds+o*outer.ds, s+i*inner.ss+o*outer.ss
			for range min(tile, outer.n-o) {
				c.row(dd, ss, part)
				dd += outer.ds
				ss += outer.ss
			}
		}
	}
}

// row copies n runs; the common element widths are moved as words.
func (c *copier) row(d, s int, l loop) {
	if c.width > 1 {
		c.swapRow(d, s, l)
		return
	}
	dst, src, run := c.dst, c.src, c.run
	switch run {
	case 1:
		for range l.n {
			dst[d] = src[s]
			d += l.ds
			s += l.ss
		}
	case 2:
		for range l.n {
			binary.NativeEndian.PutUint16(dst[d:], binary.NativeEndian.Uint16(src[s:]))
			d += l.ds
			s += l.ss
		}
	case 4:
		for range l.n {
			binary.NativeEndian.PutUint32(dst[d:], binary.NativeEndian.Uint32(src[s:]))
			d += l.ds
			s += l.ss
		}
	case 8:
		for range l.n {
			binary.NativeEndian.PutUint64(dst[d:], binary.NativeEndian.Uint64(src[s:]))
			d += l.ds
			s += l.ss
		}
	case line:
		if copyLines(dst, src, d, s, run, l) {
			return
		}
		for range l.n {
			*(*[line]byte)(dst[d:]) = *(*[line]byte)(src[s:])
			d += l.ds
			s += l.ss
		}
	default:
		if copyLines(dst, src, d, s, run, l) {
			return
		}
		for range l.n {
			copy(dst[d:d+run], src[s:s+run])
			d += l.ds
			s += l.ss
		}
	}
}
