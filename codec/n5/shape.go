package n5

import (
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/nd"
)

// maxLonger bounds the elements, in bytes, of a stored block that reaches beyond
// its chunk.
const maxLonger = 32 << 20

// longer is that bound where an array may use so much. How large such a block is
// the metadata does not tell.
func longer(ck *codec.Chunk) int { return min(maxLonger, ck.MaxChunk()) }

// fit checks a stored shape that has the axes of the chunk. Blocks may be shorter
// than the chunk, and the rest is the fill value, or longer, and the rest is not
// read.
func fit(ck *codec.Chunk, stored, chunk []int, size int) error {
	if i := slices.Index(stored, 0); i >= 0 {
		return codec.Bad("the block is 0 long along axis %d", i)
	}
	whole, _ := nd.Bytes(chunk, size)
	most := max(whole, longer(ck))
	if n, ok := nd.Bytes(stored, size); !ok || n > most {
		return codec.Bad("the block has shape %v, the chunk %v: more than %d bytes of elements are not read", clip(stored), chunk, most)
	}
	return nil
}

// clip is what an error shows of a shape.
func clip(shape []int) []int { return shape[:min(len(shape), nd.MaxRank)] }

// inside is the shape of the block for a chunk of which so much lies inside the
// array. An inner chunk of a shard may lie outside wholly; N5 has no block
// without elements, so at least one is stored.
func inside(chunk, extent []int) []int {
	shape := make([]int, len(extent))
	for i, n := range extent {
		shape[i] = min(max(n, 1), chunk[i])
	}
	return shape
}

// corner is what a box of the chunk has of a block, which lies in the corner of
// the chunk. It may be nothing.
func corner(box nd.Box, block []int) nd.Box {
	part := nd.Box{Start: box.Start, Shape: make([]int, len(block))}
	for i, n := range block {
		part.Shape[i] = max(min(box.Start[i]+box.Shape[i], n)-box.Start[i], 0)
	}
	return part
}

// fillOutside sets what v has beyond its first corner elements along any axis to
// the fill value, each element once.
func fillOutside(spec codec.Spec, v nd.View, corner []int) {
	at := nd.Box{Start: make([]int, len(corner)), Shape: slices.Clone(v.Shape)}
	for i, n := range corner {
		if n < v.Shape[i] {
			at.Start[i], at.Shape[i] = n, v.Shape[i]-n
			spec.FillView(v.Box(at))
		}
		at.Start[i], at.Shape[i] = 0, n
	}
}
