package pixel

import "golang.org/x/sys/cpu"

var hasKernels = cpu.X86.HasAVX2

// undeltaFast undoes predictor 2 in the beginning of row and returns how many bytes
// that is, 0 or at least stride. row is longer than stride.
func undeltaFast(row []byte, stride, size int) int {
	if !hasKernels {
		return 0
	}
	if stride >= 32 {
		n := (len(row) - stride) / 32
		if n == 0 {
			return 0
		}
		undeltaWideAVX2(&row[0], n, stride, size)
		return stride + 32*n
	}
	n := len(row) / 32
	if n == 0 || stride >= len(periods) {
		return 0
	}
	p := &periods[stride]
	switch size<<8 | stride { // bytes of a sample, then of a pixel
	case 0x101:
		undelta1x1AVX2(&row[0], n, p)
	case 0x102:
		undelta2x1AVX2(&row[0], n, p)
	case 0x103:
		undelta3x1AVX2(&row[0], n, p)
	case 0x104:
		undelta4x1AVX2(&row[0], n, p)
	case 0x202:
		undelta1x2AVX2(&row[0], n, p)
	case 0x204:
		undelta2x2AVX2(&row[0], n, p)
	case 0x206:
		undelta3x2AVX2(&row[0], n, p)
	case 0x208:
		undelta4x2AVX2(&row[0], n, p)
	case 0x404:
		undelta1x4AVX2(&row[0], n, p)
	case 0x408:
		undelta2x4AVX2(&row[0], n, p)
	case 0x40c:
		undelta3x4AVX2(&row[0], n, p)
	default:
		return 0
	}
	return 32 * n
}

// deltaFast does predictor 2 in the end of row and returns how many bytes that is.
// row is longer than stride.
func deltaFast(row []byte, stride, size int) int {
	n := (len(row) - stride) / 32
	if !hasKernels || n == 0 {
		return 0
	}
	deltaAVX2(&row[len(row)-1], n, stride, size)
	return 32 * n
}

// splitFast splits as many pixels as it can and returns their number. Lengths are
// right already.
func splitFast(dst [][]byte, src []byte, size int) int {
	if !hasKernels || size > 8 || len(dst[0]) < 32 {
		return 0
	}
	n := len(dst[0]) / 32
	m := &orders[size]
	switch len(dst) {
	case 2:
		split2AVX2(&dst[0][0], &dst[1][0], &src[0], n, &m.two)
	case 3:
		a, b := m.turns()
		split3AVX2(&dst[0][0], &dst[a][0], &dst[b][0], &src[0], n, &m.three)
	case 4:
		if size == 8 {
			return 0
		}
		split4AVX2(&dst[0][0], &dst[1][0], &dst[2][0], &dst[3][0], &src[0], n, &m.four)
	default:
		return 0
	}
	return 32 / size * n
}

// joinFast joins as many pixels as it can and returns their number. Lengths are
// right already.
func joinFast(dst []byte, src [][]byte, size int) int {
	if !hasKernels || size > 8 || len(src[0]) < 32 {
		return 0
	}
	n := len(src[0]) / 32
	m := &orders[size]
	switch len(src) {
	case 2:
		join2AVX2(&dst[0], &src[0][0], &src[1][0], n, &m.twoBack)
	case 3:
		a, b := m.turns()
		join3AVX2(&dst[0], &src[0][0], &src[a][0], &src[b][0], n, &m.threeBack)
	case 4:
		if size == 8 {
			return 0
		}
		join4AVX2(&dst[0], &src[0][0], &src[1][0], &src[2][0], &src[3][0], n, &m.fourBack)
	default:
		return 0
	}
	return 32 / size * n
}

// swapFast swaps the bytes of as many numbers as it can and returns how many bytes
// they have.
func swapFast(b []byte, size int) int {
	n := len(b) / 32
	if !hasKernels || n == 0 {
		return 0
	}
	swapAVX2(&b[0], n, &orders[size].swapped)
	return 32 * n
}

// unpackFast unpacks as many values as it can, a multiple of eight, and returns
// their number.
func unpackFast(dst, src []byte, bits, size int) int {
	if !hasKernels || bits > maxWindow {
		return 0
	}
	// Eight values take as many bytes as one has bits; the kernels read sixteen from
	// the first and sixteen from the fifth value's byte on.
	eights := (len(src) - 16 - bits/2 + bits) / bits
	n := min(len(dst)/32, eights*size/4)
	if n <= 0 {
		return 0
	}
	w := &unpacking[bits]
	switch size {
	case 1:
		unpack1AVX2(&dst[0], &src[0], n, bits, w)
	case 2:
		unpack2AVX2(&dst[0], &src[0], n, bits, w)
	default:
		unpack4AVX2(&dst[0], &src[0], n, bits, w)
	}
	return 32 / size * n
}

// The kernels named undeltaAxBAVX2 undo predictor 2 in a row of n times 32 bytes, of
// pixels of A samples of B bytes.

//go:noescape
func undelta1x1AVX2(row *byte, n int, p *period)

//go:noescape
func undelta2x1AVX2(row *byte, n int, p *period)

//go:noescape
func undelta3x1AVX2(row *byte, n int, p *period)

//go:noescape
func undelta4x1AVX2(row *byte, n int, p *period)

//go:noescape
func undelta1x2AVX2(row *byte, n int, p *period)

//go:noescape
func undelta2x2AVX2(row *byte, n int, p *period)

//go:noescape
func undelta3x2AVX2(row *byte, n int, p *period)

//go:noescape
func undelta4x2AVX2(row *byte, n int, p *period)

//go:noescape
func undelta1x4AVX2(row *byte, n int, p *period)

//go:noescape
func undelta2x4AVX2(row *byte, n int, p *period)

//go:noescape
func undelta3x4AVX2(row *byte, n int, p *period)

// undeltaWideAVX2 adds to each of the n times 32 bytes that follow the first pixel of
// stride bytes, at least 32.
//
//go:noescape
func undeltaWideAVX2(row *byte, n, stride, size int)

// deltaAVX2 does predictor 2 in the n times 32 bytes that end with last.
//
//go:noescape
func deltaAVX2(last *byte, n, stride, size int)

// The kernels named split and join do n times 32 bytes of each plane.

//go:noescape
func split2AVX2(a, b, src *byte, n int, m *order)

//go:noescape
func split3AVX2(a, b, c, src *byte, n int, m *threes)

//go:noescape
func split4AVX2(a, b, c, d, src *byte, n int, m *order)

//go:noescape
func join2AVX2(dst, a, b *byte, n int, m *order)

//go:noescape
func join3AVX2(dst, a, b, c *byte, n int, m *threes)

//go:noescape
func join4AVX2(dst, a, b, c, d *byte, n int, m *order)

// swapAVX2 puts each half of n times 32 bytes into another order.
//
//go:noescape
func swapAVX2(b *byte, n int, m *order)

// The kernels named unpackBAVX2 unpack values to n times 32 bytes of integers of B.

//go:noescape
func unpack1AVX2(dst, src *byte, n, bits int, w *windows)

//go:noescape
func unpack2AVX2(dst, src *byte, n, bits int, w *windows)

//go:noescape
func unpack4AVX2(dst, src *byte, n, bits int, w *windows)
