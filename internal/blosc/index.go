package blosc

import (
	"errors"
	"fmt"
	"slices"
)

// Index tells where the blocks of a frame are.
type Index struct {
	Header
	starts []uint32 // of each block in the frame; nil if the data is stored
	sorted []uint32 // the same in the order of the frame
}

// ParseIndex reads the index from the first IndexLen bytes of a frame.
func ParseIndex(h Header, b []byte) (*Index, error) {
	x := &Index{Header: h}
	if h.Stored() {
		return x, nil
	}
	if len(b) < h.IndexLen() {
		return nil, fmt.Errorf("%d bytes are too few for %d Blosc blocks", len(b), h.Blocks())
	}
	x.starts = make([]uint32, h.Blocks())
	for i := range x.starts {
		start := le.Uint32(b[HeaderLen+4*i:])
		if err := h.checkStart(i, start); err != nil {
			return nil, err
		}
		x.starts[i] = start
	}
	// Threads of c-blosc write blocks in the order in which they are done.
	x.sorted = slices.Clone(x.starts)
	slices.Sort(x.sorted)
	return x, nil
}

// checkStart checks where a block begins: anywhere behind the index.
func (h Header) checkStart(i int, start uint32) error {
	if int64(start) < int64(h.IndexLen()) || int64(start) > int64(h.Length)-4 {
		return fmt.Errorf("block %d begins at byte %d of a frame of %d", i, start, h.Length)
	}
	return nil
}

// Size is how much memory the index takes.
func (x *Index) Size() int { return 64 + 8*len(x.starts) }

// Range is where the encoded form of block i stands in the frame.
func (x *Index) Range(i int) (start, end int) {
	lo, hi := x.Block(i)
	if x.starts == nil {
		return HeaderLen + lo, HeaderLen + hi
	}
	start, end = int(x.starts[i]), x.Length
	if k, _ := slices.BinarySearch(x.sorted, x.starts[i]+1); k < len(x.sorted) {
		end = int(x.sorted[k])
	}
	streams := x.streams(hi - lo)
	return start, start + min(end-start, streams*(4+maxStream((hi-lo)/streams)))
}

// DecodeBlock fills dst, which has the length of block i, from its encoded form.
func (x *Index) DecodeBlock(dst []byte, i int, encoded []byte) error {
	lo, hi := x.Block(i)
	if len(dst) != hi-lo {
		return fmt.Errorf("%d bytes of memory for a block of %d", len(dst), hi-lo)
	}
	if x.starts == nil {
		if len(encoded) != len(dst) {
			return errors.New("a stored block is cut short")
		}
		copy(dst, encoded)
		return nil
	}
	d := newDecoder(x.Header)
	defer d.free()
	return d.block(dst[:len(dst):len(dst)], i, encoded)
}
