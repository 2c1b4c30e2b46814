package describe_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/hdmf/describe"
)

// A reference to a region that has none is told as one that leads nowhere, with the
// reason, also behind one to the whole of the same dataset.
func TestReferencesWithoutTheirRegionAreNotResolved(t *testing.T) {
	ctx := context.Background()
	url := filepath.Join(t.TempDir(), "a.zarr")
	g, err := zarr.CreateGroup(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	attrs := g.Attributes()
	for name, value := range map[string]any{
		"namespace": "core", "neurodata_type": "NWBFile", "object_id": "1",
		"a": map[string]any{"zarr_dtype": "object", "value": map[string]any{"source": ".", "path": "/d"}},
		"b": map[string]any{"zarr_dtype": "region", "value": map[string]any{"source": ".", "path": "/d"}},
	} {
		if err := attrs.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.SetAttributes(ctx, attrs); err != nil {
		t.Fatal(err)
	}
	if _, err := g.CreateArray(ctx, "d", zarr.ArraySpec{Shape: []int{2}, Chunks: []int{2}, DataType: "int8"}); err != nil {
		t.Fatal(err)
	}
	s, err := convention.Find(ctx, url, []convention.Convention{&describe.Convention{}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	found := 0
	for r, err := range s.Object.(*describe.Object).References(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		found++
		reason := ""
		if r.Attribute == "b" {
			reason = "is a reference to a region, and has no region"
		}
		if r.Resolved != (reason == "") || r.Reason != reason {
			t.Errorf("%+v, want the reason %q", r, reason)
		}
	}
	if found != 2 {
		t.Errorf("%d references", found)
	}
}
