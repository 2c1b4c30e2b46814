package writer

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/internal/partial"
)

var ctx = context.Background()

// gray is an image of bytes in tiles of 16 × 16.
func gray(width, height uint16, more ...tag.Field) *Image {
	return &Image{
		Fields: append([]tag.Field{
			tag.Shorts(tag.TileLength, 16), tag.Shorts(tag.TileWidth, 16), // out of order, the writer sorts
			tag.Shorts(tag.ImageWidth, width), tag.Shorts(tag.ImageLength, height), tag.Shorts(tag.BitsPerSample, 8),
			tag.Shorts(tag.Compression, 1), tag.Shorts(tag.Photometric, 1),
		}, more...),
		Tiles: int((width+15)/16) * int((height+15)/16),
	}
}

// solid is a tile with the same byte everywhere.
func solid(v byte) []byte { return slices.Repeat([]byte{v}, 256) }

func create(t *testing.T, path string, opt Options, images ...*Image) *Writer {
	t.Helper()
	w, err := Create(path, images, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Abort() })
	return w
}

func write(t *testing.T, w *Writer, img *Image, index int, data []byte) {
	t.Helper()
	if err := w.WriteTile(img, index, data); err != nil {
		t.Fatal(err)
	}
}

func finish(t *testing.T, w *Writer) *tiff {
	t.Helper()
	if err := w.Close(ctx); err != nil {
		t.Fatal(err)
	}
	leftovers(t, filepath.Dir(w.path), filepath.Base(w.path))
	f := readFile(t, w.path)
	if err := f.check(); err != nil {
		t.Error(err)
	}
	return f
}

func TestTilesAreWrittenAsTheyCome(t *testing.T) {
	for _, mode := range []Mode{Auto, Never, Always} {
		img := gray(40, 20, tag.Text(tag.Software, "test"))
		w := create(t, filepath.Join(t.TempDir(), "a.tif"), Options{BigTIFF: mode, Sync: true}, img)
		for _, i := range []int{4, 0, 5, 2, 1} { // 3 is missing
			write(t, w, img, i, solid(byte(i+1)))
		}
		write(t, w, img, 3, nil)
		f := finish(t, w)
		if f.big != (mode == Always) || len(f.chain) != 1 {
			t.Fatal(mode, f.big, len(f.chain))
		}
		d := f.chain[0]
		at, size := d.tiles()
		if want := []uint64{16 + 256, 16 + 4*256, 16 + 3*256, 0, 16, 16 + 2*256}; !slices.Equal(at, want) {
			t.Error(at, want)
		}
		if want := []uint64{256, 256, 256, 0, 256, 256}; !slices.Equal(size, want) {
			t.Error(size)
		}
		if string(d.raw[305]) != "test\x00" {
			t.Errorf("%q", d.raw[305])
		}
		if want := []uint16{256, 257, 258, 259, 262, 305, 322, 323, 324, 325}; !slices.Equal(d.tags, want) {
			t.Error(d.tags)
		}
	}
}

func TestImagesAndLevels(t *testing.T) {
	a, b := gray(64, 64), gray(16, 16)
	a.Levels = []*Image{gray(32, 32), gray(16, 16)}
	b.Levels = []*Image{gray(8, 8, tag.Longs(tag.NewSubfileType, 5))}
	w := create(t, filepath.Join(t.TempDir(), "a.tif"), Options{}, a, b)
	write(t, w, a, 0, solid(1))
	write(t, w, a.Levels[1], 0, solid(2))
	write(t, w, b.Levels[0], 0, solid(3))
	f := finish(t, w)
	if len(f.chain) != 2 || len(f.chain[0].subs) != 2 || len(f.chain[1].subs) != 1 || len(f.chain[0].subs[0].subs) != 0 {
		t.Fatal(f.chain)
	}
	if _, ok := f.chain[0].raw[254]; ok {
		t.Error("an image has NewSubfileType")
	}
	subs := append(f.chain[0].subs, f.chain[1].subs...)
	for i, want := range []uint64{32, 16, 8} {
		if got := subs[i].ints(256)[0]; got != want || subs[i].next != 0 {
			t.Errorf("level %d has %d columns and next directory %d", i, got, subs[i].next)
		}
	}
	for i, want := range []uint64{1, 1, 5} {
		if got := subs[i].ints(254)[0]; got != want {
			t.Errorf("level %d has NewSubfileType %d", i, got)
		}
	}
	if at, _ := subs[2].tiles(); f.data[at[0]] != 3 {
		t.Error(at)
	}
	if f.chain[0].types[330] != 13 {
		t.Error("SubIFDs have type", f.chain[0].types[330])
	}
}

