package hdf5

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/hdf5"
	"github.com/omnizarr/zarr/store"
)

// List yields the keys of documents and chunks.
func (s *Store) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		err := store.CheckList(prefix, delimiter)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			l := &lister{s: s, ctx: ctx, yield: yield, deep: delimiter == ""}
			path := strings.TrimSuffix(prefix, "/")
			if array, _, ok := strings.Cut("/"+prefix, "/"+chunkPrefix+"/"); ok {
				err = l.chunks(strings.TrimPrefix(array, "/"), prefix)
			} else {
				err = l.node(path, prefix)
			}
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(store.Entry{}, store.WrapError("list", s.url, prefix, store.Damaged(err)))
		}
	}
}

// errStop says that the caller wants no more.
var errStop = errors.New("enough")

type lister struct {
	s     *Store
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

// node lists a node's document, and what is below it.
func (l *lister) node(path, prefix string) error {
	n, err := l.s.node(path)
	if errors.Is(err, store.ErrNotExist) {
		return nil
	}
	if err != nil {
		if !l.deep {
			return nil // its document will say
		}
		return l.entry(store.Entry{Key: prefix + documentName, Size: -1})
	}
	names := []string{documentName}
	if n.d != nil {
		names = append(names, chunkPrefix)
	} else {
		children, err := l.s.children(path, n)
		if err != nil {
			return err
		}
		names = append(names, children...)
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(a+"/", b+"/") })
	for _, name := range slices.Compact(names) { // links may stand for the same name
		key := prefix + name
		switch {
		case name == documentName:
			err = l.entry(store.Entry{Key: key, Size: -1})
		case name == chunkPrefix && (l.deep || len(n.grid) == 0):
			err = l.chunks(path, prefix)
		case !l.deep:
			err = l.entry(store.Entry{Key: key + "/", IsPrefix: true})
		default:
			err = l.node(key, key+"/")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maxAliases is how many groups may be listed by further paths.
const maxAliases = 1 << 12

// children are the names in a group of what hard links lead to: but for links to
// groups that the path comes through, which would have no end.
func (s *Store) children(path string, n *node) ([]string, error) {
	links, err := n.o.Links()
	if err != nil {
		return nil, err
	}
	// Groups that lead to each other by many ways are a maze.
	s.mu.Lock()
	at := n.o.Address()
	if first, ok := s.listed[at]; !ok {
		s.listed[at] = path
	} else if first != path && len(s.aliases) <= maxAliases {
		s.aliases[path] = true
	}
	lost := len(s.aliases) > maxAliases
	s.mu.Unlock()
	if lost {
		return nil, fmt.Errorf("hard links lead to the same groups by more than %d paths", maxAliases)
	}
	above := map[uint64]bool{at: true}
	for p := path; p != ""; {
		p = p[:max(strings.LastIndexByte(p, '/'), 0)]
		x, err := s.node(p)
		if err != nil {
			return nil, err
		}
		above[x.o.Address()] = true
	}
	means := s.convention()
	var out []string
	for _, l := range links {
		if l.Kind == hdf5.Hard && !above[l.Address] {
			if name, ok := means.shown(n, l); ok {
				if name == "" { // it would be the group itself, without an end
					return nil, errors.New("a link in it has no name")
				}
				out = append(out, escape(name))
			}
		}
	}
	return append(out, means.composes(n)...), nil
}

// chunks lists the chunks of an array below a prefix.
func (l *lister) chunks(path, prefix string) error {
	n, err := l.s.node(path)
	if errors.Is(err, store.ErrNotExist) || err == nil && n.d == nil {
		return nil
	}
	if err != nil {
		return err
	}
	keys, err := l.s.keys(l.ctx, n)
	if err != nil {
		return err
	}
	slices.SortFunc(keys, func(a, b store.Entry) int { return strings.Compare(a.Key, b.Key) })
	if path != "" {
		path += "/"
	}
	folder := ""
	for _, e := range keys {
		key := path + e.Key
		rest, ok := strings.CutPrefix(key, prefix)
		if !ok {
			continue
		}
		if cut := strings.IndexByte(rest, '/'); !l.deep && cut >= 0 {
			if name := prefix + rest[:cut+1]; name != folder {
				folder = name
				if err := l.entry(store.Entry{Key: name, IsPrefix: true}); err != nil {
					return err
				}
			}
			continue
		}
		if err := l.entry(store.Entry{Key: key, Size: e.Size}); err != nil {
			return err
		}
	}
	return nil
}

// maxKeys is how many chunks of an array are listed.
const maxKeys = 1 << 24

// keys are those of all stored chunks.
func (s *Store) keys(ctx context.Context, n *node) ([]store.Entry, error) {
	var keys []store.Entry
	add := func(index []uint64, size int64) {
		key := []byte(chunkPrefix)
		if n.turned {
			index = slices.Clone(index)
			slices.Reverse(index)
		}
		for _, k := range index {
			key = strconv.AppendUint(append(key, '/'), k, 10)
		}
		keys = append(keys, store.Entry{Key: string(key), Size: size})
	}
	if n.mosaic != nil {
		return s.keysOfParts(ctx, n)
	}
	if n.letters {
		if slices.Contains(n.grid, 0) {
			return nil, nil
		}
		add(make([]uint64, len(n.grid)), int64(elements(n.d.Space.Shape))*int64(n.d.Type.Size))
		return keys, nil
	}
	if n.d.Layout.Class == hdf5.Chunked {
		err := n.d.Chunks(func(index []uint64, c hdf5.Chunk) bool {
			add(index, int64(c.Size)) // as stored; one that is made has another
			return ctx.Err() == nil && len(keys) <= maxKeys
		})
		if err == nil && len(keys) > maxKeys {
			err = fmt.Errorf("the array has more than %d chunks", maxKeys)
		}
		return keys, err
	}
	if _, ok := n.d.Offset(); n.plain && n.d.Layout.Class == hdf5.Contiguous && !ok {
		return nil, nil
	}
	if slices.Contains(n.grid, 0) || n.d.Space.Kind == hdf5.Null {
		return nil, nil
	}
	// A small file may claim any shape: nothing is listed of what is not there.
	if _, err := n.d.Check(); err != nil {
		return nil, err
	}
	count := uint64(1)
	for _, k := range n.grid {
		if count *= k; k > maxKeys || count > maxKeys {
			return nil, fmt.Errorf("the array has more than %d chunks", maxKeys)
		}
	}
	index := make([]uint64, len(n.grid))
	for {
		add(index, int64(elements(n.chunk)*uint64(n.d.Type.Size)))
		i := len(index) - 1
		for ; i >= 0; i-- {
			if index[i]++; index[i] < n.grid[i] {
				break
			}
			index[i] = 0
		}
		if i < 0 {
			return keys, ctx.Err()
		}
	}
}
