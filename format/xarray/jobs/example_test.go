package jobs_test

import (
	"fmt"

	"github.com/omnizarr/zarr/format/xarray/jobs"
	"github.com/omnizarr/zarr/kind"
)

func Example() {
	kinds := kind.List{jobs.Kind{}}
	fmt.Println(len(kinds.Rules()))
	// Output: 1
}
