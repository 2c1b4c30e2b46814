package shuffle

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// splitFast splits as many elements as it can and returns their number.
func splitFast(dst, src []byte, size, n, stride int) int {
	steps := joinSteps(size, n)
	if steps == 0 {
		return 0
	}
	_, _ = dst[(size-1)*stride+n-1], src[n*size-1] // what the kernels rely on
	switch size {
	case 2:
		split2AVX2(&dst[0], &src[0], steps, stride)
	case 4:
		split4AVX2(&dst[0], &src[0], steps, stride)
	case 8:
		split8AVX2(&dst[0], &src[0], steps, stride)
	case 16:
		split16AVX2(&dst[0], &src[0], steps, stride)
	}
	return steps * joinStep(size)
}

// joinSteps is how many steps the kernels can do of n elements.
func joinSteps(size, n int) int {
	step := joinStep(size)
	if step == 0 || !hasAVX2 {
		return 0
	}
	return n / step
}

// joinStep is how many elements a kernel does at a time, 0 if there is none.
func joinStep(size int) int {
	switch size {
	case 2, 4, 8:
		return 32
	case 16:
		return 16
	}
	return 0
}

// joinFast joins steps times joinStep elements whose bytes begin at rows.
func joinFast(dst []byte, rows *[16]*byte, size, steps int) {
	_ = dst[steps*joinStep(size)*size-1] // what the kernels rely on
	switch size {
	case 2:
		join2AVX2(&dst[0], rows, steps)
	case 4:
		join4AVX2(&dst[0], rows, steps)
	case 8:
		join8AVX2(&dst[0], rows, steps)
	case 16:
		join16AVX2(&dst[0], rows, steps)
	}
}

// toRowsFast does as many bytes of src as it can and returns their number.
func toRowsFast(dst, src []byte, stride int) int {
	steps := len(src) / 256
	if !hasAVX2 || steps == 0 {
		return 0
	}
	_ = dst[7*stride+32*steps-1] // what the kernel relies on
	toRowsAVX2(&dst[0], &src[0], steps, stride)
	return 256 * steps
}

// fromRowsFast does as many bytes of dst as it can and returns their number.
func fromRowsFast(dst, src []byte, stride int) int {
	steps := len(dst) / 256
	if !hasAVX2 || steps == 0 {
		return 0
	}
	_ = src[7*stride+32*steps-1] // what the kernel relies on
	fromRowsAVX2(&dst[0], &src[0], steps, stride)
	return 256 * steps
}

// split2AVX2 splits n times 32 elements of two bytes.
//
//go:noescape
func split2AVX2(dst, src *byte, n, stride int)

// split4AVX2 splits n times 32 elements of four bytes.
//
//go:noescape
func split4AVX2(dst, src *byte, n, stride int)

// split8AVX2 splits n times 32 elements of eight bytes.
//
//go:noescape
func split8AVX2(dst, src *byte, n, stride int)

// split16AVX2 splits n times 16 elements of sixteen bytes.
//
//go:noescape
func split16AVX2(dst, src *byte, n, stride int)

// join2AVX2 joins n times 32 elements of two bytes.
//
//go:noescape
func join2AVX2(dst *byte, rows *[16]*byte, n int)

// join4AVX2 joins n times 32 elements of four bytes.
//
//go:noescape
func join4AVX2(dst *byte, rows *[16]*byte, n int)

// join8AVX2 joins n times 32 elements of eight bytes.
//
//go:noescape
func join8AVX2(dst *byte, rows *[16]*byte, n int)

// join16AVX2 joins n times 16 elements of sixteen bytes.
//
//go:noescape
func join16AVX2(dst *byte, rows *[16]*byte, n int)

// toRowsAVX2 puts the bits of n times 256 bytes into rows.
//
//go:noescape
func toRowsAVX2(dst, src *byte, n, stride int)

// fromRowsAVX2 undoes toRowsAVX2.
//
//go:noescape
func fromRowsAVX2(dst, src *byte, n, stride int)
