package writer

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/tiff/tag"
)

func TestImagesThatAreRefused(t *testing.T) {
	same := gray(16, 16)
	with := func(change func(*Image)) *Image {
		img := gray(32, 16)
		change(img)
		return img
	}
	for _, c := range []struct {
		want   string
		opt    Options
		images []*Image
	}{
		{"no image", Options{}, nil},
		{"image 1 is nil", Options{}, []*Image{same, nil}},
		{"image 0 and image 1 are the same", Options{}, []*Image{same, same}},
		{"image 0, level 0 has 1 levels", Options{}, []*Image{with(func(i *Image) { i.Levels = []*Image{with(func(i *Image) { i.Levels = []*Image{same} })} })}},
		{"level 0 has 48 × 16 pixels, more than the 32 × 16", Options{}, []*Image{with(func(i *Image) { i.Levels = []*Image{gray(48, 16)} })}},
		{"a COG has a single image with its levels, 2", Options{COG: true}, []*Image{gray(16, 16), gray(16, 16)}},
		{"in strips", Options{COG: true}, []*Image{with(func(i *Image) { i.Strips = true })}},
		{"3 tiles are announced, but 32 × 16 pixels in tiles of 16 × 16, in 1 planes, make 2", Options{}, []*Image{with(func(i *Image) { i.Tiles = 3 })}},
		{"-1 tiles", Options{}, []*Image{with(func(i *Image) { i.Tiles = -1 })}},
		{"tag 256 (ImageWidth) is there twice", Options{}, []*Image{gray(16, 16, tag.Shorts(256, 1))}},
		{"tag 324 (TileOffsets) says where", Options{}, []*Image{gray(16, 16, tag.Longs(324, 1))}},
		{"tag 279 (StripByteCounts) says where", Options{}, []*Image{gray(16, 16, tag.Longs(279, 1))}},
		{"tag 330 (SubIFDs) says where", Options{}, []*Image{gray(16, 16, tag.Longs(330, 1))}},
		{"tag 34665 (ExifIFD) says where", Options{}, []*Image{gray(16, 16, tag.Longs(34665, 1))}},
		{"tag 60000 (60000) says where", Options{}, []*Image{gray(16, 16, tag.Field{ID: 60000, Type: tag.IFD, Raw: make([]byte, 4)})}},
		{"tag 60000 (60000) has type 99", Options{}, []*Image{gray(16, 16, tag.Field{ID: 60000, Type: 99, Raw: make([]byte, 4)})}},
		{"tag 60000 (60000) has 3 bytes, not some values of 2", Options{}, []*Image{gray(16, 16, tag.Field{ID: 60000, Type: tag.Short, Raw: make([]byte, 3)})}},
		{"has 0 bytes", Options{}, []*Image{gray(16, 16, tag.Shorts(60000))}},
		{"tag 257 (ImageLength) is missing", Options{}, []*Image{{Fields: []tag.Field{tag.Shorts(256, 1)}, Tiles: 1}}},
		{"tag 256 (ImageWidth) is 0", Options{}, []*Image{gray(0, 16)}},
		{"tiles of 20 × 16 pixels, both must be multiples of 16", Options{}, []*Image{{Tiles: 1, Fields: []tag.Field{tag.Shorts(256, 1), tag.Shorts(257, 1), tag.Shorts(322, 20), tag.Shorts(323, 16)}}}},
		{"more than 4294967295 tiles", Options{}, []*Image{{Tiles: 1, Fields: []tag.Field{tag.Longs(256, 1<<31), tag.Longs(257, 1<<31), tag.Shorts(322, 16), tag.Shorts(323, 16)}}}},
		{"NewSubfileType 4 of a level lacks", Options{}, []*Image{with(func(i *Image) { i.Levels = []*Image{gray(16, 16, tag.Longs(254, 4))} })}},
		{"an integer is needed", Options{}, []*Image{with(func(i *Image) { i.Levels = []*Image{gray(16, 16, tag.Text(254, "x"))} })}},
	} {
		folder := t.TempDir()
		w, err := Create(filepath.Join(folder, "a.tif"), c.images, c.opt)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		if w != nil {
			w.Abort()
		}
		leftovers(t, folder)
	}
}

func TestPlacesThatAreRefused(t *testing.T) {
	folder := t.TempDir()
	for path, want := range map[string]string{
		folder:                               "a folder is in its place",
		filepath.Join(folder, "no", "a.tif"): "no/a.tif: folder " + filepath.Join(folder, "no") + ": no such file",
		os.DevNull:                           "no file, is in its place",
	} {
		if runtime.GOOS == "windows" && path != folder { // where errors and devices have other names
			continue
		}
		if w, err := Create(path, []*Image{gray(16, 16)}, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
			w.Abort()
		}
	}
}

func TestTilesThatAreRefused(t *testing.T) {
	for want, do := range map[string]func(w *Writer, img *Image) error{
		"image 0 has 2 tiles, there is no tile 2":  func(w *Writer, img *Image) error { return w.WriteTile(img, 2, solid(1)) },
		"image 0 has 2 tiles, there is no tile -1": func(w *Writer, img *Image) error { return w.WriteTile(img, -1, nil) },
		"not of this file":                         func(w *Writer, img *Image) error { return w.WriteTile(gray(16, 16), 0, nil) },
		"image 0: tile 1 is written a second time": func(w *Writer, img *Image) error {
			return errors.Join(w.WriteTile(img, 1, solid(1)), w.WriteTile(img, 1, solid(1)))
		},
	} {
		folder := t.TempDir()
		img := gray(32, 16)
		w := create(t, filepath.Join(folder, "a.tif"), Options{}, img)
		err := do(w, img)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "a.tif") != 1 {
			t.Errorf("%v, want %s", err, want)
		}
		if again := w.WriteTile(img, 0, solid(1)); again == nil || again.Error() != err.Error() {
			t.Errorf("then %v", again)
		}
		if at := w.Close(ctx); at == nil || at.Error() != err.Error() {
			t.Errorf("Close: %v", at)
		}
		leftovers(t, folder)
	}
}
