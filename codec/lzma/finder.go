package lzma

import (
	"encoding/binary"
	"math/bits"
)

// finder finds earlier places with the same bytes: the last one for two and for
// three bytes, and a chain of them for four.
type finder struct {
	data  []byte
	next  int // the first place that is not known yet
	reach int // the largest distance
	depth int // how far to follow a chain

	last2 [1 << bits2]int32
	last3 [1 << bits3]int32
	last4 [1 << bits4]int32
	chain []int32 // the place before, by the low bits of a place
}

const (
	bits2  = 10
	bits3  = 14
	bits4  = 16
	nice   = 64      // a match of this length is good enough
	window = 8 << 20 // how far back matches are looked for at most
	// Places are kept as int32: beyond so many everything is forgotten, which
	// finds fewer matches and does no harm.
	epoch = 1 << 30
)

// pair is a match; a length of 0 is none.
type pair struct{ n, dist int }

// init prepares for data.
func (f *finder) init(data []byte, dict, depth int) {
	f.data, f.next, f.depth = data, 0, depth
	f.reach = min(dict, window)
	size := 1 << bits.Len(uint(min(f.reach, len(data))))
	if cap(f.chain) < size {
		f.chain = make([]int32, size)
	}
	f.chain = f.chain[:size]
	f.forget()
}

// forget makes every place unknown. The chain need not be cleared: only places
// that are known lead into it, and it has room for all within reach.
func (f *finder) forget() {
	clear(f.last2[:])
	clear(f.last3[:])
	clear(f.last4[:])
}

func (f *finder) hashes() (h2, h3, h4 uint32) {
	x := binary.LittleEndian.Uint32(f.data[f.next:])
	return uint32(uint16(x)) * 0x9e3779b1 >> (32 - bits2), x << 8 * 0x9e3779b1 >> (32 - bits3), x * 0x9e3779b1 >> (32 - bits4)
}

// insert makes the next place known, and returns those that may be alike. Places
// count from 1 within an epoch, so that 0 is none.
func (f *finder) insert() (c2, c3, c4, here int32) {
	here = int32(f.next%epoch) + 1
	if here == 1 {
		f.forget()
	}
	h2, h3, h4 := f.hashes()
	c2, c3, c4 = f.last2[h2], f.last3[h3], f.last4[h4]
	f.last2[h2], f.last3[h3], f.last4[h4] = here, here, here
	f.chain[f.next&(len(f.chain)-1)] = c4
	f.next++
	return
}

// skip makes all places before pos known.
func (f *finder) skip(pos int) {
	for f.next < min(pos, len(f.data)-3) {
		f.insert()
	}
	f.next = max(f.next, pos)
}

// find makes the next place known, and returns the best match there.
func (f *finder) find() (best pair) {
	pos := f.next
	if len(f.data)-pos < 4 {
		f.next++
		return
	}
	c2, c3, c4, here := f.insert()
	most := min(maxMatch, len(f.data)-pos)
	try := func(c int32) int {
		dist := int(here - c)
		n := alike(f.data, pos-dist, pos, most)
		// A byte more is not worth a distance that has many bits more.
		if n > best.n+1 || n > best.n && (best.n == 0 || dist>>7 <= best.dist) {
			best = pair{n, dist}
		}
		return dist
	}
	if c2 > 0 && int(here-c2) <= f.reach {
		try(c2)
	}
	if c3 > 0 && int(here-c3) <= f.reach {
		try(c3)
	}
	for range f.depth {
		if c4 <= 0 || int(here-c4) > f.reach || best.n >= nice {
			break
		}
		dist := try(c4)
		c4 = f.chain[(pos-dist)&(len(f.chain)-1)]
	}
	if best.n < minMatch {
		return pair{}
	}
	return best
}

// alike counts the bytes, at most n, that are the same from a and from b on. b is
// the later one, and n bytes follow it.
func alike(data []byte, a, b, n int) int {
	i := 0
	for ; i+8 <= n; i += 8 {
		x := binary.LittleEndian.Uint64(data[a+i:]) ^ binary.LittleEndian.Uint64(data[b+i:])
		if x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && data[a+i] == data[b+i] {
		i++
	}
	return i
}
