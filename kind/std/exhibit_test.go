package std_test

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/kind/std"
)

// What the demo shows opens, and can be written over what was there.
func TestExhibits(t *testing.T) {
	if !thorough.Enabled {
		t.Skip("painting them takes some seconds")
	}
	dir, formats := t.TempDir(), map[string]bool{}
	for range 2 {
		for _, k := range kind.All[kind.Exhibitor](std.Kinds()) {
			e, err := k.Exhibit(t.Context(), dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			a, err := zarr.OpenArray(t.Context(), filepath.Join(dir, e.Name, e.Array))
			if err != nil {
				t.Fatal(err)
			}
			part, err := zarr.ReadAs[float64](t.Context(), a, zarr.Slice(e.Slice))
			if err != nil {
				t.Fatal(err)
			}
			if same := part.Data[0]; len(part.Data) < 100 || !differs(part.Data, same) {
				t.Errorf("%s: %d elements, all %v", e.Name, len(part.Data), same)
			}
			formats[a.Format()] = true
			closed(t, a)
		}
	}
	for _, name := range []string{"zarr3", "zarr2", "n5", "tiff"} {
		if !formats[name] {
			t.Errorf("nothing is shown of %s: %v", name, formats)
		}
	}
}

func differs(list []float64, from float64) bool {
	for _, v := range list {
		if v != from {
			return true
		}
	}
	return false
}

func closed(t *testing.T, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
