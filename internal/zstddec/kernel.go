//go:build amd64 || arm64

package zstddec

import "unsafe"

// four decodes most of the literals of a block, all four streams at a time.
func (l *lanes) four(q *quad) {
	if !hasKernels {
		return
	}
	l.put(q, 0)
	for {
		if l.rounds = q.rounds(); l.rounds < 1 {
			return
		}
		l.out[0] = unsafe.Pointer(&q.dst[q.done])
		fourStreams(l)
		l.get(q, 0)
	}
}

// both decodes the literals of two blocks as long as both last, all eight streams at
// a time.
func (l *lanes) both(a, b *quad) {
	if !hasKernels {
		return
	}
	l.put(a, 0)
	l.put(b, 4)
	for {
		if l.rounds = min(a.rounds(), b.rounds()); l.rounds < 1 {
			return
		}
		l.out = [2]unsafe.Pointer{unsafe.Pointer(&a.dst[a.done]), unsafe.Pointer(&b.dst[b.done])}
		eightStreams(l)
		l.get(a, 0)
		l.get(b, 4)
	}
}

// put makes the streams of q four lanes.
func (l *lanes) put(q *quad, at int) {
	l.tables[at/4], l.step[at/4] = q.table, q.step
	for i, b := range q.streams {
		l.base[at+i] = unsafe.Pointer(unsafe.SliceData(b))
		l.left[at+i] = q.left[i]
	}
}

// get takes what is left of the streams after all rounds.
func (l *lanes) get(q *quad, at int) {
	q.left = [4]int(l.left[at : at+4])
	q.done += roundLen * l.rounds
}

// fourStreams decodes rounds of five literals of the first four lanes.
//
//go:noescape
func fourStreams(l *lanes)

// eightStreams decodes rounds of five literals of all lanes.
//
//go:noescape
func eightStreams(l *lanes)

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
