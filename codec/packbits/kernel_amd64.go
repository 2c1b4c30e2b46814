package packbits

import "golang.org/x/sys/cpu"

var (
	hasKernels = cpu.X86.HasAVX2
	hasBMI2    = cpu.X86.HasBMI2 && !slowDeposit()
)

// slowDeposit reports the processors before AMD's Zen 3, which take up to
// hundreds of cycles to gather or scatter bits.
func slowDeposit() bool {
	_, vendor, _, _ := cpuid(0)
	if vendor != 'A'|'u'<<8|'t'<<16|'h'<<24 && vendor != 'H'|'y'<<8|'g'<<16|'o'<<24 {
		return false
	}
	version, _, _, _ := cpuid(1)
	family := version >> 8 & 15
	if family == 15 {
		family += version >> 20 & 255
	}
	return family < 0x19
}

// unpackFast unpacks some of n words, a multiple of eight or all of them, and
// returns their number.
func (f *field) unpackFast(dst, src []byte, n int) int {
	done := f.unpackNibbles(dst, src, n)
	if !hasBMI2 || done == n {
		return done
	}
	dst, src = dst[8*done:], src[done/8*f.step:]
	switch k := n - done; {
	case f.step+f.reach() > 64:
		depositWide(&dst[0], &src[0], k, f.step, f.mask, f.sign, f.ext)
	case f.step&7 != 0:
		depositBits(&dst[0], &src[0], k, f.step, f.mask, f.sign, f.ext)
	case f.sign != 0:
		depositSignedBytes(&dst[0], &src[0], k, f.step>>3, f.mask, f.sign, f.ext)
	default:
		depositBytes(&dst[0], &src[0], k, f.step>>3, f.mask)
	}
	return n
}

// packFast packs some of n words, a multiple of eight or all of them, and
// returns their number.
func (f *field) packFast(dst, src []byte, n int) int {
	done := f.packNibbles(dst, src, n)
	if !hasBMI2 || done == n {
		return done
	}
	dst, src = dst[done/8*f.step:], src[8*done:]
	switch k := n - done; {
	case f.step+f.reach() >= 64:
		word := extractWide(&dst[0], &src[0], k, f.step, f.mask)
		storePart(dst[k*f.step/64*8:], word, k*f.step%64)
	case f.step&7 != 0:
		extractBits(&dst[0], &src[0], k, f.step, f.mask)
	default:
		extractBytes(&dst[0], &src[0], k, f.step>>3, f.mask)
	}
	return n
}

// reach is the highest bit of a byte at which a packed word can begin.
func (f *field) reach() int { return 8 - min(8, f.step&-f.step) }

// packBoolsFast packs some groups of eight and returns their number.
func packBoolsFast(dst, src []byte, order Order) int {
	n := len(src) / 64
	if !hasKernels || n == 0 {
		return 0
	}
	packBoolsKernel(&dst[0], &src[0], n, &shuffles[order])
	return 8 * n
}

// shuffles put the bytes of which an instruction takes the top bits into order.
var shuffles = [...][16]byte{
	LSB: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	MSB: {7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8},
}

//go:noescape
func cpuid(leaf uint32) (eax, ebx, ecx, edx uint32)

// depositBytes unpacks n words whose packed form has whole bytes.
//
//go:noescape
func depositBytes(dst, src *byte, n, step int, mask uint64)

// depositSignedBytes is depositBytes with sign extension.
//
//go:noescape
func depositSignedBytes(dst, src *byte, n, step int, mask, sign, ext uint64)

// depositBits unpacks n words of any number of bits.
//
//go:noescape
func depositBits(dst, src *byte, n, step int, mask, sign, ext uint64)

// depositWide is depositBits for words that lie in up to nine bytes.
//
//go:noescape
func depositWide(dst, src *byte, n, step int, mask, sign, ext uint64)

// extractBytes packs n words whose packed form has whole bytes.
//
//go:noescape
func extractBytes(dst, src *byte, n, step int, mask uint64)

// extractBits packs n words of any number of bits.
//
//go:noescape
func extractBits(dst, src *byte, n, step int, mask uint64)

// extractWide is extractBits for words that lie in up to nine bytes. It returns
// the bits behind the last eight whole bytes.
//
//go:noescape
func extractWide(dst, src *byte, n, step int, mask uint64) uint64

// packBoolsKernel packs n times 64 truth values.
//
//go:noescape
func packBoolsKernel(dst, src *byte, n int, shuffle *[16]byte)
