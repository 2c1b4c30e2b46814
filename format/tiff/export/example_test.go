package export_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff/export"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/store/mem"
)

func Example() {
	dir, err := os.MkdirTemp("", "export")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	dem, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{300, 400}, DataType: "int16", DimensionNames: []string{"y", "x"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	file := filepath.Join(dir, "dem.tif")
	if _, err := copying.Copy(ctx, dem, file, copying.Options{To: export.Format{COG: true, Compression: "zstd"}, Chunks: []int{128, 128}}); err != nil {
		fmt.Println(err)
		return
	}
	n, err := zarr.OpenGroup(ctx, file)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer n.Close()
	for level, err := range n.Children(ctx) {
		fmt.Println(level.Path(), level.(*zarr.Array).Shape(), err)
	}
	// Output:
	// 0 [300 400] <nil>
	// 1 [150 200] <nil>
	// 2 [75 100] <nil>
}
