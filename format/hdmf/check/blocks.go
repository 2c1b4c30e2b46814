package check

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// index is the place of element i of a block, as people write it.
func index(start, shape []int, i int) string {
	at := make([]int, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		at[k] = start[k] + i%shape[k]
		i /= shape[k]
	}
	return place(at)
}

// place is an index as people write it.
func place(at []int) string {
	switch len(at) {
	case 0:
		return "[]"
	case 1:
		return fmt.Sprint(at[0])
	}
	return string(strictjson.AppendInts(nil, at))
}

// eachBlock reads the chunks of a dataset that are stored. What was never written
// has no elements that could be wrong.
func eachBlock(ctx context.Context, d *hdmf.Dataset, f func(start []int, v *hdmf.Values) error) error {
	for b, err := range d.Blocks(ctx, true) {
		if err == nil {
			err = f(b.Start, b.Values)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
