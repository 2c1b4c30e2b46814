package jobs_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff/jobs"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/kind/std"
)

// content is what the files of a folder hold, but for records of the engine.
func content(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".omnizarr") {
			return err
		}
		text, err := os.ReadFile(name)
		rel, relErr := filepath.Rel(dir, name)
		out[rel] = string(text)
		return errors.Join(err, relErr)
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func same(a, b map[string]string) bool {
	for name, text := range a {
		if b[name] != text {
			return false
		}
	}
	return len(a) == len(b)
}

// A pyramid that is stopped at any block does not open, goes on, and ends with the same
// files as one that was not. A second time there is nothing to do.
func TestStoppedPyramidsGoOn(t *testing.T) {
	src := open(t, filepath.Join("testdata", "several.ome.tif"))
	p := jobs.Pyramid{Levels: 2, Describers: kind.All[kind.Describer](std.Kinds())}
	opts := copying.Options{Chunks: nil, Memory: 1, Workers: 1}
	blocks := 0
	opts.Progress = func(job.Progress) { blocks++ }
	whole := filepath.Join(t.TempDir(), "whole.zarr")
	if _, err := p.Copy(ctx, src, whole, opts); err != nil || blocks < 4 {
		t.Fatalf("%d blocks, %v", blocks, err)
	}
	want := content(t, whole)
	for stop := 1; stop < blocks; stop++ {
		if stop > 1 && stop < blocks-1 && stop%thorough.Step(3) != 0 {
			continue
		}
		dst := filepath.Join(t.TempDir(), "out.zarr")
		stopped, cancel := context.WithCancel(ctx)
		n := 0
		opts.Progress = func(job.Progress) {
			if n++; n == stop {
				cancel()
			}
		}
		if _, err := p.Copy(stopped, src, dst, opts); err == nil {
			t.Fatalf("%d: it was not stopped", stop)
		}
		cancel()
		if _, err := zarr.Open(ctx, dst); !errors.Is(err, zarr.ErrUnfinished) {
			t.Errorf("%d: what is not complete opens: %v", stop, err)
		}
		opts.Progress = nil
		other := p
		other.Method = "max"
		if _, err := other.Copy(ctx, src, dst, opts); err == nil {
			t.Errorf("%d: another pyramid goes on with it", stop)
		}
		sum, err := p.Copy(ctx, src, dst, opts)
		if err != nil || sum.Resumed == 0 || !same(content(t, dst), want) {
			t.Errorf("%d: %+v, %v", stop, sum, err)
		}
		if sum, err = p.Copy(ctx, src, dst, opts); err != nil || !sum.Already {
			t.Errorf("%d: a second time: %+v, %v", stop, sum, err)
		}
		opts.Overwrite = true
		if _, err = other.Copy(ctx, src, dst, opts); err != nil || same(content(t, dst), want) {
			t.Errorf("%d: another in its place: %v", stop, err)
		}
		opts.Overwrite = false
	}
}

// A pyramid is not made over or in its source.
func TestPyramidsOverTheirSource(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "src.zarr")
	a, err := zarr.CreateArray(ctx, dir, zarr.ArraySpec{Shape: []int{4, 4}, DataType: "uint8", Chunks: []int{4, 4}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	put(t, a, make([]float64, 16))
	before := content(t, dir)
	for _, dst := range []string{dir, filepath.Join(dir, "in"), filepath.Dir(dir)} {
		if _, err := (jobs.Pyramid{}).Copy(ctx, a, dst, copying.Options{Overwrite: true}); err == nil || !same(content(t, dir), before) {
			t.Errorf("%s: %v", dst, err)
		}
	}
}
