package zarr_test

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/store"
)

// files is a store of one's own: what a program carries along by go:embed, or any
// other fs.FS. store.ReadOnly makes a store of anything that can be read.
type files struct{ fs.FS }

func (f files) URL() string { return "embed:" }

func (f files) Get(_ context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	value, err := fs.ReadFile(f, key)
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", f.URL(), key, err)
	}
	off, n, err := r.Resolve(int64(len(value)))
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", f.URL(), key, err)
	}
	return append(dst, value[off:off+n]...), store.Info{Size: int64(len(value))}, nil
}

func (f files) List(_ context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		var found []store.Entry
		root := path.Clean(prefix)
		fs.WalkDir(f, root, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil || name == root:
				return nil // nothing below, or the folder itself
			case !d.IsDir():
				found = append(found, store.Entry{Key: name})
			case delimiter == "/":
				found = append(found, store.Entry{Key: name + "/", IsPrefix: true})
				return fs.SkipDir
			}
			return nil
		})
		slices.SortFunc(found, func(a, b store.Entry) int { return strings.Compare(a.Key, b.Key) })
		for i := 0; i < len(found) && yield(found[i], nil); i++ {
		}
	}
}

func ExampleOpenStore() {
	embedded := fstest.MapFS{"a/0": {Data: []byte{7, 8}}, "a/.zarray": {Data: []byte(`{"zarr_format": 2, "shape": [2], "chunks": [2],
		"dtype": "|u1", "order": "C", "fill_value": 0, "filters": null, "compressor": null}`)}}
	n, err := zarr.OpenStore(ctx, store.ReadOnly(files{embedded}), "a")
	values, readErr := zarr.Read[uint8](ctx, n.(*zarr.Array), zarr.All())
	fmt.Println(n.URL(), values.Data, err, readErr)
	// Output: embed:/a [7 8] <nil> <nil>
}
