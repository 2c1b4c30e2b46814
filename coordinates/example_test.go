package coordinates_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/store/mem"
)

func ExampleSelect() {
	ctx := context.Background()
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := g.CreateArray(ctx, "t", zarr.ArraySpec{Shape: []int{2, 3}, DataType: "int16", DimensionNames: []string{"time", "x"}})
	if err == nil {
		err = zarr.Write(ctx, a, zarr.All(), []int16{1, 2, 3, 4, 5, 6})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"x=@1", "x=1:, time=-1", "0, ::2"} {
		sel, err := coordinates.Select(ctx, a, text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		data, err := zarr.Read[int16](ctx, a, sel)
		fmt.Println(data.Data, err)
	}
	// Output:
	// [2 5] <nil>
	// [5 6] <nil>
	// [1 3] <nil>
}
