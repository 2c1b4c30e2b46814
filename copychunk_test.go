package zarr_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/mem"
)

// TestCopyChunk copies stored bytes, small ones and large ones, from a store to one
// that takes pieces and to one that does not.
func TestCopyChunk(t *testing.T) {
	spec := zarr.ArraySpec{Shape: []int{2, 9 << 20}, Chunks: []int{1, 9 << 20}, DataType: "uint8", Codecs: []byte(`["bytes"]`)}
	from, err := zarr.CreateArrayIn(ctx, mem.New(), "", spec)
	if err != nil {
		t.Fatal(err)
	}
	row := bytes.Repeat([]byte("omnizarr "), 1<<20)
	if err := zarr.Write(ctx, from, zarr.Box([]int{1, 0}, []int{1, len(row)}), row); err != nil {
		t.Fatal(err)
	}
	folder, err := file.Create(t.TempDir()+"/a.zarr", file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	for _, s := range []store.Store{mem.New(), folder} {
		to, err := zarr.CreateArrayIn(ctx, s, "", spec)
		if err != nil {
			t.Fatal(err)
		}
		var m zarr.Meter
		stored, err := to.CopyChunk(m.Context(ctx), from, 1, 0)
		if err != nil || !stored || m.Written.Load() != int64(len(row)) || m.Chunks.Load() != 1 {
			t.Fatalf("%s: %v, %v, %d bytes", s.URL(), stored, err, m.Written.Load())
		}
		if got, err := to.RawChunk(ctx, 1, 0); err != nil || !bytes.Equal(got, row) {
			t.Errorf("%s: %d bytes, %v", s.URL(), len(got), err)
		}
		if stored, err := to.CopyChunk(ctx, from, 0, 0); stored || err != nil {
			t.Errorf("a chunk that is not there: %v, %v", stored, err)
		}
		if _, err := to.CopyChunk(ctx, from, 2, 0); !errors.Is(err, zarr.ErrRange) {
			t.Errorf("outside: %v", err)
		}
	}
}