func TestStripsAndPlanes(t *testing.T) {
	img := &Image{Strips: true, Tiles: 3 * 3, Fields: []tag.Field{
		tag.Shorts(tag.ImageWidth, 5), tag.Shorts(tag.ImageLength, 10), tag.Shorts(tag.BitsPerSample, 8, 8, 8), tag.Shorts(tag.Photometric, 2),
		tag.Shorts(tag.SamplesPerPixel, 3), tag.Shorts(tag.RowsPerStrip, 4), tag.Shorts(tag.PlanarConfiguration, 2),
	}}
	one := &Image{Strips: true, Tiles: 1, Fields: []tag.Field{tag.Shorts(tag.ImageWidth, 5), tag.Shorts(tag.ImageLength, 10)}} // no RowsPerStrip
	w := create(t, filepath.Join(t.TempDir(), "a.tif"), Options{}, img, one)
	for i := range img.Tiles {
		write(t, w, img, i, solid(byte(i))[:20-10*(i%3/2)])
	}
	write(t, w, one, 0, solid(9)[:50])
	f := finish(t, w)
	at, size := f.chain[0].tiles()
	if len(at) != 9 || size[8] != 10 || f.data[at[8]] != 8 || f.chain[0].raw[324] != nil {
		t.Error(at, size)
	}
	// A single value lies inside the entry.
	if at, _ := f.chain[1].tiles(); f.chain[1].place[273] != 0 || f.data[at[0]] != 9 {
		t.Error(at)
	}
}

func TestFieldsOfEitherByteOrder(t *testing.T) {
	img := gray(16, 16,
		tag.Field{ID: 60000, Type: tag.Rational, Raw: []byte{0, 0, 0, 1, 0, 0, 0, 2}, Big: true},
		tag.Field{ID: 60001, Type: tag.Double, Raw: []byte{1, 2, 3, 4, 5, 6, 7, 8}, Big: true},
		tag.Field{ID: 60002, Type: tag.Undefined, Raw: []byte{1, 2, 3, 4, 5}, Big: true},
	)
	f := finish(t, create(t, filepath.Join(t.TempDir(), "a.tif"), Options{}, img))
	for id, want := range map[uint16]string{60000: "\x01\x00\x00\x00\x02\x00\x00\x00", 60001: "\x08\x07\x06\x05\x04\x03\x02\x01", 60002: "\x01\x02\x03\x04\x05"} {
		if got := string(f.chain[0].raw[id]); got != want {
			t.Errorf("tag %d: %x, want %x", id, got, want)
		}
	}
	if img.Fields[7].Raw[3] != 1 {
		t.Error("the caller's field was changed")
	}
}

// A file becomes a BigTIFF when it would be larger than a classic one can be:
// the test lowers that limit.
func TestClassicUntilItIsTooLarge(t *testing.T) {
	for _, cog := range []bool{false, true} {
		size := 0
		for _, more := range []int{1 << 20, 0, -1} { // than the classic file has
			img := gray(64, 64)
			w := create(t, filepath.Join(t.TempDir(), "a.tif"), Options{COG: cog, limit: uint64(size + more)}, img)
			for i := range img.Tiles {
				write(t, w, img, i, solid(byte(i)))
			}
			f := finish(t, w)
			if f.big != (more < 0) {
				t.Errorf("COG %v, limit %d of %d bytes: BigTIFF %v", cog, size+more, size, f.big)
			}
			if size == 0 {
				size = len(f.data)
			}
			at, _ := f.chain[0].tiles()
			for i, at := range at {
				if f.data[at] != byte(i) {
					t.Error("tile", i, "at", at)
				}
			}
		}
		// Never: the tile that is too much is refused, or the directories at Close.
		for _, limit := range []int{size - 1, 1000} {
			path := filepath.Join(t.TempDir(), "a.tif")
			img := gray(64, 64)
			w := create(t, path, Options{COG: cog, BigTIFF: Never, limit: uint64(limit)}, img)
			var err error
			for i := 0; i < img.Tiles && err == nil; i++ {
				err = w.WriteTile(img, i, solid(1))
			}
			if (err == nil) != (limit == size-1) {
				t.Errorf("COG %v, limit %d: %v", cog, limit, err)
			}
			if err := w.Close(ctx); err == nil || !strings.Contains(err.Error(), "may not be a BigTIFF") {
				t.Error(err)
			}
			leftovers(t, filepath.Dir(path))
		}
	}
}

