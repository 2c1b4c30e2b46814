package conformance

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr"
)

// TestWhoOpensAnArrayWritesWhatItsMakerWrites wants the same bytes from the handle that
// made an array and from one that opened it: codecs do only what documents can say.
func TestWhoOpensAnArrayWritesWhatItsMakerWrites(t *testing.T) {
	ctx := context.Background()
	values := make([]uint16, 64)
	for i := range values {
		values[i] = uint16(i * i)
	}
	for _, format := range []string{"zarr3", "zarr2", "n5"} {
		dir := t.TempDir()
		a, err := zarr.CreateArray(ctx, dir, zarr.ArraySpec{Shape: []int{64}, Chunks: []int{16}, DataType: "uint16"}, zarr.As(format))
		if err != nil {
			t.Fatal(err)
		}
		if err := zarr.Write(ctx, a, zarr.All(), values); err != nil {
			t.Fatal(err)
		}
		made := contents(t, dir)
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if a, err = zarr.OpenArray(ctx, dir); err != nil {
			t.Fatal(err)
		}
		if err := zarr.Write(ctx, a, zarr.All(), values); err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(made, contents(t, dir)) || len(made) < 5 {
			t.Errorf("%s: other bytes", format)
		}
	}
}

// contents are the files of a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
