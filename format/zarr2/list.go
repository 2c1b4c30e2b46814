package zarr2

import (
	"context"
	"iter"
	"path"
	"slices"

	"github.com/omnizarr/zarr/store"
)

// List yields what lies below prefix, with zarr.json in place of the documents of
// Zarr v2.
func (s *Store) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	if s.mode == Three {
		return s.Store.List(ctx, prefix, delimiter)
	}
	return func(yield func(store.Entry, error) bool) {
		l := listing{yield: yield}
		for e, err := range s.Store.List(ctx, prefix, delimiter) {
			if err != nil {
				yield(e, err)
				return
			}
			dir, name := path.Split(e.Key)
			document := false
			switch name {
			case arrayName, groupName:
				l.due = append(l.due, dir+documentName)
				document = true
			case attributesName, consolidatedName:
				document = true
			case documentName:
				document = s.mode == Two
			}
			if !l.before(e.Key) || !document && !l.entry(e) {
				return
			}
		}
		l.before("")
	}
}

// listing yields entries and, where their turn comes, the documents that stand
// for those of Zarr v2.
type listing struct {
	yield func(store.Entry, error) bool
	due   []string // zarr.json keys that have not come yet
	last  string   // the key that was yielded last
}

// before yields the documents whose keys come before key; "" is behind all.
func (l *listing) before(key string) bool {
	slices.Sort(l.due)
	for len(l.due) > 0 && (key == "" || l.due[0] < key) {
		e := store.Entry{Key: l.due[0], Size: -1}
		l.due = l.due[1:]
		if !l.entry(e) {
			return false
		}
	}
	return true
}

// entry yields an entry unless a real zarr.json has the same key.
func (l *listing) entry(e store.Entry) bool {
	if e.Key == l.last {
		return true
	}
	l.last = e.Key
	l.due = slices.DeleteFunc(l.due, func(key string) bool { return key == e.Key })
	return l.yield(e, nil)
}
