package fresh_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/serve/fresh"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// array makes an array of so many chunks of two elements.
func array(t testing.TB, chunks int) *zarr.Array {
	t.Helper()
	a, err := zarr.CreateArray(context.Background(), filepath.Join(t.TempDir(), "a.zarr"), zarr.ArraySpec{Shape: []int{2 * chunks}, Chunks: []int{2}, DataType: "uint8"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func write(t testing.TB, a *zarr.Array, at int, values ...uint8) {
	t.Helper()
	if err := zarr.Write(context.Background(), a, zarr.Select(zarr.Span(at, at+len(values))), values); err != nil {
		t.Fatal(err)
	}
}

func TestTagsChangeWithTheChunksOfTheBox(t *testing.T) {
	a := array(t, 4)
	var c fresh.Chunks
	look := func(start, n int) fresh.State {
		t.Helper()
		s, err := c.Of(t.Context(), a, nd.Box{Start: []int{start}, Shape: []int{n}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := look(0, 8); s.Stored || s.Tags == "" {
		t.Errorf("of nothing: %+v", s)
	}
	write(t, a, 0, 1, 2, 3, 4)
	left, right, all := look(0, 3), look(4, 4), look(0, 8)
	if !left.Stored || right.Stored || !all.Stored {
		t.Errorf("stored: %v %v %v", left, right, all)
	}
	write(t, a, 3, 5)
	if look(0, 3) == left || look(0, 8) == all || look(4, 4) != right {
		t.Error("other chunks, the same tags, or the other way round")
	}
	if s := look(2, 0); s != (fresh.State{}) {
		t.Errorf("of no elements: %+v", s)
	}
}

func TestVeryManyChunksAreNotLookedAt(t *testing.T) {
	a := array(t, fresh.Most+1)
	s, err := new(fresh.Chunks).Whole(t.Context(), a)
	if err != nil || s != (fresh.State{Stored: true}) {
		t.Errorf("%+v, %v", s, err)
	}
}

// counting counts what is opened.
type counting struct {
	store.Store
	n int
}

func (c *counting) Open(ctx context.Context, key string) (store.Object, error) {
	c.n++
	return store.Open(ctx, c.Store, key)
}

func TestManyChunksAreRememberedForAWhile(t *testing.T) {
	from := array(t, 2000)
	write(t, from, 0, 1)
	s := &counting{Store: from.Store()}
	n, err := zarr.OpenStore(t.Context(), s, from.Path())
	if err != nil {
		t.Fatal(err)
	}
	var c fresh.Chunks
	one, err := c.Whole(t.Context(), n.(*zarr.Array))
	if err != nil || !one.Stored || one.Tags == "" {
		t.Fatalf("%+v, %v", one, err)
	}
	was := s.n
	if two, err := c.Whole(t.Context(), n.(*zarr.Array)); err != nil || two != one || s.n != was {
		t.Errorf("%+v after %+v, %v; %d more were opened", two, one, err, s.n-was)
	}
}

func ExampleChunks_Of() {
	ctx := context.Background()
	a, err := zarr.CreateArray(ctx, "mem:", zarr.ArraySpec{Shape: []int{4}, Chunks: []int{2}, DataType: "uint8"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	var c fresh.Chunks
	before, _ := c.Whole(ctx, a)
	_ = zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4})
	after, _ := c.Whole(ctx, a)
	fmt.Println(before.Stored, after.Stored, before.Tags == after.Tags)
	// Output: false true false
}

// Chunks of which there are more than an int counts are not looked at one by one.
func TestMoreChunksThanCanBeCounted(t *testing.T) {
	a, err := zarr.CreateArrayIn(t.Context(), mem.New(), "", zarr.ArraySpec{Shape: []int{1 << 16, 1 << 48}, Chunks: []int{1, 1}, DataType: "uint8"})
	if err != nil {
		t.Fatal(err)
	}
	var c fresh.Chunks
	if s, err := c.Whole(t.Context(), a); err != nil || s != (fresh.State{Stored: true}) {
		t.Errorf("%+v, %v", s, err)
	}
}
