package plain_test

import (
	"context"
	"fmt"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/serve/plain"
	"github.com/omnizarr/zarr/serve/source"
	"github.com/omnizarr/zarr/store"
)

// An array with a codec of its own, as Zarr v2 that everybody reads.
func Example() {
	ctx := context.Background()
	a, err := zarr.CreateArray(ctx, "mem:", zarr.ArraySpec{Shape: []int{4}, DataType: "int4", Codecs: []byte(`[{"name":"packbits"}]`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	set := source.NewSet(source.Options{})
	defer set.Close()
	src, err := set.AddNode("a", a)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := plain.New(src, plain.Options{Version: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	text, _, err := s.Get(ctx, ".zarray", store.All(), nil)
	fmt.Println(string(text), err)
	// Output:
	// {
	//   "zarr_format": 2,
	//   "shape": [4],
	//   "chunks": [4],
	//   "dtype": "|i1",
	//   "compressor": {
	//     "id": "zstd",
	//     "level": 1
	//   },
	//   "fill_value": 0,
	//   "order": "C",
	//   "filters": null,
	//   "dimension_separator": "/"
	// }
	//  <nil>
}
