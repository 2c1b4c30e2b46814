package conformance

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/faulty"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/diff"
	"github.com/omnizarr/zarr/store"
)

// TestCopiesThatGoWrong copies samples into a bucket and out of it, while one request in
// ten goes wrong: what arrives is what was there.
func TestCopiesThatGoWrong(t *testing.T) {
	dir := cloudSamples(t)
	everywhere(t, func(t *testing.T, p place) {
		s, faults := p.open(t, store.Remote{}), 0
		for _, name := range []string{"plain.zarr", "sub/old.zarr", "sub/cells.n5", "image.tif"} {
			t.Run(name, func(t *testing.T) {
				local, err := zarr.Open(ctx, filepath.Join(dir, filepath.FromSlash(name)))
				if err != nil {
					t.Fatal(err)
				}
				defer local.Close()
				p.proxy.Plan(faulty.Plan{Fault: faulty.Some(3, 10, survived...), RetryAfter: "0"})
				p.proxy.Reset()
				at := p.cloud.At("copies/" + name + ".zarr")
				if _, err := copying.Copy(ctx, local, at, copying.Options{Open: []zarr.Option{soon}}); err != nil {
					t.Fatal(err)
				}
				there, err := zarr.Open(ctx, at, soon)
				if err != nil {
					t.Fatal(err)
				}
				defer there.Close()
				back := filepath.Join(t.TempDir(), "back.zarr")
				if _, err := copying.Copy(ctx, there, back, copying.Options{}); err != nil {
					t.Fatal(err)
				}
				faults += p.proxy.Faults()
				p.proxy.Plan(faulty.Plan{})
				again, err := zarr.Open(ctx, back)
				if err != nil {
					t.Fatal(err)
				}
				defer again.Close()
				for what, n := range map[string]zarr.Node{"in the bucket": there, "back": again} {
					if r, err := diff.Nodes(ctx, local, n, diff.Options{}); err != nil || !r.Equal {
						t.Errorf("%s: %v, %v", what, r.Differences, err)
					}
				}
				keys, err := list(s, "copies/"+name+".zarr/", "")
				if err != nil || slices.ContainsFunc(keys, func(key string) bool { return strings.Contains(key, "unfinished") }) {
					t.Errorf("left behind: %q, %v", keys, err)
				}
			})
		}
		if faults == 0 {
			t.Error("nothing went wrong")
		}
	})
}
