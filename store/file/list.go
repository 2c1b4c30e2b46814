package file

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/store"
)

// List reads one folder, or with delimiter "" each folder below prefix as it
// gets there. Empty folders are listed as prefixes; files being written and
// links that lead nowhere or out of the store are not listed, but those to folders
// outside are prefixes among direct children: what is in them is not to be had, and
// that is an error rather than nothing.
func (s *Store) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		dir := strings.TrimSuffix(prefix, "/")
		err := store.CheckList(prefix, delimiter)
		if err == nil && dir != "" && (reserved(dir) || !systemKey(dir)) {
			err = store.ErrBadKey
		}
		if err != nil {
			yield(store.Entry{}, store.WrapError("list", s.url, prefix, err))
			return
		}
		l := lister{s: s, ctx: ctx, deep: delimiter == "", names: store.IsNamesOnly(ctx), yield: yield}
		l.list(dir, 0)
	}
}

type lister struct {
	s     *Store
	ctx   context.Context
	deep  bool
	names bool // sizes, tags and order do not matter
	yield func(store.Entry, error) bool
	above []fs.FileInfo // the folders that the one being listed lies in
}

// list yields what is in dir, which lies depth folders below the first one, and
// reports whether to go on.
func (l *lister) list(dir string, depth int) bool {
	nodes, err := l.read(dir, depth)
	if errors.Is(err, fs.ErrNotExist) || notDir(err) || errors.Is(err, ErrLeadsOut) {
		return true // nothing that is to be had
	}
	if err != nil {
		l.yield(store.Entry{}, store.WrapError("list", l.s.url, dir, err))
		return false
	}
	for i, n := range nodes {
		key := within(dir, n.name)
		if i%measured == 0 && !l.names {
			if err := l.measure(dir, nodes[i:min(i+measured, len(nodes))]); err != nil {
				l.yield(store.Entry{}, store.WrapError("list", l.s.url, dir, err))
				return false
			}
			n = nodes[i]
		}
		switch {
		case n.mode == fs.ModeIrregular: // gone meanwhile
		case n.mode.IsRegular():
			e := store.Entry{Key: key, Size: -1}
			if n.known {
				e.Size, e.ETag = n.size, n.info().ETag
			}
			if !l.yield(e, nil) {
				return false
			}
		case !l.deep:
			if !l.yield(store.Entry{Key: key + "/", IsPrefix: true}, nil) {
				return false
			}
		case !l.list(key, depth+1):
			return false
		}
	}
	return true
}

// measured is how many files are asked for their sizes at a time: who looks at the
// first ones alone does not wait for all.
const measured = 256

// measure asks for the sizes of files in dir.
func (l *lister) measure(dir string, files []node) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	if err := l.s.hold(); err != nil {
		return err
	}
	defer l.s.leave()
	if err := l.s.b.measure(dir, files); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for i := range files { // with the folder
		files[i].mode = fs.ModeIrregular
	}
	return nil
}

// read gives the files and folders in dir in the order of their keys, where
// that of a folder ends in "/", unless names are all that matters.
func (l *lister) read(dir string, depth int) ([]node, error) {
	if err := l.ctx.Err(); err != nil {
		return nil, err
	}
	if err := l.s.hold(); err != nil {
		return nil, err
	}
	defer l.s.leave()
	if l.deep {
		if again, err := l.loops(dir, depth); again || err != nil {
			return nil, err
		}
	}
	nodes, err := l.s.b.readDir(dir)
	if err != nil {
		return nil, err
	}
	nodes = slices.DeleteFunc(nodes, func(n node) bool { return reservedName(n.name) })
	for i, n := range nodes {
		if n.mode&fs.ModeSymlink == 0 {
			continue
		}
		fi, err := l.s.b.stat(within(dir, n.name))
		if err != nil {
			nodes[i].mode = fs.ModeIrregular
			if !l.deep && l.leadsOut(within(dir, n.name), err) {
				nodes[i].mode = fs.ModeDir // whoever looks into it is told
			}
			continue
		}
		nodes[i].stat, nodes[i].known = statOf(fi), true
	}
	nodes = slices.DeleteFunc(nodes, func(n node) bool { return !n.mode.IsRegular() && !n.mode.IsDir() })
	if !l.names {
		slices.SortFunc(nodes, compare)
	}
	return nodes, nil
}

// leadsOut reports whether a link leads to a folder outside of the store.
func (l *lister) leadsOut(name string, err error) bool {
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	fi, err := os.Stat(filepath.Join(l.s.real, filepath.FromSlash(name)))
	return err == nil && fi.IsDir()
}

// loops reports whether dir is one of the folders above it, which a symbolic
// link makes possible.
func (l *lister) loops(dir string, depth int) (bool, error) {
	fi, err := l.s.b.stat(orDot(dir))
	if err != nil {
		return false, err
	}
	for _, a := range l.above[:depth] {
		if os.SameFile(a, fi) {
			return true, nil
		}
	}
	l.above = append(l.above[:depth], fi)
	return false, nil
}

// compare orders nodes as their keys are ordered.
func compare(a, b node) int {
	if !a.mode.IsDir() && !b.mode.IsDir() {
		return strings.Compare(a.name, b.name)
	}
	n := min(len(a.name), len(b.name))
	if c := cmp.Compare(a.name[:n], b.name[:n]); c != 0 {
		return c
	}
	return cmp.Compare(tail(a, n), tail(b, n))
}

func tail(n node, from int) string {
	if n.mode.IsDir() {
		return n.name[from:] + "/"
	}
	return n.name[from:]
}
