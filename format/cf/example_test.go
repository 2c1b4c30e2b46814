package cf_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/cf"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store/mem"
)

func ExampleOf() {
	ctx := context.Background()
	attrs, err := meta.ParseAttributes([]byte(`{"scale_factor": 0.5, "add_offset": 10, "_FillValue": -1, "units": "K"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{3}, DataType: "int16", Attributes: attrs})
	if err == nil {
		err = zarr.Write(ctx, a, zarr.All(), []int16{0, 1, -1})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	d, ok := cf.Of(a)
	fmt.Println(ok, d.Unit())
	for v, err := range a.Stream(ctx, zarr.All(), 1<<20) {
		if err != nil {
			fmt.Println(err)
			return
		}
		numbers := make([]float64, v.Len())
		d.Floats(numbers, v.Data)
		fmt.Println(numbers)
	}
	// Output:
	// true K
	// [10 10.5 NaN]
}
