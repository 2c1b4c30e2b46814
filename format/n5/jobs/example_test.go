package jobs_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/n5/jobs"
	"github.com/omnizarr/zarr/store/mem"
)

func ExampleAdopt() {
	ctx := context.Background()
	container := mem.New()
	a, err := zarr.CreateArrayIn(ctx, container, "raw/s0", zarr.ArraySpec{Shape: []int{4, 6}, DataType: "uint8"}, zarr.As("n5"))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := zarr.Write(ctx, a, zarr.Slice("1, 2"), []uint8{7}); err != nil {
		fmt.Println(err)
		return
	}
	// Nothing is changed; programs for Zarr v3 find the same blocks from now on.
	report, err := jobs.Adopt(ctx, container, "", jobs.AdoptOptions{})
	fmt.Println(report.Written, err)
	adopted, err := zarr.OpenStore(ctx, container, "raw/s0", zarr.As("zarr3"))
	if err != nil {
		fmt.Println(err)
		return
	}
	seven, err := zarr.Read[uint8](ctx, adopted.(*zarr.Array), zarr.Slice("1, 2"))
	fmt.Println(seven.Data, err)
	// Output:
	// [/ /raw /raw/s0] <nil>
	// [7] <nil>
}
