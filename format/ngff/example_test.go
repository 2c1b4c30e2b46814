package ngff_test

import (
	"fmt"

	"github.com/omnizarr/zarr/format/ngff"
)

func ExampleAttributes() {
	size, unit, _ := ngff.ToUnit(0.29, "µm")
	raw, err := ngff.Attributes(ngff.Multiscales{
		Axes: []ngff.Axis{{Name: "y", Type: "space", Unit: unit}, {Name: "x", Type: "space", Unit: unit}},
		Levels: []ngff.Level{
			{Path: "0", Scale: []float64{size, size}},
			{Path: "1", Scale: []float64{2 * size, 2 * size}},
		},
	})
	fmt.Println(err)
	images, err := ngff.Parse(raw)
	for _, l := range images[0].Levels {
		fmt.Println(l.Path, l.Scale, images[0].Axes[0].Unit, err)
	}
	// Output:
	// <nil>
	// 0 [0.29 0.29] micrometer <nil>
	// 1 [0.58 0.58] micrometer <nil>
}
