package zip

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr/store"
)

// What another process did to an archive since it was opened is not overwritten.
func TestCloseDoesNotOverwriteWhatOthersWrote(t *testing.T) {
	dir := t.TempDir()
	path, others := filepath.Join(dir, "a.zip"), filepath.Join(dir, "b.zip")
	write := func(path, value string) {
		t.Helper()
		s, err := Create(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Put(ctx, "k", []byte(value), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	write(path, "old")
	begin := map[string]func() (*Store, error){
		"update":  func() (*Store, error) { return Update(ctx, path, Options{}) },
		"replace": func() (*Store, error) { return Create(path, Options{}) },
		"create": func() (*Store, error) {
			if err := os.Remove(path); err != nil {
				return nil, err
			}
			return Create(path, Options{})
		},
	}
	for name, open := range begin {
		s, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Put(ctx, "k", []byte("mine"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		write(others, "theirs")
		if err := os.Rename(others, path); err != nil { // as another process would
			t.Fatal(err)
		}
		if err := s.Close(); !errors.Is(err, store.ErrChanged) {
			t.Errorf("%s: %v", name, err)
		}
		r, err := OpenFile(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		if b, _, err := r.Get(ctx, "k", store.All(), nil); err != nil || string(b) != "theirs" {
			t.Errorf("%s: %q, %v", name, b, err)
		}
		r.Close()
	}
	left, err := filepath.Glob(filepath.Join(dir, ".omnizarr-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("files that are left: %v, %v", left, err)
	}
}

func TestOneStoreWritesAnArchive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.zip")
	one, err := Create(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create(path, Options{}); !errors.Is(err, ErrBusy) {
		t.Errorf("a second Create: %v", err)
	}
	if err := one.Discard(); err != nil {
		t.Fatal(err)
	}
	two, err := Create(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := two.Close(); err != nil {
		t.Error(err)
	}
}
