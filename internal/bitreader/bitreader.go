// Package bitreader reads bits from bytes, the most significant bit first.
package bitreader

import (
	"encoding/binary"
	"math/bits"
)

// Reader reads bits. Behind the last byte there are zeros, and Short tells that
// some of them were asked for, so that a loop need not look after every read.
type Reader struct {
	src   []byte // what is not in acc yet
	acc   uint64 // the next bits, from the top
	n     int    // how many
	short bool
}

// New reads the bits of src.
func New(src []byte) Reader { return Reader{src: src} }

// Short reports whether more bits were read than there are.
func (r *Reader) Short() bool { return r.short }

// fill brings at least 57 bits into acc, if there are so many.
func (r *Reader) fill() {
	if len(r.src) >= 8 {
		r.acc |= binary.BigEndian.Uint64(r.src) >> r.n
		k := (64 - r.n) >> 3
		r.src = r.src[k:]
		r.n += 8 * k
		r.acc &= ^uint64(0) << (64 - r.n) // the rest of a byte comes again
		return
	}
	for r.n <= 56 && len(r.src) > 0 {
		r.acc |= uint64(r.src[0]) << (56 - r.n)
		r.src = r.src[1:]
		r.n += 8
	}
}

// Bits reads a number of n bits, at most 64.
func (r *Reader) Bits(n int) uint64 {
	if n > 32 {
		high := r.Bits(n - 32)
		return high<<32 | r.Bits(32)
	}
	if r.n < n {
		if r.fill(); r.n < n {
			r.short, r.n = true, n
		}
	}
	v := r.acc >> (64 - n) // of no bits, nothing is left
	r.acc <<= n
	r.n -= n
	return v
}

// Zeros counts the zeros in front of the next one, and reads both.
func (r *Reader) Zeros() int {
	zeros := 0
	for {
		if r.acc != 0 {
			k := bits.LeadingZeros64(r.acc)
			r.acc <<= k + 1
			r.n -= k + 1
			return zeros + k
		}
		zeros += r.n
		r.n = 0
		if r.fill(); r.n == 0 {
			r.short = true
			return zeros
		}
	}
}
