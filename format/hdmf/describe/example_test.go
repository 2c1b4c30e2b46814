package describe_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/hdmf/describe"
	"github.com/omnizarr/zarr/internal/nwbtest"
)

// A program that knows nothing of HDMF prints a table of a file.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "describe")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := nwbtest.UnpackTo(dir, "session_v3.nwb.zarr"); err != nil {
		fmt.Println(err)
		return
	}
	s, err := convention.Find(ctx, filepath.Join(dir, "session_v3.nwb.zarr/intervals/trials"), []convention.Convention{&describe.Convention{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	fmt.Println(s.Object.Convention().Name(), s.Object.Detail())
	set, err := s.Object.(convention.Tabular).Rows(ctx, "1:3", false)
	if err == nil {
		set.Fields = set.Fields[:4]
		err = set.WriteCSV(ctx, os.Stdout)
	}
	fmt.Println(err)
	// Output:
	// hdmf TimeIntervals
	// id,start_time,stop_time,correct
	// 1,0.02,0.03,true
	// 2,0.04,0.05,false
	// <nil>
}
