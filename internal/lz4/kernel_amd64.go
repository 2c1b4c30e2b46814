package lz4

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var hasKernels = cpu.X86.HasAVX2 && cpu.X86.HasBMI1

type patternTable struct {
	// shuffle makes 32 bytes from the 32 at the match (first half) and from the
	// first 16 of them twice (second half).
	shuffle [33][2][32]byte
	// step is the smallest multiple of the distance from 32 on.
	step [33]byte
}

func makePatterns() (p patternTable) {
	const none = 0x80
	for distance := 1; distance <= 32; distance++ {
		for i := range 32 {
			whole, twice := byte(none), byte(none)
			switch from := i % distance; {
			case i < 16 && from < 16, i >= 16 && distance <= 16, i >= distance:
				twice = byte(from)
			default:
				whole = byte(from - 16)
			}
			p.shuffle[distance][0][i] = whole
			p.shuffle[distance][1][i] = twice
		}
		p.step[distance] = byte((31 + distance) / distance * distance)
	}
	return p
}

// compared is how many bytes the kernel looks at behind the place of a match.
const compared = minMatch + 64

// seek looks for the next match. Where that is found at once and can be written
// with few bytes, as in a plane of slowly changing bytes, the kernel writes it
// and goes on, without a branch that depends on its length.
func (t *table) seek(dst, src []byte, s *progress) bool {
	end := uint(len(src) - lastLiterals)
	if !hasKernels || end < compared || len(dst) < sequenceRoom {
		return t.seekPlain(src, s)
	}
	return seekKernel(t, unsafe.SliceData(dst), unsafe.SliceData(src), s, min(end-compared, s.ip+atOnce))
}

// seekKernel is seek; it writes no match that begins behind near.
//
//go:noescape
func seekKernel(t *table, dst, src *byte, s *progress, near uint) bool
