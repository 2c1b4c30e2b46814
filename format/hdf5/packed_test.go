package hdf5_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr"
)

// Numbers whose bits are packed, in files by h5py: 7 times the number of an element
// in u2 and whole, less 2000 in i4, a quarter of it in f4, which has 20 bits, and f8.
func TestPackedNumbers(t *testing.T) {
	for filter, arrays := range map[string]int{"nbit": 4, "scaleoffset": 3, "szip": 3} {
		name := "packed-" + filter + ".h5"
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		check(t, err)
		s, err := open(map[string][]byte{name: raw}, name)
		check(t, err)
		found := 0
		for path, value := range map[string]func(k int) float64{
			"u2":    func(k int) float64 { return float64(7 * k) },
			"whole": func(k int) float64 { return float64(7 * k) },
			"i4":    func(k int) float64 { return float64(7*k - 2000) },
			"f4":    func(k int) float64 { return float64(7*k) / 4 },
			"f8":    func(k int) float64 { return float64(7*k) / 4 },
		} {
			n, err := zarr.OpenStore(ctx, s, path)
			if err != nil {
				continue // which not every file has
			}
			found++
			if got := n.(*zarr.Array).DataType().Name(); path == "f4" && got != "float32" {
				t.Errorf("%s: f4 is %s", name, got)
			}
			got, err := zarr.ReadAs[float64](ctx, n.(*zarr.Array), zarr.All())
			if err != nil {
				t.Errorf("%s %s: %v", name, path, err)
				continue
			}
			for k, x := range got.Data {
				if want := value(k); x != want {
					t.Errorf("%s %s: element %d is %g, want %g", name, path, k, x, want)
					break
				}
			}
		}
		if found != arrays {
			t.Errorf("%s has %d arrays", name, found)
		}
		check(t, s.Close())
	}
}
