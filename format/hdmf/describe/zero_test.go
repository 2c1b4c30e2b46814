package describe_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/hdmf/describe"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/zerotest"
)

// What is left out is an error or nothing, and never a panic.
func TestZeroValuesDoNotPanic(t *testing.T) {
	zerotest.Methods(t, "zero", &describe.Convention{})
	zerotest.Methods(t, "zero", describe.Info{})
	for _, name := range []string{"session_v2.nwb.zarr", "session_v3.nwb.zarr"} {
		dir := nwbtest.Unpack(t, name)
		for _, at := range []string{"", "/units", "/acquisition/ElectricalSeries", "/units/spike_times", "/general/devices"} {
			s, err := convention.Find(context.Background(), filepath.Join(dir, filepath.FromSlash(name+at)), []convention.Convention{&describe.Convention{}})
			if err != nil {
				t.Fatal(err)
			}
			zerotest.Methods(t, name+at, s.Object)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
