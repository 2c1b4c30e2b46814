package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// streaming is a store that takes values piece by piece.
type streaming struct {
	store.Store
	streamed int
	broken   error
}

func (s *streaming) PutFrom(ctx context.Context, key string, r io.Reader, size int64) (store.Info, error) {
	if s.broken != nil {
		return store.Info{}, s.broken
	}
	s.streamed++
	data, err := store.Collect(r, size, 1<<20)
	if err != nil {
		return store.Info{}, err
	}
	return s.Put(ctx, key, data, store.PutOptions{})
}

// A shard that is given part by part has the bytes of one that is written whole.
func TestShardsInParts(t *testing.T) {
	ctx := context.Background()
	spec := zarr.ArraySpec{Shape: []int{10, 13, 7}, DataType: "uint16", Chunks: []int{2, 3, 2}, Shards: []int{6, 6, 4}, Codecs: []byte(`[{"name":"bytes","configuration":{"endian":"little"}},"crc32c"]`)}
	whole, s := mem.New(), &streaming{Store: mem.New()}
	a, err := zarr.CreateArrayIn(ctx, whole, "", spec)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]uint16, 10*13*7)
	for i := range data {
		if i/7/13 < 8 { // the rest is fill value
			data[i] = uint16(i % 1000)
		}
	}
	if err := zarr.Write(ctx, a, zarr.All(), data); err != nil {
		t.Fatal(err)
	}
	b, err := zarr.CreateArrayIn(ctx, s, "", spec)
	if err != nil {
		t.Fatal(err)
	}
	all := nd.Make(2, 10, 13, 7)
	if err := a.ReadInto(ctx, zarr.All(), all); err != nil {
		t.Fatal(err)
	}
	var meter zarr.Meter
	give := func(_ context.Context, box nd.Box) (nd.View, func(), error) { return all.Box(box), func() {}, nil }
	for _, part := range [][]int{{6, 6, 4}, {4, 6, 4}, {2, 6, 4}, {2, 3, 4}, {2, 3, 2}} {
		for idx := []int{0, 0, 0}; ; {
			if err := b.WriteChunk(meter.Context(ctx), idx, part, give); err != nil {
				t.Fatal(err)
			}
			if !nd.Next(idx, []int{2, 3, 2}) {
				break
			}
		}
		got, want := content(t, s), content(t, whole)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("parts of %v: other bytes than in one piece", part)
		}
		for key := range want {
			if key != "zarr.json" {
				s.Delete(ctx, key)
			}
		}
	}
	if s.streamed == 0 || meter.Chunks.Load() != int64(s.streamed) {
		t.Errorf("%d values were streamed, %d counted", s.streamed, meter.Chunks.Load())
	}
	for _, part := range [][]int{{4, 3, 4}, {2, 6, 2}, {3, 6, 4}, {0, 6, 4}, {6, 6}} {
		if err := b.WriteChunk(ctx, []int{0, 0, 0}, part, give); err == nil {
			t.Errorf("parts of %v were taken", part)
		}
	}
	// What fails stores nothing.
	fault := errors.New("no such element")
	n := 0
	broken := func(ctx context.Context, box nd.Box) (nd.View, func(), error) {
		if n++; n == 2 {
			return nd.View{}, nil, fault
		}
		return give(ctx, box)
	}
	if err := b.WriteChunk(ctx, []int{0, 0, 0}, []int{2, 6, 4}, broken); !errors.Is(err, fault) {
		t.Errorf("got %v", err)
	}
	s.broken = fault
	if err := b.WriteChunk(ctx, []int{0, 0, 0}, []int{2, 6, 4}, give); !errors.Is(err, fault) {
		t.Errorf("got %v", err)
	}
	if got := content(t, s); len(got) != 1 {
		t.Errorf("stored %d values", len(got))
	}
	if err := b.WriteChunk(ctx, []int{0, 3, 0}, []int{2, 6, 4}, give); err == nil {
		t.Error("a chunk that is not there was written")
	}
}

// content is all values of a store.
func content(t *testing.T, s store.Store) map[string]string {
	t.Helper()
	out := map[string]string{}
	for e, err := range s.List(context.Background(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		data, _, err := s.Get(context.Background(), e.Key, store.All(), nil)
		if err != nil {
			t.Fatal(err)
		}
		out[e.Key] = string(data)
	}
	return out
}

// An index below the grid is none, and nothing is stored by a key that no chunk has.
func TestChunksOutsideTheGridAreNotWritten(t *testing.T) {
	spec := zarr.ArraySpec{Shape: []int{4}, DataType: "uint8", Chunks: []int{1}, Shards: []int{2}}
	s := mem.New()
	a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "", spec))
	give := func(_ context.Context, box nd.Box) (nd.View, func(), error) {
		return nd.Of([]byte{1, 2}, 1, box.Shape...), func() {}, nil
	}
	from := mem.New()
	src := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, from, "", spec))
	must[store.Info](t)(from.Put(ctx, "c/-1", []byte("stray"), store.PutOptions{}))
	for _, k := range []int{-1, 2} {
		if err := a.WriteChunk(ctx, []int{k}, []int{2}, give); !errors.Is(err, zarr.ErrRange) {
			t.Errorf("write %d: %v", k, err)
		}
		if stored, err := a.CopyChunk(ctx, src, k); stored || !errors.Is(err, zarr.ErrRange) {
			t.Errorf("copy %d: %v, %v", k, stored, err)
		}
	}
	for e, err := range s.List(ctx, "c/", "") {
		t.Errorf("%s is stored, %v", e.Key, err)
	}
}
