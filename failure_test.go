package zarr_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

var errDisk = errors.New("disk is full")

// failing is a store whose writes or reads of chunks fail once a counter has run
// down.
type failing struct {
	*mem.Store
	gets, puts atomic.Int64
}

func newFailing() *failing {
	f := &failing{Store: mem.New()}
	f.gets.Store(1 << 40)
	f.puts.Store(1 << 40)
	return f
}

func (f *failing) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if strings.Contains(key, "c/") && f.gets.Add(-1) < 0 {
		return dst, store.Info{}, store.WrapError("get", f.URL(), key, errDisk)
	}
	return f.Store.Get(ctx, key, r, dst)
}

func (f *failing) Open(ctx context.Context, key string) (store.Object, error) {
	if strings.Contains(key, "c/") && f.gets.Add(-1) < 0 {
		return nil, store.WrapError("open", f.URL(), key, errDisk)
	}
	return f.Store.Open(ctx, key)
}

func (f *failing) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	if f.puts.Add(-1) < 0 {
		return store.Info{}, store.WrapError("put", f.URL(), key, errDisk)
	}
	return f.Store.Put(ctx, key, data, opt)
}

func (f *failing) Delete(ctx context.Context, key string) error {
	if f.puts.Add(-1) < 0 {
		return store.WrapError("delete", f.URL(), key, errDisk)
	}
	return f.Store.Delete(ctx, key)
}

func TestErrorsOfTheStoreNameNodeAndChunk(t *testing.T) {
	for _, opts := range [][]zarr.Option{nil, {zarr.WithCache(newCache())}} {
		f := newFailing()
		a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, f, "g/a", small, opts...))
		check(t, zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4}))
		f.puts.Store(0)
		for what, err := range map[string]error{
			"whole":  zarr.Write(ctx, a, zarr.All(), []uint8{5, 6, 7, 8}),
			"part":   zarr.Write(ctx, a, zarr.Slice("1"), []uint8{9}),
			"points": zarr.Write(ctx, a, zarr.Points([]int{0, 3}), []uint8{9, 9}),
			"empty":  zarr.Write(ctx, a, zarr.All(), make([]uint8, 4)),
			"delete": a.DeleteChunk(ctx, 0),
		} {
			if !errors.Is(err, errDisk) {
				t.Errorf("%s: got %v", what, err)
				continue
			}
			wantError(t, err, a.URL(), "c/", "disk is full")
			if strings.Count(err.Error(), "g/a") != 1 {
				t.Errorf("%s: the node is named more than once: %v", what, err)
			}
		}
		for what, err := range map[string]error{
			"resize":     a.Resize(ctx, 9),
			"append":     zarr.Append(ctx, a, 0, []uint8{1}),
			"attributes": a.SetAttributes(ctx, a.Attributes()),
		} {
			if !errors.Is(err, errDisk) {
				t.Errorf("%s: got %v", what, err)
			}
			wantError(t, err, a.URL())
		}
		if !slices.Equal(a.Shape(), []int{4}) {
			t.Errorf("shape %v after a failure", a.Shape())
		}
		f.puts.Store(1 << 40)
		if got := must[ndArray[uint8]](t)(readArray[uint8](a, zarr.All())); !slices.Equal(got.Data, []uint8{1, 2, 3, 4}) {
			t.Errorf("got %v after failures", got.Data)
		}
		f.gets.Store(0)
		fresh := reopen(t, a)
		_, err := zarr.Read[uint8](ctx, fresh, zarr.All())
		if !errors.Is(err, errDisk) {
			t.Errorf("got %v", err)
		}
		wantError(t, err, "read", fresh.URL(), "c/", "disk is full")
		// A part cannot be changed where the rest cannot be read.
		if err := zarr.Write(ctx, fresh, zarr.Slice("1"), []uint8{9}); !errors.Is(err, errDisk) {
			t.Errorf("got %v", err)
		}
	}
}

// Nothing is left of an array or a group that could not be made.
func TestCreatingFailsAsAWhole(t *testing.T) {
	f := newFailing()
	f.puts.Store(0)
	_, err := zarr.CreateArrayIn(ctx, f, "g/a", small)
	if !errors.Is(err, errDisk) {
		t.Errorf("got %v", err)
	}
	wantError(t, err, "create array", "g/a")
	_, err = zarr.CreateGroupIn(ctx, f, "g")
	wantError(t, err, "create group", "g", "disk is full")
	if got := keys(t, f); len(got) > 0 {
		t.Errorf("%v is left", got)
	}
}