func TestFieldsThatNeedBigTIFF(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tif")
	img := gray(16, 16, tag.Long8s(60000, 1<<40))
	if f := finish(t, create(t, path, Options{}, img)); !f.big {
		t.Error("a classic TIFF has 64-bit fields")
	}
	if _, err := Create(path, []*Image{img}, Options{BigTIFF: Never}); err == nil || !strings.Contains(err.Error(), "64-bit") {
		t.Error(err)
	}
}

// A directory with every tag that can be.
func TestAllTags(t *testing.T) {
	img := gray(16, 16)
	for id := 65535; id >= 0; id-- {
		if f := tag.Shorts(tag.ID(id), 7); !slices.Contains(offsetTags, f.ID) && !slices.ContainsFunc(img.Fields[:7], func(g tag.Field) bool { return g.ID == f.ID }) {
			if id == int(tag.PlanarConfiguration) {
				f = tag.Shorts(f.ID, 1)
			}
			img.Fields = append(img.Fields, f)
		}
	}
	f := finish(t, create(t, filepath.Join(t.TempDir(), "a.tif"), Options{}, img))
	if got := len(f.chain[0].tags); got != 1<<16-len(offsetTags)+2 || got > 65535 {
		t.Error(got, "tags")
	}
}

// faulty is a file that fails at the n-th thing that is done with any.
type faulty struct {
	file
	left *int
}

var errFault = errors.New("no space left")

func (f faulty) step() error {
	if *f.left--; *f.left == 0 {
		return errFault
	}
	return nil
}

func (f faulty) WriteAt(p []byte, off int64) (int, error) {
	if err := f.step(); err != nil {
		f.file.WriteAt(p[:len(p)/2], off)
		return len(p) / 2, err
	}
	return f.file.WriteAt(p, off)
}

func (f faulty) ReadAt(p []byte, off int64) (int, error) {
	if err := f.step(); err != nil {
		return 0, err
	}
	return f.file.ReadAt(p, off)
}

func (f faulty) Commit(sync bool) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.file.Commit(sync)
}

// What was there stays until Close, and also if any step fails.
func TestTheOldFileStays(t *testing.T) {
	for _, cog := range []bool{false, true} {
		steps := 0
		for n := 1; ; n++ {
			folder := t.TempDir()
			path := filepath.Join(folder, "a.tif")
			if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
				t.Fatal(err)
			}
			left := n
			opt := Options{COG: cog, opened: func(f file) (file, error) {
				if err := (faulty{f, &left}).step(); err != nil {
					return nil, errors.Join(err, f.Remove())
				}
				return faulty{f, &left}, nil
			}}
			img := gray(32, 16)
			w, err := Create(path, []*Image{img}, opt)
			if err == nil {
				err = errors.Join(w.WriteTile(img, 0, solid(1)), w.WriteTile(img, 1, solid(2)), w.Close(ctx))
			}
			leftovers(t, folder, "a.tif")
			if err == nil {
				break
			}
			steps++
			if old, readErr := os.ReadFile(path); string(old) != "old" || !errors.Is(err, errFault) {
				t.Error(n, len(old), readErr, err)
			}
		}
		if want := map[bool]int{false: 6, true: 9}[cog]; steps != want {
			t.Errorf("COG %v: %d steps can fail, not %d", cog, steps, want)
		}
	}
}

