package landing_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job/landing"
	"github.com/omnizarr/zarr/store/mem"
)

func Example() {
	ctx := context.Background()
	src, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	if err != nil {
		panic(err)
	}
	dst := mem.New()
	copyIt := func() {
		l, err := landing.Begin(ctx, landing.Place{Store: dst, Path: "copy"}, landing.Copy{Source: src, Request: "an example"})
		if err != nil {
			panic(err)
		}
		made, err := zarr.CreateArrayIn(ctx, l.Store(), l.Path(), zarr.ArraySpec{Shape: []int{2}, DataType: "int16"})
		if err == nil {
			err = l.Start(ctx)
		}
		if err == nil && !l.Already() {
			err = zarr.Write(ctx, made, zarr.All(), []int16{1, 2})
		}
		_, before := zarr.OpenStore(ctx, dst, "copy")
		if err != nil {
			fmt.Println(l.Abandon(err))
			return
		}
		fmt.Println(l.Already(), before, l.Finish(ctx))
	}
	copyIt()
	copyIt()
	// Output:
	// false open mem:/copy: an unfinished copy: the same copy run again goes on, with --overwrite one begins anew <nil>
	// true <nil> <nil>
}
