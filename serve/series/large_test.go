package series_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/serve/kept"
	"github.com/omnizarr/zarr/serve/series"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// computed is a store whose chunks of int16 are made when they are asked for.
type computed struct {
	store.Store
	elements int // of a chunk
	gets     atomic.Int64
	seen     func(gets int64) // is told how many there were; may be nil
}

// sample is the value of an element of a chunk.
func sample(chunk, i int) int16 { return int16(chunk*7 + i%1000) }

func (c *computed) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if strings.HasSuffix(key, ".json") {
		return c.Store.Get(ctx, key, r, dst)
	}
	name := strings.Split(key+"/", "/")
	chunk, err := strconv.Atoi(name[1])
	if name[0] != "c" || err != nil {
		return nil, store.Info{}, store.ErrNotExist
	}
	size := int64(2 * c.elements)
	off, n, err := r.Resolve(size)
	if err != nil {
		return nil, store.Info{}, err
	}
	if n := c.gets.Add(1); c.seen != nil {
		c.seen(n)
	}
	whole := make([]int16, c.elements)
	for i := range whole {
		whole[i] = sample(chunk, i)
	}
	return append(dst, numeric.Bytes(whole)[off:off+n]...), store.Info{Size: size}, nil
}

// large is an array of int16 of which nothing is stored.
func large(t testing.TB, shape, chunks []int) (*zarr.Array, *computed) {
	t.Helper()
	c := &computed{Store: mem.New(), elements: 1}
	for _, n := range chunks {
		c.elements *= n
	}
	a, err := zarr.CreateArrayIn(t.Context(), c, "", zarr.ArraySpec{Shape: shape, Chunks: chunks, DataType: "int16", Codecs: json.RawMessage(`[{"name": "bytes", "configuration": {"endian": "little"}}]`)})
	check(t, err)
	return a, c
}

func TestTenToTheEightSamples(t *testing.T) {
	const chunk = 1_000_000
	n := thorough.Of(12, 100) * chunk
	a, c := large(t, []int{n}, []int{chunk})
	cache, err := kept.New(64<<20, "", 0)
	check(t, err)
	defer cache.Close()
	s, err := series.New(&convention.Samples{Array: a, Scale: 1, Rate: 30000}, series.Options{Cache: cache, Key: "a"})
	check(t, err)
	r := series.Request{From: 0, To: float64(n) / 30000, Width: 1600}
	v, err := s.View(t.Context(), r)
	check(t, err)
	if !v.Exact || c.gets.Load() > int64(2*n/chunk) {
		t.Fatalf("%+v after %d chunks", v, c.gets.Load())
	}
	for b := range v.Bins {
		first, last := v.First+b*v.Step, min(v.First+(b+1)*v.Step, n)-1
		low, high := min(sample(first/chunk, 0), sample(last/chunk, 0)), max(sample(first/chunk, 999), sample(last/chunk, 999))
		if float32(low) != v.Values[2*b] || float32(high) != v.Values[2*b+1] {
			t.Fatalf("bin %d is %v, want %d and %d", b, v.Values[2*b:2*b+2], low, high)
		}
	}
	// Again, and a part of it, nothing is read, and little memory taken.
	gets := c.gets.Load()
	used := alloctest.Bytes(func() {
		for _, r := range []series.Request{r, {From: 20, To: 350, Width: 1600}, {From: 100, To: 120, Width: 1600}} {
			if _, err := s.View(t.Context(), r); err != nil {
				t.Error(err)
			}
		}
	})
	if c.gets.Load() != gets || used > 2<<20 {
		t.Errorf("what was seen before takes %d chunks and %d bytes", c.gets.Load()-gets, used)
	}
}

// BenchmarkView draws a million samples of 384 channels, and a hundred million of one,
// in 1600 pixels: for the first time, and again.
func BenchmarkView(b *testing.B) {
	for _, c := range []struct{ shape, chunks []int }{{[]int{100_000_000}, []int{1_000_000}}, {[]int{1_000_000, 384}, []int{10_000, 64}}} {
		a, err := zarr.CreateArray(b.Context(), b.TempDir(), zarr.ArraySpec{Shape: c.shape, Chunks: c.chunks, DataType: "int16"})
		check(b, err)
		from, _ := large(b, c.shape, c.chunks)
		for at := 0; at < c.shape[0]; at += c.chunks[0] {
			sel := zarr.Select(zarr.Span(at, at+c.chunks[0]), zarr.Ellipsis())
			part, err := zarr.Read[int16](b.Context(), from, sel)
			check(b, err)
			check(b, zarr.Write(b.Context(), a, sel, part.Data))
		}
		cache, err := kept.New(256<<20, "", 0)
		check(b, err)
		draw := func(key string, to float64) *series.View {
			s, err := series.New(&convention.Samples{Array: a, Scale: 1, Rate: 30000}, series.Options{Cache: cache, Key: key})
			check(b, err)
			v, err := s.View(b.Context(), series.Request{From: 0, To: to, Width: 1600})
			check(b, err)
			return v
		}
		b.Run(fmt.Sprint(c.shape, " first"), func(b *testing.B) {
			for i := range b.N {
				draw(fmt.Sprint(b.N, i), 1e9)
			}
		})
		b.Run(fmt.Sprint(c.shape, " until exact"), func(b *testing.B) {
			for i := range b.N {
				for !draw(fmt.Sprint("e", b.N, i), 1e9).Exact {
				}
			}
		})
		for !draw("", 1e9).Exact {
		}
		for _, to := range []float64{1e9, 20, 5, 1} {
			b.Run(fmt.Sprint(c.shape, " again to ", to), func(b *testing.B) {
				for range b.N {
					draw("", to)
				}
			})
		}
		cache.Close()
		check(b, a.Close())
	}
}
