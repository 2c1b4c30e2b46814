package zarr_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/far"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// In a bubble computing takes no time, so that what a read takes is how often it
// waited for requests: 4,096 of them, 64 at once, are 64 times one.
func TestRequestsUnderWay(t *testing.T) {
	spec := zarr.ArraySpec{Shape: []int{512, 512}, Chunks: []int{8, 8}, DataType: "uint16", Codecs: []byte(littleBytes)}
	whole := make([]uint16, 512*512)
	for i := range whole {
		whole[i] = uint16(i%1000 + 1)
	}
	content := mem.New()
	a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, content, "a", spec))
	check(t, zarr.Write(ctx, a, zarr.All(), whole))
	sharded := spec
	sharded.Shards = []int{64, 64}
	b := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, content, "b", sharded))
	check(t, zarr.Write(ctx, b, zarr.All(), whole))

	read := func(t *testing.T, s store.Store, path string, opts ...zarr.Option) {
		got := make([]uint16, len(whole))
		n := must[zarr.Node](t)(zarr.OpenStore(t.Context(), s, path, opts...))
		check(t, zarr.ReadSlice(t.Context(), n.(*zarr.Array), zarr.All(), got))
		for i := range got {
			if got[i] != whole[i] {
				t.Fatalf("element %d is %d", i, got[i])
			}
		}
	}
	for _, c := range []struct {
		name        string
		requests    int // allowed under way
		count, most int // that there are, besides opening
		waits       int
		do          func(t *testing.T, s store.Store)
	}{
		{"a read", 64, 4096, 64, 64, func(t *testing.T, s store.Store) { read(t, s, "a") }},
		{"a read by one worker", 64, 4096, 64, 64, func(t *testing.T, s store.Store) { read(t, s, "a", zarr.Workers(1)) }},
		{"a read with few requests", 16, 4096, 16, 256, func(t *testing.T, s store.Store) { read(t, s, "a") }},
		{"a read of shards", 64, 64, 64, 1, func(t *testing.T, s store.Store) { read(t, s, "b") }},
		{"a read with little memory", 64, 4096, 32, 128, func(t *testing.T, s store.Store) {
			read(t, s, "a", zarr.InFlight(31*2*128))
		}},
		// Once a second a writer looks whether the array has been resized.
		{"a write", 64, 4096 + 1, 64, 64 + 1, func(t *testing.T, s store.Store) {
			n := must[zarr.Node](t)(zarr.OpenStore(t.Context(), s, "a"))
			check(t, zarr.Write(t.Context(), n.(*zarr.Array), zarr.All(), whole))
		}},
		{"blocks", 64, 4096, 64, 64, func(t *testing.T, s store.Store) {
			n := must[zarr.Node](t)(zarr.OpenStore(t.Context(), s, "a"))
			var sum atomic.Int64
			check(t, zarr.Blocks(t.Context(), n.(*zarr.Array), zarr.BlockOptions{Shape: []int{8, 8}}, func(_ context.Context, b *zarr.Block[uint16]) error {
				sum.Add(int64(len(b.Data)))
				return nil
			}))
			if sum.Load() != int64(len(whole)) {
				t.Errorf("%d elements", sum.Load())
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &far.Store{Store: content, Requests: c.requests}
				begin := time.Now()
				c.do(t, s)
				log, most := s.Log()
				if len(log) != c.count+1 || most != c.most || time.Since(begin) != time.Duration(c.waits+1)*far.Wait {
					t.Errorf("%d requests, %d at once, in %v: want %d, %d, %v", len(log), most, time.Since(begin), c.count+1, c.most, time.Duration(c.waits+1)*far.Wait)
				}
			})
		})
	}
}
