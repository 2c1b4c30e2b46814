package cast_test

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/cast"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

func ExampleParse() {
	c, err := cast.Parse(nil, "cast_value", json.RawMessage(`{
		"data_type": "int8", "out_of_range": "clamp", "scalar_map": {"encode": [["NaN", -128]], "decode": [[-128, "NaN"]]}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	float := dtype.MustParse("float32")
	f, err := c.(codec.ArrayToArray).BindArray(codec.Spec{Type: float, Shape: []int{4}, Fill: make([]byte, 4)})
	if err != nil {
		fmt.Println(err)
		return
	}
	src, dst := nd.Make(4, 4), nd.Make(1, 4)
	for i, v := range []string{`1.5`, `-2.5`, `300`, `"NaN"`} {
		elem, _ := float.ParseFill(json.RawMessage(v), nil)
		copy(src.At(i), elem)
	}
	if err := f.(codec.Transform).Encode(nil, dst, src); err != nil {
		fmt.Println(err)
		return
	}
	for i := range 4 {
		fmt.Print(int8(dst.At(i)[0]), " ")
	}
	// Output: 2 -2 127 -128
}
