package zip

import (
	"archive/zip"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr/store"
)

func TestMoreThan65535Entries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.zip")
	s, err := Create(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const n = 1<<16 + 10
	for i := range n {
		put(t, s, fmt.Sprintf("c/%d", i), "")
	}
	put(t, s, "last", "value")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.File) != n+1 {
		t.Errorf("the standard library sees %d entries", len(r.File))
	}
	r.Close()
	if s, err = OpenFile(ctx, path); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want(t, s, "last", "value")
	if got := len(s.keys()); got != n+1 {
		t.Errorf("%d entries", got)
	}
	var prefixes int
	for _, err := range s.List(ctx, "", "/") {
		if err != nil {
			t.Fatal(err)
		}
		prefixes++
	}
	if prefixes != 2 {
		t.Errorf("%d names at the root, want 2", prefixes)
	}
}

// TestBeyond4GiB has an entry behind 5 GiB of nothing, and one of 5 GiB: in a
// file with holes, which takes no room.
func TestBeyond4GiB(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a file with holes")
	}
	path := filepath.Join(t.TempDir(), "a.zip")
	s, err := Create(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const size = 5 << 30
	big := &entry{size: size, csize: size, fresh: true}
	w := s.w.Load()
	header, _ := w.place(big, "big")
	if _, err := w.file.WriteAt(header, big.header); err != nil {
		t.Fatal(err)
	}
	s.entries["big"] = big
	put(t, s, "behind", "value")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = OpenFile(ctx, path); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want(t, s, "behind", "value")
	b, info, err := s.Get(context.Background(), "big", store.Suffix(3), nil)
	if err != nil || string(b) != "\x00\x00\x00" || info.Size != size {
		t.Errorf("got %q of %d bytes, %v", b, info.Size, err)
	}
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f, err := r.Open("behind")
	if err != nil {
		t.Fatal(err)
	}
	v, err := io.ReadAll(f)
	if err != nil || string(v) != "value" || crc32.ChecksumIEEE(v) == 0 {
		t.Errorf("the standard library sees %q, %v", v, err)
	}
	if fi, err := os.Stat(path); err != nil || fi.Size() < size {
		t.Errorf("the file is too small for the test to mean anything: %v", err)
	}
}
