package hdf5_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/omnizarr/zarr/hdf5"
)

// check fails the test on an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// archives are unpacked once.
var archives sync.Map

// archive gives the files of an archive in testdata.
func archive(t testing.TB, name string) map[string][]byte {
	t.Helper()
	if files, ok := archives.Load(name); ok {
		return files.(map[string][]byte)
	}
	packed, err := os.ReadFile(filepath.Join("testdata", name))
	check(t, err)
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	check(t, err)
	defer d.Close()
	plain, err := d.DecodeAll(packed, nil)
	check(t, err)
	files := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(plain)); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		check(t, err)
		files[h.Name] = make([]byte, h.Size)
		_, err = io.ReadFull(r, files[h.Name])
		check(t, err)
	}
	archives.Store(name, files)
	return files
}

// fixtures gives files and what h5py sees in them. OMNIZARR_HDF5 may name a
// folder that has more of them.
func fixtures(t testing.TB) map[string][]byte {
	t.Helper()
	dir := os.Getenv("OMNIZARR_HDF5")
	if dir == "" {
		return archive(t, "files.tar.zst")
	}
	files := map[string][]byte{}
	all, err := os.ReadDir(dir)
	check(t, err)
	for _, e := range all {
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// outside opens files that lie beside the first.
func outside(files map[string][]byte) func(string) (hdf5.Source, error) {
	return func(name string) (hdf5.Source, error) {
		if strings.HasPrefix(name, "/") || strings.Contains(name, "..") {
			return nil, fmt.Errorf("%s is not allowed: it lies outside", name)
		}
		b, ok := files[strings.TrimPrefix(name, "./")]
		if !ok {
			return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
		}
		return bytes.NewReader(b), nil
	}
}

// open opens one of the files.
func open(files map[string][]byte, name string) (*hdf5.File, error) {
	b := files[name]
	return hdf5.Open(bytes.NewReader(b), int64(len(b)), hdf5.Options{Outside: outside(files), MaxRead: 1 << 28})
}
