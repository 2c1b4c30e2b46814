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

// Copy copies src to dst, which must have the same shape and element size and
// must not overlap it. References are copied as they are: see Rebase.
func Copy(dst, src View) {
	if dst.Size != src.Size || len(dst.Shape) != len(src.Shape) {
		panic(fmt.Sprintf("nd: copy of %d-byte elements %v to %d-byte elements %v", src.Size, src.Shape, dst.Size, dst.Shape))
	}
	var mem [MaxRank]loop
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
	copyLoops(dst.Data, src.Data, dst.Offset, src.Offset, run, loops)
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

func copyLoops(dst, src []byte, d, s, run int, loops []loop) {
	switch len(loops) {
	case 0:
		copy(dst[d:d+run], src[s:s+run])
	case 1:
		copyRow(dst, src, d, s, run, loops[0])
	case 2:
		copyPlane(dst, src, d, s, run, loops[0], loops[1])
	default:
		l := loops[0]
		for range l.n {
			copyLoops(dst, src, d, s, run, loops[1:])
			d += l.ds
			s += l.ss
		}
	}
}

// tile is the edge of the square blocks in which a transposing copy proceeds:
// 64 rows of one cache line each stay in the first-level cache.
const tile = 64

// copyPlane copies two axes. When the source runs the other way than the
// destination, it goes in tiles, so that every cache line that is fetched is
// used up while it is near.
func copyPlane(dst, src []byte, d, s, run int, outer, inner loop) {
	if run > 32 || abs(outer.ss) >= abs(inner.ss) || outer.n < tile/8 {
		for range outer.n {
			copyRow(dst, src, d, s, run, inner)
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
				copyRow(dst, src, dd, ss, run, part)
				dd += outer.ds
				ss += outer.ss
			}
		}
	}
}

// copyRow copies n runs; the common element widths are moved as words.
func copyRow(dst, src []byte, d, s, run int, l loop) {
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
	default:
		if stream(dst, src, d, s, run, l) {
			return
		}
		for range l.n {
			copy(dst[d:d+run], src[s:s+run])
			d += l.ds
			s += l.ss
		}
	}
}

// Fill sets every element of dst to elem.
func Fill(dst View, elem []byte) {
	if len(elem) != dst.Size {
		panic(fmt.Sprintf("nd: fill of %d-byte elements with %d bytes", dst.Size, len(elem)))
	}
	if mem, ok := dst.Contiguous(); ok {
		FillBytes(mem, elem)
		return
	}
	// One row is filled by doubling and then copied along the other axes.
	last := len(dst.Shape) - 1
	if last >= 0 && dst.Strides[last] == dst.Size && dst.Shape[last] > 1 {
		row := make([]byte, dst.Shape[last]*dst.Size)
		FillBytes(row, elem)
		strides := make([]int, len(dst.Shape))
		strides[last] = dst.Size
		Copy(dst, View{Data: row, Size: dst.Size, Shape: dst.Shape, Strides: strides})
		return
	}
	Copy(dst, View{Data: elem, Size: dst.Size, Shape: dst.Shape, Strides: make([]int, len(dst.Shape))})
}

// FillBytes repeats elem over mem, whose length must be a multiple of it.
func FillBytes(mem, elem []byte) {
	if len(mem) == 0 || len(elem) == 0 {
		return
	}
	if zero(elem) {
		clear(mem)
		return
	}
	n := copy(mem, elem)
	for n < len(mem) {
		n += copy(mem[n:], mem[:n])
	}
}

// IsFill reports whether every element of v equals elem.
func IsFill(v View, elem []byte) bool {
	if mem, ok := v.Contiguous(); ok {
		return repeats(mem, elem)
	}
	last := len(v.Shape) - 1
	for _, n := range v.Shape {
		if n == 0 {
			return true
		}
	}
	var at [MaxRank]int
	idx := at[:last]
	row := View{Size: v.Size, Data: v.Data, Shape: v.Shape[last:], Strides: v.Strides[last:]}
	for {
		row.Offset = v.Offset + v.Dot(idx)
		if mem, ok := row.Contiguous(); ok {
			if !repeats(mem, elem) {
				return false
			}
		} else {
			for k := range v.Shape[last] {
				if string(row.At(k)) != string(elem) {
					return false
				}
			}
		}
		if !Next(idx, v.Shape[:last]) {
			return true
		}
	}
}

// repeats reports whether mem is elem over and over: its head is elem, and
// what follows equals what stands one element before.
func repeats(mem, elem []byte) bool {
	if len(mem) == 0 {
		return true
	}
	n := len(elem)
	return string(mem[:n]) == string(elem) && string(mem[n:]) == string(mem[:len(mem)-n])
}

func zero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}
