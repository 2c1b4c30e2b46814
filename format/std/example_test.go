package std_test

import (
	"fmt"

	"github.com/omnizarr/zarr/format/std"
)

func Example() {
	formats := std.Registry()
	fmt.Println(formats.Names())
	fmt.Println(formats.FileNamed("slide.ome.tif").Title)
	fmt.Println(formats.NamedIn("file:///em.n5/volume/s0").Title)
	// Output:
	// [zarr3 zarr2 n5 tiff npy hdf5 references]
	// a TIFF file
	// N5
}
