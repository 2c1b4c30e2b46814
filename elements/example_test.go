package elements_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/elements"
	"github.com/omnizarr/zarr/internal/leaktest"
	"github.com/omnizarr/zarr/store/mem"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func Example() {
	ctx := context.Background()
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{2, 3}, DataType: "float32"})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := zarr.Write(ctx, a, zarr.All(), []float32{1, 2.5, 3, 4, 5, 6}); err != nil {
		fmt.Println(err)
		return
	}
	out := bufio.NewWriter(os.Stdout)
	for _, form := range []string{"json", "csv"} {
		if err := elements.Write(ctx, out, form, a, zarr.Slice(":, 1:")); err != nil {
			fmt.Println(err)
		}
	}
	if err := out.Flush(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// [[2.5, 3.0],
	//  [5.0, 6.0]]
	// 2.5,3.0
	// 5.0,6.0
}
