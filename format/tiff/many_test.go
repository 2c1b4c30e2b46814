package tiff_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff"
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
)

// The directories of chain without data between them: how long each is, and where in it
// the width is.
const chainDir, chainWidth = 2 + 8*12 + 4, 2 + 8

// Pages that are not alike are images of their own, as long as these are not too many to be
// listed. Then there is no image, but every directory can be read.
func TestManyPagesThatAreNotAlike(t *testing.T) {
	for n, images := range map[int]int{1000: 1000, thorough.Of(33_000, 40_000): 0} {
		data := chain(n, 16, false)
		for i := range n {
			binary.LittleEndian.PutUint32(data[8+i*chainDir+chainWidth:], uint32(1000+7*i))
		}
		s := holding(t, "a.tif", data)
		var f *tiff.File
		used := alloctest.Bytes(func() {
			var err error
			f, err = tiff.Open(ctx, s, "a.tif")
			check(t, err)
		})
		t.Logf("%d pages: %d bytes a page", n, used/int64(n))
		if used > 64<<20 && !race.Enabled {
			t.Errorf("%d pages take %d bytes", n, used)
		}
		node, err := zarr.OpenStore(ctx, f.Store(), "")
		if images == 0 {
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf(`the file has %d directories that make more than 32768 images`, n)) {
				t.Error(err)
			}
		} else if check(t, err); node.Path() != "" {
			t.Error(node.Path())
		}
		for _, i := range []int{0, n - 1} {
			node, err := zarr.OpenStore(ctx, f.Store(), fmt.Sprintf("ifd/%d", i))
			check(t, err)
			if sh := node.(*zarr.Array).Shape(); sh[len(sh)-1] != 1000+7*i {
				t.Errorf("IFD %d has shape %v", i, sh)
			}
		}
		f.Close()
	}
}

// A chain that leads back into itself ends before the first page that comes again.
func TestChainsInACircle(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 64, 100, 1000} {
		for _, first := range []int{0, 1, 2, n / 3, n - 2, n - 1} {
			if first < 0 || first >= n {
				continue
			}
			data := chain(n, 16, false)
			binary.LittleEndian.PutUint32(data[8+n*chainDir-4:], uint32(8+first*chainDir))
			f, err := tiff.Open(ctx, holding(t, "a.tif", data), "a.tif")
			check(t, err)
			survey, err := f.Survey(ctx)
			check(t, err)
			want := fmt.Sprintf("behind IFD %d, at offset %d, comes IFD %d at offset %d again", n-1, 8+(n-1)*chainDir, first, 8+first*chainDir)
			if f.Len() != n || len(survey.Faults) != 1 || !strings.Contains(survey.Faults[0].Problem, want) {
				t.Errorf("%d pages, the last before IFD %d: %d pages, %+v", n, first, f.Len(), survey.Faults)
			}
			f.Close()
		}
	}
}
