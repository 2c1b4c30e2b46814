package s3

import (
	"context"
	"encoding/xml"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/omnizarr/zarr/store"
)

// abandoned is after which time an upload that was begun is none that somebody is at.
const abandoned = 24 * time.Hour

// uploadMark stands between the key of a value and the name of an upload of it.
const uploadMark = "?uploadId="

// Hidden yields uploads in parts that were begun long ago and never ended, as processes
// leave them that are killed: they are paid for, and nobody sees them.
func (s *Store) Hidden(ctx context.Context, prefix string) iter.Seq2[store.HiddenEntry, error] {
	return s.uploadsBefore(ctx, prefix, time.Now().Add(-abandoned))
}

// uploadsBefore yields the uploads below a prefix that were begun before a time. Whoever
// may not see them, or asks a server that has no such list, sees none.
func (s *Store) uploadsBefore(ctx context.Context, prefix string, before time.Time) iter.Seq2[store.HiddenEntry, error] {
	return func(yield func(store.HiddenEntry, error) bool) {
		if s.creds == nil {
			return
		}
		q := url.Values{"uploads": {""}, "encoding-type": {"url"}, "prefix": {s.prefix + prefix}}
		for {
			said, err := s.uploadPage(ctx, q)
			if err != nil {
				if !errors.As(err, new(*denied)) && !errors.Is(err, errNoBatch) && !errors.Is(err, store.ErrNotExist) {
					yield(store.HiddenEntry{}, store.WrapError("list", s.url, prefix, err))
				}
				return
			}
			for _, u := range said.Upload {
				key, ok := strings.CutPrefix(u.Key, s.prefix)
				if !ok || !strings.HasPrefix(key, prefix) || u.Initiated.IsZero() || !u.Initiated.Before(before) {
					continue
				}
				e := store.HiddenEntry{Key: key + uploadMark + url.QueryEscape(u.UploadId), Why: store.Temporary, Modified: u.Initiated}
				if store.CheckKey(e.Key) == nil && !yield(e, nil) {
					return
				}
			}
			if !said.IsTruncated || said.NextKeyMarker == q.Get("key-marker") && said.NextUploadIdMarker == q.Get("upload-id-marker") {
				return
			}
			q.Set("key-marker", said.NextKeyMarker)
			q.Set("upload-id-marker", said.NextUploadIdMarker)
		}
	}
}

// uploadPage is a part of a list of uploads.
type uploadPage struct {
	XMLName                           xml.Name
	IsTruncated                       bool
	NextKeyMarker, NextUploadIdMarker string
	EncodingType                      string
	Upload                            []struct {
		Key, UploadId string
		Initiated     time.Time
	}
}

// uploadPage asks for a part of the list.
func (s *Store) uploadPage(ctx context.Context, q url.Values) (*uploadPage, error) {
	a, err := s.client.Do(ctx, s.asking(&ask{method: http.MethodGet, query: q}), maxAnswer)
	if err != nil {
		return nil, err
	}
	said := new(uploadPage)
	if xml.Unmarshal(a.Body, said) != nil || said.XMLName.Local != "ListMultipartUploadsResult" {
		return nil, errNoBatch
	}
	for i := range said.Upload {
		if said.EncodingType == "url" {
			if said.Upload[i].Key, err = url.QueryUnescape(said.Upload[i].Key); err != nil {
				return nil, errors.New("server lists a name that is not escaped right")
			}
		}
	}
	if said.EncodingType == "url" {
		if said.NextKeyMarker, err = url.QueryUnescape(said.NextKeyMarker); err != nil {
			return nil, errors.New("server lists a name that is not escaped right")
		}
	}
	return said, nil
}

// Sweep gives up an upload that Hidden gave.
func (s *Store) Sweep(ctx context.Context, key string) error {
	at := strings.LastIndex(key, uploadMark)
	if at < 0 {
		return store.WrapError("delete", s.url, key, store.ErrBadKey)
	}
	id, err := url.QueryUnescape(key[at+len(uploadMark):])
	if err == nil {
		err = s.checkWrite(ctx, key[:at])
	}
	if err == nil {
		err = (&upload{s: s, key: key[:at], id: id}).abort(ctx)
	}
	return store.WrapError("delete", s.url, key, err)
}
