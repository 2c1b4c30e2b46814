package beam_test

import (
	"context"
	"fmt"
	"os"

	"github.com/omnizarr/zarr/beam"
	"github.com/omnizarr/zarr/job/spread"
)

// A job runs on Prism, in this process; with an Endpoint it would run on a cluster.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	spec, err := spread.NewSpec("toy", toy{Dir: dir, Items: []int{3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := beam.Executor{}.Run(context.Background(), spec)
	fmt.Printf("%s%v\n", result, err)
	// Output: 0=0.0 2=0.2 <nil>
}
