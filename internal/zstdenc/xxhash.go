package zstdenc

import (
	"encoding/binary"
	"math/bits"
)

const (
	xxPrime1 = 0x9E3779B185EBCA87
	xxPrime2 = 0xC2B2AE3D27D4EB4F
	xxPrime3 = 0x165667B19E3779F9
	xxPrime4 = 0x85EBCA77C2B2AE63
	xxPrime5 = 0x27D4EB2F165667C5
)

func xxRound(acc, v uint64) uint64 {
	return bits.RotateLeft64(acc+v*xxPrime2, 31) * xxPrime1
}

func xxMerge(h, acc uint64) uint64 {
	return (h^xxRound(0, acc))*xxPrime1 + xxPrime4
}

// xxh64 is XXH64 with seed 0; its low 32 bits are the content checksum.
func xxh64(b []byte) uint64 {
	n := uint64(len(b))
	var h uint64
	if len(b) >= 32 {
		p1, p2 := uint64(xxPrime1), uint64(xxPrime2)
		a, c, d, e := p1+p2, p2, uint64(0), -p1
		for len(b) >= 32 {
			a = xxRound(a, binary.LittleEndian.Uint64(b[0:8]))
			c = xxRound(c, binary.LittleEndian.Uint64(b[8:16]))
			d = xxRound(d, binary.LittleEndian.Uint64(b[16:24]))
			e = xxRound(e, binary.LittleEndian.Uint64(b[24:32]))
			b = b[32:]
		}
		h = bits.RotateLeft64(a, 1) + bits.RotateLeft64(c, 7) +
			bits.RotateLeft64(d, 12) + bits.RotateLeft64(e, 18)
		h = xxMerge(xxMerge(xxMerge(xxMerge(h, a), c), d), e)
	} else {
		h = xxPrime5
	}
	h += n
	for ; len(b) >= 8; b = b[8:] {
		h = bits.RotateLeft64(h^xxRound(0, binary.LittleEndian.Uint64(b)), 27)*xxPrime1 + xxPrime4
	}
	if len(b) >= 4 {
		h = bits.RotateLeft64(h^uint64(binary.LittleEndian.Uint32(b))*xxPrime1, 23)*xxPrime2 + xxPrime3
		b = b[4:]
	}
	for _, v := range b {
		h = bits.RotateLeft64(h^uint64(v)*xxPrime5, 11) * xxPrime1
	}
	h = (h ^ h>>33) * xxPrime2
	h = (h ^ h>>29) * xxPrime3
	return h ^ h>>32
}
