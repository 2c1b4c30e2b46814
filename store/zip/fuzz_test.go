package zip

import (
	"archive/zip"
	"os"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/store"
)

// FuzzZip opens any bytes as an archive: whatever it lists has a valid key and
// can be read, as a whole and as its last byte, or fails with an error.
func FuzzZip(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.zip")
	if err != nil || len(paths) == 0 {
		f.Fatal("no archives to start from", err)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add(archived(f, map[string][]byte{"a/b": make([]byte, 500), "c": []byte("x")}, zip.Deflate))
	f.Add(appendEnd(nil, 1<<20, 1<<33, 1<<34))
	fuzzlong.Fuzz(f, func(t *testing.T, b []byte) {
		s, err := Open(ctx, object(t, b), "mem:a.zip")
		if err != nil {
			return
		}
		last := ""
		for e, err := range s.List(ctx, "", "") {
			if err != nil {
				t.Fatal(err)
			}
			if store.CheckKey(e.Key) != nil || e.Key <= last {
				t.Errorf("key %q after %q", e.Key, last)
			}
			last = e.Key
			v, _, err := s.Get(ctx, e.Key, store.UpTo(1<<20), nil)
			if err == nil && int64(len(v)) != e.Size {
				t.Errorf("%q has %d bytes, its size is %d", e.Key, len(v), e.Size)
			}
			if e.Size > 1<<20 {
				continue
			}
			end, _, err2 := s.Get(ctx, e.Key, store.Suffix(1), nil)
			if err == nil && (err2 != nil || e.Size > 0 && end[0] != v[len(v)-1]) {
				t.Errorf("%q as a whole is fine, its last byte is %q, %v", e.Key, end, err2)
			}
		}
		s.Close()
	})
}
