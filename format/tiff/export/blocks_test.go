package export_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"github.com/omnizarr/zarr/internal/thorough"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff/export"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// copiedBytes writes an array as a file and gives its bytes.
func copiedBytes(t testing.TB, src zarr.Node, opts copying.Options) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.tif")
	jobtest.Check(t, jobtest.Err(copying.Copy(ctx, src, path, opts)))
	b, err := os.ReadFile(path)
	jobtest.Check(t, err)
	return b
}

func TestMemoryDoesNotChangeACOG(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for i := range thorough.Rounds(15) {
		name := []string{"uint8", "int16", "float32"}[i%3]
		spec := zarr.ArraySpec{Shape: []int{1 + r.IntN(300), 1 + r.IntN(400)}, DataType: name, FillValue: json.RawMessage([]string{"0", "7"}[i%2]),
			Chunks: []int{1 + r.IntN(90), 1 + r.IntN(90)}, DimensionNames: []string{"y", "x"}}
		if i%5 == 0 {
			spec.Shape, spec.Chunks, spec.DimensionNames = append([]int{3}, spec.Shape...), append([]int{2}, spec.Chunks...), []string{"s", "y", "x"}
		}
		a := picture(t, spec)
		for c, err := range a.Stored(ctx) { // some chunks are missing
			jobtest.Check(t, err)
			if r.IntN(3) == 0 {
				jobtest.Check(t, a.DeleteChunk(ctx, c.Index...))
			}
		}
		opts := copying.Options{To: export.Format{COG: true}, Chunks: []int{16 << r.IntN(2), 16 << r.IntN(2)}}
		want := copiedBytes(t, a, opts)
		for _, memory := range []int64{1, 20_000, 100_000, 500_000} {
			opts.Memory, opts.Workers = memory, 1+r.IntN(5)
			if !bytes.Equal(copiedBytes(t, a, opts), want) {
				t.Errorf("%v: %d bytes of memory make another file", spec, memory)
			}
		}
	}
}

func TestMemoryDoesNotChangePages(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range thorough.Rounds(8) {
		a := picture(t, zarr.ArraySpec{Shape: []int{1 + r.IntN(4), 1 + r.IntN(9), 1 + r.IntN(80), 1 + r.IntN(80)}, DataType: "uint16",
			Chunks: []int{1 + r.IntN(3), 1 + r.IntN(5), 1 + r.IntN(40), 1 + r.IntN(40)}, DimensionNames: []string{"t", "z", "y", "x"}})
		for _, most := range []int64{1, 5_000, 50_000, 0} {
			n := copied(t, a, copying.Options{To: export.Format{Overviews: true}, Memory: most, Chunks: []int{16, 32}})
			if g, ok := n.(*zarr.Group); ok {
				var err error
				n, err = g.Array(ctx, "0")
				jobtest.Check(t, err)
			}
			if !bytes.Equal(memory(t, n.(*zarr.Array)).Data, memory(t, a).Data) {
				t.Errorf("%v in chunks of %v, %d bytes of memory: other values", a.Shape(), a.ChunkShape(), most)
			}
		}
	}
}

// counting counts how often keys are read.
type counting struct {
	store.Store
	mu    sync.Mutex
	reads map[string]int
}

func (c *counting) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	c.mu.Lock()
	c.reads[key]++
	c.mu.Unlock()
	return c.Store.Get(ctx, key, r, dst)
}

// counted opens an array by a store that counts.
func counted(t testing.TB, a *zarr.Array) (*zarr.Array, *counting) {
	t.Helper()
	c := &counting{Store: a.Store(), reads: map[string]int{}}
	n, err := zarr.OpenStore(ctx, c, a.Path())
	jobtest.Check(t, err)
	clear(c.reads)
	return n.(*zarr.Array), c
}

