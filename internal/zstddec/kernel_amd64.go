package zstddec

import "golang.org/x/sys/cpu"

var hasKernels = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2

// margin is how much behind a match a kernel may write.
const margin = 128

// kernel decodes and executes sequences as long as they are right, plain, and far
// enough from the ends.
func (s *sequenceDecoder) kernel() pause {
	end := min(s.end, s.room, len(s.dst)-margin)
	if !hasKernels || s.at >= end {
		return tail
	}
	switch again := s.ofTable.few; {
	case again < 1<<maxOffsetLog/4 || again > 1<<maxOffsetLog*7/8:
		return sequencesNew(s, end, &patterns)
	case s.mlTable.mean < longMatch:
		return sequencesAgain(s, end, &patterns)
	}
	return sequencesLong(s, end, &patterns)
}

// longMatch is the mean length of matches that are copied in larger pieces.
const longMatch = 24

// The kernels of sequences may write up to end, and margin bytes behind. sequencesNew
// is for offsets that are new, sequencesAgain for those that were before,
// sequencesLong for long matches.

//go:noescape
func sequencesNew(s *sequenceDecoder, end int, p *patternTable) pause

//go:noescape
func sequencesAgain(s *sequenceDecoder, end int, p *patternTable) pause

//go:noescape
func sequencesLong(s *sequenceDecoder, end int, p *patternTable) pause

// patterns say how to repeat the bytes of an offset below 16.
var patterns = makePatterns()

type patternTable struct {
	shuffle [16][16]byte
	step    [16]uint8 // the most bytes that are whole repetitions
}

func makePatterns() (p patternTable) {
	for offset := 1; offset < 16; offset++ {
		for i := range 16 {
			p.shuffle[offset][i] = byte(i % offset)
		}
		p.step[offset] = uint8(16 - 16%offset)
	}
	return p
}
