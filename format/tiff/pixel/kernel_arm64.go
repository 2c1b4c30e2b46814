package pixel

// Every processor of this kind has NEON; tests go without.
var hasKernels = true

// lasts is, by how many bytes a pixel has, where sixteen bytes find those of the
// last pixel of the sixteen before.
var lasts = func() (p [13][16]byte) {
	for s := 1; s < len(p); s++ {
		for i := range 16 {
			p[s][i] = byte(16 - s + i%s)
		}
	}
	return p
}()

// undeltaFast undoes predictor 2 in the beginning of row and returns how many bytes
// that is, 0 or at least stride. row is longer than stride.
func undeltaFast(row []byte, stride, size int) int {
	if !hasKernels {
		return 0
	}
	if stride >= 16 {
		n := (len(row) - stride) / 16
		if n == 0 {
			return 0
		}
		switch size {
		case 1:
			undeltaWide1NEON(&row[0], n, stride)
		case 2:
			undeltaWide2NEON(&row[0], n, stride)
		case 4:
			undeltaWide4NEON(&row[0], n, stride)
		default:
			undeltaWide8NEON(&row[0], n, stride)
		}
		return stride + 16*n
	}
	n := len(row) / 16
	if n == 0 || stride >= len(lasts) {
		return 0
	}
	p := &lasts[stride]
	switch size<<8 | stride { // bytes of a sample, then of a pixel
	case 0x101:
		undelta1x1NEON(&row[0], n, p)
	case 0x102:
		undelta2x1NEON(&row[0], n, p)
	case 0x103:
		undelta3x1NEON(&row[0], n, p)
	case 0x104:
		undelta4x1NEON(&row[0], n, p)
	case 0x202:
		undelta1x2NEON(&row[0], n, p)
	case 0x204:
		undelta2x2NEON(&row[0], n, p)
	case 0x206:
		undelta3x2NEON(&row[0], n, p)
	case 0x208:
		undelta4x2NEON(&row[0], n, p)
	case 0x404:
		undelta1x4NEON(&row[0], n, p)
	case 0x408:
		undelta2x4NEON(&row[0], n, p)
	case 0x40c:
		undelta3x4NEON(&row[0], n, p)
	case 0x808:
		undelta1x8NEON(&row[0], n, p)
	default:
		return 0
	}
	return 16 * n
}

// deltaFast does predictor 2 in the end of row and returns how many bytes that is.
// row is longer than stride.
func deltaFast(row []byte, stride, size int) int {
	n := (len(row) - stride) / 16
	if !hasKernels || n == 0 {
		return 0
	}
	last := &row[len(row)-1]
	switch size {
	case 1:
		delta1NEON(last, n, stride)
	case 2:
		delta2NEON(last, n, stride)
	case 4:
		delta4NEON(last, n, stride)
	default:
		delta8NEON(last, n, stride)
	}
	return 16 * n
}

// splitFast splits as many pixels as it can and returns their number. Lengths are
// right already.
func splitFast(dst [][]byte, src []byte, size int) int {
	n := len(dst[0]) / 16
	if !hasKernels || size > 8 || len(dst) > 4 || n == 0 {
		return 0
	}
	rows := firsts(dst)
	switch size<<4 | len(dst) {
	case 0x12:
		split2x1NEON(&rows, &src[0], n)
	case 0x13:
		split3x1NEON(&rows, &src[0], n)
	case 0x14:
		split4x1NEON(&rows, &src[0], n)
	case 0x22:
		split2x2NEON(&rows, &src[0], n)
	case 0x23:
		split3x2NEON(&rows, &src[0], n)
	case 0x24:
		split4x2NEON(&rows, &src[0], n)
	case 0x42:
		split2x4NEON(&rows, &src[0], n)
	case 0x43:
		split3x4NEON(&rows, &src[0], n)
	case 0x44:
		split4x4NEON(&rows, &src[0], n)
	case 0x82:
		split2x8NEON(&rows, &src[0], n)
	case 0x83:
		split3x8NEON(&rows, &src[0], n)
	case 0x84:
		split4x8NEON(&rows, &src[0], n)
	}
	return 16 / size * n
}

// joinFast joins as many pixels as it can and returns their number. Lengths are
// right already.
func joinFast(dst []byte, src [][]byte, size int) int {
	n := len(src[0]) / 16
	if !hasKernels || size > 8 || len(src) > 4 || n == 0 {
		return 0
	}
	rows := firsts(src)
	switch size<<4 | len(src) {
	case 0x12:
		join2x1NEON(&dst[0], &rows, n)
	case 0x13:
		join3x1NEON(&dst[0], &rows, n)
	case 0x14:
		join4x1NEON(&dst[0], &rows, n)
	case 0x22:
		join2x2NEON(&dst[0], &rows, n)
	case 0x23:
		join3x2NEON(&dst[0], &rows, n)
	case 0x24:
		join4x2NEON(&dst[0], &rows, n)
	case 0x42:
		join2x4NEON(&dst[0], &rows, n)
	case 0x43:
		join3x4NEON(&dst[0], &rows, n)
	case 0x44:
		join4x4NEON(&dst[0], &rows, n)
	case 0x82:
		join2x8NEON(&dst[0], &rows, n)
	case 0x83:
		join3x8NEON(&dst[0], &rows, n)
	case 0x84:
		join4x8NEON(&dst[0], &rows, n)
	}
	return 16 / size * n
}

