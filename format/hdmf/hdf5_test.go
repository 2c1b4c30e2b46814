package hdmf_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/nwbtest"
)

// A file on HDF5 is the same model as on Zarr: objects, attributes, links, references
// and values, also through a link to another file.
func TestFilesOnHDF5(t *testing.T) {
	dir := nwbtest.Unpack(t, "hdf5")
	for _, name := range []string{"session.nwb", "session1.nwb", "linked1.nwb"} {
		t.Run(name, func(t *testing.T) {
			f := open(t, filepath.Join(dir, "hdf5", name))
			checkFile(t, f, nwbtest.Read(t, "hdf5/"+name+".nodes.json"))
		})
	}
}

// The other file need not lie in the same folder if there is leave, and else must.
func TestLinksToFilesOnHDF5(t *testing.T) {
	dir := filepath.Join(nwbtest.Unpack(t, "hdf5"), "hdf5")
	away := t.TempDir()
	read := func(opts ...hdmf.Option) error {
		f := open(t, filepath.Join(dir, "linked1.nwb"), opts...)
		s, err := f.Series(ctx, "/acquisition/linked")
		if err != nil {
			return err
		}
		_, err = s.Data().Read(ctx, zarr.All())
		return err
	}
	check(t, read())
	check(t, os.Rename(filepath.Join(dir, "session1.nwb"), filepath.Join(away, "session1.nwb")))
	if err := read(); err == nil || !strings.Contains(err.Error(), "session1.nwb") {
		t.Errorf("without the other file: %v", err)
	}
	check(t, os.Symlink(filepath.Join(away, "session1.nwb"), filepath.Join(dir, "session1.nwb")))
	if err := read(); err == nil {
		t.Error("a symbolic link leads out of the folder")
	}
	check(t, os.Remove(filepath.Join(dir, "session1.nwb")))
	check(t, os.WriteFile(filepath.Join(dir, "session1.nwb"), []byte("no file of HDF5"), 0o600))
	if err := read(); err == nil || !strings.Contains(err.Error(), "no HDF5 file") {
		t.Errorf("what is no HDF5 file: %v", err)
	}
}
