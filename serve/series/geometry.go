package series

// geometry says how samples are cut: into blocks whose extremes are kept, larger blocks
// of these for what is seen from afar, and parts of many blocks that are read at once.
// All begin at multiples of their length, so that bins do too.
type geometry struct {
	fine, coarse, part int // samples along time
}

const (
	// fineBlock and coarseBlock are about how long blocks are. A screen full of bins
	// that are shorter than a block is read sample by sample.
	fineBlock, coarseBlock = 128, 4096
	// partBytes is about how much is read at once.
	partBytes = 8 << 20
	// mostPart is how much may be: a chunk that is larger is decoded more than once.
	mostPart = 256 << 20
)

// geometryOf fits blocks to the chunks along time, of a number of samples, each of so
// many bytes in a part.
func geometryOf(chunk, bytes int) geometry {
	g := geometry{fine: fitting(chunk, fineBlock, 1)}
	g.coarse = fitting(chunk, coarseBlock, g.fine)
	unit := g.coarse
	if chunk > unit && chunk%unit == 0 && chunk <= mostPart/max(bytes, 1) {
		unit = chunk
	}
	g.part = unit * max(1, partBytes/max(bytes, 1)/unit)
	return g
}

// fitting is a length near to one that is wanted, a multiple of step, that chunks are
// made of or that is made of chunks.
func fitting(chunk, want, step int) int {
	for d := 0; d <= want/2; d++ {
		for _, n := range []int{want + d, want - d} {
			if n > 0 && n%step == 0 && (chunk%n == 0 || n%chunk == 0) {
				return n
			}
		}
	}
	return want / step * step
}
