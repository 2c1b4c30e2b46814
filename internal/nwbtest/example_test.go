package nwbtest_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/omnizarr/zarr/internal/nwbtest"
)

func ExampleUnpackTo() {
	dir, err := os.MkdirTemp("", "nwb")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := nwbtest.UnpackTo(dir, "session_v3.nwb.zarr"); err != nil {
		fmt.Println(err)
		return
	}
	_, err = os.Stat(filepath.Join(dir, "session_v3.nwb.zarr", "zarr.json"))
	fmt.Println(err)
	// Output: <nil>
}
