// Package references shows files of references, in kerchunk's form, as the
// hierarchies that they describe: JSON that says for every key which part of which
// file is its value. They may refer to what lies in the folder of the file, and to
// what the user allows besides.
package references

import (
	"bytes"
	"context"
	"iter"
	"path"
	"strings"

	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/refs"
)

// Format is the name of the format.
const Format = "references"

// Describe tells how files of references are recognised and opened.
func Describe() *format.Format {
	return &format.Format{
		Name: Format, Title: "a manifest of references",
		File: &format.File{
			Starts: func(head []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) },
			Open:   open,
		},
	}
}

// open makes a store of a file of references.
func open(ctx context.Context, s store.Store, key string, env format.Env) (store.Store, error) {
	m, err := refs.Load(ctx, s, key)
	if err != nil {
		return nil, err
	}
	files := env.Files(s, strings.TrimSuffix(path.Dir(key), "."))
	return &hierarchy{files: files, Store: refs.New(refs.Config{
		Inner: empty(store.JoinURL(s.URL(), key)),
		Load:  func(context.Context) (*refs.Manifest, error) { return m, nil },
		Files: files,
	})}, nil
}

// hierarchy is a store of references that closes what it opened for them.
type hierarchy struct {
	*refs.Store
	files format.Files
}

func (h *hierarchy) Close() error { return h.files.Close() }

// empty is a store without values, of a name.
type empty string

func (e empty) URL() string { return string(e) }

func (e empty) Get(_ context.Context, key string, _ store.Range, dst []byte) ([]byte, store.Info, error) {
	return dst, store.Info{}, store.WrapError("get", string(e), key, store.ErrNotExist)
}

func (e empty) List(_ context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		if err := store.CheckList(prefix, delimiter); err != nil {
			yield(store.Entry{}, store.WrapError("list", string(e), prefix, err))
		}
	}
}

func (e empty) Put(_ context.Context, key string, _ []byte, _ store.PutOptions) (store.Info, error) {
	return store.Info{}, store.WrapError("put", string(e), key, store.ErrReadOnly)
}

func (e empty) Delete(_ context.Context, key string) error {
	return store.WrapError("delete", string(e), key, store.ErrReadOnly)
}
