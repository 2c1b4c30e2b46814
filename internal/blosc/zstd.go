package blosc

import (
	"encoding/binary"

	"github.com/klauspost/compress/zstd"

	"github.com/omnizarr/zarr/internal/zstdenc"
)

// A block that was shuffled begins with its lowest bytes or bits, which in
// measured data are often noise. Inside one frame of Zstandard the rows of noise
// are best stored: they need not be searched for matches, do not spoil the code of
// the others, and cost readers nothing.

const (
	zstdMagic    = 0xfd2fb528
	zstdMaxBlock = 128 << 10
	zstdMaxFrame = 8 << 20 // that is one segment
	minRow       = 2 << 10 // shorter rows tell too little
)

// appendZstd appends a frame of src, which consists of rows of equal length that
// were shuffled together; row 0 stands for none.
func appendZstd(dst, src []byte, level, row int) []byte {
	n := 0
	if row >= minRow && len(src) <= zstdMaxFrame {
		n = noise(src, row)
	}
	if n == 0 || n == len(src) {
		return zstdenc.AppendEncode(dst, src, level, false)
	}
	at := len(dst)
	head := appendZstdHeader(dst, len(src))
	for rest := src[:n]; len(rest) > 0; {
		k := min(len(rest), zstdMaxBlock)
		head = append(head, byte(k<<3), byte(k>>5), byte(k>>13))
		head = append(head, rest[:k]...)
		rest = rest[k:]
	}
	// Stored blocks leave the state of a decoder alone, so that the blocks of
	// another frame may follow.
	mid := len(head)
	out := zstdenc.AppendEncode(head, src[n:], level, false)
	var h zstd.Header
	if err := h.Decode(out[mid:]); err != nil || h.HasCheckSum {
		return zstdenc.AppendEncode(out[:at], src, level, false)
	}
	return append(out[:mid], out[mid+h.HeaderSize:]...)
}

// appendZstdHeader appends the header of a frame of n bytes in one segment.
func appendZstdHeader(dst []byte, n int) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, zstdMagic)
	const segment = 1 << 5
	if n < 256+1<<16 {
		dst = append(dst, segment|1<<6)
		return binary.LittleEndian.AppendUint16(dst, uint16(n-256))
	}
	dst = append(dst, segment|2<<6)
	return binary.LittleEndian.AppendUint32(dst, uint32(n))
}

// noise is the length of the rows at the beginning of src that hold nothing to
// compress.
func noise(src []byte, row int) int {
	n := 0
	for n+row <= len(src) && even(src[n:n+row]) {
		n += row
	}
	if n == 0 || repeats(src[:n]) {
		return 0
	}
	return n
}

// even reports whether the bytes of b are nearly equally frequent, so that a code
// for them gains less than one percent.
func even(b []byte) bool {
	const pieces, piece = 4, 512 // which do not overlap in a row of two kibibytes
	var hist [2][256]uint16      // in turn, since equal neighbours would wait for each other
	step := (len(b) - piece) / (pieces - 1)
	for k := range pieces {
		part := b[k*step:][:piece]
		for i := 0; i < piece; i += 2 {
			hist[0][part[i]]++
			hist[1][part[i+1]]++
		}
	}
	// The chance that two samples are equal: 1/256 if all bytes are equally
	// frequent.
	pairs := 0
	for i, k := range hist[0] {
		k := int(k + hist[1][i])
		pairs += k * (k - 1)
	}
	const n = pieces * piece
	return pairs*256 < n*(n-1)*11/10
}

// repeats reports whether eight bytes of b occur again elsewhere in many places.
func repeats(b []byte) bool {
	const step, window, bits = 32, 1 << 10, 12
	var table [1 << bits]int32 // where the word with a hash is, one more than that
	hash := func(x uint64) uint64 { return x * 0x9e3779b97f4a7c15 >> (64 - bits) }
	for i := 0; i+8 <= len(b); i += step {
		table[hash(le.Uint64(b[i:]))] = int32(i + 1)
	}
	// In a row of positions as long as the step, one meets what was noted.
	found, windows := 0, 0
	for w := 0; w+step+8 <= len(b); w += window {
		windows++
		for i := w; i < w+step; i++ {
			x := le.Uint64(b[i:])
			if j := int(table[hash(x)]) - 1; j >= 0 && j != i && le.Uint64(b[j:]) == x {
				found++
				break
			}
		}
	}
	return found*8 > windows
}
