package dump_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/dump"
	"github.com/omnizarr/zarr/store/mem"
)

func ExampleNodes() {
	ctx := context.Background()
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := g.CreateArray(ctx, "a", zarr.ArraySpec{Shape: []int{3}, DataType: "uint8"})
	if err == nil {
		err = zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3})
	}
	fmt.Println(err)
	for n, err := range dump.Nodes(ctx, &convention.Subject{Node: g}) {
		fmt.Println(n.Path, n.Kind, n.DType, string(n.Values), err)
	}
	// Output:
	// <nil>
	// / group   <nil>
	// /a dataset uint8 [1, 2, 3] <nil>
}
