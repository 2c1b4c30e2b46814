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

// Stored are the numbers of the cells in which any of some arrays stores something, in
// their order; touch appends those that share elements with a box, as AppendCells does.
// It is nil where a store cannot be listed, and where one of the arrays stores all of its
// chunks: all cells count then.
func Stored(ctx context.Context, touch func(numbers []int, box nd.Box) []int, arrays ...*zarr.Array) ([]int, error) {
	numbers := []int{}
	for _, a := range arrays {
		n := 0
		for c, err := range a.Stored(ctx) {
			if errors.Is(err, store.ErrNoList) {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			n++
			numbers = touch(numbers, c.Box)
		}
		if chunks, ok := nd.Len(a.Metadata().Grid.Count()); ok && n == chunks {
			return nil, nil
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers), nil
}

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
