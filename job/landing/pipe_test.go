//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package landing_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/omnizarr/zarr/format/tiff/export"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
)

// A pipe in the place of a copy is refused at once, and stays.
func TestPipesAreNotReplaced(t *testing.T) {
	g, _ := jobtest.Sample(t)
	dir := t.TempDir()
	for _, name := range []string{"a.zip", "a.zarr", "a.tif"} {
		path := filepath.Join(dir, name)
		jobtest.Check(t, syscall.Mkfifo(path, 0o666))
		for _, overwrite := range []bool{false, true} {
			opts := copying.Options{Overwrite: overwrite}
			if name == "a.tif" {
				opts.To = export.Format{}
			}
			if err := jobtest.Err(copying.Copy(ctx, g, path, opts)); err == nil {
				t.Errorf("%s, overwrite %v: no error", name, overwrite)
			}
			if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
				t.Errorf("%s: %v, %v", name, info, err)
			}
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 3 {
		t.Errorf("%v, %v", left, err)
	}
}
