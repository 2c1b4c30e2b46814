//go:build amd64 || arm64

package packbits

// kernel is what the kernels need besides the masks.
type kernel struct {
	nibbles [2][16]byte // scalars by four packed bits: the first and the second one
}

func newKernel(f *field) (k kernel) {
	if f.width > 1 || f.bits != 4 && f.bits != 2 {
		return k
	}
	for i := range 16 {
		packed := []byte{byte(i)}
		f.store(k.nibbles[0][i:], f.get(packed, 0))
		f.store(k.nibbles[1][i:], f.get(packed, f.bits))
	}
	return k
}

// unpackNibbles unpacks some of n words, a multiple of eight, of scalars of four
// or two bits, and returns their number.
func (f *field) unpackNibbles(dst, src []byte, n int) int {
	if !hasKernels || f.width > 1 || n < 8 {
		return 0
	}
	n &^= 7
	switch f.bits {
	case 4:
		unpack4Kernel(&dst[0], &src[0], n/4, &f.own.nibbles[0])
	case 2:
		unpack2Kernel(&dst[0], &src[0], n/8, &f.own.nibbles)
	default:
		return 0
	}
	return n
}

// packNibbles packs some of n words, a multiple of sixteen, of scalars of four or
// two bits, and returns their number.
func (f *field) packNibbles(dst, src []byte, n int) int {
	if !hasKernels || f.width > 1 || n < 16 {
		return 0
	}
	n &^= 15
	switch f.bits {
	case 4:
		pack4Kernel(&dst[0], &src[0], n/8, f.first)
	case 2:
		pack2Kernel(&dst[0], &src[0], n/16, f.first)
	default:
		return 0
	}
	return n
}

// unpackBoolsFast unpacks some groups of eight and returns their number.
func unpackBoolsFast(dst, src []byte, order Order) int {
	n := len(dst) / 64
	if !hasKernels || n == 0 {
		return 0
	}
	unpackBoolsKernel(&dst[0], &src[0], n, [...]uint64{LSB: rising, MSB: falling}[order])
	return 8 * n
}

// unpack4Kernel unpacks n times 32 scalars of four bits.
//
//go:noescape
func unpack4Kernel(dst, src *byte, n int, table *[16]byte)

// unpack2Kernel unpacks n times 64 scalars of two bits.
//
//go:noescape
func unpack2Kernel(dst, src *byte, n int, tables *[2][16]byte)

// pack4Kernel packs n times 64 scalars of four bits from first on.
//
//go:noescape
func pack4Kernel(dst, src *byte, n, first int)

// pack2Kernel packs n times 128 scalars of two bits from first on.
//
//go:noescape
func pack2Kernel(dst, src *byte, n, first int)

// unpackBoolsKernel unpacks n times 64 truth values.
//
//go:noescape
func unpackBoolsKernel(dst, src *byte, n int, weights uint64)
