package zarr_test

import (
	"errors"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/store/mem"
)

// The chunks of a shard lie where Inner says, and those that are not stored nowhere.
func TestInnerTellsWhereChunksLie(t *testing.T) {
	ctx := t.Context()
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{8}, DataType: "uint8", Chunks: []int{2}, Shards: []int{4}, Codecs: []byte(`[{"name":"bytes"}]`)})
	check(t, err)
	check(t, zarr.Write(ctx, a, zarr.Box([]int{2}, []int{2}), []uint8{7, 9}))
	find, err := a.Inner(ctx, 0)
	check(t, err)
	off, n, ok, err := find([]int{1})
	raw, rawErr := a.RawChunk(ctx, 0)
	if err != nil || rawErr != nil || !ok || n != 2 || string(raw[off:off+n]) != "\x07\x09" {
		t.Errorf("%d %d %v %v", off, n, ok, err)
	}
	if _, _, ok, err := find([]int{0}); ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
	for _, at := range [][]int{{2}, {-1}, {0, 0}} {
		if _, _, _, err := find(at); err == nil {
			t.Errorf("%v is there", at)
		}
	}
	if _, err := a.Inner(ctx, 1); !errors.Is(err, zarr.ErrMissing) {
		t.Error(err)
	}
	for _, index := range [][]int{{2}, {-1}, {}, {0, 0}} {
		if _, err := a.Inner(ctx, index...); !errors.Is(err, zarr.ErrRange) {
			t.Errorf("%v: %v", index, err)
		}
	}
	plain, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{8}, DataType: "uint8"})
	check(t, err)
	if _, err := plain.Inner(ctx, 0); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}
