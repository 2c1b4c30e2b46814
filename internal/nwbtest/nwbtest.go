// Package nwbtest gives tests the files of HDMF and NWB that other libraries
// wrote: hdmf_zarr 0.13.0 on zarr 2.18.7 ("v2"), 0.14.0 on zarr 3.4.2 ("v3") and
// 0.10.0 ("legacy"); hdf5 are files of pynwb 4.2 on HDF5. Beside NAME.zarr, NAME.expected.json tells what their own
// reader sees in it.
//
// All lie in one compressed archive, because most of each is the same schemas.
package nwbtest

import (
	"archive/tar"
	"bytes"
	_ "embed" // for the archive
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
)

//go:embed nwb.tar.zst
var archive []byte

type file struct {
	name string
	data []byte
}

var load = sync.OnceValues(func() ([]file, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	all, err := z.DecodeAll(archive, nil)
	if err != nil {
		return nil, err
	}
	var files []file
	r := bytes.NewReader(all)
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		at := len(all) - r.Len() // behind the header, where the values are: they need no copies
		end := at + int(h.Size)
		files = append(files, file{h.Name, all[at:end:end]})
	}
})

// Unpack puts what lies at or below the names, such as "session_v2.nwb.zarr" or
// "external_v3", into a new folder, which it returns.
func Unpack(t testing.TB, names ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = UnpackTo(dir, names...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// UnpackTo is Unpack into a folder that is there, for examples.
func UnpackTo(dir string, names ...string) error {
	files, err := load()
	if err != nil {
		return err
	}
	for _, name := range names {
		found := false
		for _, f := range files {
			if f.name != name && !strings.HasPrefix(f.name, name+"/") {
				continue
			}
			found = true
			to := filepath.Join(dir, filepath.FromSlash(f.name))
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(to, f.data, 0o644); err != nil {
				return err
			}
		}
		if !found {
			return errors.New("no fixture " + name)
		}
	}
	return nil
}

// Files gives what lies below a name, by key: to be put into a store in memory.
func Files(t testing.TB, name string) map[string][]byte {
	t.Helper()
	files, err := load()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		if key, ok := strings.CutPrefix(f.name, name+"/"); ok {
			out[key] = f.data
		}
	}
	if len(out) == 0 {
		t.Fatalf("no fixture %s", name)
	}
	return out
}

// Read gives one file, such as "session_v2.nwb.expected.json".
func Read(t testing.TB, name string) []byte {
	t.Helper()
	files, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.name == name {
			return f.data
		}
	}
	t.Fatalf("no fixture %s", name)
	return nil
}
