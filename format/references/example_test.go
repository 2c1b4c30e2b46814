package references_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/omnizarr/zarr"
)

// A file of references is opened like any other.
func Example() {
	dir, err := os.MkdirTemp("", "references")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	manifest := `{"version": 1, "refs": {"zarr.json": "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4], \"data_type\": \"uint8\", \"fill_value\": 0, \"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [4]}}, \"chunk_key_encoding\": {\"name\": \"default\"}, \"codecs\": [\"bytes\"]}",
		"c/0": ["data.raw", 2, 4]}}`
	for name, text := range map[string]string{"refs.json": manifest, "data.raw": "xxABCDyy"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			panic(err)
		}
	}
	ctx := context.Background()
	a, err := zarr.OpenArray(ctx, filepath.Join(dir, "refs.json"))
	if err != nil {
		panic(err)
	}
	defer a.Close()
	v, err := zarr.Read[uint8](ctx, a, zarr.All())
	fmt.Printf("%s %v\n", v.Data, err)
	// Output: ABCD <nil>
}
