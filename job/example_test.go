package job_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job"
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
	err = job.CopyInto(ctx, src, dst, "", job.CopyOptions{Chunks: []int{2, 2}, Shards: []int{4, 4}})
	if err != nil {
		fmt.Println(err)
		return
	}
	copied, err := zarr.OpenStore(ctx, dst, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := job.Verify(ctx, copied, job.VerifyOptions{})
	fmt.Printf("%+v %v\n", report, err)
	// Output: {OK:true Arrays:1 Chunks:2 Missing:0 Problems:[]} <nil>
}

func ExampleAdopt() {
	ctx := context.Background()
	container := mem.New()
	a, err := zarr.CreateArrayIn(ctx, container, "raw/s0", zarr.ArraySpec{Shape: []int{4, 6}, DataType: "uint8"}, zarr.N5())
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := zarr.Write(ctx, a, zarr.Slice("1, 2"), []uint8{7}); err != nil {
		fmt.Println(err)
		return
	}
	// Nothing is changed; programs for Zarr v3 find the same blocks from now on.
	report, err := job.Adopt(ctx, container, "", job.AdoptOptions{})
	fmt.Println(report.Written, err)
	adopted, err := zarr.OpenStore(ctx, container, "raw/s0", zarr.ZarrFormat(3))
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
