package storetest_test

import (
	"fmt"
	"testing"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
	"github.com/omnizarr/zarr/store/storetest"
)

func ExampleRun() {
	// In the tests of a store this is a function TestStore.
	test := func(t *testing.T) {
		storetest.Run(t, func(*testing.T) store.Store { return mem.New() })
	}
	fmt.Printf("%T\n", test)
	// Output: func(*testing.T)
}
