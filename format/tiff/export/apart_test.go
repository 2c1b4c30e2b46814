package export_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff/export"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/virtual"
	"github.com/omnizarr/zarr/store/mem"
)

// A copy into its own source, by whichever name, is refused before anything is
// made.
func TestACopyIsNotItsSource(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "source.zarr")
	g, err := zarr.CreateGroup(ctx, source)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if _, err := g.CreateArray(ctx, "a", zarr.ArraySpec{Shape: []int{4}, DataType: "uint8"}); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(source, filepath.Join(dir, "link.zarr")); err != nil {
		t.Skip(err)
	}
	before := names(t, dir)
	for _, to := range []string{
		source, source + "/new", dir + "/link.zarr", dir + "/link.zarr/new/er", dir + "/link.zarr/x.zip", dir,
		"file://" + filepath.ToSlash(dir) + "/link.zarr/a", dir + "/link.zarr|zarr3:new",
	} {
		for _, opts := range []copying.Options{{}, {Overwrite: true}} {
			if _, err := copying.Copy(ctx, g, to, opts); err == nil || !strings.Contains(err.Error(), "same place") {
				t.Errorf("to %s: %v", to, err)
			}
		}
		if err := virtual.Write(ctx, g, to, virtual.Options{Overwrite: true}); err == nil || !strings.Contains(err.Error(), "same place") {
			t.Errorf("references at %s: %v", to, err)
		}
		if to == dir {
			continue // beside the source there is room for a file
		}
		if _, err := copying.Copy(ctx, g, to+"/a.tif", copying.Options{To: export.Format{}}); err == nil || !strings.Contains(err.Error(), "same place") {
			t.Errorf("to %s/a.tif: %v", to, err)
		}
	}
	if after := names(t, dir); after != before {
		t.Errorf("there are new files:\n%s\nbefore:\n%s", after, before)
	}
	s := mem.Shared("apart")
	if _, err := copying.Into(ctx, g, s, "", copying.Options{}); err != nil {
		t.Fatal(err)
	}
	held, err := zarr.OpenStore(ctx, s, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := copying.Copy(ctx, held, "mem:apart/below", copying.Options{}); err == nil || !strings.Contains(err.Error(), "same place") {
		t.Errorf("in memory: %v", err)
	}
	if _, err := copying.Copy(ctx, held, "mem:", copying.Options{}); err != nil {
		t.Errorf("to memory of its own: %v", err)
	}
}

// names lists all files below a folder, without following links.
func names(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		out.WriteString(path + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}
