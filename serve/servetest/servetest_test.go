package servetest_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/leaktest"
	"github.com/omnizarr/zarr/serve/servetest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func Example() {
	fmt.Println(servetest.Counting[int32](3))
	// Output: [0 1 2]
}

func TestSamplesAreOfEveryFormat(t *testing.T) {
	dir := servetest.Samples(t)
	for name, format := range map[string]string{"plain.zarr/a": "zarr3", "sub/old.zarr/a": "zarr2", "sub/cells.n5/s0": "n5", "image.tif/0": "tiff", "packed.zip/a": "zarr3"} {
		n, err := zarr.OpenArray(t.Context(), filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if n.Format() != format {
			t.Errorf("%s is %s", name, n.Format())
		}
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}
}
