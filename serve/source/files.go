package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

// Files are the values of the source as they are stored, for reading: those below the
// folder that it is, or one under the name of the file.
func (s *Source) Files(ctx context.Context) (store.Store, error) {
	p, _, err := s.find(ctx, "")
	if err != nil {
		if files := s.bareFiles(ctx, err); files != nil {
			return files, nil
		}
		return nil, err
	}
	files, err := p.asStored(ctx)
	return files, s.failed("", err)
}

// bareFiles are those of a source that cannot be opened, as one with a damaged document, which
// are there all the same; nil if not even they are.
func (s *Source) bareFiles(ctx context.Context, why error) store.Store {
	if s.given != nil || ctx.Err() != nil || errors.Is(why, zarr.ErrNoNode) || errors.Is(why, fs.ErrNotExist) || errors.Is(why, zarr.ErrNotAllowed) {
		return nil
	}
	s.bareLock.Lock()
	defer s.bareLock.Unlock()
	if s.bare != nil {
		return s.bare
	}
	where, err := openOne(ctx, s.url, s.set)
	if err == nil {
		s.bare, s.bareAt = where.Store, where
		return s.bare
	}
	if where, err = zarr.Find(ctx, s.url, s.set.opt.Open...); err != nil {
		return nil
	}
	sub, err := store.Sub(where.Store, where.Path)
	if err != nil {
		where.Close()
		return nil
	}
	s.bare, s.bareAt = store.ReadOnly(sub), where
	return s.bare
}

// asStored opens the values of the place, once.
func (p *place) asStored(ctx context.Context) (store.Store, error) {
	done, err := p.alone(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if p.files != nil {
		return p.files, nil
	}
	var where locate.Location
	switch {
	case p.source.given != nil && p.isFile():
		return nil, fmt.Errorf("what lies inside a file has no files of its own: %w", errors.ErrUnsupported)
	case p.source.given != nil:
		where = locate.Location{Store: translate.Raw(p.source.given.Store()), Path: p.source.given.Path()}
	case p.isFile():
		if where, err = openOne(ctx, p.url, p.source.set); err == nil {
			p.files, p.filesAt = where.Store, where
			return p.files, nil
		}
	default:
		where, err = zarr.Find(ctx, p.url, p.source.set.opt.Open...)
	}
	if err != nil {
		return nil, err
	}
	sub, err := store.Sub(where.Store, where.Path)
	if err != nil {
		return nil, err
	}
	p.files = store.ReadOnly(sub)
	if p.source.given == nil {
		p.filesAt = where
	}
	return p.files, nil
}

// oneFile is the name of the format that openOne opens files in: as they are.
const oneFile = "file"

// openOne opens the file that a URL names, or leads into, as a store with one value: it
// is at the location's path.
func openOne(ctx context.Context, url string, set *Set) (locate.Location, error) {
	known := set.opt.Formats.Clone()
	var key string
	known.Register(&format.Format{Name: oneFile, Title: "a file", File: &format.File{
		Starts: func([]byte) bool { return true },
		Open: func(_ context.Context, s store.Store, at string, _ format.Env) (store.Store, error) {
			key = at
			return one{store.ReadOnly(s), at}, nil
		},
	}})
	base, _, _ := strings.Cut(url, "|")
	l, err := zarr.Find(ctx, base, append(append([]zarr.Option{}, set.opt.Open...), zarr.Formats(known), zarr.As(oneFile))...)
	l.Path = key
	return l, err
}

// one is a store of which one value is shown.
type one struct {
	store.Store
	key string
}

func (o one) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if key != o.key {
		return dst, store.Info{}, store.WrapError("get", o.URL(), key, store.ErrNotExist)
	}
	return o.Store.Get(ctx, key, r, dst)
}

// Open holds it open.
func (o one) Open(ctx context.Context, key string) (store.Object, error) {
	if key != o.key {
		return nil, store.WrapError("open", o.URL(), key, store.ErrNotExist)
	}
	return store.Open(ctx, o.Store, key)
}

// List yields it.
func (o one) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		if err := store.CheckList(prefix, delimiter); err != nil {
			yield(store.Entry{}, store.WrapError("list", o.URL(), prefix, err))
			return
		}
		if prefix != "" {
			return
		}
		_, info, err := o.Store.Get(ctx, o.key, store.Suffix(0), nil)
		if err != nil {
			yield(store.Entry{}, err)
			return
		}
		yield(store.Entry{Key: o.key, Size: info.Size, ETag: info.ETag}, nil)
	}
}
