package describe_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/hdmf/describe"
	"github.com/omnizarr/zarr/internal/nwbtest"
)

// Behind the names of links are nodes, also those of another file, and a walk over
// plain Zarr finds them.
func TestResolvedLinksAreNodes(t *testing.T) {
	ctx := context.Background()
	dir := nwbtest.Unpack(t, "external_v3", "session_v2.nwb.zarr")
	for url, want := range map[string]string{
		"session_v2.nwb.zarr":           "/general/extracellular_ephys/shank0/device",
		"external_v3/linked.nwb.zarr":   "/acquisition/linked_data/data",
		"session_v2.nwb.zarr/general":   "/extracellular_ephys/shank0/device",
		"session_v2.nwb.zarr/units/id":  "/",
		"session_v2.nwb.zarr/intervals": "/trials/timeseries",
	} {
		s, err := convention.Find(ctx, filepath.Join(dir, filepath.FromSlash(url)), []convention.Convention{&describe.Convention{}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Resolve(ctx); err != nil || s.Object != nil {
			t.Fatalf("%s: %v, %v", url, s.Object, err)
		}
		entries, broken := convention.Below(ctx, s)
		found := false
		for _, e := range entries {
			if e.Link != nil {
				t.Errorf("%s: %s is a link", url, e.Path)
			}
			if e.Path == want {
				found = true
				if a, ok := e.Node.(*zarr.Array); ok {
					if v, err := a.Make(a.Shape()...); err != nil || a.ReadInto(ctx, zarr.All(), v) != nil {
						t.Errorf("%s: %s cannot be read: %v", url, want, err)
					}
				}
			}
		}
		if !found || len(broken) > 0 {
			t.Errorf("%s: no %s among %d nodes, %v", url, want, len(entries), broken)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
