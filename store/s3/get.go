package s3

import (
	"context"
	"net/http"

	"github.com/omnizarr/zarr/internal/bucket"
	"github.com/omnizarr/zarr/store"
)

// Get asks for the whole value or a range of it.
func (s *Store) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	return s.get(ctx, key, "", r, dst)
}

// get is Get of the value that has an ETag, if one is given.
func (s *Store) get(ctx context.Context, key, etag string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if err := check(ctx, key); err != nil {
		return dst, store.Info{}, store.WrapError("get", s.url, key, err)
	}
	a := ask{method: http.MethodGet, key: key}
	if etag != "" {
		a.header = [4]string{"If-Match", etag}
	}
	out, info, err := s.client.Get(ctx, func(ctx context.Context, ranges string) (*http.Request, error) {
		return s.request(ctx, &a, ranges)
	}, r, dst)
	return out, info, store.WrapError("get", s.url, key, err)
}

// Open gives the value at key; that it is missing shows when it is read. All ranges are
// of one value: if it is replaced meanwhile, they are store.ErrChanged.
func (s *Store) Open(ctx context.Context, key string) (store.Object, error) {
	if err := check(ctx, key); err != nil {
		return nil, store.WrapError("open", s.url, key, err)
	}
	return bucket.Hold(func(ctx context.Context, tag string, r store.Range, dst []byte) ([]byte, store.Info, error) {
		return s.get(ctx, key, tag, r, dst)
	}, s.Concurrency(), func(err error) error { return store.WrapError("get", s.url, key, err) }), nil
}
