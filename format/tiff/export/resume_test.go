package export_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff/export"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
)

// stopped copies until some blocks are done, and reports whether that was all.
func stopped(t *testing.T, src zarr.Node, path string, opts copying.Options, blocks int64) (copying.Summary, bool) {
	t.Helper()
	some, cancel := context.WithCancel(ctx)
	defer cancel()
	opts.Progress = func(p job.Progress) {
		if p.Done == blocks && p.Done < p.Total {
			cancel()
		}
	}
	sum, err := copying.Copy(some, src, path, opts)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return sum, err == nil
}

// A file that is stopped again and again, with other memory each time, and whose
// records are cut or changed, ends as one that nobody disturbed.
func TestFilesThatAreStoppedGoOn(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for i := range thorough.Rounds(12) {
		spec := zarr.ArraySpec{Shape: []int{1 + r.IntN(5), 1 + r.IntN(200), 1 + r.IntN(200)}, DataType: []string{"uint8", "int16", "float32"}[i%3],
			Chunks: []int{1 + r.IntN(3), 1 + r.IntN(60), 1 + r.IntN(60)}, DimensionNames: []string{"z", "y", "x"}, FillValue: json.RawMessage([]string{"0", "7"}[i%2])}
		format := export.Format{Overviews: i%3 != 0, Sparse: i%5 == 0, Compression: []string{"", "lzw", "zstd", "none"}[i%4]}
		if i%2 == 0 {
			format.COG, spec.DimensionNames = true, []string{"s", "y", "x"}
		}
		if i%4 == 3 {
			spec.DataType, format.Compression, format.Sparse = "uint8", "jpeg", false
			spec.Shape[0] = min(spec.Shape[0], 4)
		}
		a := picture(t, spec)
		for c, err := range a.Stored(ctx) {
			jobtest.Check(t, err)
			if r.IntN(4) == 0 {
				jobtest.Check(t, a.DeleteChunk(ctx, c.Index...))
			}
		}
		opts := copying.Options{To: format, Chunks: []int{16 << r.IntN(2), 16 << r.IntN(2)}, Lossy: true}
		want := copiedBytes(t, a, opts)
		dir := t.TempDir()
		path := filepath.Join(dir, "out.tif")
		log := filepath.Join(dir, ".out.tif.omnizarr-tiles")
		for run := range 6 {
			opts.Memory, opts.Workers = 500+r.Int64N(30_000), 1+r.IntN(4)
			if _, whole := stopped(t, a, path, opts, 1+r.Int64N(60)); whole {
				break
			}
			if run == 4 {
				jobtest.Check(t, jobtest.Err(copying.Copy(ctx, a, path, opts)))
				break
			}
			if b, err := os.ReadFile(log); err == nil && len(b) > 0 && r.IntN(3) == 0 {
				at := r.IntN(len(b))
				b[at] ^= 1
				jobtest.Check(t, os.WriteFile(log, b[:at+r.IntN(len(b)-at)], 0o666))
			}
		}
		got, err := os.ReadFile(path)
		jobtest.Check(t, err)
		if !bytes.Equal(got, want) {
			t.Errorf("%d: %v as %+v: another file, of %d bytes instead of %d", i, spec, format, len(got), len(want))
		}
		if files, _ := os.ReadDir(dir); len(files) != 1 {
			t.Errorf("%v is left", files)
		}
		// It is there already, whatever memory there is.
		opts.Memory = 1 + r.Int64N(30_000)
		if sum, err := copying.Copy(ctx, a, path, opts); err != nil || !sum.Already {
			t.Errorf("again: %+v, %v", sum, err)
		}
	}
}

// What was done is not read again, but the block that was under way and the next one.
func TestFilesThatGoOnReadWhatIsLeft(t *testing.T) {
	for _, format := range []export.Format{{}, {Overviews: true}, {COG: true}, {COG: true, Compression: "jpeg"}} {
		a, reads := counted(t, picture(t, zarr.ArraySpec{Shape: []int{256, 256}, Chunks: []int{16, 16}, DataType: "uint8", DimensionNames: []string{"y", "x"}}))
		path := filepath.Join(t.TempDir(), "out.tif")
		opts := copying.Options{To: format, Chunks: []int{32, 32}, Memory: 4 * 32 * 32, Lossy: true}
		if _, whole := stopped(t, a, path, opts, 40); whole {
			t.Fatal("it was not stopped")
		}
		clear(reads.reads)
		sum, err := copying.Copy(ctx, a, path, opts)
		jobtest.Check(t, err)
		if most := (64 - 39) * 4; len(reads.reads) > most || sum.Resumed < 39 || sum.Anew {
			t.Errorf("%+v: %d chunks are read, at most %d are left; %v", format, len(reads.reads), most, sum)
		}
	}
}

