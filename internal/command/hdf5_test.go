package command

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/kind/std"
)

// An NWB file on HDF5 is what the same file on Zarr is, but for the names of
// dimensions that hdmf-zarr adds as an attribute.
func TestSessionOnHDF5(t *testing.T) {
	dir := nwbtest.Unpack(t, "hdf5/session.nwb", "session_v3.nwb.zarr")
	h, z := filepath.Join(dir, "hdf5", "session.nwb"), filepath.Join(dir, "session_v3.nwb.zarr")
	for _, c := range [][]string{
		{"cat", "/units"}, {"cat", "/intervals/trials"}, {"cat", "/general/extracellular_ephys/electrodes"}, {"cat", "/acquisition/ElectricalSeries"},
		{"plot", "/acquisition/ElectricalSeries"}, {"refs", ""}, {"validate", ""},
	} {
		x, y := called(t, c[0], h+c[1]), called(t, c[0], z+c[1])
		if !bytes.Equal(x, y) || len(x) == 0 {
			t.Errorf("%v: %.300s, and on Zarr %.300s", c, x, y)
		}
	}
	var x, y struct{ Specifications, Nodes map[string]any }
	for path, to := range map[string]any{h: &x, z: &y} {
		if err := json.Unmarshal(called(t, "dump", "--json", path), to); err != nil {
			t.Fatal(err)
		}
	}
	for _, nodes := range []map[string]any{x.Nodes, y.Nodes} {
		for _, n := range nodes {
			n := n.(map[string]any)
			delete(n, "stored_chunks")
			delete(n, "hdmf_dtype") // which hdmf-zarr writes beside the type
			if attrs, ok := n["attributes"].(map[string]any); ok {
				delete(attrs, "_ARRAY_DIMENSIONS")
			}
		}
	}
	if len(x.Nodes) != 172 || len(y.Nodes) != len(x.Nodes) || !reflect.DeepEqual(x.Specifications, y.Specifications) {
		t.Errorf("%d nodes, and %d on Zarr", len(x.Nodes), len(y.Nodes))
	}
	for path, n := range x.Nodes {
		if !reflect.DeepEqual(n, y.Nodes[path]) {
			t.Errorf("%s is %v, and on Zarr %v", path, n, y.Nodes[path])
		}
	}
	var out, errs bytes.Buffer
	Run(std.Kinds(), []string{"diff", h, z}, strings.NewReader(""), &out, &errs)
	for line := range strings.Lines(out.String()) {
		if !strings.Contains(line, `"_ARRAY_DIMENSIONS": [`) || !strings.Contains(line, "only in the second") {
			t.Errorf("they differ: %s", line)
		}
	}
	if out.Len() == 0 {
		t.Errorf("diff says nothing: %s", &errs)
	}
}
