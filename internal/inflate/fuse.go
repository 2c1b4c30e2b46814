package inflate

// Bits that a code does not need may tell what comes behind it. Where they do,
// entries are made to hold both: a length with the bits that are added to it, and
// a literal with the literal or the length behind it.

// Making pairs takes time, which small outputs do not give back, nor those with
// codes so long that few pairs fit.
const (
	fuseFrom  = 2 << 10  // bytes that may still come out
	fuseShare = one / 20 // of the symbols are literals that begin a pair
	one       = 1 << maxBits
)

// worthPairs says whether to make pairs, from the lengths of the codes for
// literals and the room for what comes out. That a code of n bits comes next has
// a chance of about one in 1<<n.
func (c *code) worthPairs(lens []uint8, room int) bool {
	if room < fuseFrom {
		return false
	}
	var literals [maxBits + 1]uint
	for _, n := range lens {
		literals[n&maxBits]++
	}
	var short, pairs uint // parts of one
	for n := 1; n < litBits; n++ {
		short += uint(c.count[n]) << (maxBits - n) // of up to n bits
		pairs += literals[litBits-n] << (maxBits - (litBits - n)) * short >> maxBits
	}
	return pairs > fuseShare
}

// foldExtra makes lengths whole that fit, with the bits added to them, into the
// bits with which entries are found.
func (c *code) foldExtra(t *litTable, lens []uint8) {
	for s := firstExtra; s < len(lens); s++ {
		n, means := int(lens[s]), litMeans[s]
		extra := int(means.extra())
		if n == 0 || extra == 0 || n+extra > litBits {
			continue
		}
		e := means&^(hasExtra|isSpecial|15<<extraShift) + entry(n+extra)
		for i := int(c.codes[s]); i < 1<<litBits; i += 1 << n {
			t[i] = e + entry(i>>n&(1<<extra-1))<<highShift
		}
	}
}

// firstExtra is the first symbol with bits that are added to its length.
const firstExtra = endOfBlock + 1 + 8

// pairing is room for fusePairs.
type pairing struct {
	single  [1 << (litBits - 1)]entry
	seconds [1 << (litBits - 1)]second
}

// second is what may stand behind a literal: where, relative to the literal, and
// what it adds to the entry.
type second struct {
	at  uint32
	add entry
}

// fusePairs makes pairs of literals with what follows them, where both fit.
// Literals with codes of the same length share what can follow
// them: few codes are short enough.
func (c *code) fusePairs(t *litTable, p *pairing) {
	const keep = 0xff<<highShift | isLiteral | 3<<countShift | takes
	n, copied := 0, false
	for length := 1; length < litBits; length++ {
		symbols := c.sorted[n : n+int(c.count[length])]
		n += len(symbols)
		if len(symbols) == 0 || symbols[0] >= endOfBlock {
			continue
		}
		if !copied {
			copy(p.single[:1<<(litBits-length)], t[:])
			copied = true
		}
		k := 0
		for i, e := range p.single[:1<<(litBits-length)] {
			p.seconds[k] = second{uint32(i) << length, e & keep}
			if e&isSpecial == 0 && e.takes() <= uint(litBits-length) {
				k++
			}
		}
		for _, s := range symbols {
			if s >= endOfBlock {
				break
			}
			code := uint32(c.codes[s])
			first := entry(s)<<lowShift + entry(length) + oneLiteral
			for _, f := range p.seconds[:k] {
				t[(code+f.at)%(1<<litBits)] = f.add + first
			}
		}
	}
}
