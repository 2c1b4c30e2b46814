package zarr_test

import (
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/mem"
)

func TestTheCacheAnswersWithoutTheStore(t *testing.T) {
	s := &slow{Store: mem.New()}
	for name, codecs := range map[string]string{"chunks": `["bytes","zstd"]`, "shards": shardOfFour} {
		cache := newCache()
		a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, name, zarr.ArraySpec{
			Shape: []int{16, 16}, Chunks: []int{8, 8}, DataType: "uint8", Codecs: json.RawMessage(codecs)}, zarr.WithCache(cache)))
		check(t, zarr.Write(ctx, a, zarr.All(), slices.Repeat([]uint8{5}, 256)))
		first := must[ndArray[uint8]](t)(readArray[uint8](a, zarr.All()))
		calls := s.calls.Load()
		for range 3 {
			again := must[ndArray[uint8]](t)(readArray[uint8](a, zarr.All()))
			if !slices.Equal(first.Data, again.Data) {
				t.Errorf("%s: got %v", name, again.Data)
			}
		}
		if n := s.calls.Load() - calls; n != 0 {
			t.Errorf("%s: %d requests for what is in the cache", name, n)
		}
		if bytes, hits := cache.Stats(); bytes == 0 || hits == 0 {
			t.Errorf("%s: %d bytes, %d hits", name, bytes, hits)
		}
	}
}

func TestReadersOfTheSameChunkShareOneRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{Store: mem.New()}
		a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", small, zarr.WithCache(newCache())))
		check(t, zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4}))
		s.wait = 30 * time.Millisecond
		calls := s.calls.Load()
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if got, err := zarr.Read[uint8](ctx, a, zarr.Slice("1")); err != nil || got.At() != 2 {
					t.Errorf("got %v, %v", got, err)
				}
			})
		}
		wg.Wait()
		if n := s.calls.Load() - calls; n != 1 {
			t.Errorf("%d requests", n)
		}
	})
}

// Every change through an array that shares the cache is seen by all of them.
func TestTheCacheForgetsWhatIsWritten(t *testing.T) {
	s := mem.New()
	cache := newCache()
	a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", small, zarr.WithCache(cache)))
	b := reopen(t, a, zarr.WithCache(cache))
	look := func(what string, want ...uint8) {
		t.Helper()
		for _, x := range []*zarr.Array{a, b, a} {
			if got := must[ndArray[uint8]](t)(readArray[uint8](x, zarr.All())); !slices.Equal(got.Data, want) {
				t.Errorf("%s: got %v, want %v", what, got.Data, want)
			}
		}
	}
	look("missing", 0, 0, 0, 0)
	check(t, zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4}))
	look("whole", 1, 2, 3, 4)
	check(t, zarr.Write(ctx, b, zarr.Slice("1:3"), []uint8{8, 9}))
	look("part", 1, 8, 9, 4)
	check(t, zarr.Write(ctx, b, zarr.Points([]int{3, 0}), []uint8{6, 7}))
	look("points", 7, 8, 9, 6)
	check(t, a.DeleteChunk(ctx, 0))
	look("deleted", 0, 0, 9, 6)
	check(t, a.Resize(ctx, 3))
	check(t, a.Resize(ctx, 4))
	b = reopen(t, a, zarr.WithCache(cache))
	look("smaller", 0, 0, 9, 0)
	over := small
	over.Overwrite = true
	over.FillValue = json.RawMessage("5")
	a = must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", over, zarr.WithCache(cache)))
	b = reopen(t, a, zarr.WithCache(cache))
	look("replaced", 5, 5, 5, 5)
}

func TestStoresThatShareACacheDoNotMix(t *testing.T) {
	cache := newCache()
	dir := openDir(t)
	one, two := mem.New(), mem.New()
	stores := []store.Store{one, two, dir, must[store.Store](t)(store.Sub(one, "x")), must[store.Store](t)(store.Sub(two, "x"))}
	arrays := make([]*zarr.Array, len(stores))
	for i, s := range stores {
		arrays[i] = must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "same", small, zarr.WithCache(cache)))
		check(t, zarr.Write(ctx, arrays[i], zarr.All(), slices.Repeat([]uint8{uint8(i + 1)}, 4)))
	}
	for range 2 {
		for i, a := range arrays {
			if got := must[ndArray[uint8]](t)(readArray[uint8](a, zarr.Slice("0"))); got.At() != uint8(i+1) {
				t.Errorf("store %d has %d", i, got.At())
			}
		}
	}
	// The same node seen through a part of its store is the same in the cache.
	whole := must[zarr.Node](t)(zarr.OpenStore(ctx, one, "x/same", zarr.WithCache(cache))).(*zarr.Array)
	check(t, zarr.Write(ctx, whole, zarr.Slice("0"), []uint8{99}))
	if got := must[ndArray[uint8]](t)(readArray[uint8](arrays[3], zarr.Slice("0"))); got.At() != 99 {
		t.Errorf("got %d", got.At())
	}
}

