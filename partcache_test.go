package zarr_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr"
)

// A part of a chunk is read, then the chunk is replaced by somebody whom nobody
// here knows of, then another part is read.
func TestPartsAreOfTheVersionThatIsStored(t *testing.T) {
	for _, shards := range [][]int{nil, {8, 64}} {
		ctx := context.Background()
		dirs := [2]string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")}
		for k, dir := range dirs {
			a, err := zarr.CreateArray(ctx, dir, zarr.ArraySpec{Shape: []int{8, 64}, DataType: "int32", Chunks: []int{8, 32}, Shards: shards})
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			data := make([]int32, 8*64)
			for i := range data {
				data[i] = int32(i + 1 + 1000*k)
			}
			if err := zarr.Write(ctx, a, zarr.All(), data); err != nil {
				t.Fatal(err)
			}
		}
		a, err := zarr.OpenArray(ctx, dirs[0])
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		check := func(text string, want int32) {
			t.Helper()
			got, err := zarr.Read[int32](ctx, a, zarr.Slice(text))
			if err != nil || got.Data[0] != want {
				t.Errorf("%s is %v, %v, want %d", text, got.Data, err, want)
			}
		}
		check("1,1", 66)
		check("1,2", 67)
		key := filepath.Join("c", "0", "0")
		other, err := os.ReadFile(filepath.Join(dirs[1], key))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dirs[0], "new"), other, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dirs[0], "new"), filepath.Join(dirs[0], key)); err != nil {
			t.Fatal(err)
		}
		check("1,2", 1067)
		check("1,1", 1066)
		if err := zarr.Write(ctx, a, zarr.Slice("1,1"), []int32{7}); err != nil {
			t.Fatal(err)
		}
		check("1,1", 7)
		check("1,2", 1067)
	}
}
