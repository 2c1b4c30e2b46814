package jobs_test

import (
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/ngff/jobs"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/kind"
)

// A part of an image in several resolutions is not the same positions of each.
func TestPartsOfLevelsAreRefused(t *testing.T) {
	src := numbers(t, zarr.ArraySpec{Shape: []int{64, 64}, DataType: "uint8", Chunks: []int{16, 16}, DimensionNames: []string{"y", "x"}})
	g := open(t, pyramids(t, src, jobs.Pyramid{Levels: 3}, copying.Options{}))
	level, err := g.(*zarr.Group).Array(ctx, "0")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		n     zarr.Node
		slice string
		ok    bool
	}{{g, "", true}, {g, "y=0:8", false}, {level, "0:8", true}} {
		k := &jobs.Kind{}
		r := kind.CopyRequest{Source: &convention.Subject{Node: c.n}, URL: t.TempDir() + "/x", Options: copying.Options{To: copying.Zarr3(), Slice: c.slice}}
		_, done, err := k.Copy(ctx, r)
		if done || (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), "--pyramid") {
			t.Errorf("%v %q: %v, %v", c.n.Path(), c.slice, done, err)
		}
		if _, err := k.Planned(r); (err == nil) != c.ok {
			t.Errorf("%v %q: planned, %v", c.n.Path(), c.slice, err)
		}
	}
}
