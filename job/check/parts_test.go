package check_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/job/jobtest"
)

// The reports of parts, which were JSON in between, are joined to that of the whole:
// broken chunks, nodes and links, what is missing, what lies around.
func TestPartsAreTheWhole(t *testing.T) {
	ctx := t.Context()
	dir := filepath.Join(t.TempDir(), "a.zarr")
	g, err := zarr.CreateGroup(ctx, dir)
	jobtest.Check(t, err)
	defer g.Close()
	a, err := g.CreateArray(ctx, "a", zarr.ArraySpec{Shape: []int{40}, Chunks: []int{2}, DataType: "int16"})
	jobtest.Check(t, err)
	jobtest.Check(t, zarr.Write(ctx, a, zarr.Slice("0:30"), make16(30)))
	_, err = g.CreateArray(ctx, "b", zarr.ArraySpec{Shape: []int{3, 3}, Chunks: []int{1, 1}, DataType: "uint8"})
	jobtest.Check(t, err)
	for _, name := range []string{"3", "4", "11"} {
		jobtest.Check(t, os.WriteFile(filepath.Join(dir, "a/c", name), []byte("x"), 0o666))
	}
	jobtest.Check(t, os.Symlink("gone", filepath.Join(dir, "a/c/18")))
	jobtest.Check(t, os.WriteFile(filepath.Join(dir, "a/c/99"), []byte("x"), 0o666))
	jobtest.Check(t, os.WriteFile(filepath.Join(dir, "README"), []byte("x"), 0o666))
	jobtest.Check(t, os.MkdirAll(filepath.Join(dir, "broken"), 0o777))
	jobtest.Check(t, os.WriteFile(filepath.Join(dir, "broken/zarr.json"), []byte("{"), 0o666))
	for _, missing := range []bool{false, true} {
		want, err := check.Verify(ctx, g, check.VerifyOptions{FailMissing: missing})
		jobtest.Check(t, err)
		if want.OK || len(want.Problems) < 6 || len(want.Notes) == 0 || want.Missing == 0 {
			t.Fatalf("%+v", want)
		}
		for _, of := range []int{1, 2, 5, 30} {
			var parts []check.Report
			for _, k := range rand.Perm(of) {
				r, err := check.Verify(ctx, g, check.VerifyOptions{FailMissing: missing, Part: k + 1, Of: of})
				jobtest.Check(t, err)
				text, err := json.Marshal(r)
				jobtest.Check(t, err)
				var read check.Report
				jobtest.Check(t, json.Unmarshal(text, &read))
				parts = append(parts, read)
			}
			got := check.Join(parts, missing)
			for _, list := range [][]check.Problem{want.Problems, want.Notes} {
				for i := range list {
					list[i].Cause, list[i].Group = 0, "" // which are not sent
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%d parts: %+v, want %+v", of, got, want)
			}
		}
	}
}

func make16(n int) []int16 {
	out := make([]int16, n)
	for i := range out {
		out[i] = int16(i + 1)
	}
	return out
}
