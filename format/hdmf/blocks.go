package hdmf

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/nd"
)

// Block is a part of a dataset that was read.
type Block struct {
	Start []int // of its first element
	*Values
}

// maxBlock is how many elements are read at once, unless a chunk has more.
const maxBlock = 1 << 14

// maxChunks bounds the chunks of a dataset that are looked at.
const maxChunks = 1 << 22

// Blocks reads a dataset part by part, in order: all of it, or only the chunks that
// were written, many small ones at once. What was never written may be far more than
// what was.
func (d *Dataset) Blocks(ctx context.Context, written bool) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		read := func(box nd.Box) bool {
			v, err := d.Read(ctx, zarr.Box(box.Start, box.Shape))
			return yield(Block{box.Start, v}, err) && err == nil
		}
		if !written {
			d.rowBoxes(read)
			return
		}
		boxes, err := d.storedBoxes(ctx)
		if err != nil {
			yield(Block{}, err)
			return
		}
		if len(d.array.Shape()) == 1 {
			slices.SortFunc(boxes, func(a, b nd.Box) int { return a.Start[0] - b.Start[0] })
			boxes = mergeBoxes(boxes)
		}
		for _, box := range boxes {
			if !read(box) {
				return
			}
		}
	}
}

// rowBoxes gives boxes that are the array together, each of whole chunks along the
// first axis.
func (d *Dataset) rowBoxes(yield func(nd.Box) bool) {
	shape := d.array.Shape()
	if len(shape) == 0 {
		yield(nd.Box{})
		return
	}
	rows, _ := nd.Len(shape[1:])
	rows = max(maxBlock/max(rows, 1), 1)
	if chunk := d.array.ChunkShape(); chunk != nil {
		rows = (rows + chunk[0] - 1) / chunk[0] * chunk[0]
	}
	for from := 0; from < shape[0]; from += rows {
		box := nd.Box{Start: make([]int, len(shape)), Shape: slices.Clone(shape)}
		box.Start[0], box.Shape[0] = from, min(rows, shape[0]-from)
		if !yield(box) {
			return
		}
	}
}

// storedBoxes are the parts of the array that are stored; all of it where the store
// cannot tell.
func (d *Dataset) storedBoxes(ctx context.Context) ([]nd.Box, error) {
	var boxes []nd.Box
	if len(d.array.Shape()) == 0 {
		return []nd.Box{{}}, nil
	}
	var listing error
	for chunk, err := range d.array.Stored(ctx) {
		if err != nil {
			listing = err
			break
		}
		if boxes = append(boxes, chunk.Box); len(boxes) > maxChunks {
			return nil, fmt.Errorf("more than %d chunks", maxChunks)
		}
	}
	if listing == nil || ctx.Err() != nil {
		return boxes, ctx.Err()
	}
	boxes = nil
	for chunk := range d.array.Grid() {
		if boxes = append(boxes, chunk.Box); len(boxes) > maxChunks {
			return nil, listing
		}
	}
	return boxes, nil
}

// mergeBoxes joins parts of a list that follow each other.
func mergeBoxes(boxes []nd.Box) []nd.Box {
	var out []nd.Box
	for _, b := range boxes {
		if n := len(out); n > 0 {
			last := out[n-1]
			if last.Start[0]+last.Shape[0] == b.Start[0] && last.Shape[0]+b.Shape[0] <= maxBlock {
				out[n-1] = nd.Box{Start: last.Start, Shape: []int{last.Shape[0] + b.Shape[0]}}
				continue
			}
		}
		out = append(out, b)
	}
	return out
}
