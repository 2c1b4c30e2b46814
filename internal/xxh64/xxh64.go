// Package xxh64 is the hash XXH64, whose lower half is the checksum of Zstandard.
package xxh64

import (
	"encoding/binary"
	"math/bits"
)

const (
	prime1 = 0x9E3779B185EBCA87
	prime2 = 0xC2B2AE3D27D4EB4F
	prime3 = 0x165667B19E3779F9
	prime4 = 0x85EBCA77C2B2AE63
	prime5 = 0x27D4EB2F165667C5
)

func round(acc, v uint64) uint64 {
	return bits.RotateLeft64(acc+v*prime2, 31) * prime1
}

func merge(h, acc uint64) uint64 {
	return (h^round(0, acc))*prime1 + prime4
}

// Sum is the hash of b with seed 0.
func Sum(b []byte) uint64 {
	var g Growing
	return g.Sum(b)
}

// Growing is the hash of bytes that become more, of which it is told while they are near.
type Growing struct {
	acc [4]uint64
	n   int // bytes that are in acc
}

// Grow takes in what is new of b, which begins with all that it had before.
func (g *Growing) Grow(b []byte) {
	if g.n == 0 {
		p1, p2 := uint64(prime1), uint64(prime2)
		g.acc = [4]uint64{p1 + p2, p2, 0, -p1}
	}
	b = b[g.n:]
	g.n += len(b) &^ 31
	a, c, d, e := g.acc[0], g.acc[1], g.acc[2], g.acc[3]
	for len(b) >= 32 {
		a = round(a, binary.LittleEndian.Uint64(b[0:8]))
		c = round(c, binary.LittleEndian.Uint64(b[8:16]))
		d = round(d, binary.LittleEndian.Uint64(b[16:24]))
		e = round(e, binary.LittleEndian.Uint64(b[24:32]))
		b = b[32:]
	}
	g.acc = [4]uint64{a, c, d, e}
}

// Sum is the hash of b, of which it may have been told.
func (g *Growing) Sum(b []byte) uint64 {
	g.Grow(b)
	h := uint64(prime5)
	if g.n > 0 {
		a, c, d, e := g.acc[0], g.acc[1], g.acc[2], g.acc[3]
		h = bits.RotateLeft64(a, 1) + bits.RotateLeft64(c, 7) +
			bits.RotateLeft64(d, 12) + bits.RotateLeft64(e, 18)
		h = merge(merge(merge(merge(h, a), c), d), e)
	}
	h += uint64(len(b))
	b = b[g.n:]
	for ; len(b) >= 8; b = b[8:] {
		h = bits.RotateLeft64(h^round(0, binary.LittleEndian.Uint64(b)), 27)*prime1 + prime4
	}
	if len(b) >= 4 {
		h = bits.RotateLeft64(h^uint64(binary.LittleEndian.Uint32(b))*prime1, 23)*prime2 + prime3
		b = b[4:]
	}
	for _, v := range b {
		h = bits.RotateLeft64(h^uint64(v)*prime5, 11) * prime1
	}
	h = (h ^ h>>33) * prime2
	h = (h ^ h>>29) * prime3
	return h ^ h>>32
}
