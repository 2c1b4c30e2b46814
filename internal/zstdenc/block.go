package zstdenc

const (
	maxBlock     = 128 << 10
	maxSequences = maxBlock/minMatch + 1

	blockRaw        = 0
	blockRLE        = 1
	blockCompressed = 2
)

// appendBlock finds matches in src[start:end], the next block of the frame, and
// appends the block in the cheapest of its forms.
func (e *encoder) appendBlock(dst, src []byte, start, end int, last bool) []byte {
	block := src[start:end]
	head := uint32(0)
	if last {
		head = 1
	}
	if len(block) > 0 && uniform(block) {
		if e.blocks == 0 {
			// Some old decoders reject an RLE block at the start of a frame, so
			// the run goes into the literals of a compressed block.
			n := plainHeader(e.out, litRLE, len(block))
			e.out[n], e.out[n+1] = block[0], 0
			if int(n+2) < len(block) {
				e.blocks++
				return append(blockHeader(dst, head|blockCompressed<<1, uint32(n+2)), e.out[:n+2]...)
			}
		} else {
			e.blocks++
			return append(blockHeader(dst, head|blockRLE<<1, uint32(len(block))), block[0])
		}
	}
	e.blocks++
	if len(block) < 16 {
		return append(blockHeader(dst, head|blockRaw<<1, uint32(len(block))), block...)
	}
	saved := e.reps
	e.seqs = e.seqs[:0]
	e.lits = e.lits[:0]
	e.findMatches(src, start, end)

	lits := e.lits
	if len(e.seqs) == 0 {
		lits = block
	}
	n, newTable := e.lit.encode(e.out, lits)
	var m seqModes
	if int(n) < len(block) {
		var k uint
		k, m = e.seq.encode(e.out[n:], e.seqs)
		n += k
	}
	if int(n) >= len(block) {
		e.reps = saved // a raw block leaves the decoder's state alone
		return append(blockHeader(dst, head|blockRaw<<1, uint32(len(block))), block...)
	}
	e.lit.commit(newTable)
	e.seq.ll.commit(m.llMode)
	e.seq.of.commit(m.ofMode)
	e.seq.ml.commit(m.mlMode)
	return append(blockHeader(dst, head|blockCompressed<<1, uint32(n)), e.out[:n]...)
}

func blockHeader(dst []byte, head, size uint32) []byte {
	v := head | size<<3
	return append(dst, uint8(v), uint8(v>>8), uint8(v>>16))
}

// uniform reports whether all bytes of b are equal.
func uniform(b []byte) bool {
	// Most blocks differ early; the full comparison is for those that do not.
	n := min(len(b), 32)
	for _, v := range b[1:n] {
		if v != b[0] {
			return false
		}
	}
	return string(b[1:]) == string(b[:len(b)-1])
}
