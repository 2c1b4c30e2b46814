package job

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// SameFill reports whether what is stored of neither of two arrays has the same value in
// both. Where a value has no fixed length, what the documents say counts.
func SameFill(a, b *zarr.Array) bool {
	t := a.DataType()
	switch {
	case !dtype.Equal(t, b.DataType()):
		return false
	case len(t.Refs()) > 0:
		return bytes.Equal(a.Metadata().FillValue, b.Metadata().FillValue)
	}
	return bytes.Equal(a.FillValue(), b.FillValue())
}

// Stored are the numbers of the cells, of a grid with count of them along each axis, in
// which any of some arrays stores something, in their order; touch gives those that share
// elements with a box. It is nil where a store cannot be listed, where one of the arrays
// stores all of its chunks, and where those that are stored lie in far more cells than
// there are of them: all cells count then.
func Stored(ctx context.Context, count []int, touch func(box nd.Box) nd.Box, arrays ...*zarr.Array) ([]int, error) {
	numbers, listed := []int{}, 0
	for _, a := range arrays {
		n := 0
		for c, err := range a.Stored(ctx) {
			if errors.Is(err, store.ErrNoList) {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			n, listed = n+1, listed+1
			cells := touch(c.Box)
			more, ok := nd.Len(cells.Shape)
			most := max(someCells, cellsOfChunk*listed)
			if ok && more <= most && len(numbers)+more > 2*most { // some may be there twice
				slices.Sort(numbers)
				numbers = slices.Compact(numbers)
			}
			if !ok || more > most || len(numbers)+more > 2*most {
				return nil, nil
			}
			numbers = AppendCells(numbers, cells, count)
		}
		if chunks, ok := nd.Len(a.Metadata().Grid.Count()); ok && n == chunks {
			return nil, nil
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers), nil
}

// How many cells are listed: a document may say that a chunk, which may be a few bytes,
// lies in any number of them.
const (
	someCells    = 1 << 22
	cellsOfChunk = 64
)

// Cells yields the numbers of cells that Stored gave, of so many, and tells how many they
// are.
func Cells(stored []int, total int) (iter.Seq[int], int) {
	if stored != nil {
		return slices.Values(stored), len(stored)
	}
	return func(yield func(int) bool) {
		for k := range total {
			if !yield(k) {
				return
			}
		}
	}, total
}
