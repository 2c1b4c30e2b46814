package beam_test

import (
	"maps"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr/beam"
	"github.com/omnizarr/zarr/examples/segment/objects"
	"github.com/omnizarr/zarr/job/spread"
)

// The example that finds objects gives the same by a pool and by Beam's workers, in this
// process and in another one: its stages need all of the one before.
func TestSegment(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "image.zarr")
	image(t, from)
	var want map[string]string
	var found string
	for _, c := range []struct {
		name string
		on   spread.Executor
	}{{"pool", spread.Pool{}}, {"own", beam.Executor{AtOnce: 2}}, {"apart", beam.Executor{Workers: pool(t), Scratch: dir}}} {
		r := objects.Request{From: from, To: filepath.Join(dir, c.name+".zarr"), Threshold: 1 << 15}
		if err := objects.Prepare(t.Context(), r, []int{64, 64}); err != nil {
			t.Fatal(err)
		}
		spec, err := spread.NewSpec("segment", r)
		if err != nil {
			t.Fatal(err)
		}
		result, err := c.on.Run(t.Context(), spec)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := files(t, r.To)
		if want == nil {
			want, found = got, string(result)
			if len(want) < 60 {
				t.Fatalf("%d files", len(want))
			}
		}
		if string(result) != found || !maps.Equal(got, want) {
			t.Errorf("%s: %s, a pool finds %s; %d files of %d", c.name, result, found, len(got), len(want))
		}
	}
}
