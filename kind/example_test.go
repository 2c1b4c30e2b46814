package kind_test

import (
	"fmt"

	"github.com/omnizarr/zarr/kind"
)

func Example() {
	kinds := kind.List{kind.Zarr3{}}
	fmt.Println("copies can be made in", kinds.Formats())
	if kinds.Target("parquet") == nil {
		fmt.Println("nobody knows parquet")
	}
	// Output:
	// copies can be made in [zarr3]
	// nobody knows parquet
}
