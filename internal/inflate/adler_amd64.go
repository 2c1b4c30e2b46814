package inflate

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var hasAdler = cpu.X86.HasAVX2

// adlerStep is how many bytes the kernel adds at a time; it needs no longer blocks.
const (
	adlerStep  = 32
	adlerBlock = adlerStep
)

// adlerBlocks takes whole blocks, one at least.
func adlerBlocks(b []byte) (all, before, weighted uint64) {
	var s [3]uint64
	adlerAVX2(unsafe.SliceData(b), len(b)/adlerBlock, &s)
	return s[0], s[1], s[2]
}

// adlerAVX2 adds up n times 32 bytes, n being at least 1: their sum, the sum of
// what that was before each step of 32, and the sum of all, each as often as it
// is from the end of its step.
//
//go:noescape
func adlerAVX2(p *byte, n int, sums *[3]uint64)
