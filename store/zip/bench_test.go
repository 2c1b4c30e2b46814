package zip

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr/store"
)

// BenchmarkGet reads 1024 stored entries of 64 KiB in turn from a local file.
func BenchmarkGet(b *testing.B) {
	path := filepath.Join(b.TempDir(), "a.zip")
	w, err := Create(path, Options{})
	if err != nil {
		b.Fatal(err)
	}
	keys := make([]string, 1024)
	for i := range keys {
		keys[i] = fmt.Sprintf("c/%d", i)
		if _, err := w.Put(ctx, keys[i], make([]byte, 64<<10), store.PutOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	s, err := OpenFile(ctx, path)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.ReportAllocs()
	b.SetBytes(64 << 10)
	dst := make([]byte, 0, 64<<10)
	for i := 0; b.Loop(); i++ {
		if _, _, err := s.Get(ctx, keys[i%len(keys)], store.All(), dst); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPut writes stored entries of 64 KiB.
func BenchmarkPut(b *testing.B) {
	s, err := Create(filepath.Join(b.TempDir(), "a.zip"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Discard()
	b.ReportAllocs()
	b.SetBytes(64 << 10)
	data := make([]byte, 64<<10)
	for i := 0; b.Loop(); i++ {
		if _, err := s.Put(ctx, fmt.Sprintf("c/%d", i), data, store.PutOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
