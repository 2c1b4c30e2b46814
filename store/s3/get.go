package s3

import (
	"context"
	"net/http"
	"sync/atomic"

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
	return &object{s: s, key: key}, nil
}

// object is a value of which the first answer decides which one it is.
type object struct {
	s    *Store
	key  string
	etag atomic.Pointer[string]
}

func (o *object) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := o.s.get(ctx, o.key, o.Tag(), r, dst)
	if err != nil || info.ETag == "" {
		return out, info, err
	}
	// Two first answers may come at once; and a server may not know conditions.
	if o.etag.CompareAndSwap(nil, &info.ETag); o.Tag() != info.ETag {
		return dst, store.Info{}, store.WrapError("get", o.s.url, o.key, store.ErrChanged)
	}
	return out, info, nil
}

// Tag is the ETag of the value, "" before anything was read.
func (o *object) Tag() string {
	if tag := o.etag.Load(); tag != nil {
		return *tag
	}
	return ""
}

// Concurrency lets a store inside the object, such as an archive, ask.
func (o *object) Concurrency() int { return o.s.Concurrency() }

func (*object) Close() error { return nil }
