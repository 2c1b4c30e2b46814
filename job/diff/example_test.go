package diff_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job/diff"
	"github.com/omnizarr/zarr/store/mem"
)

// The same values in other chunks are the same, but for one.
func Example() {
	ctx := context.Background()
	var arrays []*zarr.Array
	for _, chunks := range [][]int{{2, 2}, {3, 4}} {
		a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{3, 4}, Chunks: chunks, DataType: "uint8"})
		if err == nil {
			err = zarr.Write(ctx, a, zarr.All(), []uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		arrays = append(arrays, a)
	}
	if err := zarr.Write(ctx, arrays[1], zarr.Slice("1, 2"), []uint8{60}); err != nil {
		fmt.Println(err)
		return
	}
	report, err := diff.Nodes(ctx, arrays[0], arrays[1], diff.Options{})
	fmt.Println(report.Equal, err)
	for _, d := range report.Differences {
		fmt.Println(d.Path, d.Kind, d.Detail)
	}
	// Output:
	// false <nil>
	// / values element [1 2]: 6 and 60; 1 of 12 elements differ
}
