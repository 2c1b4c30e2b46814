package store_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func Example() {
	ctx := context.Background()
	s := mem.Shared("example")
	s.Put(ctx, "volume/zarr.json", []byte("{}"), store.PutOptions{})
	s.Put(ctx, "volume/c/0", []byte("0123456789"), store.PutOptions{})

	volume, err := store.Sub(store.ReadOnly(s), "volume")
	if err != nil {
		fmt.Println(err)
		return
	}
	for e, err := range volume.List(ctx, "", "/") {
		fmt.Println(e.Key, e.IsPrefix, err)
	}
	o, err := store.Open(ctx, volume, "c/0")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer o.Close()
	buf := make([]byte, 0, 10)
	for _, r := range []store.Range{store.Part(2, 3), store.Suffix(2), store.UpTo(5)} {
		b, _, err := o.Get(ctx, r, buf)
		fmt.Printf("%s %v\n", b, err)
	}
	// Output:
	// c/ true <nil>
	// zarr.json false <nil>
	// 234 <nil>
	// 89 <nil>
	//  get "volume/c/0" in mem:example: too large: 10 bytes, at most 5
}
