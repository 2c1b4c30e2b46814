package copying_test

import (
	"context"
	"iter"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// counting counts what is asked of a store.
type counting struct {
	store.Store
	chunks, puts, sized, lists atomic.Int64
}

func (c *counting) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if strings.Contains("/"+key, "/c/") {
		c.chunks.Add(1)
	}
	return c.Store.Get(ctx, key, r, dst)
}

func (c *counting) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	c.puts.Add(1)
	return c.Store.Put(ctx, key, data, opt)
}

func (c *counting) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	if delimiter == "" {
		c.lists.Add(1)
		if !store.IsNamesOnly(ctx) {
			c.sized.Add(1)
		}
	}
	return c.Store.List(ctx, prefix, delimiter)
}

// A plan asks for no sizes, and a copy that is there already is listed and not read: so
// many chunks take as long as their listing.
func TestWhatManyChunksAreAskedFor(t *testing.T) {
	dst := &counting{Store: mem.New()}
	src := &counting{Store: mem.New()}
	a, err := zarr.CreateArrayIn(ctx, src, "", zarr.ArraySpec{Shape: []int{40, 40}, DataType: "int16", Chunks: []int{2, 2}})
	jobtest.Check(t, err)
	jobtest.Check(t, zarr.Write(ctx, a, zarr.All(), jobtest.Count[int16](1600)))
	opts := copying.Options{Chunks: []int{5, 5}}
	src.lists.Store(0)
	src.sized.Store(0)
	jobtest.Check(t, jobtest.Err(copying.PlanOf(ctx, a, opts)))
	jobtest.Check(t, jobtest.Err(copying.FindForeign(ctx, a)))
	if src.sized.Load() != 0 || src.chunks.Load() != 0 || src.lists.Load() > 1 {
		t.Errorf("a plan: %d listings, %d with sizes, %d chunks read", src.lists.Load(), src.sized.Load(), src.chunks.Load())
	}
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, a, dst, "", opts)))
	for _, s := range []*counting{src, dst} {
		s.chunks.Store(0)
		s.puts.Store(0)
		s.sized.Store(0)
	}
	sum, err := copying.Into(ctx, a, dst, "", opts)
	jobtest.Check(t, err)
	if !sum.Already || src.chunks.Load()+dst.chunks.Load()+src.puts.Load()+dst.puts.Load() != 0 {
		t.Errorf("again: %v; chunks read %d and %d, puts %d and %d", sum, src.chunks.Load(), dst.chunks.Load(), src.puts.Load(), dst.puts.Load())
	}
	if src.sized.Load() != 1 || dst.sized.Load() != 1 {
		t.Errorf("again: %d listings of the source with sizes, %d of the copy", src.sized.Load(), dst.sized.Load())
	}
}
