package zfp_test

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/internal/zfp"
)

func Example() {
	var data []byte
	for i := range 24 {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(math.Sqrt(float64(i))))
	}
	shape := []int{4, 6}
	field := zfp.Array{Elem: zfp.Elem{Type: zfp.Float64, Width: 8}, Data: data, Shape: shape, Strides: []int{48, 8}}
	params := zfp.FixedAccuracy(0.01)
	out, err := zfp.Append(nil, field, params, false)
	fmt.Println(len(data), "bytes became", len(out), err)

	// One value of the second row.
	one := zfp.Array{Elem: field.Elem, Data: make([]byte, 8), Shape: []int{1, 1}, Strides: []int{8, 8}}
	err = zfp.Stream{Data: out, Shape: shape, Params: params}.Decode([]int{1, 3}, one, false)
	fmt.Printf("%.1f %v\n", math.Float64frombits(binary.LittleEndian.Uint64(one.Data)), err)
	// Output:
	// 192 bytes became 48 <nil>
	// 3.0 <nil>
}
