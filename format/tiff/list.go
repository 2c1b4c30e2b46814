package tiff

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/store"
)

// List yields the keys of documents and chunks. Directories are listed below
// their own group only, since every page is a part of an image too.
func (s *Store) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		err := store.CheckList(prefix, delimiter)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			l := &lister{f: s.f, ctx: ctx, yield: yield, deep: delimiter == ""}
			err = l.list(strings.TrimSuffix(prefix, "/"), prefix)
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(store.Entry{}, store.WrapError("list", s.URL(), prefix, store.Damaged(err)))
		}
	}
}

// errStop says that the caller wants no more.
var errStop = errors.New("enough")

type lister struct {
	f     *File
	ctx   context.Context
	yield func(store.Entry, error) bool
	deep  bool // all keys, not just the next ones
}

func (l *lister) entry(e store.Entry) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	if !l.yield(e, nil) {
		return errStop
	}
	return nil
}

// list lists what is below a path, which may be that of a node or lie among the
// chunks of one.
func (l *lister) list(path, prefix string) error {
	if array, at, ok := splitPrefix(path); ok {
		n, err := l.f.find(l.ctx, array)
		if errors.Is(err, store.ErrNotExist) || err == nil && n.level == nil {
			return nil
		}
		if err != nil {
			return err
		}
		grid := n.level.grid
		for i, x := range at {
			if i >= len(grid)-1 || x >= grid[i] {
				return nil
			}
		}
		return l.chunks(n, grid, at, prefix)
	}
	return l.node(path, prefix)
}

// node lists a node's document, and what is below it.
func (l *lister) node(path, prefix string) error {
	n, err := l.f.find(l.ctx, path)
	if errors.Is(err, store.ErrNotExist) {
		return nil
	}
	if err != nil {
		if !l.deep {
			return nil // its document will say
		}
		return l.entry(store.Entry{Key: prefix + documentName, Size: -1})
	}
	names := append(l.f.children(n), documentName)
	if n.level != nil {
		names = append(names, chunkPrefix)
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(a+"/", b+"/") })
	for _, name := range names {
		key := prefix + name
		switch {
		case name == documentName:
			err = l.entry(store.Entry{Key: key, Size: -1})
		case !l.deep:
			err = l.entry(store.Entry{Key: key + "/", IsPrefix: true})
		case name == chunkPrefix:
			err = l.list(key, key+"/")
		default:
			err = l.node(key, key+"/")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// splitPrefix takes apart a path that ends among the chunks of an array.
func splitPrefix(path string) (array string, at []int, ok bool) {
	if path == chunkPrefix || strings.HasSuffix(path, "/"+chunkPrefix) {
		return strings.TrimSuffix(strings.TrimSuffix(path, chunkPrefix), "/"), nil, true
	}
	return splitChunk(path, nil)
}

// chunks lists the chunks of an array whose place begins with at.
func (l *lister) chunks(n node, grid, at []int, prefix string) error {
	last := len(at) == len(grid)-1
	for i := range decimals(grid[len(at)]) {
		here := append(slices.Clip(at), i)
		key := prefix + strconv.Itoa(i)
		var err error
		switch {
		case last:
			x, missing := l.f.chunkExtent(l.ctx, n, here)
			if missing != nil && errors.Is(missing, store.ErrNotExist) {
				continue
			}
			// One that cannot be read is there all the same.
			err = l.entry(store.Entry{Key: key, Size: int64(x.length)})
		case l.deep:
			err = l.chunks(n, grid, here, key+"/")
		default:
			err = l.entry(store.Entry{Key: key + "/", IsPrefix: true})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// decimals yields the numbers below n in the order of their decimal forms, each
// followed by a slash.
func decimals(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		var from func(v int) bool
		from = func(v int) bool { // v, and the numbers that begin with it
			if !yield(v) {
				return false
			}
			for d := range 10 {
				if w := 10*v + d; v > 0 && w < n && !from(w) {
					return false
				}
			}
			return true
		}
		for v := range min(n, 10) {
			if !from(v) {
				return
			}
		}
	}
}
