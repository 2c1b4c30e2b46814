package inflate

// What RFC 1951 says.
const (
	maxBits    = 15  // of a code
	endOfBlock = 256 // the symbol
	numLits    = 286 // symbols for literals, the end of a block, and lengths
	numOffs    = 30  // symbols for distances
	numPre     = 19  // symbols for the lengths of codes
	maxPre     = 7   // bits of a code for these
	minMatch   = 3
	maxMatch   = 258

	// The fixed code has codes that must not occur.
	numFixedLits = 288
	numFixedOffs = 32
)

// The order in which a block gives the lengths of codes for lengths of codes.
var preOrder = [numPre]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// lengthOf is the least length that symbol endOfBlock+1+i stands for, and how
// many bits follow that are added to it.
func lengthOf(i int) (least, extra int) {
	switch {
	case i < 8:
		return minMatch + i, 0
	case i == numLits-endOfBlock-2:
		return maxMatch, 0
	}
	extra = i/4 - 1
	return minMatch + (4+i%4)<<extra, extra
}

// distanceOf is the same for distances.
func distanceOf(i int) (least, extra int) {
	if i < 4 {
		return 1 + i, 0
	}
	extra = i/2 - 1
	return 1 + (2+i%2)<<extra, extra
}
