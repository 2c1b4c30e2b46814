package zip

import (
	"context"

	"github.com/omnizarr/zarr/store"
)

// Locate tells which part of the archive a value is, if it is stored as it is.
// What was written since the archive was opened has no place yet.
func (s *Store) Locate(ctx context.Context, key string) (url string, off, length int64, err error) {
	off, length, err = s.locate(ctx, key)
	if err != nil {
		return "", 0, 0, store.WrapError("locate", s.url, key, err)
	}
	return s.url, off, length, nil
}

func (s *Store) locate(ctx context.Context, key string) (off, length int64, err error) {
	if store.CheckKey(key) != nil {
		return 0, 0, store.ErrBadKey
	}
	if err := s.enter(ctx); err != nil {
		return 0, 0, err
	}
	defer s.leave()
	e := s.find(key)
	switch {
	case e == nil:
		return 0, 0, store.ErrNotExist
	case e.fresh || e.encrypted || e.method != stored || e.csize != e.size:
		return 0, 0, store.ErrNoPlace
	}
	off, err = value{ctx, s.obj, key, e, s.limit}.data()
	return off, e.size, err
}
