package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

// folder is one that is no node, and holds stores.
type folder struct {
	set   *Set
	where locate.Location
	url   string // that names lead on from
}

// openFolder opens the folder that a URL names. Nothing is looked for in it.
func openFolder(ctx context.Context, url string, set *Set) (*folder, error) {
	l, err := zarr.Find(ctx, url, set.opt.Open...)
	if err != nil {
		return nil, err
	}
	f := &folder{set, l, url}
	if at := store.JoinURL(l.Store.URL(), l.Path); strings.HasPrefix(at, "file://") && !strings.Contains(url, "|") {
		f.url = at // in which names can be spelled whatever they are
	}
	for _, err := range l.Store.List(ctx, f.prefix(), "/") {
		if err != nil {
			return nil, errors.Join(err, f.close())
		}
		return f, nil
	}
	if l.Path != "" {
		return nil, errors.Join(zarr.ErrNoNode, f.close())
	}
	return f, nil
}

func (f *folder) close() error { return f.where.Close() }

func (f *folder) prefix() string {
	if f.where.Path == "" {
		return ""
	}
	return f.where.Path + "/"
}

// hidden reports whether a name in a folder is not shown.
func hidden(name string) bool { return name[0] == '.' || zarr.IsOwn(name) }

// has checks that something lies in the folder under a name. The store sees to it that
// links do not lead out.
func (f *folder) has(ctx context.Context, name string) error {
	if hidden(name) {
		return zarr.ErrNoNode
	}
	key := f.prefix() + name
	for _, err := range f.where.Store.List(ctx, key+"/", "/") {
		if err != nil {
			return fmt.Errorf("%w: %w", zarr.ErrNotAllowed, err)
		}
		return nil
	}
	_, _, err := f.where.Store.Get(ctx, key, store.Part(0, 0), nil)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrNotExist):
		return zarr.ErrNoNode
	}
	return fmt.Errorf("%w: %w", zarr.ErrNotAllowed, err)
}

// isStore reports whether a file of a name may hold nodes.
func (f *folder) isStore(name string) bool {
	return f.set.opt.Formats.FileNamed(name) != nil || len(name) > 4 && strings.EqualFold(name[len(name)-4:], ".zip")
}

// mostNames is how many names a listing has.
const mostNames = 1 << 20

func tooMany() error {
	return fmt.Errorf("%w: more than %s names in one group", zarr.ErrTooLarge, words.Grouped(mostNames))
}

// names lists the folders in the folder, and the files that may be stores.
func (f *folder) names(ctx context.Context) (names []string, err error) {
	prefix := f.prefix()
	for e, err := range f.where.Store.List(ctx, prefix, "/") {
		if err != nil {
			return inOrder(names), err
		}
		name := strings.TrimSuffix(e.Key[len(prefix):], "/")
		if hidden(name) || !e.IsPrefix && !f.isStore(name) {
			continue
		}
		if names = append(names, name); len(names) > mostNames {
			return inOrder(names), tooMany()
		}
	}
	return inOrder(names), nil
}

// inOrder sorts names as people count: digits by the number that they are.
func inOrder(names []string) []string {
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(natural(a, b), cmp.Compare(a, b))
	})
	return names
}

func natural(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x > 0 && y > 0 {
			m, n := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
			if c := cmp.Or(cmp.Compare(len(m), len(n)), cmp.Compare(m, n)); c != 0 {
				return c
			}
			a, b = a[x:], b[y:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits counts those at the front.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// shelf is a store that shows a folder as a group, and what lies in it as nodes of
// Zarr v3: the keys of all go to the stores that have them.
type shelf struct {
	source *Source
	at     string  // where it is in the source
	folder *folder // nil for a folder in a hierarchy
}

const document = "zarr.json"

var groupDocument = []byte(`{"zarr_format":3,"node_type":"group","attributes":{}}`)

// URL names the folder.
func (f *shelf) URL() string { return store.JoinURL(f.source.shown, f.at) }

// place gives the store that has a key, and the key there; none for what the shelf has
// itself.
func (f *shelf) place(ctx context.Context, key string) (store.Store, string, error) {
	if key == document {
		return nil, "", nil
	}
	if err := store.CheckKey(strings.TrimSuffix(key, "/")); err != nil {
		return nil, "", err
	}
	whole := path.Join(f.at, key)
	p, inner, err := f.source.find(ctx, path.Dir(whole))
	if err != nil {
		return nil, "", err
	}
	if p.folder != nil {
		if path.Base(whole) == document {
			return nil, "", nil
		}
		return nil, "", store.ErrNotExist
	}
	n, err := p.node(ctx, "")
	if err != nil {
		return nil, "", err
	}
	return n.Store(), path.Join(n.Path(), inner, path.Base(whole)), nil
}

// Get gives a value.
func (f *shelf) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	s, inner, err := f.place(ctx, key)
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", f.URL(), key, gone(err))
	}
	if s != nil {
		return s.Get(ctx, inner, r, dst)
	}
	dst, err = r.Append(dst, groupDocument)
	return dst, store.Info{Size: int64(len(groupDocument)), ETag: "group"}, store.WrapError("get", f.URL(), key, err)
}

// gone makes an error say that there is nothing, where there is no node.
func gone(err error) error {
	if errors.Is(err, zarr.ErrNoNode) {
		return store.ErrNotExist
	}
	return err
}

// List yields what lies below a prefix; below folders only level by level.
func (f *shelf) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		fail := func(err error) { yield(store.Entry{}, store.WrapError("list", f.URL(), prefix, err)) }
		if err := store.CheckList(prefix, delimiter); err != nil {
			fail(err)
			return
		}
		p, inner, err := f.source.find(ctx, path.Join(f.at, prefix))
		if err != nil {
			if !errors.Is(err, store.ErrNotExist) {
				fail(err)
			}
			return
		}
		if p.folder == nil {
			f.listInside(ctx, p, inner, prefix, delimiter, yield)
			return
		}
		if delimiter == "" {
			fail(fmt.Errorf("a folder of many stores is listed level by level: %w", store.ErrNoList))
			return
		}
		names, err := p.folder.names(ctx)
		keys := []string{document}
		for _, name := range names {
			keys = append(keys, name+"/")
		}
		slices.Sort(keys)
		for _, key := range keys {
			if !yield(store.Entry{Key: prefix + key, Size: -1, IsPrefix: key != document}, nil) {
				return
			}
		}
		if err != nil {
			fail(err)
		}
	}
}

// listInside yields what lies in a hierarchy.
func (f *shelf) listInside(ctx context.Context, p *place, inner, prefix, delimiter string, yield func(store.Entry, error) bool) {
	n := p.root
	top := path.Join(n.Path(), inner)
	if top != "" {
		top += "/"
	}
	for e, err := range n.Store().List(ctx, top, delimiter) {
		if err == nil {
			e.Key = prefix + strings.TrimPrefix(e.Key, top)
		}
		if !yield(e, err) {
			return
		}
	}
}

// Put refuses.
func (f *shelf) Put(_ context.Context, key string, _ []byte, _ store.PutOptions) (store.Info, error) {
	return store.Info{}, store.WrapError("put", f.URL(), key, store.ErrReadOnly)
}

// Delete refuses.
func (f *shelf) Delete(_ context.Context, key string) error {
	return store.WrapError("delete", f.URL(), key, store.ErrReadOnly)
}
