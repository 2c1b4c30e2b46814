package conformance_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

// small is an array of two chunks.
var small = zarr.ArraySpec{Shape: []int{4}, Chunks: []int{2}, DataType: "uint8", Codecs: json.RawMessage(`["bytes"]`)}

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

// values lists elements as bytes; references are followed.
func values(typ dtype.Type, v nd.View) [][]byte {
	blobs := v.Heap.Blobs()
	out := make([][]byte, 0, v.Len())
	v.Each(func(elem []byte) {
		if dtype.IsReference(typ) {
			elem = blobs.Value(elem)
		}
		out = append(out, append([]byte{}, elem...))
	})
	return out
}

// unzip unpacks an archive into a folder that goes when the test ends.
func unzip(t testing.TB, name string) string {
	t.Helper()
	dir := t.TempDir()
	r := must[*zip.ReadCloser](t)(zip.OpenReader(name))
	defer r.Close()
	for _, f := range r.File {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		check(t, os.MkdirAll(filepath.Dir(path), 0o777))
		check(t, os.WriteFile(path, zipped(t, f), 0o666))
	}
	return dir
}

func zipped(t testing.TB, f *zip.File) []byte {
	t.Helper()
	r := must[io.ReadCloser](t)(f.Open())
	defer r.Close()
	return must[[]byte](t)(io.ReadAll(r))
}

// sameJSON compares what two JSON texts mean.
func sameJSON(t testing.TB, a, b []byte) bool {
	t.Helper()
	var x, y any
	for raw, v := range map[*any][]byte{&x: a, &y: b} {
		d := json.NewDecoder(bytes.NewReader(v))
		d.UseNumber()
		if err := d.Decode(raw); err != nil {
			t.Fatalf("%s: %v", v, err)
		}
	}
	return reflect.DeepEqual(x, y)
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

func exists(t testing.TB, s store.Store, key string) bool {
	t.Helper()
	_, _, err := s.Get(ctx, key, store.All(), nil)
	if err != nil && !errors.Is(err, store.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}

type ndArray[T any] = nd.Array[T]

func readArray[T any](a *zarr.Array, sel zarr.Selection) (ndArray[T], error) {
	return zarr.Read[T](ctx, a, sel)
}

func newCache() *codec.Cache { return codec.NewCache(1 << 20) }

// readKey is the text of a value, empty if there is none.
func readKey(s store.Store, key string) string {
	text, _, err := s.Get(ctx, key, store.All(), nil)
	if err != nil {
		return ""
	}
	return string(text)
}
