package n5_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/n5"
)

// A dataset is an array in the order of its dimensions, or reversed, as images
// are elsewhere; elements are the same.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	url := filepath.Join(dir, "em.n5")
	a, err := zarr.CreateArray(ctx, url, zarr.ArraySpec{Shape: []int{4, 3, 2}, Chunks: []int{2, 2, 2}, DataType: "uint8", DimensionNames: []string{"x", "y", "z"}})
	if err != nil {
		panic(err)
	}
	defer a.Close()
	if err := zarr.Write(ctx, a, zarr.Slice("3,2,1"), []uint8{7}); err != nil {
		panic(err)
	}
	back, err := zarr.OpenArray(ctx, url, zarr.With(n5.Reversed))
	if err != nil {
		panic(err)
	}
	defer back.Close()
	v, err := zarr.Read[uint8](ctx, back, zarr.Slice("1,2,3"))
	fmt.Println(a.Format(), a.Shape(), back.Shape(), back.DimensionNames(), v.At(), err)
	// Output: n5 [4 3 2] [2 3 4] [z y x] 7 <nil>
}
