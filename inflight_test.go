package zarr_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/far"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// In a bubble computing takes no time, so that what a read takes is how often it
// waited for requests: 4,096 of them, 64 at once, are 64 times one.
func TestRequestsUnderWay(t *testing.T) {
	side := thorough.Of(256, 512)
	chunks, shards := side*side/64, side*side/4096
	spec := zarr.ArraySpec{Shape: []int{side, side}, Chunks: []int{8, 8}, DataType: "uint16", Codecs: []byte(littleBytes)}
	whole := make([]uint16, side*side)
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
		{"a read", 64, chunks, 64, chunks / 64, func(t *testing.T, s store.Store) { read(t, s, "a") }},
		{"a read by one worker", 64, chunks, 64, chunks / 64, func(t *testing.T, s store.Store) { read(t, s, "a", zarr.Workers(1)) }},
		{"a read with few requests", 16, chunks, 16, chunks / 16, func(t *testing.T, s store.Store) { read(t, s, "a") }},
		{"a read of shards", 64, shards, shards, 1, func(t *testing.T, s store.Store) { read(t, s, "b") }},
		{"a read with little memory", 64, chunks, 32, chunks / 32, func(t *testing.T, s store.Store) {
			read(t, s, "a", zarr.InFlight(31*2*128))
		}},
		// Once a second a writer looks whether the array has been resized.
		{"a write", 64, chunks + 1, 64, chunks/64 + 1, func(t *testing.T, s store.Store) {
			n := must[zarr.Node](t)(zarr.OpenStore(t.Context(), s, "a"))
			check(t, zarr.Write(t.Context(), n.(*zarr.Array), zarr.All(), whole))
		}},
		{"blocks", 64, chunks, 64, chunks / 64, func(t *testing.T, s store.Store) {
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

// The index of a shard far away is kept, and what is read by it tells whether it is
// old: a shard that others replace, make shorter or empty is read as it is now.
func TestIndexFarAwayIsKept(t *testing.T) {
	content := mem.New()
	spec := zarr.ArraySpec{Shape: []int{1 << 12}, Chunks: []int{8}, Shards: []int{1 << 12}, DataType: "uint16", Codecs: []byte(littleBytes)}
	shards := make([][]byte, 3)
	for i, count := range []int{1 << 12, 1 << 12, 1 << 11} {
		a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, content, string(rune('a'+i)), spec))
		data := make([]uint16, count)
		for k := range data {
			data[k] = uint16(k + 1 + 10000*i)
		}
		// The order of writing is that of the inner chunks: the second half lies elsewhere.
		check(t, zarr.Write(ctx, a, zarr.Box([]int{(1<<12 - count)}, []int{count}), data))
		shards[i] = must[[]byte](t)(value(content, a.Path()+"/c/0"))
	}
	synctest.Test(t, func(t *testing.T) {
		s := &far.Store{Store: content, Requests: 64}
		a := must[zarr.Node](t)(zarr.OpenStore(t.Context(), s, "a")).(*zarr.Array)
		s.Log()
		now := 0
		for _, c := range []struct {
			shard    int
			at       int
			want     uint16
			requests int
		}{
			{0, 0, 1, 2},
			{0, 100, 101, 1},
			{0, 1001, 1002, 1},
			{1, 100, 10101, 3}, // the old index, then all anew
			{1, 101, 10102, 1},
			{2, 4000, 20000 + 4000 - 2048 + 1, 3},
			{2, 100, 0, 1}, // nothing is there, which the index alone says: that is asked for again
			{0, 4000, 4001, 3},
		} {
			if c.shard != now {
				_, err := content.Put(t.Context(), "a/c/0", shards[c.shard], store.PutOptions{})
				check(t, err)
				now = c.shard
			}
			got := must[nd.Array[uint16]](t)(zarr.Read[uint16](t.Context(), a, zarr.Box([]int{c.at}, []int{1})))
			if log, _ := s.Log(); got.Data[0] != c.want || len(log) != c.requests {
				t.Errorf("shard %d: element %d is %d after %d requests, want %d, %d: %q", c.shard, c.at, got.Data[0], len(log), c.want, c.requests, log)
			}
		}
	})
}

// value gives a stored value.
func value(s store.Store, key string) ([]byte, error) {
	b, _, err := s.Get(ctx, key, store.All(), nil)
	return b, err
}
