package file

import (
	"context"

	"github.com/omnizarr/zarr/store"
)

// Locate tells which file a value is, wholly.
func (s *Store) Locate(ctx context.Context, key string) (url string, off, length int64, err error) {
	if err = ctx.Err(); err == nil {
		err = s.enter(key)
	}
	if err == nil {
		err = s.exists(key)
		s.leave()
	}
	if err != nil {
		return "", 0, 0, store.WrapError("locate", s.url, key, err)
	}
	return store.JoinURL(s.url, key), 0, -1, nil
}

func (s *Store) exists(key string) error {
	fi, err := s.b.stat(key)
	if notDir(err) || err == nil && !fi.Mode().IsRegular() {
		return store.ErrNotExist
	}
	return err
}
