package nd

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// SwapBytes copies src to dst with the bytes of every scalar of width bytes
// reversed. Both have the same length, a multiple of width; they are the same
// memory or do not overlap.
func SwapBytes(dst, src []byte, width int) {
	if width < 1 || len(dst) != len(src) || len(src)%width != 0 {
		panic(fmt.Sprintf("nd: %d bytes to %d with scalars of %d reversed", len(src), len(dst), width))
	}
	n := swapFast(dst, src, width)
	swapPlain(dst[n:], src[n:], width)
}

// swapPlain is SwapBytes in Go.
func swapPlain(dst, src []byte, width int) {
	switch width {
	case 1:
		copy(dst, src)
	case 2:
		for len(src) >= 8 && len(dst) >= 8 {
			x := binary.LittleEndian.Uint64(src)
			binary.LittleEndian.PutUint64(dst, x>>8&0x00ff00ff00ff00ff|x<<8&0xff00ff00ff00ff00)
			dst, src = dst[8:], src[8:]
		}
		for len(src) >= 2 && len(dst) >= 2 {
			dst[0], dst[1] = src[1], src[0]
			dst, src = dst[2:], src[2:]
		}
	case 4:
		for len(src) >= 4 && len(dst) >= 4 {
			binary.LittleEndian.PutUint32(dst, bits.ReverseBytes32(binary.LittleEndian.Uint32(src)))
			dst, src = dst[4:], src[4:]
		}
	case 8:
		for len(src) >= 8 && len(dst) >= 8 {
			binary.LittleEndian.PutUint64(dst, bits.ReverseBytes64(binary.LittleEndian.Uint64(src)))
			dst, src = dst[8:], src[8:]
		}
	default:
		for len(src) >= width && len(dst) >= width {
			for i, k := 0, width-1; i <= k; i, k = i+1, k-1 {
				dst[i], dst[k] = src[k], src[i]
			}
			dst, src = dst[width:], src[width:]
		}
	}
}

// swapRow copies n runs with the bytes of their scalars reversed.
func (c *copier) swapRow(d, s int, l loop) {
	dst, src := c.dst, c.src
	switch {
	case c.run != c.width:
		if c.swapRows(d, s, l) {
			return
		}
	case c.run == 2:
		for range l.n {
			binary.NativeEndian.PutUint16(dst[d:], bits.ReverseBytes16(binary.NativeEndian.Uint16(src[s:])))
			d += l.ds
			s += l.ss
		}
		return
	case c.run == 4:
		for range l.n {
			binary.NativeEndian.PutUint32(dst[d:], bits.ReverseBytes32(binary.NativeEndian.Uint32(src[s:])))
			d += l.ds
			s += l.ss
		}
		return
	case c.run == 8:
		for range l.n {
			binary.NativeEndian.PutUint64(dst[d:], bits.ReverseBytes64(binary.NativeEndian.Uint64(src[s:])))
			d += l.ds
			s += l.ss
		}
		return
	}
	for range l.n {
		SwapBytes(dst[d:d+c.run], src[s:s+c.run], c.width)
		d += l.ds
		s += l.ss
	}
}
