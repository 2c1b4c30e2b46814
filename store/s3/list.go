package s3

import (
	"context"
	"encoding/xml"
	"errors"
	"iter"
	"net/http"
	"net/url"

	"github.com/omnizarr/zarr/internal/bucket"
	"github.com/omnizarr/zarr/store"
)

// List asks for pages of a thousand keys.
func (s *Store) List(ctx context.Context, prefix, delimiter string) iter.Seq2[store.Entry, error] {
	return bucket.List(ctx, s.url, s.prefix, prefix, delimiter, s.page)
}

// page asks for a part of a listing.
func (s *Store) page(ctx context.Context, prefix, delimiter, mark string) (bucket.Page, error) {
	q := url.Values{"list-type": {"2"}, "encoding-type": {"url"}}
	for name, v := range map[string]string{"prefix": prefix, "delimiter": delimiter, "continuation-token": mark} {
		if v != "" {
			q.Set(name, v)
		}
	}
	a, err := s.client.Do(ctx, s.asking(&ask{method: http.MethodGet, query: q}), maxAnswer)
	if s.creds == nil && errors.As(err, new(*denied)) {
		return bucket.Page{}, s.unlisted.Refused(err)
	}
	if err != nil {
		return bucket.Page{}, err
	}
	var said struct {
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
	if err := xml.Unmarshal(a.Body, &said); err != nil || said.XMLName.Local != "ListBucketResult" {
		return bucket.Page{}, errors.New("server answers with something that is no listing")
	}
	var p bucket.Page
	if said.IsTruncated {
		if p.Next = said.Token; p.Next == "" {
			return p, errors.New("server says that a listing goes on, and not where")
		}
	}
	for _, c := range said.Contents {
		p.Entries = append(p.Entries, store.Entry{Key: c.Key, Size: c.Size, ETag: c.ETag})
	}
	for _, c := range said.CommonPrefixes {
		p.Entries = append(p.Entries, store.Entry{Key: c.Prefix, Size: -1, IsPrefix: true})
	}
	for i := range p.Entries {
		if said.Encoding != "url" {
			break
		}
		if p.Entries[i].Key, err = url.QueryUnescape(p.Entries[i].Key); err != nil {
			return p, errors.New("server lists a name that is not escaped right")
		}
	}
	return p, nil
}
