package check

import (
	"context"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// index is the place of element i of a block, as people write it.
func index(start, shape []int, i int) string {
	if len(shape) == 0 {
		return "[]"
	}
	at := make([]int, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		at[k] = start[k] + i%shape[k]
		i /= shape[k]
	}
	if len(at) == 1 {
		return fmt.Sprint(at[0])
	}
	return string(strictjson.AppendInts(nil, at))
}

// maxBlock is how many elements are read at once, unless a chunk has more.
const maxBlock = 1 << 14

// maxChunks bounds the chunks of a dataset that are looked at.
const maxChunks = 1 << 22

// eachBlock reads the chunks of a dataset that are stored; those of a list in
// order, and many small ones at once. What was never written has no elements that
// could be wrong, and may be far more than what was.
func eachBlock(ctx context.Context, d *hdmf.Dataset, f func(start []int, v *hdmf.Values) error) error {
	read := func(box nd.Box) error {
		v, err := d.Read(ctx, zarr.Box(box.Start, box.Shape))
		if err != nil {
			return err
		}
		return f(box.Start, v)
	}
	boxes, err := storedBoxes(ctx, d.Array())
	if err != nil {
		return err
	}
	if len(d.Array().Shape()) == 1 {
		slices.SortFunc(boxes, func(a, b nd.Box) int { return a.Start[0] - b.Start[0] })
		boxes = mergeBoxes(boxes)
	}
	for _, box := range boxes {
		if err := read(box); err != nil {
			return err
		}
	}
	return nil
}

// storedBoxes are the parts of an array that are stored; all of it where the store
// cannot tell.
func storedBoxes(ctx context.Context, a *zarr.Array) ([]nd.Box, error) {
	var boxes []nd.Box
	if len(a.Shape()) == 0 {
		return []nd.Box{{}}, nil
	}
	var listing error
	for chunk, err := range a.Stored(ctx) {
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
	for chunk := range a.Grid() {
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
