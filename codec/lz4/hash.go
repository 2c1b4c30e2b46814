package lz4

import (
	"encoding/binary"
	"math/bits"
)

// The primes of xxHash.
const (
	prime1 = 2654435761
	prime2 = 2246822519
	prime3 = 3266489917
	prime4 = 668265263
	prime5 = 374761393
)

// hash32 is xxHash of 32 bits.
func hash32(data []byte, seed uint32) uint32 {
	size := uint32(len(data))
	h := seed + prime5
	if len(data) >= 16 {
		// Sums wrap around, which constants may not.
		a, b, c, d := seed, seed+prime2, seed, seed
		a += prime1
		a += prime2
		d -= prime1
		for ; len(data) >= 16; data = data[16:] {
			a = mix(a, binary.LittleEndian.Uint32(data))
			b = mix(b, binary.LittleEndian.Uint32(data[4:]))
			c = mix(c, binary.LittleEndian.Uint32(data[8:]))
			d = mix(d, binary.LittleEndian.Uint32(data[12:]))
		}
		h = bits.RotateLeft32(a, 1) + bits.RotateLeft32(b, 7) + bits.RotateLeft32(c, 12) + bits.RotateLeft32(d, 18)
	}
	h += size
	for ; len(data) >= 4; data = data[4:] {
		h = bits.RotateLeft32(h+binary.LittleEndian.Uint32(data)*prime3, 17) * prime4
	}
	for _, c := range data {
		h = bits.RotateLeft32(h+uint32(c)*prime5, 11) * prime1
	}
	h = (h ^ h>>15) * prime2
	h = (h ^ h>>13) * prime3
	return h ^ h>>16
}

func mix(lane, word uint32) uint32 { return bits.RotateLeft32(lane+word*prime2, 13) * prime1 }