func TestChunksLargerThanTheCacheAreStillRead(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{1 << 21}, Chunks: []int{1 << 21}, DataType: "uint8", Codecs: json.RawMessage(`["bytes"]`)})
	check(t, zarr.Write(ctx, a, zarr.Slice("7"), []uint8{9}))
	a = must[zarr.Node](t)(zarr.OpenStore(ctx, a.Store(), a.Path(), zarr.WithCache(newCache()), zarr.MaxChunk(1<<10))).(*zarr.Array)
	if got := must[ndArray[uint8]](t)(readArray[uint8](a, zarr.Slice("7"))); got.At() != 9 {
		t.Errorf("got %v", got)
	}
}

// The same chunk under another document: what was kept of it is not taken for what
// it is now.
func TestTheCacheTellsDocumentsApart(t *testing.T) {
	for _, shared := range []bool{false, true} {
		s := must[*file.Store](t)(file.Create(t.TempDir(), file.Options{}))
		defer s.Close()
		var opts []zarr.Option
		if shared {
			opts = append(opts, zarr.WithCache(newCache()))
		}
		spec := zarr.ArraySpec{Shape: []int{4, 6}, Chunks: []int{4, 6}, DataType: "uint8", Codecs: json.RawMessage(`["bytes","zstd"]`)}
		a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", spec, opts...))
		data := make([]uint8, 24)
		for i := range data {
			data[i] = uint8(i + 1)
		}
		check(t, zarr.Write(ctx, a, zarr.All(), data))
		must[ndArray[uint8]](t)(readArray[uint8](a, zarr.Slice("1")))
		text := strings.ReplaceAll(strings.ReplaceAll(readKey(s, "a/zarr.json"), "[4, 6]", "[8, 3]"), "[4,6]", "[8,3]")
		must[store.Info](t)(s.Put(ctx, "a/zarr.json", []byte(text), store.PutOptions{}))
		b := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "a", opts...)).(*zarr.Array)
		if got := must[ndArray[uint8]](t)(readArray[uint8](b, zarr.Slice("7"))); !slices.Equal(got.Data, []uint8{22, 23, 24}) {
			t.Errorf("got %v", got.Data)
		}
	}
}

// Two views of the same chunks, opened in turn, give their own elements each time,
// also when what they were opened with is long gone.
func TestTheCacheTellsViewsApart(t *testing.T) {
	s := must[*file.Store](t)(file.Create(t.TempDir(), file.Options{}))
	defer s.Close()
	spec := zarr.ArraySpec{Shape: []int{9, 7}, Chunks: []int{4, 5}, DataType: "uint8", Codecs: json.RawMessage(`["bytes","zstd"]`)}
	a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", spec, zarr.As("n5")))
	data := make([]uint8, 63)
	for i := range data {
		data[i] = uint8(i + 1)
	}
	check(t, zarr.Write(ctx, a, zarr.All(), data))
	for i := range thorough.Of(101, 300) {
		if i%50 == 0 {
			runtime.GC()
		}
		row, column := i%9, i%7
		straight := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "a", zarr.As("n5"))).(*zarr.Array)
		back := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "a", zarr.As("n5"), zarr.With(n5.Reversed))).(*zarr.Array)
		for k, v := range []*zarr.Array{straight, back} {
			sel := zarr.Select(zarr.At(row), zarr.At(column))
			if k == 1 {
				sel = zarr.Select(zarr.At(column), zarr.At(row))
			}
			if got := must[ndArray[uint8]](t)(readArray[uint8](v, sel)); got.Data[0] != data[row*7+column] {
				t.Fatalf("view %d at %d, %d has %d, want %d", k, row, column, got.Data[0], data[row*7+column])
			}
		}
	}
}

// A cache hears of what is written through arrays that have another or none.
func TestEveryCacheHearsOfEveryWrite(t *testing.T) {
	for _, codecs := range []string{`["bytes","gzip"]`, shardOfFour} {
		s := mem.New()
		spec := zarr.ArraySpec{Shape: []int{8, 8}, Chunks: []int{8, 8}, DataType: "uint8", Codecs: []byte(codecs)}
		writer := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", spec))
		open := func() *zarr.Array {
			return must[zarr.Node](t)(zarr.OpenStore(ctx, s, "a", zarr.WithCache(codec.NewCache(1<<20)))).(*zarr.Array)
		}
		readers := []*zarr.Array{open(), open()}
		for v := range uint8(4) {
			for k, w := range []*zarr.Array{writer, readers[0]} {
				want := v*10 + uint8(k) + 1
				check(t, zarr.Write(ctx, w, zarr.Slice("1, 1"), []uint8{want}))
				for i, r := range readers {
					if got := must[ndArray[uint8]](t)(readArray[uint8](r, zarr.Slice("1, 1"))).Data[0]; got != want {
						t.Errorf("%.12s: reader %d has %d, want %d", codecs, i, got, want)
					}
				}
			}
		}
		check(t, writer.DeleteChunk(ctx, 0, 0))
		check(t, zarr.Write(ctx, writer, zarr.Slice("0, 0"), []uint8{1}))
		check(t, zarr.Remove(ctx, writer))
		must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", spec))
		for i, r := range readers {
			if got := must[ndArray[uint8]](t)(readArray[uint8](r, zarr.Slice("0, 0"))).Data[0]; got != 0 {
				t.Errorf("%.12s: reader %d has %d of the array that was removed", codecs, i, got)
			}
		}
	}
}