// A file that is given up leaves the old one as it is.
func TestAFileThatIsGivenUp(t *testing.T) {
	for _, cog := range []bool{false, true} {
		for name, end := range map[string]func(w *Writer) error{
			"abort": func(w *Writer) error { return errors.Join(w.Abort(), w.Abort(), ErrClosed) },
			"the end of the context": func(w *Writer) error {
				ctx, cancel := context.WithCancel(ctx)
				cancel()
				return w.Close(ctx)
			},
		} {
			folder := t.TempDir()
			path := filepath.Join(folder, "a.tif")
			if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
				t.Fatal(err)
			}
			img := gray(32, 16)
			w := create(t, path, Options{COG: cog}, img)
			write(t, w, img, 0, solid(1))
			if err := end(w); err == nil {
				t.Error(name, "is no error")
			}
			if old, err := os.ReadFile(path); string(old) != "old" {
				t.Error(name, len(old), err)
			}
			leftovers(t, folder, "a.tif")
			for _, err := range []error{w.WriteTile(img, 1, nil), w.Close(ctx)} {
				if !errors.Is(err, ErrClosed) {
					t.Error(name, err)
				}
			}
			if err := w.Abort(); err != nil {
				t.Error(err)
			}
		}
	}
}

// What a run left that ended in the middle is taken over and not taken for part of
// the file; of two at once one is told so.
func TestAFileThatWasBegun(t *testing.T) {
	for _, cog := range []bool{false, true} {
		folder := t.TempDir()
		path := filepath.Join(folder, "a.tif")
		if err := os.WriteFile(partial.Name(path), bytes.Repeat([]byte("left"), 1<<10), 0o666); err != nil {
			t.Fatal(err)
		}
		img := gray(32, 16)
		w := create(t, path, Options{COG: cog}, img)
		if runtime.GOOS != "windows" {
			if _, err := Create(path, []*Image{gray(16, 16)}, Options{}); !errors.Is(err, partial.ErrBusy) {
				t.Error("two at once:", err)
			}
		}
		write(t, w, img, 0, solid(1))
		write(t, w, img, 1, solid(2))
		first := finish(t, w)
		leftovers(t, folder, "a.tif")
		if size := int64(len(first.data)); size > 4<<10 {
			t.Errorf("%d bytes", size)
		}
		// The same again is the same; anything else is not, and nothing changes.
		for _, c := range []struct {
			tiles []byte
			more  int
			same  bool
		}{{[]byte{1, 2}, 0, true}, {[]byte{1, 3}, 0, false}, {[]byte{1}, 0, false}, {[]byte{1, 2}, 1, false}} {
			os.WriteFile(path, append(slices.Clone(first.data), make([]byte, c.more)...), 0o666)
			w := create(t, path, Options{COG: cog, Compare: true}, img)
			var err error
			for i, b := range c.tiles {
				err = errors.Join(err, w.WriteTile(img, i, solid(b)))
			}
			err = errors.Join(err, w.Close(ctx))
			if (err == nil) != c.same || err != nil && !errors.Is(err, ErrDiffers) {
				t.Errorf("COG %v, tiles %v and %d bytes: %v", cog, c.tiles, c.more, err)
			}
			leftovers(t, folder, "a.tif")
		}
	}
}

func TestPlacesThatCanNotBeWritten(t *testing.T) {
	folder := t.TempDir()
	if _, err := Create(folder, []*Image{gray(16, 16)}, Options{}); err == nil {
		t.Error("a folder was accepted as the target")
	}
	if _, err := Create(filepath.Join(folder, "no", "a.tif"), []*Image{gray(16, 16)}, Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	path := filepath.Join(folder, "a.tif")
	w := create(t, path, Options{}, gray(16, 16))
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(ctx); err == nil {
		t.Error("a folder was replaced")
	}
	leftovers(t, folder, "a.tif")
}

func TestManyGoroutines(t *testing.T) {
	for _, cog := range []bool{false, true} {
		img := gray(16*64, 16*32)
		img.Levels = []*Image{gray(8*64, 8*32)}
		w := create(t, filepath.Join(t.TempDir(), "a.tif"), Options{COG: cog}, img)
		var wg sync.WaitGroup
		for k := range 8 {
			wg.Go(func() {
				for _, img := range []*Image{img, img.Levels[0]} {
					for i := k; i < img.Tiles; i += 8 {
						if err := w.WriteTile(img, i, solid(byte(i))); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		wg.Wait()
		f := finish(t, w)
		dirs := slices.Concat(f.chain, f.chain[0].subs)
		if len(dirs) != 2 {
			t.Fatal(len(dirs))
		}
		for _, d := range dirs {
			at, _ := d.tiles()
			for i, at := range at {
				if string(f.data[at:at+256]) != string(solid(byte(i))) {
					t.Error("tile", i)
				}
			}
		}
	}
}
