package zip

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/storetest"
)

func TestWriter(t *testing.T) {
	for name, opt := range map[string]Options{"stored": {}, "deflated": {Deflate: true}, "synced": {Sync: true}} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) store.Store {
				dir := t.TempDir()
				s, err := Create(filepath.Join(dir, "a.zip"), opt)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := s.Close(); err != nil {
						t.Error(err)
					}
					wantFiles(t, dir, "a.zip")
					compare(t, s, filepath.Join(dir, "a.zip"))
				})
				return s
			})
		})
	}
}

// compare checks with the standard library that the archive has what the
// closed store had.
func compare(t *testing.T, s *Store, path string) {
	t.Helper()
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var names []string
	for _, f := range r.File {
		names = append(names, f.Name)
		rc, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, rc); err != nil || n != s.entries[f.Name].size {
			t.Errorf("%s: %d bytes, %v", f.Name, n, err)
		}
		rc.Close()
	}
	if !slices.Equal(names, s.keys()) {
		t.Errorf("the archive has %q, want %q", names, s.keys())
	}
}

func wantFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, names) {
		t.Errorf("the folder has %q, want %q", got, names)
	}
}

func put(t *testing.T, s *Store, key, value string) {
	t.Helper()
	if _, err := s.Put(ctx, key, []byte(value), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, s *Store, key, value string) {
	t.Helper()
	if b, _, err := s.Get(ctx, key, store.All(), nil); err != nil || string(b) != value {
		t.Errorf("Get %q: %q, %v; want %q", key, b, err, value)
	}
}

func TestUpdate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.zip")
	old := archived(t, map[string][]byte{"keep": []byte("kept"), "replace": []byte("old"), "d/e": nil, "d/f": nil}, zip.Deflate)
	if err := os.WriteFile(path, old, 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := Update(ctx, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want(t, s, "keep", "kept")
	if err := s.Delete(ctx, "missing"); err != nil {
		t.Error(err)
	}
	if wantFiles(t, dir, "a.zip"); s.Close() != nil {
		t.Error("Close without changes fails")
	}
	if b, err := os.ReadFile(path); err != nil || !bytes.Equal(b, old) {
		t.Error("the archive changed without a Put")
	}
	if s, err = Update(ctx, path, Options{}); err != nil {
		t.Fatal(err)
	}
	put(t, s, "replace", "new")
	put(t, s, "add", "1")
	put(t, s, "add", "2")
	if err := s.Delete(ctx, "d/"); err != nil {
		t.Fatal(err)
	}
	want(t, s, "keep", "kept")
	want(t, s, "replace", "new")
	if b, err := os.ReadFile(path); err != nil || !bytes.Equal(b, old) {
		t.Error("the archive changed before Close")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, dir, "a.zip")
	if _, _, err := s.Get(ctx, "keep", store.All(), nil); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Get after Close: %v", err)
	}
	compare(t, s, path)

	s, err = OpenFile(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	want(t, s, "keep", "kept")
	want(t, s, "replace", "new")
	want(t, s, "add", "2")
	if _, _, err := s.Get(ctx, "d/e", store.All(), nil); !errors.Is(err, store.ErrNotExist) {
		t.Errorf("a deleted key: %v", err)
	}
	if _, err := s.Put(ctx, "k", nil, store.PutOptions{}); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Put into what was opened for reading: %v", err)
	}
	if err := s.Delete(ctx, "k"); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Delete in what was opened for reading: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestDiscard(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.zip")
	s, err := Create(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, "k", "v")
	if err := s.Discard(); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, dir)
	if _, err := Update(ctx, path, Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Update of a missing archive: %v", err)
	}
	if _, err := Create(filepath.Join(dir, "missing", "a.zip"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Create in a missing folder: %v", err)
	}
	// A damaged entry that is to be brought over must not end in a new archive.
	bad := archived(t, map[string][]byte{"k": []byte("v")}, zip.Store)
	bad[0] = 'X'
	if err := os.WriteFile(path, bad, 0o666); err != nil {
		t.Fatal(err)
	}
	s, err = Update(ctx, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, "l", "w")
	if err := s.Close(); !errors.Is(err, ErrFormat) {
		t.Errorf("Close: %v", err)
	}
	wantFiles(t, dir, "a.zip")
	if b, err := os.ReadFile(path); err != nil || !bytes.Equal(b, bad) {
		t.Error("the old archive is gone")
	}
}

func TestDriveLettersAreRefused(t *testing.T) {
	s, err := Create(filepath.Join(t.TempDir(), "a.zip"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Discard()
	for _, key := range []string{"C:/x", "z:x", strings.Repeat("x", 70_000)} {
		if _, err := s.Put(ctx, key, nil, store.PutOptions{}); !errors.Is(err, store.ErrBadKey) {
			t.Errorf("Put %.10q: %v", key, err)
		}
	}
	put(t, s, "1:x", "")
}
