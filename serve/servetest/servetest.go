// Package servetest makes small samples of every format, for tests of what serves
// them.
package servetest

import (
	"archive/zip"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff/export"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/meta"
)

// Session is the NWB file among the samples.
const Session = "session_v3.nwb.zarr"

// Samples makes a folder with a sample of every format, and gives its path:
//
//	plain.zarr        Zarr v3, consolidated: a (uint16, 6 × 8, sharded), deep/b (float64, 5)
//	sub/old.zarr      Zarr v2: a (int32, 4 × 5)
//	sub/cells.n5      N5: s0 (uint8, 4 × 6)
//	image.tif         a TIFF with levels: 0 to 2 (uint8, 300 × 400)
//	packed.zip        an archive of a Zarr v3 group: a (uint8, 3)
//	session_v3.nwb.zarr   NWB
//	notes.txt         no store
//
// Elements count from 0, in C order.
func Samples(t testing.TB) string {
	t.Helper()
	dir := nwbtest.Unpack(t, Session)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	must(os.Mkdir(at("sub"), 0o777))
	must(os.WriteFile(at("notes.txt"), []byte("text"), 0o666))

	attrs := &meta.Attributes{}
	must(attrs.Set("big", int64(9007199254740993)))
	g, err := zarr.CreateGroup(ctx, at("plain.zarr"))
	must(err)
	must(g.SetAttributes(ctx, attrs))
	a, err := g.CreateArray(ctx, "a", zarr.ArraySpec{Shape: []int{6, 8}, DataType: "uint16", Chunks: []int{2, 4}, Shards: []int{4, 8}, DimensionNames: []string{"y", "x"}})
	must(err)
	must(zarr.Write(ctx, a, zarr.All(), Counting[uint16](48)))
	_, err = g.CreateGroup(ctx, "deep")
	must(err)
	b, err := g.CreateArray(ctx, "deep/b", zarr.ArraySpec{Shape: []int{5}, DataType: "float64"})
	must(err)
	must(zarr.Write(ctx, b, zarr.All(), Counting[float64](5)))
	must(g.Consolidate(ctx))
	must(g.Close())

	old, err := zarr.CreateGroup(ctx, at("sub/old.zarr"), zarr.As("zarr2"))
	must(err)
	a, err = old.CreateArray(ctx, "a", zarr.ArraySpec{Shape: []int{4, 5}, DataType: "int32", Chunks: []int{2, 5}})
	must(err)
	must(zarr.Write(ctx, a, zarr.All(), Counting[int32](20)))
	must(old.Close())

	n5, err := zarr.CreateGroup(ctx, at("sub/cells.n5"))
	must(err)
	a, err = n5.CreateArray(ctx, "s0", zarr.ArraySpec{Shape: []int{4, 6}, DataType: "uint8", Chunks: []int{4, 3}})
	must(err)
	must(zarr.Write(ctx, a, zarr.All(), Counting[uint8](24)))
	must(n5.Close())

	image, err := zarr.CreateArray(ctx, "mem:", zarr.ArraySpec{Shape: []int{300, 400}, DataType: "uint8", DimensionNames: []string{"y", "x"}})
	must(err)
	must(zarr.Write(ctx, image, zarr.All(), Counting[uint8](300*400)))
	_, err = copying.Copy(ctx, image, at("image.tif"), copying.Options{To: export.Format{COG: true, Compression: "zstd"}, Chunks: []int{128, 128}})
	must(err)
	must(image.Close())

	packed, err := zarr.CreateGroup(ctx, at("packed.zip"))
	must(err)
	a, err = packed.CreateArray(ctx, "a", zarr.ArraySpec{Shape: []int{3}, DataType: "uint8"})
	must(err)
	must(zarr.Write(ctx, a, zarr.All(), Counting[uint8](3)))
	must(packed.Close())
	return dir
}

// Counting gives numbers from 0 on.
func Counting[T uint8 | uint16 | int16 | int32 | float32 | float64](n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = T(i)
	}
	return out
}

// Archive makes a zip archive of values.
func Archive(t testing.TB, file string, values map[string]string) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	for name, text := range values {
		part, err := w.Create(name)
		if err == nil {
			_, err = part.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
