package plain

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// mostChunks is how many chunks of an array are listed.
const mostChunks = 1 << 20

// List yields what lies below a prefix. Names in a group are those that the source lists:
// some may turn out to be no nodes. Of the chunks of an array those are listed for which
// something is stored.
func (s *Store) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		err := store.CheckList(prefix, delimiter)
		if err == nil {
			_, err = s.list(ctx, prefix, delimiter, func(e store.Entry) bool { return yield(e, nil) })
		}
		if err != nil && !errors.Is(missing(err), store.ErrNotExist) {
			yield(store.Entry{}, s.wrap("list", prefix, err))
		}
	}
}

// list yields what lies below a prefix, and reports whether more is wanted.
func (s *Store) list(ctx context.Context, prefix, delimiter string, yield func(store.Entry) bool) (bool, error) {
	at := strings.TrimSuffix(prefix, "/")
	n, err := s.nodes.Node(ctx, "/"+at)
	if errors.Is(err, zarr.ErrNoNode) {
		return s.listInside(ctx, prefix, delimiter, yield)
	}
	if err != nil {
		return false, err
	}
	if a, ok := n.(*zarr.Array); ok {
		v, err := s.show(ctx, at, a)
		if err != nil {
			return false, err
		}
		return s.listChunks(ctx, v, prefix, delimiter, yield)
	}
	names, err := s.nodes.Names(ctx, "/"+at)
	if err != nil {
		return false, err
	}
	entries := make([]string, 0, len(names)+2)
	for _, name := range names {
		entries = append(entries, name+"/")
	}
	entries = append(entries, s.documents(groupName)...)
	slices.Sort(entries)
	for _, name := range entries {
		switch {
		case !strings.HasSuffix(name, "/") || delimiter != "":
			if !yield(store.Entry{Key: prefix + name, Size: -1, IsPrefix: strings.HasSuffix(name, "/")}) {
				return false, nil
			}
		default:
			more, err := s.list(ctx, prefix+name, delimiter, yield)
			if err != nil && !errors.Is(missing(err), store.ErrNotExist) || err == nil && !more {
				return false, err
			}
		}
	}
	return true, nil
}

// documents are the names of the documents of a node.
func (s *Store) documents(kind string) []string {
	if s.opt.Version == 3 {
		return []string{documentName}
	}
	return []string{kind, attributesName}
}

// listInside lists folders of chunks.
func (s *Store) listInside(ctx context.Context, prefix, delimiter string, yield func(store.Entry) bool) (bool, error) {
	for node := range s.owners(prefix + "0") {
		v, err := s.array(ctx, node)
		if err == nil && v.isChunk(strings.TrimPrefix(strings.TrimSuffix(prefix, "/")[len(node):], "/")) {
			return true, nil // nothing lies below a chunk, nor has all to be listed to know that
		}
		if err == nil {
			return s.listChunks(ctx, v, prefix, delimiter, yield)
		}
		if !errors.Is(err, zarr.ErrNoNode) && !errors.Is(err, zarr.ErrNotArray) {
			return false, err
		}
	}
	return true, nil
}

// isChunk reports whether a key below the array has the form of one of a chunk.
func (v *shown) isChunk(key string) bool {
	return v.doc.Keys.Parse(key, make([]int, len(v.doc.Shape)))
}

// listChunks lists an array, or a folder of its chunks.
func (s *Store) listChunks(ctx context.Context, v *shown, prefix, delimiter string, yield func(store.Entry) bool) (bool, error) {
	top := v.base()
	if top != "" {
		top += "/"
	}
	var keys []string
	if prefix == top && delimiter != "" && s.opt.Version == 3 && len(v.doc.Shape) > 0 {
		keys = append(keys, top+"c/0") // which says enough
	} else {
		var err error
		if keys, err = v.stored(ctx, top); err != nil {
			return false, err
		}
	}
	if prefix == top {
		for _, name := range s.documents(arrayName) {
			keys = append(keys, top+name)
		}
	}
	slices.Sort(keys)
	last := ""
	for _, key := range keys {
		rest, ok := strings.CutPrefix(key, prefix)
		if !ok {
			continue
		}
		e := store.Entry{Key: key, Size: -1}
		if name, _, deeper := strings.Cut(rest, "/"); deeper && delimiter != "" {
			e.Key, e.IsPrefix = prefix+name+"/", true
		}
		if e.Key != last && !yield(e) {
			return false, nil
		}
		last = e.Key
	}
	return true, nil
}

// stored gives the keys of the chunks that have something in the source.
func (v *shown) stored(ctx context.Context, top string) ([]string, error) {
	found := map[string]bool{}
	for info, err := range v.array.Stored(ctx) {
		if err != nil {
			return nil, err
		}
		first, count := make([]int, len(info.Index)), make([]int, len(info.Index))
		for i, start := range info.Box.Start {
			first[i] = v.doc.Grid.Find(i, start)
			count[i] = v.doc.Grid.Find(i, start+info.Box.Shape[i]-1) - first[i] + 1
		}
		index := make([]int, len(first))
		for at := make([]int, len(first)); ; {
			for i := range at {
				index[i] = first[i] + at[i]
			}
			found[top+string(v.doc.Keys.Append(nil, index))] = true
			if len(found) > mostChunks {
				return nil, fmt.Errorf("%w: more than %d chunks", store.ErrTooLarge, mostChunks)
			}
			if !nd.Next(at, count) {
				break
			}
		}
	}
	keys := make([]string, 0, len(found))
	for key := range found {
		keys = append(keys, key)
	}
	return keys, nil
}
