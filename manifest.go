package zarr

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"path"
	"strings"

	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/refs"
)

// isManifest reports whether a file that begins with these bytes may be a manifest
// of references.
func isManifest(head []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) }

// openManifest makes a store of a file of references, in kerchunk's form. They may
// refer to what lies in the folder of the file.
func openManifest(ctx context.Context, where locate.Location, o *options) (locate.Location, error) {
	m, err := loadManifest(ctx, where.Store, where.Path)
	if err != nil {
		return locate.Location{}, err
	}
	url := store.JoinURL(where.Store.URL(), where.Path)
	around := &surroundings{store: where.Store, roots: roots{allow: o.allow, locate: o.locate}, looked: true}
	folder := strings.TrimSuffix(path.Dir(where.Path), ".")
	if at, err := siteOf(strings.TrimSuffix(store.Identity(where.Store, ""), "/")); err == nil && at.scheme != "mem" {
		at.query = ""
		around.at, around.home = at, at
		around.home.path = path.Join(at.path, folder)
	}
	s := refs.New(refs.Config{
		Inner: empty(url),
		Load:  func(context.Context) (*refs.Manifest, error) { return m, nil },
		Files: &files{around, folder},
	})
	return where.Within(&manifestStore{s, around}, ""), nil
}

// manifestStore is a store of references that closes what it opened for them.
type manifestStore struct {
	*refs.Store
	around *surroundings
}

func (s *manifestStore) Close() error { return s.around.Close() }

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

// errNoFormat says that a file is of no format that is known.
var errNoFormat = mark(ErrFormat, errors.New("a file, neither a folder nor a zip archive, a TIFF file or a manifest of references"))
