package gdeflate

import "math/bits"

// token is a literal or a match: in the low half the byte or the distance, in the
// high half the length of the match.
type token uint32

func literal(b byte) token               { return token(b) }
func matched(length, distance int) token { return token(length<<16 | distance) }
func (t token) length() int              { return int(t >> 16) } // 0: a literal
func (t token) distance() int            { return int(t & 0xffff) }

// size is how many bytes the token stands for.
func (t token) size() int { return max(t.length(), 1) }

// lengthSymbol is the symbol, counted from the first, of the length of a match.
func lengthSymbol(length int) int {
	v := length - minMatch
	switch {
	case v < 8:
		return v
	case v < 256:
		n := bits.Len(uint(v)) - 3 // that follow the symbol
		return 4*n + v>>n
	}
	return numLengths - 1
}

// offsetSymbol is the symbol of a distance.
func offsetSymbol(distance int) int {
	v := distance - 1
	if v < 4 {
		return v
	}
	n := bits.Len(uint(v)) - 2
	return 2*n + v>>n
}

// block is a part of a page that has codes of its own.
type block struct {
	tokens []token
	data   []byte // that they stand for

	litLenFreq [maxLitLen]uint32
	offsetFreq [numOffsets]uint32
	lens       [maxLitLen + numOffsets]uint8 // those of distances behind those that occur of the others
	litLens    int                           // how many lengths of codes for literals and lengths
	offsets    int                           // and of distances

	// The lengths are themselves written with a code.
	items    []item
	preLens  [numPre]uint8
	preCount int

	kind int
	cost int // in bits
}

// item is a symbol for lengths of codes, and the number that follows it.
type item struct{ symbol, extra uint8 }

// set makes b the block of these tokens, the first of which lie at the start of
// data, and finds the best way to write it.
func (b *block) set(h *huffman, tokens []token, data []byte) {
	b.tokens, b.data = tokens, data
	clear(b.litLenFreq[:])
	clear(b.offsetFreq[:])
	b.litLenFreq[endOfBlock] = 1
	extra := 0
	for _, t := range tokens {
		if t.length() == 0 {
			b.litLenFreq[t]++
			continue
		}
		l, o := lengthSymbol(t.length()), offsetSymbol(t.distance())
		b.litLenFreq[firstLength+l]++
		b.offsetFreq[o]++
		extra += int(lengths[l].extra) + int(offsets[o].extra)
	}
	b.header(h)
	b.choose(extra)
}

// choose sets the kind of block that takes the least room.
func (b *block) choose(extra int) {
	b.kind = stored
	b.cost = 8*len(b.data) + 19*(1+len(b.data)/(maxStore+1))
	cost := 3 + extra + weigh(b.litLenFreq[:], fixedLitLen[:]) + weigh(b.offsetFreq[:], fixedOffsets[:])
	if cost < b.cost {
		b.kind, b.cost = fixed, cost
	}
	cost = 3 + 14 + 3*b.preCount + extra +
		weigh(b.litLenFreq[:b.litLens], b.lens[:b.litLens]) + weigh(b.offsetFreq[:b.offsets], b.lens[b.litLens:])
	for _, i := range b.items {
		cost += int(b.preLens[i.symbol]) + int(preNumbers[i.symbol].extra)
	}
	if cost < b.cost {
		b.kind, b.cost = dynamic, cost
	}
}

// weigh is how many bits codes of these lengths take.
func weigh(freq []uint32, lens []uint8) (cost int) {
	for i, f := range freq {
		cost += int(f) * int(lens[i])
	}
	return cost
}

// header finds the codes of the block, and how they are written.
func (b *block) header(h *huffman) {
	h.lens(b.lens[:maxLitLen], b.litLenFreq[:], maxBits)
	b.litLens = used(b.lens[:maxLitLen], endOfBlock+1)
	own := b.lens[b.litLens : b.litLens+numOffsets]
	h.lens(own, b.offsetFreq[:], maxBits)
	b.offsets = used(own, 1)
	b.pack(b.lens[:b.litLens+b.offsets])
	var freq [numPre]uint32
	for _, i := range b.items {
		freq[i.symbol]++
	}
	h.lens(b.preLens[:], freq[:], maxPre)
	b.preCount = numPre
	for b.preCount > 4 && b.preLens[preOrder[b.preCount-1]] == 0 {
		b.preCount--
	}
}

// used is how many lengths there are up to the last that is not 0, at least n.
func used(lens []uint8, n int) int {
	for i := len(lens); i > n; i-- {
		if lens[i-1] != 0 {
			return i
		}
	}
	return n
}

// pack writes lengths as items: runs of them are shortened.
func (b *block) pack(lens []uint8) {
	b.items = b.items[:0]
	for len(lens) > 0 {
		v, run := lens[0], 1
		for run < len(lens) && lens[run] == v {
			run++
		}
		lens = lens[run:]
		if v != 0 {
			b.items = append(b.items, item{symbol: v})
			run--
		}
		for run > 0 {
			s := v
			switch {
			case run >= 3 && v != 0:
				s = repeatLast
			case run >= 11:
				s = repeatZeros
			case run >= 3:
				s = repeatZero
			}
			n := 1
			if s >= repeatLast {
				n = min(run, int(preNumbers[s].base)+1<<preNumbers[s].extra-1)
			}
			b.items = append(b.items, item{s, uint8(n - int(max(preNumbers[s].base, 1)))})
			run -= n
		}
	}
}
