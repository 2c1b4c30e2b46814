package categorize_test

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/categorize"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

func ExampleParse() {
	c, err := categorize.Parse(nil, "numcodecs.categorize", json.RawMessage(`{"labels": ["female", "male"], "dtype": "|O", "astype": "|u1"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	text := dtype.MustParse("string")
	f, err := c.(codec.ArrayToArray).BindArray(codec.Spec{Type: text, Shape: []int{3}, Fill: make([]byte, text.Size())})
	if err != nil {
		fmt.Println(err)
		return
	}
	dst := nd.Make(text.Size(), 3)
	dst.Heap = &nd.Heap{}
	if err := f.(codec.Transform).Decode(nil, dst, nd.Whole(dst.Shape), nd.Of([]byte{2, 1, 0}, 1, 3)); err != nil {
		fmt.Println(err)
		return
	}
	for i := range 3 {
		fmt.Printf("%q\n", dst.Heap.Blobs().Value(dst.At(i)))
	}
	// Output:
	// "male"
	// "female"
	// ""
}
