package geo_test

import (
	"fmt"

	"github.com/omnizarr/zarr/format/tiff/geo"
	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/meta"
)

func ExampleParse() {
	info, err := geo.Parse([]tag.Field{
		tag.Doubles(tag.ModelPixelScale, 20, 20, 0),
		tag.Doubles(tag.ModelTiepoint, 0, 0, 0, 500000, 5000000, 0),
		tag.Shorts(tag.GeoKeyDirectory, 1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, 32633),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	code, _ := info.EPSG()
	transform, _ := info.Transform()
	fmt.Println(code, transform, transform.BBox(330, 300))
	// Output: 32633 [500000 20 0 5e+06 0 -20] [500000 4.994e+06 506600 5e+06]
}

func ExampleFromAttributes() {
	attrs, err := meta.ParseAttributes([]byte(`{"proj:code": "EPSG:4326", "spatial:transform": [0.1, 0, -180, 0, -0.1, 90]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fields, err := geo.FromAttributes(attrs)
	for _, f := range fields {
		fmt.Println(f.ID, f.Len())
	}
	fmt.Println(err)
	// Output:
	// ModelPixelScale 3
	// ModelTiepoint 6
	// GeoKeyDirectory 16
	// <nil>
}

func ExampleFillValue() {
	fill, err := geo.FillValue("nan", "float32")
	fmt.Println(string(fill), err)
	_, err = geo.FillValue("-9999", "uint8")
	fmt.Println(err)
	// Output:
	// "NaN" <nil>
	// "-9999" is no value of uint8
}
