package record_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/record"
	"github.com/omnizarr/zarr/format/hdmf/write"
)

// A series without samples gets some, 30 at a time, as a rig has them.
func Example() {
	ctx := context.Background()
	file := session(4, 0, nil, nil) // a series of four channels: see write.Create and package nwb
	if err := write.Create(ctx, "mem:rig", file, write.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	rec, err := record.Open(ctx, "mem:rig", record.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ap, err := record.Samples[int16](ctx, rec, "/acquisition/ap")
	if err != nil {
		fmt.Println(err)
		return
	}
	samples, times := make([]int16, 30*4), make([]float64, 30)
	for i := range 1000 {
		for k := range times {
			times[k] = float64(30*i+k) / 30000
		}
		if err := ap.Append(ctx, samples, times); err != nil {
			fmt.Println(err)
			return
		}
		if i%100 == 99 { // all can be read from here on
			if err := rec.Commit(ctx); err != nil {
				fmt.Println(err)
				return
			}
		}
	}
	if err := rec.Close(); err != nil {
		fmt.Println(err)
		return
	}
	f, err := hdmf.Open(ctx, "mem:rig")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	o, err := f.Object(ctx, "/acquisition/ap/data")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(o.(*hdmf.Dataset).Shape())
	// Output: [30000 4]
}
