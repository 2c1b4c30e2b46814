package tiff_test

import (
	"context"
	"fmt"
	"log"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff"
	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func Example() {
	ctx := context.Background()
	folder := mem.New()
	folder.Put(ctx, "stack.tif", sample(), store.PutOptions{}) // three pages of 4 x 4 pixels

	f, err := tiff.Open(ctx, folder, "stack.tif")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	root, err := zarr.OpenStore(ctx, f.Store(), "")
	if err != nil {
		log.Fatal(err)
	}
	a := root.(*zarr.Array)
	column, err := zarr.Read[uint8](ctx, a, zarr.Slice(":, 0, 1"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Len(), "pages,", a.DimensionNames(), a.Shape(), column.Data)

	fields, err := f.Fields(ctx, 0, -1, 1<<10)
	if err != nil {
		log.Fatal(err)
	}
	for _, x := range fields {
		if x.ID == tag.ImageDescription {
			fmt.Println(x.ID, x.Text())
		}
	}
	// Output:
	// 3 pages, [z y x] [3 4 4] [1 17 33]
	// ImageDescription {"shape": [3, 4, 4], "axes": "ZYX"}
}

// sample makes a file.
func sample() []byte {
	pages := ramp(3)
	pages[0].with(tag.Text(tag.ImageDescription, `{"shape": [3, 4, 4], "axes": "ZYX"}`))
	return little().file(pages...)
}
