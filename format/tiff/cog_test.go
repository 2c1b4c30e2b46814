package tiff_test

import (
	"context"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/tiff"
	"github.com/omnizarr/zarr/format/tiff/tag"
)

func cogOf(t *testing.T, data []byte) tiff.COG {
	t.Helper()
	f, err := tiff.Open(context.Background(), holding(t, "a.tif", data), "a.tif")
	check(t, err)
	defer f.Close()
	c, err := f.COG(context.Background())
	check(t, err)
	return c
}

// Files of GDAL's driver are COGs; others are told what makes them none.
func TestCOG(t *testing.T) {
	files := archive(t, "files.zip")
	for _, name := range []string{"cog_deflate.tif", "cog_jpeg.tif", "cog_lzw_f4_nodata.tif", "cog_zstd_big.tif"} {
		if c := cogOf(t, files[name]); !c.Claimed || len(c.Errors)+len(c.Warnings) > 0 {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if c := cogOf(t, files["ome_pyr.ome.tif"]); len(c.Errors) != 2 { // as rio-cogeo finds
		t.Errorf("overviews that are SubIFDs: %+v", c)
	}
	reduced := tag.Longs(tag.NewSubfileType, 1)
	for name, c := range map[string]struct {
		data     []byte
		errors   []string
		warnings int
	}{
		"a small one, whose directory is behind its data": {little().file(gray(8, 8, 0)), []string{"the offset of the main IFD should be 8, it is ", "the first tile of the main image, at offset 8, should be behind its IFD, at offset "}, 0},
		"a large one without tiles":                       {little().file(gray(600, 4, 0)), []string{"the offset", "the image has 600 x 4 pixels, more than 512, and is not tiled", "the first tile"}, 1},
		"an overview that is no smaller": {little().file(gray(8, 8, 0), gray(8, 8, 1, reduced)), []string{
			"the offset", "overview 0 is not smaller than the main image", "the first tile of the main image, at offset 8, should be behind that of overview 0, at offset ", "the first tile of overview 0"}, 0},
		"overviews in order, data not": {little().file(gray(8, 8, 0), gray(4, 4, 1, reduced), gray(2, 2, 1, reduced)), []string{
			"the offset", "the first tile of the main image", "the first tile of overview 0, at offset ", "the first tile of overview 1"}, 0},
	} {
		got := cogOf(t, c.data)
		ok := len(got.Errors) == len(c.errors) && len(got.Warnings) == c.warnings && !got.Claimed
		for i := range got.Errors {
			ok = ok && strings.HasPrefix(got.Errors[i], c.errors[i])
		}
		if !ok {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
