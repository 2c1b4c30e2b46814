package copying_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/store/mem"
)

func Example() {
	ctx := context.Background()
	src, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{4, 6}, Chunks: []int{1, 6}, DataType: "uint8"})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := zarr.Write(ctx, src, zarr.Slice("0:2"), []uint8{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}); err != nil {
		fmt.Println(err)
		return
	}
	// Chunks of one row become square ones, four of them in a shard.
	dst := mem.New()
	_, err = copying.Into(ctx, src, dst, "", copying.Options{Chunks: []int{2, 2}, Shards: []int{4, 4}})
	if err != nil {
		fmt.Println(err)
		return
	}
	copied, err := zarr.OpenStore(ctx, dst, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := check.Verify(ctx, copied, check.VerifyOptions{})
	fmt.Println(report.OK, report.Arrays, report.Chunks, report.Missing, err)
	// Output: true 1 2 0 <nil>
}