func TestEveryChunkIsReadOnce(t *testing.T) {
	for _, c := range []struct {
		names  string
		shape  []int
		chunks []int
		cog    bool
	}{
		{"zyx", []int{70, 150, 200}, []int{32, 32, 32}, false},
		{"xyz", []int{200, 150, 70}, []int{64, 64, 64}, false},
		{"tczyx", []int{3, 2, 9, 60, 70}, []int{2, 2, 4, 32, 33}, false},
		{"yx", []int{1000, 900}, []int{130, 70}, false},
		{"yx", []int{1200, 900}, []int{90, 900}, false},
		{"yx", []int{1000, 900}, []int{1000, 900}, true},
		{"yxc", []int{500, 400, 3}, []int{100, 100, 1}, true},
	} {
		for i, n := range c.shape {
			if n > 90 && !thorough.Enabled { // still more than a chunk, where it was
				c.shape[i] = n / 2
				c.chunks[i] = min(c.chunks[i], n/2)
			}
		}
		spec := zarr.ArraySpec{Shape: c.shape, Chunks: c.chunks, DataType: "uint8", DimensionNames: strings.Split(c.names, "")}
		a, reads := counted(t, picture(t, spec))
		copiedBytes(t, a, copying.Options{To: export.Format{COG: c.cog, Compression: "none"}, Chunks: []int{64, 64}})
		total, _ := nd.Len(a.Metadata().Grid.Count())
		if len(reads.reads) != total {
			t.Errorf("%s %v: %d keys are read, there are %d chunks", c.names, c.shape, len(reads.reads), total)
		}
		for key, n := range reads.reads {
			if n != 1 {
				t.Errorf("%s %v: %s is read %d times", c.names, c.shape, key, n)
			}
		}
	}
}

func TestWhatIsNotStoredCostsNothing(t *testing.T) {
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{2560, 7680}, DataType: "uint8", Chunks: []int{128, 128}})
	jobtest.Check(t, err)
	jobtest.Check(t, zarr.Write(ctx, a, zarr.Box([]int{1280, 1792}, []int{1, 2}), []uint8{5, 6}))
	a, reads := counted(t, a)
	for _, cog := range []bool{false, true} {
		clear(reads.reads)
		dense := copiedBytes(t, a, copying.Options{To: export.Format{COG: cog}, Memory: 8 << 20})
		if n := len(reads.reads); n > 300 { // those of a block, of 1200 in all
			t.Errorf("COG %v: looks for %d chunks", cog, n)
		}
		n := copied(t, a, copying.Options{To: export.Format{COG: cog, Sparse: true}})
		if g, ok := n.(*zarr.Group); ok {
			n, err = g.Array(ctx, "0")
			jobtest.Check(t, err)
		}
		v, err := zarr.Read[uint8](ctx, n.(*zarr.Array), zarr.Box([]int{1279, 1791}, []int{3, 4}))
		jobtest.Check(t, err)
		if got := fmt.Sprint(v.Data); got != "[0 0 0 0 0 5 6 0 0 0 0 0]" {
			t.Errorf("COG %v: sparse pixels are %s", cog, got)
		}
		sparse := copiedBytes(t, a, copying.Options{To: export.Format{COG: cog, Sparse: true}})
		if len(sparse) > len(dense)/2 {
			t.Errorf("COG %v: %d bytes sparse, %d dense", cog, len(sparse), len(dense))
		}
	}
}

func TestSparseFilesKeepTheFillValue(t *testing.T) {
	for _, c := range []struct {
		name, fill string
		sparse     bool // whether readers would take what is missing for it
	}{{"float32", `"NaN"`, true}, {"int16", "-9999", true}, {"uint8", "0", true}, {"complex64", "[1, 2]", false}, {"bool", "true", false}} {
		a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{100, 100}, DataType: c.name, Chunks: []int{50, 50}, FillValue: json.RawMessage(c.fill)})
		jobtest.Check(t, err)
		got := copied(t, a, copying.Options{To: export.Format{Sparse: true}, Chunks: []int{64, 64}}).(*zarr.Array)
		if !bytes.Equal(memory(t, got).Data, memory(t, a).Data) {
			t.Errorf("%s: other values", c.name)
		}
		n := 0
		for _, err := range got.Stored(ctx) {
			jobtest.Check(t, err)
			n++
		}
		if (n == 0) != c.sparse {
			t.Errorf("%s: %d tiles are stored", c.name, n)
		}
	}
}
