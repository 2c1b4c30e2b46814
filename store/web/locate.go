package web

import (
	"context"

	"github.com/omnizarr/zarr/store"
)

// Locate tells the URL of a value, which it asks for to see that it is there. The
// query of the store's URL, which may be secret, is left out.
func (s *Store) Locate(ctx context.Context, key string) (url string, off, length int64, err error) {
	if _, _, err := s.Get(ctx, key, store.Part(0, 0), nil); err != nil {
		return "", 0, 0, store.WrapError("locate", s.url, key, err)
	}
	return store.JoinURL(s.url, key), 0, -1, nil
}
