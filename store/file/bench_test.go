package file

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr/store"
)

const benchFiles, benchSize = 4096, 64 << 10

func benchKeys() []string {
	keys := make([]string, 0, benchFiles)
	for i := range 16 {
		for j := range 16 {
			for k := range 16 {
				keys = append(keys, fmt.Sprintf("a/c/%d/%d/%d", i, j, k))
			}
		}
	}
	return keys
}

// fillBench writes the files in the plain way.
func fillBench(b *testing.B, dir string, keys []string) {
	data := make([]byte, benchSize)
	for _, k := range keys {
		p := filepath.Join(dir, k)
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(p, data, 0o666); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGet reads 4096 files of 64 KiB, one per operation, in turn.
func BenchmarkGet(b *testing.B) {
	dir, keys := b.TempDir(), benchKeys()
	fillBench(b, dir, keys)
	ctx := context.Background()
	for _, portable := range []bool{false, true} {
		s, err := Open(dir, Options{portable: portable})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("portable=%v", portable), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(benchSize)
			dst := make([]byte, 0, benchSize)
			for i := 0; b.Loop(); i++ {
				if _, _, err := s.Get(ctx, keys[i%len(keys)], store.All(), dst); err != nil {
					b.Fatal(err)
				}
			}
		})
		s.Close()
	}
	b.Run("os.ReadFile", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(benchSize)
		for i := 0; b.Loop(); i++ {
			if _, err := os.ReadFile(filepath.Join(dir, keys[i%len(keys)])); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkPut writes 4096 files of 64 KiB, one per operation: new ones in the
// first round, then over the old ones.
func BenchmarkPut(b *testing.B) {
	keys, data := benchKeys(), make([]byte, benchSize)
	ctx := context.Background()
	for _, portable := range []bool{false, true} {
		b.Run(fmt.Sprintf("portable=%v", portable), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(benchSize)
			s, err := Open(b.TempDir(), Options{portable: portable})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			for i := 0; b.Loop(); i++ {
				if _, err := s.Put(ctx, keys[i%len(keys)], data, store.PutOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("os.WriteFile", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(benchSize)
		dir := b.TempDir()
		for i := 0; b.Loop(); i++ {
			p := filepath.Join(dir, keys[i%len(keys)])
			if i < len(keys) {
				if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
					b.Fatal(err)
				}
			}
			if err := os.WriteFile(p, data, 0o666); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkObject reads 4 KiB parts of one open file.
func BenchmarkObject(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "v"), make([]byte, 1<<20), 0o666); err != nil {
		b.Fatal(err)
	}
	s, err := Open(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	o, err := s.Open(ctx, "v")
	if err != nil {
		b.Fatal(err)
	}
	defer o.Close()
	b.ReportAllocs()
	dst := make([]byte, 0, 4096)
	for i := int64(0); b.Loop(); i++ {
		if _, _, err := o.Get(ctx, store.Part(i%256*4096, 4096), dst); err != nil {
			b.Fatal(err)
		}
	}
}
