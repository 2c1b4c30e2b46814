package packbits

// Every processor of this kind has NEON; tests go without.
var hasKernels = true

// unpackFast unpacks some of n words, a multiple of eight, and returns their number.
func (f *field) unpackFast(dst, src []byte, n int) int { return f.unpackNibbles(dst, src, n) }

// packFast packs some of n words, a multiple of eight, and returns their number.
func (f *field) packFast(dst, src []byte, n int) int { return f.packNibbles(dst, src, n) }

// packBoolsFast packs some groups of eight and returns their number.
func packBoolsFast(dst, src []byte, order Order) int {
	n := len(src) / 64
	if !hasKernels || n == 0 {
		return 0
	}
	packBoolsKernel(&dst[0], &src[0], n, [...]uint64{LSB: rising, MSB: falling}[order])
	return 8 * n
}

// packBoolsKernel packs n times 64 truth values.
//
//go:noescape
func packBoolsKernel(dst, src *byte, n int, weights uint64)
