package gdeflate

import "math/bits"

// entry is what a code stands for: from the low bits, the length of the code,
// the number of bits that follow it, what it is, and a number to which the
// following bits are added. No code has the entry 0.
type entry uint32

const (
	entryBits  = 0xf // the length of the code
	extraShift = 4
	extraMask  = 0x1f
	isLiteral  = entry(1 << 9)
	isEnd      = entry(1 << 10)
	baseShift  = 16
)

func (e entry) bits() uint   { return uint(e & entryBits) }
func (e entry) extra() uint  { return uint(e >> extraShift & extraMask) }
func (e entry) base() uint32 { return uint32(e >> baseShift) }

func (n number) entry() entry {
	return entry(n.base<<baseShift) | entry(n.extra)<<extraShift
}

// What symbols mean, without the length of their codes. Those that mean nothing
// are 0.
var litLenMeans, offsetMeans, preMeans = meanings()

func meanings() (l [maxLitLen]entry, o [numOffsets]entry, p [numPre]entry) {
	for i := range 256 {
		l[i] = isLiteral | entry(i<<baseShift)
	}
	l[endOfBlock] = isEnd
	for i, n := range lengths {
		l[firstLength+i] = n.entry()
	}
	for i, n := range offsets {
		o[i] = n.entry()
	}
	for i := range p {
		p[i] = isLiteral | entry(i<<baseShift)
	}
	return l, o, p
}

// table finds the symbol whose code stands in the low bits of a word.
type table struct {
	fast [1 << fastBits]entry
	// Of longer codes, read from the first bit down: limit is where, in codes of
	// maxBits, those of a length end, and start where the first of them would
	// stand in sorted if it were all zeros.
	limit  [maxBits + 1]uint16
	start  [maxBits + 1]int16
	sorted [maxLitLen]entry
}

const fastBits = 10

// build makes the table from the lengths of codes, which are 0 for symbols that do
// not occur. The codes must fill all there is, except that there may be a single
// one of one bit, or none at all.
func (t *table) build(lens []uint8, means []entry) error {
	var count [maxBits + 1]int
	for _, n := range lens {
		count[n&maxBits]++
	}
	used := len(lens) - count[0]
	count[0] = 0
	var first [maxBits + 1]int // index in sorted
	var code [maxBits + 1]int  // the next one of this length
	space := 0                 // taken by shorter codes, of 1<<maxBits
	for n := 1; n <= maxBits; n++ {
		first[n] = first[n-1] + count[n-1]
		code[n] = space >> (maxBits - n)
		t.start[n] = int16(first[n] - code[n])
		space += count[n] << (maxBits - n)
		if space > 1<<maxBits {
			return damaged("codes of up to %d bits are more than there are", n)
		}
		t.limit[n] = uint16(space)
	}
	clear(t.fast[:])
	switch {
	case used == 0:
		return nil
	case used == 1 && count[1] == 1:
		for s, n := range lens {
			if n != 0 && means[s] != 0 {
				for i := range t.fast {
					t.fast[i] = means[s] | 1
				}
			}
		}
		return nil
	case space < 1<<maxBits:
		return damaged("%d of %d possible codes mean nothing", 1<<maxBits-space, 1<<maxBits)
	}
	for s, n := range lens {
		if n == 0 {
			continue
		}
		e := means[s]
		if e != 0 {
			e |= entry(n)
		}
		t.sorted[first[n]] = e
		first[n]++
		if n <= fastBits {
			for i := int(bits.Reverse16(uint16(code[n])) >> (16 - n)); i < len(t.fast); i += 1 << n {
				t.fast[i] = e
			}
			code[n]++
		}
	}
	return nil
}

// slow finds a code that is longer than fastBits, or returns 0 if there is none.
func (t *table) slow(word uint64) entry {
	code := int(bits.Reverse16(uint16(word)) >> 1)
	if code < int(t.limit[fastBits]) {
		return 0 // a short one of a symbol that means nothing
	}
	for n := fastBits + 1; n <= maxBits; n++ {
		if code < int(t.limit[n]) {
			return t.sorted[code>>(maxBits-n)+int(t.start[n])]
		}
	}
	return 0
}

// find is what the code in the low bits of word stands for; 0 if that is nothing.
func (t *table) find(word uint64) entry {
	if e := t.fast[word%(1<<fastBits)]; e != 0 {
		return e
	}
	return t.slow(word)
}
