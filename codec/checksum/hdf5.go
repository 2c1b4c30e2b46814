package checksum

import (
	"encoding/binary"
	"math/bits"
)

// fletcher is the Fletcher checksum over words of 16 bits, the high byte first,
// that HDF5 has. An odd byte at the end is the high byte of a last word.
//
// Sums are modulo 65535, but only a sum over zeros is 0: any other multiple of
// 65535 is 65535.
func fletcher(data []byte) uint32 {
	var a, b uint64
	for len(data) >= 8 {
		// The sums of so many words fit, so they are reduced only in between.
		n := min(len(data), 1<<20) &^ 7
		for block := data[:n]; len(block) >= 8; block = block[8:] {
			w := binary.BigEndian.Uint64(block)
			w0, w1, w2, w3 := w>>48, w>>32&0xffff, w>>16&0xffff, w&0xffff
			b += 4*(a+w0) + 3*w1 + 2*w2 + w3
			a += w0 + w1 + w2 + w3
		}
		a, b = fold(a), fold(b)
		data = data[n:]
	}
	for len(data) > 0 {
		w := uint64(data[0]) << 8
		if len(data) > 1 {
			w |= uint64(data[1])
		}
		a += w
		b += a
		data = data[min(2, len(data)):]
	}
	return uint32(fold(b))<<16 | uint32(fold(a))
}

// fold brings a sum below 1<<16 by adding its words of 16 bits.
func fold(x uint64) uint64 {
	for x > 0xffff {
		x = x&0xffff + x>>16
	}
	return x
}

// jenkins is Bob Jenkins' lookup3 hash of bytes.
func jenkins(data []byte, seed uint32) uint32 {
	a := 0xdeadbeef + uint32(len(data)) + seed
	b, c := a, a
	if len(data) == 0 {
		return c
	}
	for len(data) > 12 {
		a += binary.LittleEndian.Uint32(data)
		b += binary.LittleEndian.Uint32(data[4:])
		c += binary.LittleEndian.Uint32(data[8:])
		a = a - c ^ bits.RotateLeft32(c, 4)
		c += b
		b = b - a ^ bits.RotateLeft32(a, 6)
		a += c
		c = c - b ^ bits.RotateLeft32(b, 8)
		b += a
		a = a - c ^ bits.RotateLeft32(c, 16)
		c += b
		b = b - a ^ bits.RotateLeft32(a, 19)
		a += c
		c = c - b ^ bits.RotateLeft32(b, 4)
		b += a
		data = data[12:]
	}
	var last [12]byte // zeros change nothing
	copy(last[:], data)
	a += binary.LittleEndian.Uint32(last[:])
	b += binary.LittleEndian.Uint32(last[4:])
	c += binary.LittleEndian.Uint32(last[8:])
	c = c ^ b - bits.RotateLeft32(b, 14)
	a = a ^ c - bits.RotateLeft32(c, 11)
	b = b ^ a - bits.RotateLeft32(a, 25)
	c = c ^ b - bits.RotateLeft32(b, 16)
	a = a ^ c - bits.RotateLeft32(c, 4)
	b = b ^ a - bits.RotateLeft32(a, 14)
	c = c ^ b - bits.RotateLeft32(b, 24)
	return c
}