// firsts are where up to four planes begin.
func firsts(planes [][]byte) (p [4]*byte) {
	for i, plane := range planes {
		p[i] = &plane[0]
	}
	return p
}

// swapFast swaps the bytes of as many numbers as it can and returns how many bytes
// they have.
func swapFast(b []byte, size int) int {
	n := len(b) / 16
	if !hasKernels || n == 0 {
		return 0
	}
	switch size {
	case 2:
		swap2NEON(&b[0], n)
	case 4:
		swap4NEON(&b[0], n)
	default:
		swap8NEON(&b[0], n)
	}
	return 16 * n
}

// unpackFast is for processors with kernels for it.
func unpackFast(_, _ []byte, _, _ int) int { return 0 }

// The kernels named undeltaAxBNEON undo predictor 2 in a row of n times 16 bytes, of
// pixels of A samples of B bytes.

//go:noescape
func undelta1x1NEON(row *byte, n int, last *[16]byte)

//go:noescape
func undelta2x1NEON(row *byte, n int, last *[16]byte)

//go:noescape
func undelta3x1NEON(row *byte, n int, last *[16]byte)

//go:noescape
func undelta4x1NEON(row *byte, n int, last *[16]byte)

//go:noescape
func undelta1x2NEON(row *byte, n int, last *[16]byte)

//go:noescape
func undelta2x2NEON(row *byte, n int, last *[16]byte)

//go:noescape
func undelta3x2NEON(row *byte, n int, last *[16]byte)

//go:noescape
func undelta4x2NEON(row *byte, n int, last *[16]byte)

//go:noescape
func undelta1x4NEON(row *byte, n int, last *[16]byte)

//go:noescape
func undelta2x4NEON(row *byte, n int, last *[16]byte)

//go:noescape
func undelta3x4NEON(row *byte, n int, last *[16]byte)

//go:noescape
func undelta1x8NEON(row *byte, n int, last *[16]byte)

// The kernels named undeltaWideBNEON add to each of the n times 16 bytes that follow
// the first pixel of stride bytes, at least 16; samples have B bytes.

//go:noescape
func undeltaWide1NEON(row *byte, n, stride int)

//go:noescape
func undeltaWide2NEON(row *byte, n, stride int)

//go:noescape
func undeltaWide4NEON(row *byte, n, stride int)

//go:noescape
func undeltaWide8NEON(row *byte, n, stride int)

// The kernels named deltaBNEON do predictor 2 in the n times 16 bytes that end with
// last; samples have B bytes.

//go:noescape
func delta1NEON(last *byte, n, stride int)

//go:noescape
func delta2NEON(last *byte, n, stride int)

//go:noescape
func delta4NEON(last *byte, n, stride int)

//go:noescape
func delta8NEON(last *byte, n, stride int)

// The kernels named splitAxBNEON and joinAxBNEON do n times 16 bytes of each plane, of
// pixels of A samples of B bytes.

//go:noescape
func split2x1NEON(rows *[4]*byte, src *byte, n int)

//go:noescape
func join2x1NEON(dst *byte, rows *[4]*byte, n int)

//go:noescape
func split3x1NEON(rows *[4]*byte, src *byte, n int)

//go:noescape
func join3x1NEON(dst *byte, rows *[4]*byte, n int)

//go:noescape
func split4x1NEON(rows *[4]*byte, src *byte, n int)

//go:noescape
func join4x1NEON(dst *byte, rows *[4]*byte, n int)

//go:noescape
func split2x2NEON(rows *[4]*byte, src *byte, n int)

//go:noescape
func join2x2NEON(dst *byte, rows *[4]*byte, n int)

//go:noescape
func split3x2NEON(rows *[4]*byte, src *byte, n int)

//go:noescape
func join3x2NEON(dst *byte, rows *[4]*byte, n int)

//go:noescape
func split4x2NEON(rows *[4]*byte, src *byte, n int)

//go:noescape
func join4x2NEON(dst *byte, rows *[4]*byte, n int)

//go:noescape
func split2x4NEON(rows *[4]*byte, src *byte, n int)

//go:noescape
func join2x4NEON(dst *byte, rows *[4]*byte, n int)

//go:noescape
func split3x4NEON(rows *[4]*byte, src *byte, n int)

//go:noescape
func join3x4NEON(dst *byte, rows *[4]*byte, n int)

//go:noescape
func split4x4NEON(rows *[4]*byte, src *byte, n int)

//go:noescape
func join4x4NEON(dst *byte, rows *[4]*byte, n int)

//go:noescape
func split2x8NEON(rows *[4]*byte, src *byte, n int)

//go:noescape
func join2x8NEON(dst *byte, rows *[4]*byte, n int)

//go:noescape
func split3x8NEON(rows *[4]*byte, src *byte, n int)

//go:noescape
func join3x8NEON(dst *byte, rows *[4]*byte, n int)

//go:noescape
func split4x8NEON(rows *[4]*byte, src *byte, n int)

//go:noescape
func join4x8NEON(dst *byte, rows *[4]*byte, n int)

// The kernels named swapBNEON reverse the numbers of B bytes in n times 16 bytes.

//go:noescape
func swap2NEON(b *byte, n int)

//go:noescape
func swap4NEON(b *byte, n int)

//go:noescape
func swap8NEON(b *byte, n int)
