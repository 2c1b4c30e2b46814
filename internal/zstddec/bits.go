package zstddec

import "math/bits"

// Streams are read from their end. Their last byte has a bit that marks where they
// begin, with nothing but zeros above it.

// streamBits is how many bits a stream holds, below the mark.
func streamBits(b []byte) (int, bool) {
	if len(b) == 0 || b[len(b)-1] == 0 {
		return 0, false
	}
	return 8*len(b) - bits.LeadingZeros8(b[len(b)-1]) - 1, true
}

// window gives the bits of b from bit at on, at least 57 of them. Behind the end of b
// are zeros.
func window(b []byte, at int) uint64 {
	i := at >> 3
	if i+8 <= len(b) {
		return le.Uint64(b[i:]) >> (at & 7)
	}
	return number(b[i:]) >> (at & 7)
}

// mask keeps the lowest n bits, n below 64.
func mask(v uint64, n uint) uint64 { return v & (1<<(n&63) - 1) }
