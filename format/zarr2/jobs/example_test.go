package jobs_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/zarr2/jobs"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/store/mem"
)

func Example() {
	ctx := context.Background()
	src, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{4}, DataType: "uint8"})
	if err != nil {
		fmt.Println(err)
		return
	}
	dst := mem.New()
	if _, err := copying.Into(ctx, src, dst, "", copying.Options{To: jobs.Format()}); err != nil {
		fmt.Println(err)
		return
	}
	// Back to Zarr v3 without touching a chunk.
	for range 2 {
		n, err := zarr.OpenStore(ctx, dst, "")
		if err != nil {
			fmt.Println(err)
			return
		}
		done, err := jobs.Migrate(ctx, dst, "", jobs.MigrateOptions{})
		fmt.Println(n.Format(), done.Lines(), err)
	}
	// Output:
	// zarr2 [✓ 1 node to zarr3] <nil>
	// zarr3 [1 node zarr3 already] <nil>
}
