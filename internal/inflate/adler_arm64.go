package inflate

import "unsafe"

// Every processor of this kind has NEON.
const hasAdler = true

// adlerStep is how many bytes the kernel adds at a time, and adlerBlock of how many
// lanes of 16 bits hold what they were before each step: 255*20*19/2 at most.
const (
	adlerStep  = 16
	adlerBlock = 20 * adlerStep
)

// adlerSums are by place in a step.
type adlerSums struct {
	all    [adlerStep]uint32 // of the bytes
	blocks [adlerStep]uint32 // of what all was before each block
	steps  [adlerStep]uint32 // of what the sum of a block was before each of its steps
}

// adlerBlocks takes whole blocks, one at least.
func adlerBlocks(b []byte) (all, before, weighted uint64) {
	var s adlerSums
	adlerNEON(unsafe.SliceData(b), len(b)/adlerBlock, &s)
	for i := range adlerStep {
		n := uint64(s.all[i])
		all += n
		before += uint64(s.blocks[i])*(adlerBlock/adlerStep) + uint64(s.steps[i])
		weighted += n * uint64(adlerStep-i)
	}
	return all, before, weighted
}

// adlerNEON adds up n blocks, n being at least 1.
//
//go:noescape
func adlerNEON(p *byte, n int, sums *adlerSums)
