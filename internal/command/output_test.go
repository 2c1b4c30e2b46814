package command

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr/internal/partial"
)

// A picture is whole or absent: where it cannot be written, what was there stays, and nothing
// lies beside it; what one that was killed has left is taken up.
func TestPicturesAreWholeOrAbsent(t *testing.T) {
	dir := t.TempDir()
	const document = `{"zarr_format":3,"node_type":"array","shape":[3,3],"data_type":"uint8","fill_value":7,"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[3,3]}},` +
		`"chunk_key_encoding":{"name":"default"},"codecs":[{"name":"bytes"}]}`
	root := filepath.Join(dir, "a.zarr")
	must(t, os.Mkdir(root, 0o777))
	must(t, os.WriteFile(filepath.Join(root, "zarr.json"), []byte(document), 0o666))
	out := filepath.Join(dir, "out")
	must(t, os.Mkdir(out, 0o777))
	path := filepath.Join(out, "a.png")
	long := make([]byte, 1<<16)
	must(t, os.WriteFile(path, long, 0o666))
	must(t, os.WriteFile(partial.Name(path), long, 0o666)) // of one that was killed
	if code, _, errs := ran(t, "show", "-o", path, root); code != 0 {
		t.Fatal(errs)
	}
	info, err := os.Stat(path)
	must(t, err)
	if info.Size() > 1<<15 {
		t.Errorf("%d bytes: what was left is part of it", info.Size())
	}
	if left, err := os.ReadDir(out); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
	// A folder that has the name stays.
	taken := filepath.Join(out, "taken.png")
	must(t, os.MkdirAll(filepath.Join(taken, "in"), 0o777))
	if code, _, errs := ran(t, "show", "-o", taken, root); code != 1 {
		t.Errorf("%d: %s", code, errs)
	}
	if left, err := os.ReadDir(out); err != nil || len(left) != 2 {
		t.Errorf("%v, %v", left, err)
	}
	// A device is not replaced by a file.
	if null, err := os.Stat(os.DevNull); err == nil && null.Mode()&os.ModeDevice != 0 && null.Mode()&os.ModeCharDevice != 0 {
		link := filepath.Join(out, "null.png")
		must(t, os.Symlink(os.DevNull, link))
		if code, _, errs := ran(t, "show", "-o", link, root); code != 0 {
			t.Error(errs)
		}
		if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%v, %v", info, err)
		}
	}
}
