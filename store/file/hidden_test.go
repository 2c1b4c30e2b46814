package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/omnizarr/zarr/store"
)

// What listings pass over is found, by its name and through wrappers, and a temporary
// file can be removed; nothing else can be by the same way.
func TestHiddenEntries(t *testing.T) {
	each(t, func(t *testing.T, opt Options) {
		dir, ctx := t.TempDir(), context.Background()
		for _, d := range []string{"a/c", "b"} {
			if err := os.MkdirAll(filepath.Join(dir, d), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		temp := tempPrefix + "0123456789abcdef" + tempSuffix
		for _, f := range []string{"a/c/0", "a/c/" + temp, "b/x"} {
			if err := os.WriteFile(filepath.Join(dir, f), []byte("x"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		symlink(t, "../..", filepath.Join(dir, "a", "out"))
		symlink(t, "nowhere", filepath.Join(dir, "a", "gone"))
		symlink(t, "../b", filepath.Join(dir, "a", "in"))
		s := open(t, dir, opt)
		read := func(s store.Store, prefix string) (got []string) {
			for e, err := range store.Hidden(ctx, s, prefix) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Modified.IsZero() {
					t.Errorf("%s: no time", e.Key)
				}
				got = append(got, e.Key+": "+string(e.Why)+" "+e.Target)
			}
			return got
		}
		want := []string{"a/gone: symbolic link that leads nowhere nowhere", "a/out: symbolic link that leads out ../..", "a/c/" + temp + ": temporary file "}
		if got := read(s, ""); !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
		sub, err := store.Sub(store.ReadOnly(s), "a")
		if err != nil {
			t.Fatal(err)
		}
		if got := read(sub, "c/"); !slices.Equal(got, []string{"c/" + temp + ": temporary file "}) {
			t.Errorf("through wrappers: got %q", got)
		}
		if got := read(s, "none/"); len(got) > 0 {
			t.Errorf("nowhere: got %q", got)
		}
		if err := store.Sweep(ctx, sub, "c/"+temp); !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("read-only: %v", err)
		}
		for _, key := range []string{"a/c/0", "../" + temp, "a/gone", ""} {
			if err := s.Sweep(ctx, key); !errors.Is(err, store.ErrBadKey) {
				t.Errorf("%s: %v", key, err)
			}
		}
		for range 2 {
			if err := store.Sweep(ctx, s, "a/c/"+temp); err != nil {
				t.Error(err)
			}
		}
		if _, err := os.Lstat(filepath.Join(dir, "a", "c", temp)); !errors.Is(err, fs.ErrNotExist) {
			t.Error("it is still there")
		}
		outside := filepath.Join(filepath.Dir(dir), temp)
		if err := os.WriteFile(outside, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		_ = s.Sweep(ctx, "a/out/"+temp)
		if _, err := os.Lstat(outside); err != nil {
			t.Errorf("a file outside of the store: %v", err)
		}
	})
}

// counted counts the files whose sizes are asked for.
type counted struct {
	backend
	files int
}

func (c *counted) measure(dir string, files []node) error {
	c.files += len(files)
	return c.backend.measure(dir, files)
}

// Of very many chunks, hidden ones are found by names alone, and who looks at the
// first entries does not wait for the sizes of all.
func TestSizesAreAskedForWhenWanted(t *testing.T) {
	const all = 3*measured + 7
	dir := t.TempDir()
	temp := tempPrefix + "0123456789abcdef" + tempSuffix
	names := []string{temp}
	for i := range all {
		names = append(names, fmt.Sprint("0.", i))
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("12"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := &counted{backend: s.b}
	s.b = c
	var found []string
	for e, err := range s.Hidden(context.Background(), "") {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, e.Key)
	}
	if !slices.Equal(found, []string{temp}) || c.files != 0 {
		t.Errorf("found %v; asked for %d sizes", found, c.files)
	}
	for range s.List(context.Background(), "", "/") {
		break
	}
	if c.files != measured {
		t.Errorf("asked for %d sizes, want %d", c.files, measured)
	}
	n := 0
	for e, err := range s.List(context.Background(), "", "/") {
		if n++; err != nil || e.Size != 2 || e.ETag == "" {
			t.Fatalf("%+v, %v", e, err)
		}
	}
	if n != all {
		t.Errorf("listed %d, want %d", n, all)
	}
}
