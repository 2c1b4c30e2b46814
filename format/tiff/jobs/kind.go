// Package jobs holds what can be done with TIFF files beyond reading them: copies are
// made in them, and their tiles are referred to where they are.
package jobs

import (
	"context"
	"flag"
	"path/filepath"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff/export"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/kind"
)

// Kind is what programs can do with TIFF, and what their flags said.
type Kind struct {
	Tiles
	format   export.Format
	wantsCOG bool
}

// Name is that of the format.
func (*Kind) Name() string { return export.Format{}.Name() }

// Formats are TIFF and COG.
func (k *Kind) Formats() []string { return []string{k.Name(), export.Format{COG: true}.Name()} }

// Endings are how names of files end.
func (*Kind) Endings() []string { return []string{".tif", ".tiff", ".tf8", ".btf"} }

// FormatFlags adds the flags that say how a file is stored.
func (k *Kind) FormatFlags(flags *flag.FlagSet) {
	f := &k.format
	flags.StringVar(&f.Compression, "compression", "", "of a TIFF or COG: "+strings.Join(export.Compressions(), ", ")+" (default deflate)")
	flags.IntVar(&f.Predictor, "predictor", 0, "of a TIFF or COG: 1 none, 2 differences, 3 floating point (0: what fits)")
	flags.IntVar(&f.Level, "level", 0, "how hard a TIFF or COG is compressed (0: the compression's default)")
	flags.IntVar(&f.Quality, "quality", 0, "of JPEG in a TIFF or COG, from 1 to 100 (0: 75)")
	flags.BoolVar(&f.Overviews, "overviews", false, "make smaller versions in a TIFF; a COG has them")
	flags.StringVar(&f.Resampling, "resampling", "", "how smaller versions are made: average, nearest or mode")
	flags.BoolVar(&f.BigTIFF, "bigtiff", false, "write a BigTIFF also where a TIFF would do")
	flags.BoolVar(&f.Sparse, "sparse", false, "leave out tiles of a TIFF or COG that hold only the fill value; libtiff cannot read them")
}

// Format is TIFF or COG as the flags said.
func (k *Kind) Format(name string) (copying.Format, error) {
	f := k.format
	f.COG = name != k.Name()
	if f.Compression == "" {
		return f, nil
	}
	return f, kind.Choice("compression", f.Compression, export.Compressions())
}

// Help tells what is special about TIFF.
func (*Kind) Help(command string) (paragraph, examples string) {
	switch command {
	case "":
		return "A TIFF file opens like a folder; FILE.tif/ifd/N is page N of it as it is.", "  omnizarr tree slide.ome.tif"
	case "copy":
		return `With --to tiff or --to cog the copy is one file. Rows, columns and samples are found
by the names of axes, or are the last ones; other axes become pages. A COG has one
image, with smaller versions.`, `  omnizarr copy --to cog --compression zstd dem.zarr dem.tif
  omnizarr copy --virtual scan.tif scan.zarr`
	}
	return "", ""
}

// Sample makes none: it shows how to make one.
func (*Kind) Sample(_ context.Context, _ *zarr.Group, dir string, _ []zarr.Option) (kind.Sample, error) {
	return kind.Sample{Try: [][]string{
		{"copy", "--to", "tiff", filepath.Join(dir, "cells", "volume"), filepath.Join(filepath.Dir(dir), "volume.ome.tif")},
	}}, nil
}
