package translate_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func Example() {
	ctx := context.Background()
	stored := mem.New()
	if _, err := stored.Put(ctx, "a/.zgroup", []byte(`{"zarr_format": 2}`), store.PutOptions{}); err != nil {
		panic(err)
	}
	shown := std.Registry().Open(stored, "", format.Env{})
	_, info, err := shown.Get(ctx, "a/zarr.json", store.All(), nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(info.Format)
	for e, err := range shown.List(ctx, "", "") {
		fmt.Println(e.Key, err)
	}
	// Output:
	// zarr2
	// a/zarr.json <nil>
}
