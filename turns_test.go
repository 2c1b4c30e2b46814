package zarr_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// plainStore is a store of somebody's own that has neither locks nor conditions, and tells
// nobody which it is: two of them over the same values are like two processes.
type plainStore struct {
	s     *mem.Store
	tags  bool
	after func(key string) // a value was read
}

func (p *plainStore) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := p.s.Get(ctx, key, r, dst)
	if !p.tags {
		info.ETag = ""
	}
	if p.after != nil {
		p.after(key)
	}
	return out, info, err
}

func (p *plainStore) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return p.s.List(ctx, prefix, delimiter)
}

func (p *plainStore) URL() string { return "plain:" }

func (p *plainStore) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	return p.s.Put(ctx, key, data, store.PutOptions{})
}

func (p *plainStore) Delete(ctx context.Context, key string) error { return p.s.Delete(ctx, key) }

// Where writers cannot take turns, one that changes a part of a chunk which another has
// changed since it was read is told, and has not overwritten it.
func TestASecondWriterIsTold(t *testing.T) {
	ctx := t.Context()
	for _, tags := range []bool{false, true} {
		for name, c := range map[string]struct{ before, other, part []int32 }{
			"a new chunk":    {nil, []int32{5}, []int32{7}},
			"a chunk":        {[]int32{1, 2, 3, 4}, []int32{5}, []int32{7}},
			"a chunk's size": {[]int32{1, 2, 3, 4}, []int32{1 << 30}, []int32{7}},
			"one that goes":  {[]int32{1, 0, 0, 0}, []int32{0}, []int32{7}},
			"one to go":      {[]int32{0, 0, 0, 4}, []int32{5}, []int32{0}},
		} {
			values := mem.New()
			one, two := &plainStore{s: values, tags: tags}, &plainStore{s: values, tags: tags}
			a, err := zarr.CreateArrayIn(ctx, one, "", zarr.ArraySpec{Shape: []int{4}, Chunks: []int{4}, DataType: "int32"})
			check(t, err)
			if c.before != nil {
				check(t, zarr.Write(ctx, a, zarr.All(), c.before))
			}
			n, err := zarr.OpenStore(ctx, two, "")
			check(t, err)
			b := n.(*zarr.Array)
			others := func(key string) {
				if strings.HasPrefix(key, "c/") {
					one.after = nil
					check(t, zarr.Write(ctx, b, zarr.Box([]int{0}, []int{1}), c.other))
				}
			}
			one.after = others
			err = zarr.Write(ctx, a, zarr.Box([]int{3}, []int{1}), c.part)
			if !errors.Is(err, store.ErrPrecondition) || !strings.Contains(err.Error(), "only one may write") {
				t.Errorf("%s, tags %v: %v", name, tags, err)
			}
			got, err := zarr.Read[int32](ctx, b, zarr.All())
			check(t, err)
			want := append(append([]int32{}, c.other...), 0, 0, 0)
			if c.before != nil {
				want = append(append([]int32{}, c.other...), c.before[1:]...)
			}
			for i := range want {
				if got.Data[i] != want[i] {
					t.Errorf("%s, tags %v: %v, want %v", name, tags, got, want)
					break
				}
			}
			// Alone it is no other.
			if err := zarr.Write(ctx, a, zarr.Box([]int{3}, []int{1}), c.part); err != nil {
				t.Errorf("%s, tags %v: again: %v", name, tags, err)
			}
		}
	}
}
