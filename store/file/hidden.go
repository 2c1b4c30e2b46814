package file

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/omnizarr/zarr/store"
)

// Hidden yields what List passes over. It does not go through links: what they lead to
// inside the store is found where it is.
func (s *Store) Hidden(ctx context.Context, prefix string) iter.Seq2[store.HiddenEntry, error] {
	return func(yield func(store.HiddenEntry, error) bool) {
		dir := strings.TrimSuffix(prefix, "/")
		err := store.CheckList(prefix, "")
		if err == nil && dir != "" && (reserved(dir) || !systemKey(dir)) {
			err = store.ErrBadKey
		}
		if err != nil {
			yield(store.HiddenEntry{}, store.WrapError("list", s.url, prefix, err))
			return
		}
		s.hidden(ctx, dir, yield)
	}
}

func (s *Store) hidden(ctx context.Context, dir string, yield func(store.HiddenEntry, error) bool) bool {
	found, folders, err := s.hiddenIn(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) || notDir(err) {
		return true
	}
	if err != nil {
		yield(store.HiddenEntry{}, store.WrapError("list", s.url, dir, err))
		return false
	}
	for _, e := range found {
		if !yield(e, nil) {
			return false
		}
	}
	for _, f := range folders {
		if !s.hidden(ctx, f, yield) {
			return false
		}
	}
	return true
}

// hiddenIn looks into one folder, and says which folders are in it.
func (s *Store) hiddenIn(ctx context.Context, dir string) (found []store.HiddenEntry, folders []string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if err := s.hold(); err != nil {
		return nil, nil, err
	}
	defer s.leave()
	nodes, err := s.b.readDir(dir)
	if err != nil {
		return nil, nil, err
	}
	nodes = slices.DeleteFunc(nodes, func(n node) bool { return n.mode.IsRegular() && !reservedName(n.name) })
	slices.SortFunc(nodes, func(a, b node) int { return strings.Compare(a.name, b.name) })
	for _, n := range nodes {
		key := within(dir, n.name)
		e := store.HiddenEntry{Key: key}
		switch {
		case n.mode.IsDir():
			folders = append(folders, key)
			continue
		case reservedName(n.name):
			e.Why, e.Owner = store.Temporary, ownerOf(n.name)
		case n.mode&fs.ModeSymlink == 0:
			e.Why = store.NoFile
		default:
			_, err := s.b.stat(key)
			if err == nil {
				continue
			}
			e.Why = store.LeadsOut
			if errors.Is(err, fs.ErrNotExist) {
				e.Why = store.LeadsNowhere
			}
			e.Target, _ = s.b.readlink(key) // "" is as much as can be said
		}
		if e.Modified, err = s.modified(dir, n.name); errors.Is(err, fs.ErrNotExist) {
			continue // gone meanwhile
		} else if err != nil {
			return nil, nil, err
		}
		found = append(found, e)
	}
	return found, folders, nil
}

func (s *Store) modified(dir, name string) (time.Time, error) {
	d, err := s.b.folder(dir)
	if err != nil {
		return time.Time{}, err
	}
	defer d.close()
	t, err := d.stat(name)
	return time.Unix(0, t.mtime), err
}

// Sweep removes a file that a writer has left. A writer that is still at it begins
// anew.
func (s *Store) Sweep(ctx context.Context, key string) error {
	dir, name := split(key)
	err := ctx.Err()
	if err == nil && (store.CheckKey(key) != nil || !reservedName(name) || dir != "" && (reserved(dir) || !systemKey(dir))) {
		err = store.ErrBadKey
	}
	if err == nil {
		err = s.hold()
	}
	if err != nil {
		return store.WrapError("delete", s.url, key, err)
	}
	defer s.leave()
	if err := s.deleteFile(ctx, key, ""); !errors.Is(err, fs.ErrNotExist) && !notDir(err) {
		return store.WrapError("delete", s.url, key, err)
	}
	return nil
}
