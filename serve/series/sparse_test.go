package series_test

import (
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/serve/kept"
	"github.com/omnizarr/zarr/serve/series"
	"github.com/omnizarr/zarr/store/mem"
)

// An answer that has to leave most for later does not look at each part that it leaves, of which
// a small document can name any number; and the next answer has more all the same.
func TestNotAllPartsAreLookedAt(t *testing.T) {
	for _, n := range []int{1 << 40, 1 << 62} {
		a, err := zarr.CreateArrayIn(t.Context(), mem.New(), "", zarr.ArraySpec{Shape: []int{n}, Chunks: []int{1 << 20}, DataType: "uint8"})
		check(t, err)
		cache, err := kept.New(64<<20, "", 0)
		check(t, err)
		defer cache.Close()
		s, err := series.New(&convention.Samples{Array: a, Scale: 1, Rate: 30000}, series.Options{Cache: cache, Budget: thorough.Of[int64](8<<20, 32<<20)})
		check(t, err)
		covered := 0.0
		for range 2 {
			var v *series.View
			used := alloctest.Bytes(func() { v, err = s.View(t.Context(), series.Request{From: 0, To: 1e18, Width: 100}) })
			check(t, err)
			if used > 1<<30 {
				t.Fatalf("%d samples: %d bytes of memory", n, used)
			}
			if v.Exact || v.Covered <= covered || v.Covered > 0.01 {
				t.Errorf("%d samples: exact %v, covered %v after %v", n, v.Exact, v.Covered, covered)
			}
			covered = v.Covered
		}
	}
}
