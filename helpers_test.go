package zarr_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

const littleBytes = `[{"name":"bytes","configuration":{"endian":"little"}}]`

// must gives a value that no error may come with.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newArray makes an array at "a" of a new store in memory.
func newArray(t testing.TB, spec zarr.ArraySpec, opts ...zarr.Option) *zarr.Array {
	t.Helper()
	return must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, mem.New(), "a", spec, opts...))
}

// reopen opens an array anew.
func reopen(t testing.TB, a *zarr.Array, opts ...zarr.Option) *zarr.Array {
	t.Helper()
	return must[zarr.Node](t)(zarr.OpenStore(ctx, a.Store(), a.Path(), opts...)).(*zarr.Array)
}

// readAny reads a selection of any type into new memory.
func readAny(a *zarr.Array, sel zarr.Selection) (nd.View, error) {
	shape, err := a.ResultShape(sel)
	if err != nil {
		return nd.View{}, err
	}
	if n, ok := nd.Bytes(shape, a.DataType().Size()); !ok || n > 1<<30 {
		// What a program would be told when it asks for so much.
		_, err := zarr.Read[int32](ctx, a, sel)
		return nd.View{}, err
	}
	v := nd.Make(a.DataType().Size(), shape...)
	v.Heap = &nd.Heap{}
	return v, a.ReadInto(ctx, sel, v)
}

// wantError checks that an error says all that is wanted.
func wantError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Error("no error")
		return
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not say %q", err, p)
		}
	}
	if strings.ContainsAny(err.Error(), "\n\r") {
		t.Errorf("error of several lines: %q", err)
	}
}

// keys lists what is in a store.
func keys(t testing.TB, s store.Store) []string {
	t.Helper()
	var out []string
	for e, err := range s.List(ctx, "", "") {
		check(t, err)
		out = append(out, e.Key)
	}
	return out
}

type ndArray[T any] = nd.Array[T]

func readArray[T any](a *zarr.Array, sel zarr.Selection) (ndArray[T], error) {
	return zarr.Read[T](ctx, a, sel)
}

func newCache() *codec.Cache { return codec.NewCache(1 << 20) }

// openDir is a store of files that goes when the test ends.
func openDir(t testing.TB) *file.Store {
	t.Helper()
	s := must[*file.Store](t)(file.Open(t.TempDir(), file.Options{}))
	t.Cleanup(func() { check(t, s.Close()) })
	return s
}

// closing closes what a test has opened when the test ends.
func closing[C io.Closer](t *testing.T, c C) C {
	t.Helper()
	t.Cleanup(func() { check(t, c.Close()) })
	return c
}
