package zstdenc

import (
	"math/bits"
	"unsafe"
)

const (
	hashPrime6 = 0xCF1BBCDCBF9B
	hashPrime8 = 0xCF1BBCDCB7A56463
)

// tailGuard is how far before the end of a block the searches stop, so that
// they may load whole words.
const tailGuard = 12

// hashLow hashes the low bytes of v, those that a shift by up bits leaves over,
// to 64-shift bits.
func hashLow(v uint64, up, shift uint) uint {
	return uint((v << (up & 63)) * hashPrime6 >> (shift & 63))
}

// slot returns the table entry for hash h, which is in range by the choice of
// the hash's shift.
func slot(table unsafe.Pointer, h uint) *uint32 { return (*uint32)(unsafe.Add(table, h*4)) }

func byteAt(p unsafe.Pointer, i uint) byte { return *(*byte)(unsafe.Add(p, i)) }

// matchLen counts equal bytes at a and b, a < b, looking no further than end.
func matchLen(p unsafe.Pointer, a, b, end uint) uint {
	from := b
	for b+8 <= end {
		if d := load64(p, a) ^ load64(p, b); d != 0 {
			return b - from + uint(bits.TrailingZeros64(d))>>3
		}
		a += 8
		b += 8
	}
	for b < end && byteAt(p, a) == byteAt(p, b) {
		a++
		b++
	}
	return b - from
}

// findMatches splits src[start:end] into e.seqs and e.lits. If there are no
// sequences, the literals are the whole block and e.lits is left empty.
func (e *encoder) findMatches(src []byte, start, end int) {
	if end-start <= tailGuard {
		return
	}
	p := unsafe.Pointer(unsafe.SliceData(src))
	from, to, tail := uint(start), uint(end), uint(len(src))
	var anchor uint
	if lane, ok := detectLanes(p, from, to); ok {
		if e.laneLog == 0 {
			return // short matches are all there is, and too slow for this level
		}
		anchor = e.findLanes(p, from, to, tail, lane)
	} else if e.longLog != 0 {
		anchor = e.findDouble(p, from, to, tail)
	} else {
		anchor = e.findSingle(p, from, to, tail)
	}
	if len(e.seqs) > 0 {
		e.putLits(p, anchor, to-anchor, tail)
	}
}

// putLits appends the n bytes at position i of p. The buffer has room for a
// whole block and for writing in steps of 16 bytes; reading that far is safe up
// to tail, the end of the input.
func (e *encoder) putLits(p unsafe.Pointer, i, n, tail uint) {
	have := uint(len(e.lits))
	lits := e.lits[:have+n]
	if i+n+16 > tail {
		copy(lits[have:], unsafe.Slice((*byte)(p), i+n)[i:])
	} else {
		out := unsafe.Add(unsafe.Pointer(unsafe.SliceData(lits)), have)
		for k := uint(0); k < n; k += 16 {
			store64(out, k, load64(p, i+k))
			store64(out, k+8, load64(p, i+k+8))
		}
	}
	e.lits = lits
}

// offsetValue returns the code for off, a repeated offset if it is one, and
// updates the repeated offsets as the decoder will.
func (e *encoder) offsetValue(litLen uint, off uint32) uint {
	r := &e.reps
	var v uint
	switch {
	case off == r[0] && litLen > 0:
		return 1
	case off == r[1]:
		r[1] = r[0]
		v = 2
	case off == r[2]:
		r[2], r[1] = r[1], r[0]
		v = 3
	default:
		r[2], r[1], r[0] = r[1], r[0], off
		return uint(off) + 3
	}
	r[0] = off
	if litLen == 0 {
		v-- // without literals, the codes skip the latest offset
	}
	return v
}
