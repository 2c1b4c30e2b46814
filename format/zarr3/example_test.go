package zarr3_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/zarr3"
	"github.com/omnizarr/zarr/store/mem"
)

// A program that wants nothing but Zarr v3 says so.
func Example() {
	only := format.NewRegistry(zarr3.Describe())
	g, err := zarr.CreateGroupIn(context.Background(), mem.New(), "", zarr.Formats(only))
	if err != nil {
		panic(err)
	}
	fmt.Println(g.Format())
	// Output: zarr3
}
