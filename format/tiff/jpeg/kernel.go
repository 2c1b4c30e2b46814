//go:build amd64 || arm64

package jpeg

// inverse dequantises and transforms a block into samples.
func inverse(dst []byte, stride int, b *[blockSize]int16, q *[blockSize]uint16) {
	if !hasKernels {
		inverseGo(dst, stride, b, q)
		return
	}
	_ = dst[7*stride+7] // what the kernel relies on
	inverseKernel(&dst[0], stride, b, q)
}

// doubleRow interpolates n samples from a row of half as many, which has margins.
func doubleRow(out, src []byte, n int) {
	if !hasKernels {
		doubleRowGo(out, src, n)
		return
	}
	steps := ceilDiv(n, 64)
	_, _ = out[64*steps-1], src[marginLeft+32*steps] // what the kernel relies on
	doubleRowKernel(&out[0], &src[marginLeft], steps)
}

// doubleRows interpolates n samples between two rows of half as many, which have
// margins: near is the nearer one.
func doubleRows(out, near, far []byte, n int) {
	if !hasKernels {
		doubleRowsGo(out, near, far, n)
		return
	}
	steps := ceilDiv(n, 64)
	_, _, _ = out[64*steps-1], near[marginLeft+32*steps], far[marginLeft+32*steps] // what the kernel relies on
	doubleRowsKernel(&out[0], &near[marginLeft], &far[marginLeft], steps)
}

// blendRows interpolates n samples between two rows of as many, near being the
// nearer one.
func blendRows(out, near, far []byte, n, round int) {
	if !hasKernels {
		blendRowsGo(out, near, far, n, round)
		return
	}
	steps := ceilDiv(n, 32)
	_, _, _ = out[32*steps-1], near[32*steps-1], far[32*steps-1] // what the kernel relies on
	blendRowsKernel(&out[0], &near[0], &far[0], steps, round)
}

// colour converts a row of YCbCr to RGB.
func colour(r, g, b, y, cb, cr []byte) {
	n := len(r)
	if !hasKernels || n < 32 {
		colourGo(r, g, b, y, cb, cr)
		return
	}
	_, _, _, _, _ = g[n-1], b[n-1], y[n-1], cb[n-1], cr[n-1] // what the kernel relies on
	colourKernel(&r[0], &g[0], &b[0], &y[0], &cb[0], &cr[0], n/32)
	if n%32 != 0 { // the last 32, some of them again
		n -= 32
		colourKernel(&r[n], &g[n], &b[n], &y[n], &cb[n], &cr[n], 1)
	}
}

// inverseKernel transforms a block.
//
//go:noescape
func inverseKernel(dst *byte, stride int, b *[blockSize]int16, q *[blockSize]uint16)

// doubleRowKernel makes n times 64 samples of half as many.
//
//go:noescape
func doubleRowKernel(out, src *byte, n int)

// doubleRowsKernel makes n times 64 samples of two rows of half as many.
//
//go:noescape
func doubleRowsKernel(out, near, far *byte, n int)

// blendRowsKernel makes n times 32 samples of two rows of as many.
//
//go:noescape
func blendRowsKernel(out, near, far *byte, n, round int)

// colourKernel converts n times 32 pixels.
//
//go:noescape
func colourKernel(red, green, blue, y, cb, cr *byte, n int)
