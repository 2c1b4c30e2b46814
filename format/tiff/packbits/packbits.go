// Package packbits is the run-length coding of TIFF, compression 32773, which
// came with the Macintosh.
//
// A byte n from 0 to 127 says that n+1 bytes follow as they are. From -127 to -1
// it says that the byte behind it comes 1-n times, and -128 says nothing.
package packbits

import (
	"encoding/binary"
	"fmt"
)

const (
	// most is the length of the longest run, and of the longest literal.
	most = 128
	nop  = 0x80

	every = 0x0101010101010101 // times a byte is a word of it
)

// Decode decodes src into dst until dst is full or src ends, and returns how
// many bytes came out. It is an error if src ends within what is needed of a run
// or a literal; if it just ends, it is not, even if dst has room for more.
//
// Behind what was decoded, dst may have been overwritten.
func Decode(dst, src []byte) (n int, err error) {
	for i := 0; i < len(src) && n < len(dst); {
		h := src[i]
		i++
		if h < nop {
			size := int(h) + 1
			if size <= 16 && len(src)-i >= 16 && len(dst)-n >= 16 {
				// Most are short, and then this takes less than a call.
				*(*[16]byte)(dst[n:]) = [16]byte(src[i:])
			} else {
				size = min(size, len(dst)-n)
				if have := len(src) - i; have < size {
					return n, fmt.Errorf("PackBits: data ends at byte %d, where %d bytes of a literal of %d are there, behind %d decoded bytes",
						len(src), have, int(h)+1, n)
				}
				copy(dst[n:n+size], src[i:])
			}
			i, n = i+size, n+size
			continue
		}
		if h == nop {
			continue
		}
		size := 257 - int(h)
		if i == len(src) {
			return n, fmt.Errorf("PackBits: data ends at byte %d, where the byte of a run of %d is missing, behind %d decoded bytes",
				len(src), size, n)
		}
		fill(dst[n:], min(size, len(dst)-n), src[i])
		i++
		n = min(n+size, len(dst))
	}
	return n, nil
}

// fill writes size times b to dst, or a little more if there is room.
func fill(dst []byte, size int, b byte) {
	if len(dst) < most {
		for i := range dst[:size] {
			dst[i] = b
		}
		return
	}
	word := uint64(b) * every
	for i := 0; i < size; i += 16 {
		s := (*[16]byte)(dst[i:])
		binary.LittleEndian.PutUint64(s[:8], word)
		binary.LittleEndian.PutUint64(s[8:], word)
	}
}