// With memory enough, less than one in a hundred chunks is read again.
func TestFilesThatGoOnReadLittleAgain(t *testing.T) {
	source := picture(t, zarr.ArraySpec{Shape: []int{384, 384}, Chunks: []int{8, 8}, DataType: "uint8", DimensionNames: []string{"y", "x"}})
	formats := []export.Format{{}, {COG: true, Compression: "jpeg"}, {Overviews: true}, {COG: true}, {BigTIFF: true}}
	if !thorough.Enabled {
		formats = formats[:2]
	}
	for _, format := range formats {
		a, reads := counted(t, source)
		path := filepath.Join(t.TempDir(), "out.tif")
		opts := copying.Options{To: format, Chunks: []int{16, 16}, Workers: 2, Lossy: true}
		if _, whole := stopped(t, a, path, opts, 400); whole {
			t.Fatal("it was not stopped")
		}
		first := maps.Clone(reads.reads)
		clear(reads.reads)
		jobtest.Check(t, jobtest.Err(copying.Copy(ctx, a, path, opts)))
		again := 0
		for key := range reads.reads {
			if first[key] > 0 {
				again++
			}
		}
		if all := 48 * 48; again > all/100 || len(first) < all/2 {
			t.Errorf("%+v: %d of %d chunks were read, %d of them again", format, len(first), all, again)
		}
	}
}

// What was begun of another source, or in another way, is not gone on with.
func TestFilesThatWereBegunInAnotherWay(t *testing.T) {
	spec := zarr.ArraySpec{Shape: []int{128, 128}, Chunks: []int{16, 16}, DataType: "uint8", DimensionNames: []string{"y", "x"}}
	a, b := picture(t, spec), picture(t, spec)
	jobtest.Check(t, zarr.Write(ctx, b, zarr.Box([]int{0, 0}, []int{1, 1}), []uint8{77}))
	opts := copying.Options{To: export.Format{}, Chunks: []int{32, 32}, Memory: 4 * 32 * 32}
	other := opts
	other.To = export.Format{Level: 9}
	for _, c := range []struct {
		src  zarr.Node
		opts copying.Options
	}{{b, opts}, {a, other}} {
		path := filepath.Join(t.TempDir(), "out.tif")
		if _, whole := stopped(t, a, path, opts, 5); whole {
			t.Fatal("it was not stopped")
		}
		sum, err := copying.Copy(ctx, c.src, path, c.opts)
		if err != nil || !sum.Anew || sum.Resumed > 0 {
			t.Errorf("%v, %v", sum, err)
		}
		got, err := os.ReadFile(path)
		jobtest.Check(t, err)
		if !bytes.Equal(got, copiedBytes(t, c.src, c.opts)) {
			t.Error("another file")
		}
	}
}

// What has the name of a TIFF file and is none is somebody's own.
func TestFilesThatAreNoTIFFStay(t *testing.T) {
	a := picture(t, zarr.ArraySpec{Shape: []int{20, 20}, DataType: "uint8"})
	path := filepath.Join(t.TempDir(), "thesis.tif")
	for _, c := range []struct {
		text  string
		stays bool
	}{{"my thesis", true}, {"\xff\xd8\xff\xe0 a JPEG picture", true}, {"", false}, {"II*\x00 broken", false}} {
		jobtest.Check(t, os.WriteFile(path, []byte(c.text), 0o666))
		for _, cog := range []bool{false, true} {
			err := jobtest.Err(copying.Copy(ctx, a, path, copying.Options{To: export.Format{COG: cog}, Overwrite: true}))
			text, readErr := os.ReadFile(path)
			jobtest.Check(t, readErr)
			if errors.Is(err, copying.ErrNotEmpty) != c.stays || (string(text) == c.text) != c.stays {
				t.Errorf("%q: %v", c.text, err)
			}
		}
	}
}

// The folders of a file are made, as those of a hierarchy are.
func TestFoldersOfFilesAreMade(t *testing.T) {
	a := picture(t, zarr.ArraySpec{Shape: []int{20, 20}, DataType: "uint8"})
	path := filepath.Join(t.TempDir(), "new", "folder", "a.tif")
	jobtest.Check(t, jobtest.Err(copying.Copy(ctx, a, path, copying.Options{To: export.Format{}})))
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
