package ngff_test

import (
	"fmt"

	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/meta"
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

func ExampleMetadata_Write() {
	attrs := &meta.Attributes{}
	m := ngff.Metadata{Plate: &ngff.Plate{
		Name: "screen", Rows: []ngff.PlateLine{{Name: "A"}}, Columns: []ngff.PlateLine{{Name: "1"}, {Name: "2"}},
		Wells: []ngff.PlateWell{{Path: "A/2", Row: 0, Column: 1}},
	}}
	fmt.Println(m.Write(attrs))
	fmt.Println(string(attrs.Raw("ome")))
	back, err := ngff.Read(attrs)
	fmt.Println(back.Plate.Wells[0].Path, err)
	// Output:
	// <nil>
	// {"version":"0.5","plate":{"name":"screen","rows":[{"name":"A"}],"columns":[{"name":"1"},{"name":"2"}],"wells":[{"path":"A/2","rowIndex":0,"columnIndex":1}]}}
	// A/2 <nil>
}
