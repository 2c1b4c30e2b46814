package inflate

import "encoding/binary"

// adlerPrime is what both sums of Adler-32 are taken modulo.
const adlerPrime = 65521

// Adler32 is the checksum of zlib's frames (RFC 1950).
func Adler32(b []byte) uint32 {
	sum, sums, n := adlerFast(1, 0, b)
	return adlerPlain(sum, sums, b[n:])
}

// adlerPlain adds b to the sum of bytes and to the sum of all its values. It does
// eight bytes at a time, in lanes of sixteen bits, and as many words as these
// hold: the sums before each of 23 words add up to 255*23*22/2 at most.
func adlerPlain(sum, sums uint64, b []byte) uint32 {
	const (
		size = 8 * 23
		lane = 0xffff
		low  = 0x00ff00ff00ff00ff
	)
	for len(b) >= size {
		var even, odd, evens, odds uint64
		for block := b[:size]; len(block) >= 8; block = block[8:] {
			evens += even
			odds += odd
			w := binary.LittleEndian.Uint64(block)
			even += w & low
			odd += w >> 8 & low
		}
		sums += size*sum + 8*(lanes(evens)+lanes(odds)) +
			8*(even&lane) + 7*(odd&lane) + 6*(even>>16&lane) + 5*(odd>>16&lane) +
			4*(even>>32&lane) + 3*(odd>>32&lane) + 2*(even>>48) + odd>>48
		sum += lanes(even) + lanes(odd)
		sum %= adlerPrime
		sums %= adlerPrime
		b = b[size:]
	}
	for _, c := range b {
		sum += uint64(c)
		sums += sum
	}
	return uint32(sums%adlerPrime<<16 | sum%adlerPrime)
}

// lanes adds the four lanes of a word.
func lanes(w uint64) uint64 {
	return w&0xffff + w>>16&0xffff + w>>32&0xffff + w>>48
}
