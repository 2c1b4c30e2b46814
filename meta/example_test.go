package meta_test

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/meta"
)

func ExampleParse() {
	node, err := meta.Parse([]byte(`{
		"zarr_format": 3, "node_type": "array", "shape": [100, 50], "data_type": "uint16",
		"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [10, 50]}},
		"chunk_key_encoding": "default", "fill_value": 0, "codecs": ["bytes", "acme.squash"],
		"attributes": {"unit": "nm", "offset": NaN}
	}`), meta.Registry{})
	if err != nil {
		fmt.Println(err)
		return
	}
	a := node.(*meta.Array)
	var unit string
	if _, err := a.Attributes.Get("unit", &unit); err != nil {
		fmt.Println(err)
	}
	fmt.Println(a.Shape, a.DataType.Name(), a.Grid.Count(), a.Codecs[1].Name, unit)
	// Output: [100 50] uint16 [10 1] acme.squash nm
}

func ExampleArray_Marshal() {
	shape := []int{100, 50}
	chunks, err := grid.NewRegular(shape, []int{10, 50})
	if err != nil {
		fmt.Println(err)
		return
	}
	a := &meta.Array{
		Shape:     shape,
		DataType:  dtype.MustParse("uint16"),
		Grid:      chunks,
		Keys:      grid.DefaultKeys{},
		FillValue: json.RawMessage("0"),
		Codecs:    []meta.Extension{{Name: "bytes", Configuration: json.RawMessage(`{"endian":"little"}`)}},
	}
	if err := a.Attrs().Set("unit", "nm"); err != nil {
		fmt.Println(err)
	}
	doc, err := a.Marshal()
	fmt.Printf("%s%v", doc, err)
	// Output:
	// {
	//   "zarr_format": 3,
	//   "node_type": "array",
	//   "shape": [100, 50],
	//   "data_type": "uint16",
	//   "chunk_grid": {
	//     "name": "regular",
	//     "configuration": {
	//       "chunk_shape": [10, 50]
	//     }
	//   },
	//   "chunk_key_encoding": {
	//     "name": "default",
	//     "configuration": {
	//       "separator": "/"
	//     }
	//   },
	//   "fill_value": 0,
	//   "codecs": [
	//     {
	//       "name": "bytes",
	//       "configuration": {
	//         "endian": "little"
	//       }
	//     }
	//   ],
	//   "attributes": {
	//     "unit": "nm"
	//   }
	// }
	// <nil>
}
