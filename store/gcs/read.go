package gcs

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/omnizarr/zarr/internal/bucket"
	"github.com/omnizarr/zarr/store"
)

// Get asks for the whole value or a range of it.
func (s *Store) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	return s.get(ctx, key, "", r, dst)
}

// get asks for a value of the given generation, or any if that is "".
func (s *Store) get(ctx context.Context, key, tag string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if err := check(ctx, key); err != nil {
		return dst, store.Info{}, store.WrapError("get", s.url, key, err)
	}
	path, raw := s.object(s.place.Prefix + key)
	query := "alt=media"
	if tag != "" {
		query += "&ifGenerationMatch=" + url.QueryEscape(tag)
	}
	out, info, err := s.client.Get(ctx, func(ctx context.Context, ranges string) (*http.Request, error) {
		q, err := s.request(ctx, http.MethodGet, path, raw, query)
		if err == nil && ranges != "" {
			q.Header.Set("Range", ranges)
		}
		return q, err
	}, r, dst)
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", s.url, key, err)
	}
	return out, info, nil
}

// Open holds the value that is there when it is first read.
func (s *Store) Open(ctx context.Context, key string) (store.Object, error) {
	wrap := func(err error) error { return store.WrapError("get", s.url, key, err) }
	if err := check(ctx, key); err != nil {
		return nil, store.WrapError("open", s.url, key, err)
	}
	return bucket.Hold(func(ctx context.Context, tag string, r store.Range, dst []byte) ([]byte, store.Info, error) {
		return s.get(ctx, key, tag, r, dst)
	}, s.Concurrency(), wrap), nil
}

// List asks for page after page.
func (s *Store) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return bucket.List(ctx, s.url, s.place.Prefix, prefix, delimiter, s.page)
}

func (s *Store) page(ctx context.Context, prefix, delimiter, mark string) (bucket.Page, error) {
	q := url.Values{"fields": {"items(name,size,generation),prefixes,nextPageToken"}}
	for name, v := range map[string]string{"prefix": prefix, "delimiter": delimiter, "pageToken": mark} {
		if v != "" {
			q.Set(name, v)
		}
	}
	query, path := q.Encode(), "/storage/v1/b/"+s.place.Bucket+"/o"
	a, err := s.client.Do(ctx, func(ctx context.Context, _ string) (*http.Request, error) {
		return s.request(ctx, http.MethodGet, path, "/storage/v1/b/"+url.PathEscape(s.place.Bucket)+"/o", query)
	}, maxAnswer)
	if s.tokens == nil && errors.As(err, new(denied)) {
		return bucket.Page{}, s.unlisted.Refused(err)
	}
	if err != nil {
		return bucket.Page{}, noBucket(err)
	}
	var said struct {
		Items         []resource
		Prefixes      []string
		NextPageToken string
	}
	if json.Unmarshal(a.Body, &said) != nil {
		return bucket.Page{}, errors.New("the listing cannot be read")
	}
	p := bucket.Page{Next: said.NextPageToken}
	for _, o := range said.Items {
		p.Entries = append(p.Entries, store.Entry{Key: o.Name, Size: o.size(), ETag: o.Generation})
	}
	for _, name := range said.Prefixes {
		p.Entries = append(p.Entries, store.Entry{Key: name, Size: -1, IsPrefix: true})
	}
	return p, nil
}

// resource is what the service says of a value.
type resource struct {
	Name       string
	Generation string
	Size       string
	CRC32C     string
	Metadata   map[string]string
}

func (o resource) size() int64 {
	if n, err := strconv.ParseInt(o.Size, 10, 64); err == nil && n >= 0 {
		return n
	}
	return -1
}

func (o resource) info() store.Info { return store.Info{Size: o.size(), ETag: o.Generation} }
