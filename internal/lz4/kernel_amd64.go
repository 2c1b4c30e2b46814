package lz4

import "golang.org/x/sys/cpu"

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
