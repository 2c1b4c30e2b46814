package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/store"
)

// URL names the view for people. It is not that of the file: some keys are the
// same, and their values not.
func (v *view) URL() string { return "hdmf-view:" + strings.TrimSuffix(v.file.URL(), "/") }

// Concurrency is that of the store that holds the file.
func (v *view) Concurrency() int {
	if p, ok := store.As[store.Parallel](v.file.Zarr().Store()); ok {
		return p.Concurrency()
	}
	return runtime.GOMAXPROCS(0)
}

// Get gives a document, a chunk of the file, or one that is made.
func (v *view) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	value, from, inner, err := v.find(ctx, key)
	if err != nil {
		return dst, store.Info{}, v.failed("get", key, err)
	}
	if from != nil {
		return from.Get(ctx, inner, r, dst)
	}
	dst, err = r.Append(dst, value)
	return dst, store.Info{Size: int64(len(value))}, v.failed("get", key, err)
}

// Open holds a value open: one of the file as the store that has it does.
func (v *view) Open(ctx context.Context, key string) (store.Object, error) {
	value, from, inner, err := v.find(ctx, key)
	if err != nil {
		return nil, v.failed("open", key, err)
	}
	if from != nil {
		return store.Open(ctx, from, inner)
	}
	return made{v, key, value}, nil
}

// made is a value that the view made.
type made struct {
	view  *view
	key   string
	value []byte
}

// Get gives a part of it.
func (m made) Get(_ context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	dst, err := r.Append(dst, m.value)
	return dst, store.Info{Size: int64(len(m.value))}, m.view.failed("get", m.key, err)
}

// Close has nothing to give up.
func (m made) Close() error { return nil }

// Near says that parts are copies.
func (m made) Near() bool { return true }

func (v *view) failed(op, key string, err error) error {
	return store.WrapError(op, v.URL(), key, err)
}

// documents are names that stores of other layouts have; the view has none of
// them.
var documents = []string{documentName, ".zarray", ".zgroup", ".zattrs", ".zmetadata", "attributes.json"}

// find gives the value at a key, or the store that has it and its key there.
func (v *view) find(ctx context.Context, key string) (value []byte, from store.Store, inner string, err error) {
	if err := store.CheckKey(key); err != nil {
		return nil, nil, "", err
	}
	at, name := path.Split(key)
	if name == documentName {
		n, rest, err := v.at(ctx, strings.TrimSuffix(at, "/"))
		if err == nil && rest != "" {
			err = errNone
		}
		if err != nil {
			return nil, nil, "", err
		}
		value, _, err = v.make(ctx, n)
		return value, nil, "", err
	}
	n, rest, err := v.at(ctx, key)
	if err != nil {
		return nil, nil, "", err
	}
	d, ok := n.object.(*hdmf.Dataset)
	if !ok || rest == "" || slices.Contains(documents, name) {
		return nil, nil, "", errNone
	}
	_, text, err := v.make(ctx, n)
	if err != nil {
		return nil, nil, "", err
	}
	if text != nil {
		value, err = text.get(ctx, rest)
		return value, nil, "", err
	}
	s, prefix := source(d)
	return nil, s, prefix + rest, nil
}

// maxListed is how many groups a whole listing goes through: links may make a small
// file look endless.
var maxListed = 1 << 17

// List yields what lies below a prefix. Links are shown like what they lead to.
func (v *view) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		if err := store.CheckList(prefix, delimiter); err != nil {
			yield(store.Entry{}, v.failed("list", prefix, err))
			return
		}
		n, rest, err := v.at(ctx, strings.TrimSuffix(prefix, "/"))
		if err != nil {
			if !errors.Is(err, store.ErrNotExist) {
				yield(store.Entry{}, v.failed("list", prefix, err))
			}
			return
		}
		left := maxListed
		v.list(ctx, n, prefix, rest, delimiter == "", &left, yield)
	}
}

// list yields what a node holds; deep goes on below groups.
func (v *view) list(ctx context.Context, n *node, prefix, rest string, deep bool, left *int, yield func(store.Entry, error) bool) bool {
	fail := func(err error) bool { return yield(store.Entry{}, v.failed("list", prefix, err)) }
	if err := ctx.Err(); err != nil {
		return fail(err)
	}
	if *left--; *left < 0 {
		return fail(fmt.Errorf("more than %d nodes, perhaps because links lead to each other", maxListed))
	}
	if d, ok := n.object.(*hdmf.Dataset); ok {
		return v.listDataset(ctx, n, d, prefix, rest, deep, yield)
	}
	names, problem := v.members(ctx, n)
	entries := []store.Entry{{Key: prefix + documentName, Size: -1}}
	for _, name := range names {
		entries = append(entries, store.Entry{Key: prefix + name + "/", IsPrefix: true, Size: -1})
	}
	slices.SortFunc(entries, func(a, b store.Entry) int { return cmp.Compare(a.Key, b.Key) })
	for _, e := range entries {
		if !deep || !e.IsPrefix {
			if !yield(e, nil) {
				return false
			}
			continue
		}
		sub, err := v.child(ctx, n, path.Base(e.Key))
		if errors.Is(err, store.ErrNotExist) {
			continue
		}
		if err != nil {
			problem = errors.Join(problem, err)
			continue
		}
		if !v.list(ctx, sub, e.Key, "", true, left, yield) {
			return false
		}
	}
	if problem != nil {
		return fail(problem)
	}
	return true
}

// listDataset yields the document of a dataset and its chunks.
func (v *view) listDataset(ctx context.Context, n *node, d *hdmf.Dataset, prefix, rest string, deep bool, yield func(store.Entry, error) bool) bool {
	document, text, err := v.make(ctx, n)
	if err != nil {
		return yield(store.Entry{}, v.failed("list", prefix, err))
	}
	own := store.Entry{Key: prefix + documentName, Size: int64(len(document))}
	if text != nil {
		if rest != "" {
			return true
		}
		return text.list(prefix, func(e store.Entry, err error) bool { return yield(e, v.failed("list", prefix, err)) }) && yield(own, nil)
	}
	s, inner := source(d)
	if rest != "" {
		inner += rest + "/"
	}
	delimiter := "/"
	if deep {
		delimiter = ""
	}
	shown := rest != "" // below the dataset there is no document
	for e, err := range s.List(ctx, inner, delimiter) {
		if err != nil {
			if !yield(store.Entry{}, err) {
				return false
			}
			continue
		}
		e.Key = prefix + strings.TrimPrefix(e.Key, inner)
		if slices.Contains(documents, path.Base(e.Key)) {
			continue
		}
		if !shown && e.Key > own.Key {
			shown = true
			if !yield(own, nil) {
				return false
			}
		}
		if !yield(e, nil) {
			return false
		}
	}
	return shown || yield(own, nil)
}

// list yields the chunks that can be made. All of them are taken to be there.
func (t *texts) list(prefix string, yield func(store.Entry, error) bool) bool {
	n, ok := t.count()
	if !ok || n > maxListed {
		return yield(store.Entry{}, fmt.Errorf("more than %d chunks", maxListed))
	}
	found := make([]string, 0, n)
	index := make([]int, len(t.shape))
	for range n {
		found = append(found, string(keys.Append([]byte(prefix), index)))
		for k := len(index) - 1; k >= 0; k-- {
			if index[k]++; index[k] < t.grid.Count()[k] {
				break
			}
			index[k] = 0
		}
	}
	slices.Sort(found)
	for _, key := range found {
		if !yield(store.Entry{Key: key, Size: -1}, nil) {
			return false
		}
	}
	return true
}
