package view_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/view"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/zerotest"
)

// What is left out is an error or nothing, and never a panic.
func TestZeroValuesDoNotPanic(t *testing.T) {
	zerotest.Func(t, "New", view.New)
	zerotest.Methods(t, "of no file", view.New(nil))
	for _, name := range []string{"session_v2.nwb.zarr", "session_v3.nwb.zarr"} {
		f, err := hdmf.Open(context.Background(), filepath.Join(nwbtest.Unpack(t, name), name))
		if err != nil {
			t.Fatal(err)
		}
		zerotest.Methods(t, name, view.New(f))
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
