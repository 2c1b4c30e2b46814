package gdeflate

import "encoding/binary"

// writer deals out bits to lanes, and gives the lanes their words in the order in
// which a reader asks for them.
type writer struct {
	out  []byte
	lane uint // whose turn it is

	bits  [lanes]uint64 // that are not in out yet
	count [lanes]uint   // how many
	left  [lanes]uint   // bits that a reader has at hand
	spot  [lanes]int    // where in out the next word goes
	next  [lanes]int    // and the one after, if a reader has that already

	// Distances that wait for the next turn of their lane.
	pending uint32
	waiting [lanes]code
}

// code is some bits, from the lowest up, and how many they are.
type code struct {
	bits uint32
	n    uint8
}

// with puts other bits behind those of a code.
func (c code) with(v uint32, n uint8) code {
	return code{c.bits | v<<c.n, c.n + n}
}

// start begins a page.
func (w *writer) start(out []byte) {
	*w = writer{out: out}
	for i := range lanes {
		w.spot[i] = w.word()
		w.left[i] = wordBits
	}
}

// word makes room for a word.
func (w *writer) word() int {
	w.out = append(w.out, 0, 0, 0, 0)
	return len(w.out) - wordBytes
}

// put writes bits, at most 31, to the lane whose turn it is.
func (w *writer) put(c code) {
	i := w.lane % lanes
	w.bits[i] |= uint64(c.bits) << w.count[i]
	w.count[i] += uint(c.n)
	w.left[i] -= uint(c.n)
	if w.count[i] >= wordBits {
		// A reader had at least 32 bits before, so if some of them were in
		// this word, there is another.
		binary.LittleEndian.PutUint32(w.out[w.spot[i]:], uint32(w.bits[i]))
		w.bits[i] >>= wordBits
		w.count[i] -= wordBits
		w.spot[i] = w.next[i]
	}
	if w.left[i] < wordBits {
		w.left[i] += wordBits
		w.next[i] = w.word()
	}
}

// advance gives the turn to the next lane.
func (w *writer) advance() { w.lane = (w.lane + 1) % lanes }

// symbol writes a literal, the length of a match, or the end of a block, in the
// next turn in which no distance is due.
func (w *writer) symbol(c code) {
	w.distances()
	w.put(c)
	w.advance()
}

// match writes the length of a match, and the distance when it is due.
func (w *writer) match(length, distance code) {
	w.distances()
	w.put(length)
	w.waiting[w.lane] = distance
	w.pending |= 1 << w.lane
	w.advance()
}

// distances writes those that are due.
func (w *writer) distances() {
	for w.pending>>w.lane&1 != 0 {
		w.distance()
	}
}

func (w *writer) distance() {
	if w.pending>>w.lane&1 != 0 {
		w.pending &^= 1 << w.lane
		w.put(w.waiting[w.lane])
	}
	w.advance()
}

// end ends a block of symbols: all distances are due.
func (w *writer) end(c code) {
	w.symbol(c)
	for range lanes {
		w.distance()
	}
}

// finish writes what is left in the lanes, and returns the page.
func (w *writer) finish() []byte {
	for i := range lanes {
		binary.LittleEndian.PutUint32(w.out[w.spot[i]:], uint32(w.bits[i]))
	}
	out := w.out
	w.out = nil
	return out
}
