package command

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/kind/std"
)

// An NWB file on HDF5 is what the same file on Zarr is, but for the names of
// dimensions that hdmf-zarr adds as an attribute.
func TestSessionOnHDF5(t *testing.T) {
	dir := nwbtest.Unpack(t, "hdf5/session.nwb", "session_v3.nwb.zarr")
	h, z := filepath.Join(dir, "hdf5", "session.nwb"), filepath.Join(dir, "session_v3.nwb.zarr")
	for i, c := range [][]string{
		{"cat", "/units"}, {"cat", "/intervals/trials"}, {"cat", "/general/extracellular_ephys/electrodes"}, {"cat", "/acquisition/ElectricalSeries"},
		{"plot", "/acquisition/ElectricalSeries"}, {"refs", ""}, {"validate", ""},
	} {
		if i%thorough.Least(3, 1, 1) != 0 {
			continue
		}
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

// Files of microscopes are images: with levels, channels and a picture.
func TestImagesOnHDF5(t *testing.T) {
	for _, c := range []struct {
		file, in string
		want     []string
	}{
		{"imaris.ims", "", []string{"2 × 2 × 10 × 20 × 22 uint16", "z 2 micrometer, y 0.5 micrometer, x 0.5 micrometer", "ch0 (#00FF00)", "2 × 2 × 5 × 10 × 11 uint16"}},
		{"bdv.h5", "/s01", []string{"2 × 24 × 30 × 28 uint16", "2 × 12 × 15 × 14 uint16"}},
	} {
		url := unpacked(t, filepath.Join("..", "..", "format", "hdf5", "testdata", "conventions"), c.file) + c.in
		said := string(called(t, "info", url))
		for _, want := range c.want {
			if !strings.Contains(said, want) {
				t.Errorf("info of %s has no %q: %s", c.file, want, said)
			}
		}
		if list := string(called(t, "ls", url)); !strings.Contains(list, "0 ") || !strings.Contains(list, "1 ") || strings.Contains(list, "DataSet\n") {
			t.Errorf("ls of %s: %s", c.file, list)
		}
		to := filepath.Join(t.TempDir(), "picture.png")
		if code, _, told := ran(t, "show", "-o", to, url); code != exitOK {
			t.Errorf("show %s: %s", c.file, told)
		}
		if code, out, told := ran(t, "validate", url); code != exitOK {
			t.Errorf("validate %s: %s %s", c.file, out, told)
		}
	}
}
