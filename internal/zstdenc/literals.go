package zstdenc

import (
	"bytes"
	"encoding/binary"
)

const (
	litRaw        = 0
	litRLE        = 1
	litCompressed = 2
	litTreeless   = 3
)

// minHuffLits is the literal count from which a Huffman table can pay.
const minHuffLits = 40

// histogram counts bytes. Four tables keep equal neighbours from waiting for
// each other's update.
func histogram(hist *[256]uint32, b []byte) {
	var h [4][256]uint32
	for len(b) >= 8 {
		v := binary.LittleEndian.Uint64(b)
		h[0][uint8(v)]++
		h[1][uint8(v>>8)]++
		h[2][uint8(v>>16)]++
		h[3][uint8(v>>24)]++
		h[0][uint8(v>>32)]++
		h[1][uint8(v>>40)]++
		h[2][uint8(v>>48)]++
		h[3][uint8(v>>56)]++
		b = b[8:]
	}
	for _, v := range b {
		h[0][v]++
	}
	for i := range hist {
		hist[i] = h[0][i] + h[1][i] + h[2][i] + h[3][i]
	}
}

// plainHeader writes the header of a raw or RLE literal section.
func plainHeader(dst []byte, kind uint8, n int) uint {
	switch {
	case n < 32:
		dst[0] = kind | uint8(n)<<3
		return 1
	case n < 4096:
		binary.LittleEndian.PutUint16(dst, uint16(kind)|1<<2|uint16(n)<<4)
		return 2
	default:
		binary.LittleEndian.PutUint32(dst, uint32(kind)|3<<2|uint32(n)<<4)
		return 3
	}
}

func rawLiterals(dst, lits []byte) uint {
	pos := plainHeader(dst, litRaw, len(lits))
	return pos + uint(copy(dst[pos:], lits))
}

// litCoder codes literal sections and remembers the Huffman table of the
// frame's last one.
type litCoder struct {
	prev, next *huffTable
	buf        [2]huffTable
	hist       [256]uint32
	scratch    huffScratch
	weights    fseTable
}

// encode writes a literal section and returns its length. If newTable is true,
// the section describes a table that commit must make current.
func (c *litCoder) encode(dst, lits []byte) (n uint, newTable bool) {
	if len(lits) < minHuffLits {
		if k := len(lits); k > 4 && bytes.Equal(lits[1:], lits[:k-1]) {
			pos := plainHeader(dst, litRLE, k)
			dst[pos] = lits[0]
			return pos + 1, false
		}
		return rawLiterals(dst, lits), false
	}
	histogram(&c.hist, lits)
	if c.hist[lits[0]] == uint32(len(lits)) {
		pos := plainHeader(dst, litRLE, len(lits))
		dst[pos] = lits[0]
		return pos + 1, false
	}
	// Coding must save something worth the decoder's time.
	limit := len(lits) - len(lits)>>6 - 8
	c.next.build(&c.hist, &c.scratch)
	size, _ := c.next.size(&c.hist)
	table, kind := c.next, uint32(litCompressed)
	head := uint(3)
	switch {
	case len(lits) >= 16<<10:
		head = 5
	case len(lits) >= 1<<10:
		head = 4
	}
	desc := uint(0)
	if size < limit {
		desc = c.next.writeWeights(dst[head:], &c.weights)
	}
	if desc == 0 {
		size = limit
	}
	if c.prev.valid {
		if s, ok := c.prev.size(&c.hist); ok && s < limit && (desc == 0 || s <= size+int(desc)) {
			table, kind, desc, size = c.prev, litTreeless, 0, s
		}
	}
	if size+int(desc) >= limit {
		return rawLiterals(dst, lits), false
	}
	pos := head + desc
	single := len(lits) < 256
	if single {
		pos += table.encode1(dst[pos:], lits)
	} else {
		pos += table.encode4(dst[pos:], lits)
	}
	comp := uint64(pos - head)
	if int(comp) >= limit {
		return rawLiterals(dst, lits), false
	}
	regen := uint64(len(lits))
	switch head {
	case 3:
		format := uint64(1)
		if single {
			format = 0
		}
		v := uint64(kind) | format<<2 | regen<<4 | comp<<14
		dst[0], dst[1], dst[2] = uint8(v), uint8(v>>8), uint8(v>>16)
	case 4:
		binary.LittleEndian.PutUint32(dst, kind|2<<2|uint32(regen)<<4|uint32(comp)<<18)
	default:
		v := uint64(kind) | 3<<2 | regen<<4 | comp<<22
		binary.LittleEndian.PutUint32(dst, uint32(v))
		dst[4] = uint8(v >> 32)
	}
	return pos, kind == litCompressed
}

// commit makes the table of the last encode call the current one.
func (c *litCoder) commit(newTable bool) {
	if newTable {
		c.prev, c.next = c.next, c.prev
	}
}
