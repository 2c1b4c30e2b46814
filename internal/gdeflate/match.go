package gdeflate

import (
	"encoding/binary"
	"math/bits"
)

// param is how much work a level does.
type param struct {
	depth  int  // places that are tried for a match
	nice   int  // length from which on a match is good enough
	lazy   bool // a longer match one byte later is preferred
	split  bool // pages may have several blocks
	passes int  // of the search for the best tokens; 0: there is none
}

var params = [MaxLevel + 1]param{
	1:  {depth: 2, nice: 8},
	2:  {depth: 6, nice: 12},
	3:  {depth: 12, nice: 16},
	4:  {depth: 16, nice: 32, split: true},
	5:  {depth: 16, nice: 32, split: true, lazy: true},
	6:  {depth: 32, nice: 64, split: true, lazy: true},
	7:  {depth: 96, nice: 128, split: true, lazy: true},
	8:  {depth: 12, nice: 24, split: true, passes: 1},
	9:  {depth: 20, nice: 32, split: true, passes: 2},
	10: {depth: 32, nice: 56, split: true, passes: 2},
	11: {depth: 64, nice: 96, split: true, passes: 3},
	12: {depth: 128, nice: 160, split: true, passes: 4},
}

// finder remembers where bytes stood before. Places are counted from 1, so that 0
// is none; no match begins at the last one that would not fit.
type finder struct {
	head  [1 << hashBits]uint16 // the last place by a hash of four bytes
	prev  [PageSize]uint16      // the one before that with the same hash
	three [1 << threeBits]uint16
}

const (
	hashBits  = 15
	threeBits = 12
	// Three bytes from farther away take as many bits as they have.
	maxThree = 4096
)

func (f *finder) reset() {
	clear(f.head[:])
	clear(f.three[:])
}

// insert remembers what stands at a place, and returns the last places where the
// same may stand: four bytes, and three.
func (f *finder) insert(src []byte, at int) (four, three uint16) {
	if len(src)-at < 4 {
		return 0, 0
	}
	v := binary.LittleEndian.Uint32(src[at:])
	h := v * 0x9e3779b1 >> (32 - hashBits)
	h3 := (v << 8) * 0x9e3779b1 >> (32 - threeBits)
	four, three = f.head[h], f.three[h3]
	f.prev[at] = four
	f.head[h] = uint16(at + 1)
	f.three[h3] = uint16(at + 1)
	return four, three
}

// longest remembers a place and finds a match for it that is longer than best. If
// there is none, its length is best.
func (f *finder) longest(src []byte, at, best int, p *param) (length, distance int) {
	place, three := f.insert(src, at)
	most := min(len(src)-at, maxMatch)
	if best >= most {
		return best, 0
	}
	if best < minMatch && three != 0 && at-int(three-1) <= maxThree {
		if n := same(src, int(three-1), at, most); n >= minMatch {
			best, distance = n, at-int(three-1)
		}
	}
	for tries := p.depth; place != 0 && tries > 0 && best < most && best < p.nice; tries-- {
		c := int(place - 1)
		if src[c+best] == src[at+best] {
			if n := same(src, c, at, most); n > best && n > minMatch {
				best, distance = n, at-c
			}
		}
		place = f.prev[c]
	}
	return best, distance
}

// same is how many bytes at a and at b, which is behind, are the same, at most n.
func same(src []byte, a, b, n int) int {
	x, y := src[a:a+n], src[b:b+n]
	i := 0
	for ; n-i >= 8; i += 8 {
		if d := binary.LittleEndian.Uint64(x[i:]) ^ binary.LittleEndian.Uint64(y[i:]); d != 0 {
			return i + bits.TrailingZeros64(d)/8
		}
	}
	for i < n && x[i] == y[i] {
		i++
	}
	return i
}

// search sets the tokens of a page, taking the longest match at each place.
func (e *encoder) search(src []byte, p *param) {
	e.finder.reset()
	e.tokens = e.tokens[:0]
	for at := 0; at < len(src); {
		length, distance := e.finder.longest(src, at, minMatch-1, p)
		if distance == 0 {
			e.tokens = append(e.tokens, literal(src[at]))
			at++
			continue
		}
		known := at + 1 // the first place that is not remembered
		for p.lazy && length < p.nice && at+1 < len(src) {
			n, d := e.finder.longest(src, at+1, length, p)
			known++
			if d == 0 {
				break
			}
			e.tokens = append(e.tokens, literal(src[at]))
			at++
			length, distance = n, d
		}
		e.tokens = append(e.tokens, matched(length, distance))
		at += length
		for ; known < at; known++ {
			e.finder.insert(src, known)
		}
	}
}
