// Package pixel holds what TIFF does to samples apart from compressing them: the
// two predictors, the order of samples (interleaved or in planes), the order of
// bytes, and integers of an odd number of bits.
//
// Rows are in memory order: integers and floating point numbers are little-endian
// whatever the file is. Those of a big-endian file go through Swap before Undelta,
// since the differences of predictor 2 are numbers; the byte planes of predictor 3
// have one order in every file, and need none.
//
// Lengths that do not fit together are a mistake of the caller, not of a file, and
// a panic at once that says which; the file's own errors are found by who knows
// what it should hold. Plain Go is the definition; on amd64 with AVX2 assembly does
// most of the work.
package pixel

import (
	"encoding/binary"
	"fmt"
)

var (
	le = binary.LittleEndian
	be = binary.BigEndian
)

// mistake is the panic of a caller who breaks what the function documents.
func mistake(format string, a ...any) {
	panic("pixel: " + fmt.Sprintf(format, a...))
}

// The functions below compute with all numbers of a word at once. high has the
// highest bit of each, where a carry would leave it.

// highBits is the highest bit of each number of size bytes in a word.
func highBits(size int) uint64 {
	switch size {
	case 1:
		return 0x8080808080808080
	case 2:
		return 0x8000800080008000
	case 4:
		return 0x8000000080000000
	}
	return 0x8000000000000000
}

func add(a, b, high uint64) uint64 { return (a&^high + b&^high) ^ (a^b)&high }

func sub(a, b, high uint64) uint64 { return ((a | high) - b&^high) ^ (a^^b)&high }
