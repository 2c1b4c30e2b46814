package xarray_test

import (
	"fmt"

	"github.com/omnizarr/zarr/format/xarray"
	"github.com/omnizarr/zarr/format/zarr2"
)

// Zarr v2 says by fill_value what is missing, Zarr v3 by an attribute.
func Example() {
	zarray := `{"zarr_format":2,"shape":[4],"chunks":[4],"dtype":"<f4","fill_value":-9999.0,"order":"C","filters":null,"compressor":null}`
	m, err := zarr2.ParseArray([]byte(zarray), []byte(`{"_ARRAY_DIMENSIONS":["time"],"units":"K"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	missing, ok := xarray.Missing(m, zarr2.Format)
	fmt.Println(string(missing), ok)
	what, _ := xarray.Zarr2.Read(m, nil)
	xarray.Zarr3.Write(m, what)
	fmt.Println(string(m.Attributes.Append(nil)), *m.DimensionNames[0])
	// Output:
	// -9999 true
	// {"units":"K","_FillValue":"AAAAAICHw8A="} time
}
