// Package gdeflate is GDeflate, a variant of Deflate64 that a graphics processor
// can decode: data is cut into pages of 64 KiB, and the symbols of a page are
// dealt out to 32 lanes in turn.
//
// Every lane is a stream of bits of its own, but their words of 32 bits stand in
// one sequence, in the order in which a decoder that keeps at least 32 bits of
// every lane at hand runs out of them. So nothing says which lane a word belongs
// to, and who writes must keep account of what who reads has left.
//
// A match takes two turns of its lane: the first tells its length, and the next,
// 32 symbols later, the distance. What comes between is known before the bytes of
// the match are, which is why copies are made late, but in the order of their
// lengths.
//
// Blocks are those of Deflate, each beginning with lane 0, with three
// differences: lengths and distances are those of Deflate64, up to 64 KiB, the
// length of a stored block is not followed by its complement, and the bytes of
// one are dealt out like symbols.
package gdeflate

import "fmt"

const (
	// PageSize is how many bytes a page holds; only the last one of some data
	// has fewer.
	PageSize = 1 << 16
	// MinEncoded is the size of the shortest encoded page, which has one word
	// in every lane.
	MinEncoded = lanes * wordBytes
	// MaxLevel is the level that compresses best.
	MaxLevel = 12
)

const (
	lanes     = 32
	wordBits  = 32
	wordBytes = wordBits / 8
)

// The types of blocks.
const (
	stored  = 0
	fixed   = 1
	dynamic = 2
)

// The alphabets. Lengths of matches and distances are numbers with a symbol for
// the leading bits, followed by the others as they are.
const (
	endOfBlock  = 256
	firstLength = 257
	numLengths  = 29
	numOffsets  = 32
	numPre      = 19

	maxLitLen = 288 // that a block can declare; the last two mean nothing
	maxBits   = 15
	maxPre    = 7 // bits of a code for lengths of codes

	minMatch = 3
	maxMatch = PageSize - 1 // which is enough: the first byte is no match
	maxStore = 1<<16 - 1    // bytes in a stored block
)

// number is the least number that a symbol stands for, and how many bits follow
// it to be added.
type number struct {
	base  uint32
	extra uint8
}

var (
	lengths = makeLengths()
	offsets = makeOffsets()
)

func makeLengths() (t [numLengths]number) {
	base := uint32(minMatch)
	for i := range t {
		extra := uint8(max(i/4-1, 0))
		t[i] = number{base, extra}
		base += 1 << extra
	}
	// Deflate64 gives any length to the last one.
	t[numLengths-1] = number{minMatch, 16}
	return t
}

func makeOffsets() (t [numOffsets]number) {
	base := uint32(1)
	for i := range t {
		extra := uint8(max(i/2-1, 0))
		t[i] = number{base, extra}
		base += 1 << extra
	}
	return t
}

// preOrder is the order in which the lengths of the code for lengths stand.
var preOrder = [numPre]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// Symbols for lengths of codes that come several times.
const (
	repeatLast  = 16 // 3 to 6 times
	repeatZero  = 17 // 3 to 10 times
	repeatZeros = 18 // 11 to 138 times
)

// preNumbers are how often these are meant.
var preNumbers = [numPre]number{repeatLast: {3, 2}, repeatZero: {3, 3}, repeatZeros: {11, 7}}

// fixedLitLen and fixedOffsets are the lengths of the codes of a fixed block.
var fixedLitLen, fixedOffsets = fixedLens()

func fixedLens() (l [maxLitLen]uint8, o [numOffsets]uint8) {
	for i := range l {
		switch {
		case i < 144 || i >= 280:
			l[i] = 8
		case i < 256:
			l[i] = 9
		default:
			l[i] = 7
		}
	}
	for i := range o {
		o[i] = 5
	}
	return l, o
}

// damaged makes the error for a page that is not as it should be.
func damaged(format string, args ...any) error { return fmt.Errorf(format, args...) }
