package cloudtest_test

import (
	"fmt"
	"testing"

	"github.com/omnizarr/zarr/internal/cloudtest"
)

func Example() {
	test := func(t *testing.T) {
		bucket := cloudtest.S3(t) // skips the test where there is no server
		fmt.Println(bucket.At("image.zarr/zarr.json"))
	}
	_ = test
	// Output:
}
