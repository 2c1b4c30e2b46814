package view_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/view"
	"github.com/omnizarr/zarr/internal/nwbtest"
)

func ExampleNew() {
	dir, err := os.MkdirTemp("", "nwb")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := nwbtest.UnpackTo(dir, "session_v2.nwb.zarr"); err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	f, err := hdmf.Open(ctx, filepath.Join(dir, "session_v2.nwb.zarr"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	n, err := zarr.OpenStore(ctx, view.New(f), "units/electrode_group")
	if err != nil {
		fmt.Println(err)
		return
	}
	// The file has pickled objects there.
	groups, err := zarr.Read[string](ctx, n.(*zarr.Array), zarr.Slice("0:1"))
	fmt.Println(groups.Data, err)
	n, err = zarr.OpenStore(ctx, view.New(f), groups.Data[0][1:]+"/device") // a link
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(n.Attributes().Raw("neurodata_type")))
	// Output:
	// [/general/extracellular_ephys/shank0] <nil>
	// "Device"
}
