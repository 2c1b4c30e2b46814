package grid_test

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/grid"
)

func ExampleRegistry_Parse() {
	g, err := grid.Default().Parse(json.RawMessage(`{
		"name": "rectilinear",
		"configuration": {"kind": "inline", "chunk_shapes": [[[10, 3], 70], 25]}
	}`), []int{100, 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("chunks:", g.Count())
	i := g.Find(0, 42)
	start, length := g.Span(0, i)
	fmt.Printf("row 42 is in chunk %d, rows %d to %d\n", i, start, start+length-1)
	// Output:
	// chunks: [4 4]
	// row 42 is in chunk 3, rows 30 to 99
}

func ExampleDefaultKeys() {
	fmt.Printf("%s\n", grid.DefaultKeys{}.Append(nil, []int{0, 12}))
	fmt.Printf("%s\n", grid.V2Keys{}.Append(nil, []int{0, 12}))
	index := make([]int, 2)
	fmt.Println(grid.DefaultKeys{}.Parse("c/3/4", index), index)
	fmt.Println(grid.DefaultKeys{}.Parse("c/3/04", index))
	// Output:
	// c/0/12
	// 0.12
	// true [3 4]
	// false
}
