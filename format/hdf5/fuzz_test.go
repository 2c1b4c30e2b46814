package hdf5_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/store"
)

// FuzzStore shows files as hierarchies: documents, what conventions make of them, and
// some chunks.
func FuzzStore(f *testing.F) {
	for _, name := range []string{"lzf.h5", "packed-nbit.h5"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		check(f, err)
		f.Add(raw)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			return
		}
		s, err := open(map[string][]byte{"x.h5": data}, "x.h5")
		if err != nil {
			return
		}
		defer s.Close()
		seen := 0
		for e, err := range s.List(ctx, "", "") {
			if seen++; err != nil || seen > 200 {
				break
			}
			if path, ok := strings.CutSuffix("/"+e.Key, "/zarr.json"); ok {
				_, _, _ = s.Node(ctx, strings.TrimPrefix(path, "/"))
			}
			_, _, _ = s.Get(ctx, e.Key, store.UpTo(1<<20), nil)
		}
	})
}
