package zstdenc

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var hasKernels = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2

// candidatesFast is laneCandidates for most of n elements, and returns how many. Their candidates are
// only distances, right or not, until parseFast has seen them.
func (e *encoder) candidatesFast(p unsafe.Pointer, first, n uint) uint {
	if n &^= 15; n == 0 || !hasKernels {
		return 0
	}
	laneDistances(unsafe.Add(p, first), &e.lanes.cand[0], unsafe.SliceData(e.laneTable), n, e.base+uint32(first), uint32(32-e.laneLog))
	return n
}

// parseFast is parse for what candidatesFast has done.
func (sc *laneScratch) parseFast(first, n uint) {
	if n > 0 {
		laneParse(sc, n, uint32(first))
	}
}

// laneDistances puts the distances of n elements at p, a multiple of 16, into cand: pos is the position of the first.
//
//go:noescape
func laneDistances(p unsafe.Pointer, cand, table *uint32, n uint, pos, shift uint32)

// laneParse makes candidates of n distances, a multiple of 16, and parses them.
//
//go:noescape
func laneParse(sc *laneScratch, n uint, first uint32)

// writeFast is write for all sequences but the first.
func (w *sequenceWriter) writeFast() {
	if hasKernels && w.i > 0 {
		writeSequences(w)
	}
}

//go:noescape
func writeSequences(w *sequenceWriter)
