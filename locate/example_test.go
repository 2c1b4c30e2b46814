package locate_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

func Example() {
	ctx := context.Background()
	l, err := locate.Open(ctx, "mem:example/volume|zarr3:raw", locate.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer l.Close()
	l.Store.Put(ctx, l.Path+"/zarr.json", []byte("{}"), store.PutOptions{})
	fmt.Println(l.Store.URL(), l.Path, l.Format)

	_, err = locate.Open(ctx, "s3://bucket/volume", locate.Options{})
	fmt.Println(err)
	// Output:
	// mem:example volume/raw zarr3
	// open s3://bucket/volume: no store is registered for scheme "s3", only for file, http, https, mem
}
