package s3

import (
	"context"
	"encoding/xml"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/store"
)

// page is a part of a listing.
type page struct {
	XMLName     xml.Name
	IsTruncated bool
	Token       string `xml:"NextContinuationToken"`
	Encoding    string `xml:"EncodingType"`
	Contents    []struct {
		Key  string
		Size int64
		ETag string
	}
	CommonPrefixes []struct{ Prefix string }
}

// pages yields a listing of the bucket below a prefix, with keys as they are.
func (s *Store) pages(ctx context.Context, prefix, delimiter string) iter.Seq2[*page, error] {
	return func(yield func(*page, error) bool) {
		q := url.Values{"list-type": {"2"}, "encoding-type": {"url"}}
		if prefix != "" {
			q.Set("prefix", prefix)
		}
		if delimiter != "" {
			q.Set("delimiter", delimiter)
		}
		for {
			p, err := s.page(ctx, q)
			if !yield(p, err) || err != nil || !p.IsTruncated {
				return
			}
			if p.Token == "" || p.Token == q.Get("continuation-token") {
				yield(nil, errors.New("server says that a listing goes on, and not where"))
				return
			}
			q.Set("continuation-token", p.Token)
		}
	}
}

func (s *Store) page(ctx context.Context, q url.Values) (*page, error) {
	a, err := s.client.Do(ctx, s.asking(&ask{method: http.MethodGet, query: q}), maxAnswer)
	if s.creds == nil && errors.As(err, new(*denied)) {
		return nil, s.unlisted.Refused(err)
	}
	if err != nil {
		return nil, err
	}
	p := new(page)
	if err := xml.Unmarshal(a.Body, p); err != nil || p.XMLName.Local != "ListBucketResult" {
		return nil, errors.New("server answers with something that is no listing")
	}
	if p.Encoding != "url" {
		return p, nil
	}
	for i := range p.Contents {
		if p.Contents[i].Key, err = url.QueryUnescape(p.Contents[i].Key); err != nil {
			return nil, errors.New("server lists a key that is not escaped right")
		}
	}
	for i := range p.CommonPrefixes {
		if p.CommonPrefixes[i].Prefix, err = url.QueryUnescape(p.CommonPrefixes[i].Prefix); err != nil {
			return nil, errors.New("server lists a prefix that is not escaped right")
		}
	}
	return p, nil
}

// List asks for pages of a thousand keys. Values whose names are no keys, such as those
// that stand for folders, are passed over.
func (s *Store) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		err := store.CheckList(prefix, delimiter)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			yield(store.Entry{}, store.WrapError("list", s.url, prefix, err))
			return
		}
		last := ""
		for p, err := range s.pages(ctx, s.prefix+prefix, delimiter) {
			var entries []store.Entry
			if err == nil {
				entries, err = s.entries(p, prefix)
			}
			if err == nil && len(entries) > 0 && entries[0].Key <= last && !store.IsNamesOnly(ctx) {
				err = errors.New("server does not list in order")
			}
			if err != nil {
				yield(store.Entry{}, store.WrapError("list", s.url, prefix, err))
				return
			}
			for _, e := range entries {
				if last = e.Key; !yield(e, nil) {
					return
				}
			}
		}
	}
}

// entries gives the keys and prefixes of a page in order.
func (s *Store) entries(p *page, prefix string) ([]store.Entry, error) {
	entries := make([]store.Entry, 0, len(p.Contents)+len(p.CommonPrefixes))
	for _, c := range p.Contents {
		key, ok := strings.CutPrefix(c.Key, s.prefix)
		if !ok || !strings.HasPrefix(key, prefix) {
			return nil, errors.New("server lists a key that was not asked for")
		}
		if store.CheckKey(key) == nil {
			entries = append(entries, store.Entry{Key: key, Size: c.Size, ETag: c.ETag})
		}
	}
	for _, c := range p.CommonPrefixes {
		key, ok := strings.CutPrefix(c.Prefix, s.prefix)
		if !ok || !strings.HasPrefix(key, prefix) {
			return nil, errors.New("server lists a prefix that was not asked for")
		}
		if store.CheckPrefix(key) == nil && key != "" {
			entries = append(entries, store.Entry{Key: key, Size: -1, IsPrefix: true})
		}
	}
	slices.SortFunc(entries, func(a, b store.Entry) int { return strings.Compare(a.Key, b.Key) })
	return entries, nil
}
