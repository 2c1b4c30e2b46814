package packbits

import "encoding/binary"

// Order is the order in which truth values fill a byte.
type Order uint8

// The orders of bits.
const (
	LSB Order = iota // the first one is the least-significant bit
	MSB              // the first one is the most-significant bit
)

const (
	each     = 0x0101010101010101 // 1 in every byte
	rising   = 0x8040201008040201 // 1, 2, 4 and so on
	falling  = 0x0102040810204080 // 128, 64, 32 and so on
	allBut80 = 0x7f7f7f7f7f7f7f7f
)

// PackBools writes one bit for each byte of src, set unless the byte is zero.
// It fills the first ⌈len(src)/8⌉ bytes of dst; the bits of the last one that
// are left over are zero.
func PackBools(dst, src []byte, order Order) {
	n := len(src) / 8
	dst = dst[:(len(src)+7)/8]
	for n > 0 {
		k := packBoolsFast(dst, src[:8*min(n, block)], order)
		if k == 0 {
			break
		}
		dst, src, n = dst[k:], src[8*k:], n-k
	}
	packBoolsPlain(dst, src[:8*n], order)
	if src = src[8*n:]; len(src) > 0 {
		var last [8]byte
		copy(last[:], src)
		packBoolsPlain(dst[n:], last[:], order)
	}
}

// packBoolsPlain packs whole groups of eight.
func packBoolsPlain(dst, src []byte, order Order) {
	weights := uint64(falling) // the product has its sum in the top byte
	if order == MSB {
		weights = rising
	}
	for len(src) >= 64 && len(dst) >= 8 {
		group := src[:64:64]
		var x uint64
		for i := 0; i < 64; i += 8 {
			x = x>>8 | flags(binary.LittleEndian.Uint64(group[i:]))*weights>>56<<56
		}
		binary.LittleEndian.PutUint64(dst, x)
		dst, src = dst[8:], src[64:]
	}
	for i := 0; len(src) >= 8; i++ {
		dst[i] = byte(flags(binary.LittleEndian.Uint64(src)) * weights >> 56)
		src = src[8:]
	}
}

// flags is 1 in every byte in which x is not zero.
func flags(x uint64) uint64 { return (x&allBut80 + allBut80 | x) >> 7 & each }

// UnpackBools writes one byte, 0 or 1, for each of the first len(dst) bits of
// src.
func UnpackBools(dst, src []byte, order Order) {
	n := len(dst) / 8
	src = src[:(len(dst)+7)/8]
	for n > 0 {
		k := unpackBoolsFast(dst[:8*min(n, block)], src, order)
		if k == 0 {
			break
		}
		dst, src, n = dst[8*k:], src[k:], n-k
	}
	unpackBoolsPlain(dst[:8*n], src, order)
	if dst = dst[8*n:]; len(dst) > 0 {
		var last [8]byte
		unpackBoolsPlain(last[:], src[n:], order)
		copy(dst, last[:])
	}
}

// unpackBoolsPlain unpacks whole groups of eight.
func unpackBoolsPlain(dst, src []byte, order Order) {
	weights := uint64(rising)
	if order == MSB {
		weights = falling
	}
	for len(dst) >= 64 && len(src) >= 8 {
		x := binary.LittleEndian.Uint64(src)
		group := dst[:64:64]
		for i := 0; i < 64; i += 8 {
			binary.LittleEndian.PutUint64(group[i:], spread(x, weights))
			x >>= 8
		}
		dst, src = dst[64:], src[8:]
	}
	for i := 0; len(dst) >= 8; i++ {
		binary.LittleEndian.PutUint64(dst, spread(uint64(src[i]), weights))
		dst = dst[8:]
	}
}

// spread makes eight bytes of the bits in the lowest byte of x.
func spread(x, weights uint64) uint64 { return (x&0xff*each&weights + allBut80) >> 7 & each }
