//go:build !amd64 && !arm64

package jpeg

// Where there is no assembly, the definitions do all the work.

// inverse dequantises and transforms a block into samples.
func inverse(dst []byte, stride int, b *[blockSize]int16, q *[blockSize]uint16) {
	inverseGo(dst, stride, b, q)
}

// doubleRow interpolates n samples from a row of half as many, which has margins.
func doubleRow(out, src []byte, n int) { doubleRowGo(out, src, n) }

// doubleRows interpolates n samples between two rows of half as many, which have
// margins: near is the nearer one.
func doubleRows(out, near, far []byte, n int) { doubleRowsGo(out, near, far, n) }

// blendRows interpolates n samples between two rows of as many, near being the
// nearer one.
func blendRows(out, near, far []byte, n, round int) { blendRowsGo(out, near, far, n, round) }

// colour converts a row of YCbCr to RGB.
func colour(r, g, b, y, cb, cr []byte) { colourGo(r, g, b, y, cb, cr) }
