package check_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/check"
	"github.com/omnizarr/zarr/internal/nwbtest"
)

func ExampleFile() {
	dir, err := os.MkdirTemp("", "nwb")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := nwbtest.UnpackTo(dir, "broken_v3/dangling_link.nwb.zarr"); err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	f, err := hdmf.Open(ctx, filepath.Join(dir, "broken_v3/dangling_link.nwb.zarr"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	found, err := check.File(ctx, f, check.Options{Inspect: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range found {
		fmt.Println(x)
	}
	// Output:
	// /: there is no subject (check_subject_exists)
	// /general/extracellular_ephys/g: link "device" leads to /general/devices/no_such_device, and nothing is there (DanglingLink)
}
