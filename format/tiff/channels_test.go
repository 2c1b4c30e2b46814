package tiff_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff"
)

// Names, colours and contrast of channels are attributes, of arrays alone and of groups.
func TestChannelsOfImages(t *testing.T) {
	ctx := context.Background()
	for name, want := range map[string][]string{"ome.ome.tif": {"DAPI", "GFP"}, "imagej.tif": {"", ""}} {
		n, err := zarr.Open(ctx, filepath.Join("..", "ngff", "jobs", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		hints := ngff.Hints(n.Attributes())
		if len(hints) != 2 || hints[0].Label != want[0] || hints[1].Label != want[1] || hints[0].Color == nil || hints[1].Color == nil {
			t.Errorf("%s: %+v", name, hints)
		}
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}
}
