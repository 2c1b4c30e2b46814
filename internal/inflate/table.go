package inflate

import "math/bits"

// entry is what the next bits of a stream stand for. Of a table for literals and
// lengths:
//
//	bits 0-5    how many bits it takes
//	     6-7    how many literals there are
//	     8-11   how many bits follow that are added to the length, or
//	            that tell the place in a second table
//	     12-15  what it is, see below
//	     16-23  the first literal
//	     24-31  the second literal, or a length minus minMatch
//	     16-31  where the second table begins
//
// The loop over symbols writes both literals of every entry before it looks
// what it is: those that have none are written over.
//
// Of a table for distances:
//
//	bits 0-5    how many bits it takes, with those that are added
//	     8-11   how many of these are the code, or tell the place in a second table
//	     12-14  what it is
//	     16-31  the least distance, or where the second table begins
type entry uint32

const (
	takes      = 63 // mask
	countShift = 6
	extraShift = 8
	lowShift   = 16
	highShift  = 24

	isLong    = entry(1 << 12) // the code goes on in a second table
	hasExtra  = entry(1 << 13) // bits follow that are added to the length
	isSpecial = entry(1 << 14) // isLong, hasExtra, isEnd or isNothing
	isLiteral = entry(1 << 15) // one or two literals, and nothing else

	isEnd     = isSpecial               // of the block
	isNothing = isSpecial | 1<<lowShift // no such code, or not allowed

	oneLiteral = entry(1 << countShift)

	// What each bit of a code adds to what its symbol means.
	litPerBit = entry(1)
	offPerBit = entry(1 + 1<<extraShift)
)

func (e entry) takes() uint { return uint(e & takes) }
func (e entry) count() int  { return int(e >> countShift & 3) }
func (e entry) extra() uint { return uint(e >> extraShift & 15) }

// With how many bits entries are found, for literals and lengths, and for
// distances. The rest of longer codes is looked up in second tables, which have
// 1<<(maxBits-b) entries and hold two codes at least.
const (
	litBits = 12
	offBits = 8
	litSize = 1<<litBits + numFixedLits/2<<(maxBits-litBits)
	offSize = 1<<offBits + numFixedOffs/2<<(maxBits-offBits)
)

type (
	litTable [litSize]entry
	offTable [offSize]entry
)

// What symbols mean, without the bits of their codes.
var litMeans, offMeans, preMeans = meanings()

func meanings() (l [numFixedLits]entry, o [numFixedOffs]entry, p [numPre]entry) {
	for i := range 256 {
		l[i] = isLiteral | oneLiteral | entry(i)<<lowShift | entry(i)<<highShift
	}
	l[endOfBlock] = isEnd
	for i := endOfBlock + 1; i < len(l); i++ {
		if i >= numLits {
			l[i] = isNothing
			continue
		}
		least, extra := lengthOf(i - endOfBlock - 1)
		l[i] = entry(least-minMatch)<<highShift | entry(extra)<<extraShift
		if extra > 0 {
			l[i] |= hasExtra | isSpecial
		}
	}
	for i := range o {
		if i >= numOffs {
			o[i] = isNothing
			continue
		}
		least, extra := distanceOf(i)
		o[i] = entry(least)<<lowShift | entry(extra)
	}
	for i := range p {
		p[i] = entry(i) << lowShift
	}
	return l, o, p
}

// code is a set of codes.
type code struct {
	count  [maxBits + 1]uint16  // how many there are of each length
	sorted [numFixedLits]uint16 // the symbols that occur, in the order of their codes
	codes  [numFixedLits]uint16 // of symbols, the first bit lowest
}

// What can be wrong with lengths of codes.
const (
	codeFits = iota
	codeOver // there are more codes than there can be
	codeGaps // bits are left that mean nothing
)

// set takes the lengths of the codes of all symbols, 0 for those that do not
// occur. The codes must fill all there is; a single one of one bit may also be
// alone, and there may be none.
func (c *code) set(lens []uint8) int {
	c.count = [maxBits + 1]uint16{}
	for _, n := range lens {
		c.count[n&maxBits]++
	}
	c.count[0] = 0
	var first [maxBits + 1]uint16
	var used, space uint
	for n := 1; n <= maxBits; n++ {
		first[n] = uint16(used)
		used += uint(c.count[n])
		space += uint(c.count[n]) << (maxBits - n)
	}
	switch {
	case space > 1<<maxBits:
		return codeOver
	case space < 1<<maxBits && used > 0 && (used > 1 || c.count[1] == 0):
		return codeGaps
	}
	for s, n := range lens {
		if n != 0 {
			c.sorted[first[n&maxBits]] = uint16(s)
			first[n&maxBits]++
		}
	}
	return codeFits
}

// fill makes a table that is found with b bits, from what the symbols mean and
// what each bit of their codes adds to that.
func (c *code) fill(t []entry, b int, means []entry, perBit entry) {
	primary := t[:1<<b]
	primary[0] = isNothing // stays somewhere if there is at most one code
	// Codes are read from their first bit, which is the lowest: the next code
	// of the same length has one added at the other end.
	code, n, length := uint(0), 0, 1
	for ; length <= b; length++ {
		half := 1 << (length - 1)
		copy(primary[half:2*half], primary[:half])
		add := entry(length) * perBit
		for _, s := range c.sorted[n : n+int(c.count[length])] {
			c.codes[s] = uint16(code)
			primary[code] = means[s] + add
			code = next(code, length)
		}
		n += int(c.count[length])
	}
	end, deep, prefix := 1<<b, maxBits-b, ^uint(0)
	var second []entry
	for ; length <= maxBits; length++ {
		own := length - b
		add := entry(own) * perBit
		for _, s := range c.sorted[n : n+int(c.count[length])] {
			if p := code & (1<<b - 1); p != prefix {
				prefix = p
				second = t[end : end+1<<deep]
				primary[p] = isLong | isSpecial | entry(b) | entry(deep)<<extraShift | entry(end)<<lowShift
				end += 1 << deep
			}
			for i := code >> b; i < 1<<deep; i += 1 << own {
				second[i] = means[s] + add
			}
			code = next(code, length)
		}
		n += int(c.count[length])
	}
}

// next is the code of n bits behind another, both with their first bit lowest.
// Behind the last there is none.
func next(code uint, n int) uint {
	top := uint(1) << bits.Len(code^(1<<n-1)) >> 1
	return code&(top-1) | top
}
