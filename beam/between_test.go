package beam_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/beam"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/request"
	"github.com/omnizarr/zarr/job/spread"
)

// A copy that goes by way of another array does so in two stages, in several processes too,
// and is what a direct one is.
func TestCopiesBetweenAreEqual(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "planes.zarr")
	a, err := zarr.CreateArray(t.Context(), from, zarr.ArraySpec{Shape: []int{32, 128, 128}, Chunks: []int{1, 128, 128}, DataType: "uint16"})
	if err != nil {
		t.Fatal(err)
	}
	data := make([]uint16, 32*128*128)
	for i := range data {
		data[i] = uint16(i * 31)
	}
	if err := zarr.Write(t.Context(), a, zarr.All(), data); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	copied := func(e spread.Executor, name string, direct bool) (map[string]string, copying.Summary) {
		t.Helper()
		c := request.Copy{From: from, To: filepath.Join(dir, name), Chunks: []int{32, 16, 16}, Laid: []string{"chunks"}, Memory: 1 << 20, Direct: direct}
		spec, err := c.Spec()
		if err != nil {
			t.Fatal(err)
		}
		text, err := e.Run(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		var sum copying.Summary
		if err := json.Unmarshal(text, &sum); err != nil {
			t.Fatal(err)
		}
		return files(t, c.To), sum
	}
	want, direct := copied(spread.Pool{}, "direct.zarr", true)
	if direct.Between != 0 || len(want) < 64 {
		t.Fatalf("%d files: %+v", len(want), direct)
	}
	for name, e := range map[string]spread.Executor{"pool": spread.Pool{}, "own": beam.Executor{AtOnce: 2}, "apart": beam.Executor{Workers: pool(t), Scratch: dir}} {
		got, sum := copied(e, name+".zarr", false)
		if sum.Between < 32*128*128*2 || sum.Chunks != direct.Chunks || sum.Written != direct.Written || sum.Elements != direct.Elements {
			t.Errorf("%s: %+v, directly %+v", name, sum, direct)
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d files, want %d", name, len(got), len(want))
		}
		for file, text := range want {
			if got[file] != text {
				t.Errorf("%s: %s differs", name, file)
			}
		}
	}
}
