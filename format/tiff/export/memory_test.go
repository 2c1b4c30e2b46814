package export_test

import (
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff/export"
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job/copying"
)

// An image of 16 bits that is read whole takes the memory of its pixels and little more, over all that is allocated,
// however it is compressed.
func TestAnImageTakesTheMemoryOfItsPixels(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget what they hold")
	}
	rows, columns := thorough.Of(512, 2048), thorough.Of(1024, 4096)
	a := picture(t, zarr.ArraySpec{Shape: []int{rows, columns}, DataType: "uint16", Chunks: []int{512, 512}})
	pixels := float64(2 * rows * columns)
	for _, compression := range export.Compressions() {
		if compression == "jpeg" {
			continue // which has no 16 bits
		}
		got := copied(t, a, copying.Options{To: export.Format{Compression: compression}, Chunks: []int{512, 512}}).(*zarr.Array)
		if used := float64(alloctest.Warm(func() { memory(t, got) })); used > 1.10*pixels {
			t.Errorf("%s: %.2f times the memory of the pixels", compression, used/pixels)
		} else {
			t.Logf("%s: %.3f times", compression, used/pixels)
		}
	}
}
