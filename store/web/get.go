package web

import (
	"context"
	"net/http"

	"github.com/omnizarr/zarr/internal/remote"
	"github.com/omnizarr/zarr/store"
)

// Get asks for the whole value or a range of it.
func (s *Store) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if store.CheckKey(key) != nil {
		return dst, store.Info{}, store.WrapError("get", s.url, key, store.ErrBadKey)
	}
	out, info, err := s.client.Get(ctx, func(ctx context.Context, ranges string) (*http.Request, error) {
		req := (&http.Request{
			Method: http.MethodGet, URL: s.keyURL(key), Host: s.base.Host, Header: s.opt.Header.Clone(),
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		}).WithContext(ctx)
		if req.Header == nil {
			req.Header = make(http.Header)
		}
		req.Header.Set("Accept-Encoding", "identity")
		if ranges != "" {
			req.Header.Set("Range", ranges)
		}
		return req, nil
	}, r, dst)
	return out, info, store.WrapError("get", s.url, key, err)
}

// explain says what a status means.
func (s *Store) explain(_ *http.Request, a *remote.Answer) error {
	if a.Status == http.StatusForbidden && s.opt.ForbiddenIsMissing {
		return store.ErrNotExist
	}
	return remote.Explain(a)
}
