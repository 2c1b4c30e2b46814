package virtual_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job/virtual"
)

func Example() {
	dir, err := os.MkdirTemp("", "virtual")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	src, err := zarr.CreateArray(ctx, filepath.Join(dir, "a.zarr"), zarr.ArraySpec{Shape: []int{4}, DataType: "uint8"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close()
	if err := zarr.Write(ctx, src, zarr.All(), []uint8{1, 2, 3, 4}); err != nil {
		fmt.Println(err)
		return
	}
	// The copy has no chunks: it refers to those of the source.
	if err := virtual.Write(ctx, src, filepath.Join(dir, "refers.zarr"), virtual.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	a, err := zarr.OpenArray(ctx, filepath.Join(dir, "refers.zarr"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	got, err := zarr.Read[uint8](ctx, a, zarr.All())
	fmt.Println(got.Data, err)
	// Output: [1 2 3 4] <nil>
}
