// Package jobtest is what tests of jobs share: a small hierarchy with all that
// matters in it, looks into stores, and a store that stops taking changes.
package jobtest

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"path"
	"slices"
	"sync"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// Check ends a test with an error.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Err is the error of a call that gives something else too.
func Err[T any](_ T, err error) error { return err }

// Sample is a group with some arrays, and the store that holds it.
func Sample(t testing.TB) (*zarr.Group, store.Store) {
	t.Helper()
	ctx := context.Background()
	s := mem.New()
	g, err := zarr.CreateGroupIn(ctx, s, "")
	Check(t, err)
	attrs := &meta.Attributes{}
	Check(t, attrs.Set("title", "sample"))
	Check(t, g.SetAttributes(ctx, attrs))
	plane, err := g.CreateArray(ctx, "plane", zarr.ArraySpec{
		Shape: []int{10, 7}, Chunks: []int{4, 3}, DataType: "int16", FillValue: json.RawMessage("-1"),
		DimensionNames: []string{"y", ""}, Attributes: attrs,
	})
	Check(t, err)
	Check(t, zarr.Write(ctx, plane, zarr.All(), Count[int16](70)))
	volume, err := g.CreateArray(ctx, "deep/volume", zarr.ArraySpec{
		Shape: []int{5, 5, 5}, Chunks: []int{2, 2, 2}, Shards: []int{4, 4, 4}, DataType: "float64",
	})
	Check(t, err)
	Check(t, zarr.Write(ctx, volume, zarr.All(), Count[float64](125)))
	words, err := g.CreateArray(ctx, "deep/words", zarr.ArraySpec{Shape: []int{5}, Chunks: []int{2}, DataType: "string"})
	Check(t, err)
	Check(t, zarr.Write(ctx, words, zarr.Slice("1:4"), []string{"eins", "zwei", "drei"}))
	return g, s
}

// Count gives the first n numbers from zero on.
func Count[T int16 | float64](n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = T(i)
	}
	return out
}

// Content gives all keys and values of a store, but the record of a copy.
func Content(t testing.TB, s store.Store) map[string]string {
	t.Helper()
	out := All(t, s)
	maps.DeleteFunc(out, func(key, _ string) bool { return path.Base(key) == zarr.Copied })
	return out
}

// All gives all keys and values of a store.
func All(t testing.TB, s store.Store) map[string]string {
	t.Helper()
	ctx := context.Background()
	out := map[string]string{}
	for e, err := range s.List(ctx, "", "") {
		Check(t, err)
		b, _, err := s.Get(ctx, e.Key, store.All(), nil)
		Check(t, err)
		out[e.Key] = string(b)
	}
	return out
}

// Same fails unless two stores have the same content.
func Same(t testing.TB, got, want map[string]string) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if got[key] != want[key] {
			t.Errorf("%s: %q, want %q", key, got[key], want[key])
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			t.Errorf("%s is more than there should be", key)
		}
	}
}

// Elements reads an array of numbers as bytes.
func Elements(t testing.TB, a *zarr.Array) []byte {
	t.Helper()
	var out []byte
	for v, err := range a.Stream(context.Background(), zarr.All(), thorough.Of(1<<16, 100)) {
		Check(t, err)
		out = append(out, v.Data...)
	}
	return out
}

// Failing is a store that takes a number of changes and then no more.
type Failing struct {
	store.Store
	Left int

	mu sync.Mutex // guards Left
}

// full counts a change, and reports whether there is no room for it.
func (f *Failing) full() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Left--
	return f.Left < 0
}

// ErrFull is what it says then.
var ErrFull = errors.New("full")

// Put counts as a change.
func (f *Failing) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	if f.full() {
		return store.Info{}, ErrFull
	}
	return f.Store.Put(ctx, key, data, opt)
}

// Delete counts as a change.
func (f *Failing) Delete(ctx context.Context, key string) error {
	if f.full() {
		return ErrFull
	}
	return f.Store.Delete(ctx, key)
}
