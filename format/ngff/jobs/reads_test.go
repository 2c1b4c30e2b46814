package jobs_test

import (
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff/jobs"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/store/mem"
)

// Where memory allows it, each chunk of the source is read once, and each of a level once
// for the one below it.
func TestPyramidsReadEachChunkOnce(t *testing.T) {
	for _, c := range []struct{ chunks, shards []int }{{[]int{16, 16}, nil}, {[]int{16, 16}, []int{64, 64}}, {nil, nil}} {
		a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{256, 256}, DataType: "uint16", Chunks: []int{32, 32}, DimensionNames: []string{"y", "x"}})
		if err != nil {
			t.Fatal(err)
		}
		data := make([]uint16, 256*256)
		for i := range data {
			data[i] = uint16(i % 251)
		}
		var written, read zarr.Meter
		if err := zarr.Write(written.Context(ctx), a, zarr.All(), data); err != nil {
			t.Fatal(err)
		}
		want := written.Read.Load() + written.Written.Load()
		dst := t.TempDir() + "/copy"
		sum, err := jobs.Pyramid{Levels: 3}.Copy(ctx, a, dst, copying.Options{Chunks: c.chunks, Shards: c.shards})
		if err != nil {
			t.Fatal(err)
		}
		g := open(t, dst).(*zarr.Group)
		for _, name := range []string{"0", "1", "2"} { // of the last level contrast is found out
			level, err := g.Array(ctx, name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := zarr.Read[uint16](read.Context(ctx), level, zarr.All()); err != nil {
				t.Fatal(err)
			}
		}
		if want += read.Read.Load(); sum.Read != want {
			t.Errorf("%v: %d bytes were read, of %d", c, sum.Read, want)
		}
	}
}
