//go:build amd64 || arm64

package shuffle

// splitFast splits as many elements as it can and returns their number.
func splitFast(dst, src []byte, size, n, stride int) int {
	steps := joinSteps(size, n)
	if steps == 0 {
		return 0
	}
	_, _ = dst[(size-1)*stride+n-1], src[n*size-1] // what the kernels rely on
	switch size {
	case 2:
		split2Kernel(&dst[0], &src[0], steps, stride)
	case 4:
		split4Kernel(&dst[0], &src[0], steps, stride)
	case 8:
		split8Kernel(&dst[0], &src[0], steps, stride)
	case 16:
		split16Kernel(&dst[0], &src[0], steps, stride)
	}
	return steps * joinStep(size)
}

// joinSteps is how many steps the kernels can do of n elements.
func joinSteps(size, n int) int {
	step := joinStep(size)
	if step == 0 || !hasKernels {
		return 0
	}
	return n / step
}

// joinStep is how many elements a kernel does at a time, 0 if there is none.
func joinStep(size int) int {
	switch size {
	case 2, 4, 8:
		return register
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
		join2Kernel(&dst[0], rows, steps)
	case 4:
		join4Kernel(&dst[0], rows, steps)
	case 8:
		join8Kernel(&dst[0], rows, steps)
	case 16:
		join16Kernel(&dst[0], rows, steps)
	}
}

// toRowsFast does as many bytes of src as it can and returns their number.
func toRowsFast(dst, src []byte, stride int) int {
	steps := len(src) / (8 * register)
	if !hasKernels || steps == 0 {
		return 0
	}
	_ = dst[7*stride+register*steps-1] // what the kernel relies on
	toRowsKernel(&dst[0], &src[0], steps, stride)
	return 8 * register * steps
}

// fromRowsFast does as many bytes of dst as it can and returns their number.
func fromRowsFast(dst, src []byte, stride int) int {
	steps := len(dst) / (8 * register)
	if !hasKernels || steps == 0 {
		return 0
	}
	_ = src[7*stride+register*steps-1] // what the kernel relies on
	fromRowsKernel(&dst[0], &src[0], steps, stride)
	return 8 * register * steps
}

// split2Kernel splits n times register elements of two bytes.
//
//go:noescape
func split2Kernel(dst, src *byte, n, stride int)

// split4Kernel splits n times register elements of four bytes.
//
//go:noescape
func split4Kernel(dst, src *byte, n, stride int)

// split8Kernel splits n times register elements of eight bytes.
//
//go:noescape
func split8Kernel(dst, src *byte, n, stride int)

// split16Kernel splits n times 16 elements of sixteen bytes.
//
//go:noescape
func split16Kernel(dst, src *byte, n, stride int)

// join2Kernel joins n times register elements of two bytes.
//
//go:noescape
func join2Kernel(dst *byte, rows *[16]*byte, n int)

// join4Kernel joins n times register elements of four bytes.
//
//go:noescape
func join4Kernel(dst *byte, rows *[16]*byte, n int)

// join8Kernel joins n times register elements of eight bytes.
//
//go:noescape
func join8Kernel(dst *byte, rows *[16]*byte, n int)

// join16Kernel joins n times 16 elements of sixteen bytes.
//
//go:noescape
func join16Kernel(dst *byte, rows *[16]*byte, n int)

// toRowsKernel puts the bits of n times eight registers of bytes into rows.
//
//go:noescape
func toRowsKernel(dst, src *byte, n, stride int)

// fromRowsKernel undoes toRowsKernel.
//
//go:noescape
func fromRowsKernel(dst, src *byte, n, stride int)
