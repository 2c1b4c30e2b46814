package reshape_test

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/reshape"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

func ExampleParse() {
	c, err := reshape.Parse(nil, "reshape", json.RawMessage(`{"shape": [[0, 1], [2], -1]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	in := codec.Spec{Type: dtype.MustParse("uint8"), Shape: []int{100, 50, 64, 3}, Fill: []byte{0}}
	f, err := c.(codec.ArrayToArray).BindArray(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Out().Shape)
	fmt.Println(f.(codec.Transform).Needs(nd.Box{Start: []int{2, 7, 0, 0}, Shape: []int{1, 3, 10, 3}}))
	// Output:
	// [5000 64 3]
	// {[107 0 0] [3 10 3]}
}
