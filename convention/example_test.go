package convention_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/store/mem"
)

func ExampleBelow() {
	ctx := context.Background()
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	if err == nil {
		_, err = g.CreateArray(ctx, "b/a", zarr.ArraySpec{Shape: []int{3}, DataType: "uint8"})
	}
	fmt.Println(err)
	entries, broken := convention.Below(ctx, &convention.Subject{Node: g})
	for _, e := range entries {
		fmt.Println(e.Path, e.Object == nil)
	}
	fmt.Println(len(broken))
	// Output:
	// <nil>
	// /b true
	// /b/a true
	// 0
}
