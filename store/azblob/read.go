package azblob

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/internal/bucket"
	"github.com/omnizarr/zarr/internal/remote"
	"github.com/omnizarr/zarr/store"
)

// Get asks for the whole value or a range of it. The service knows no ranges that count
// from the end: for those it is asked how large the value is before.
func (s *Store) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	return s.get(ctx, key, "", r, dst)
}

// get asks for a value of the given tag, or any if that is "".
func (s *Store) get(ctx context.Context, key, tag string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	err := check(ctx, key)
	out, info := dst, store.Info{}
	if n, ok := r.IsSuffix(); err == nil && ok && n > 0 {
		out, info, err = s.suffix(ctx, key, tag, n, dst)
	} else if err == nil {
		out, info, err = s.client.Get(ctx, s.reader(key, tag), r, dst)
	}
	if err != nil {
		return dst, store.Info{}, store.WrapError("get", s.url, key, err)
	}
	return out, info, nil
}

func (s *Store) reader(key, tag string) remote.Request {
	name := s.place.Prefix + key
	return func(ctx context.Context, ranges string) (*http.Request, error) {
		h := make(http.Header, 2)
		if ranges != "" {
			h.Set("Range", ranges)
		}
		if tag != "" {
			h.Set("If-Match", tag)
		}
		return s.request(ctx, ask{method: http.MethodGet, name: name, header: h})
	}
}

// suffix asks for the last n bytes of a value: how large it is, unless that is known, and
// then for a part of the very value that it was said of.
func (s *Store) suffix(ctx context.Context, key, tag string, n int64, dst []byte) ([]byte, store.Info, error) {
	info, known := s.sizes.of(key)
	known = known && (tag == "" || tag == info.ETag)
	for try := 0; ; try++ {
		if !known {
			var err error
			if _, info, err = s.client.Get(ctx, s.reader(key, tag), store.Part(0, 0), nil); err != nil {
				return dst, info, err
			}
		}
		out, got, err := dst, info, error(nil)
		if last := min(n, info.Size); last > 0 || known {
			out, got, err = s.client.Get(ctx, s.reader(key, info.ETag), store.Part(info.Size-last, last), dst)
		}
		if tag != "" || try == replaced || !errors.Is(err, store.ErrPrecondition) {
			if err == nil {
				s.sizes.note(key, got)
			}
			return out, got, err
		}
		known = false
	}
}

// replaced is how often a value may be replaced between its size and its end.
const replaced = 8

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

// name is that of a value, which is spelled otherwise where XML could not hold it.
type name struct {
	Encoded bool   `xml:"Encoded,attr"`
	Text    string `xml:",chardata"`
}

func (n name) text() (string, error) {
	if !n.Encoded {
		return n.Text, nil
	}
	return url.PathUnescape(n.Text)
}

// page gives a page; of an account that has folders all pages at once, since their order
// is not that of names.
func (s *Store) page(ctx context.Context, prefix, delimiter, mark string) (bucket.Page, error) {
	p, folders, err := s.some(ctx, prefix, delimiter, mark)
	for err == nil && folders && p.Next != "" && p.Next != mark {
		var more bucket.Page
		mark = p.Next
		more, _, err = s.some(ctx, prefix, delimiter, mark)
		p = bucket.Page{Entries: append(p.Entries, more.Entries...), Next: more.Next}
	}
	return p, err
}

func (s *Store) some(ctx context.Context, prefix, delimiter, mark string) (p bucket.Page, folders bool, err error) {
	q := url.Values{"restype": {"container"}, "comp": {"list"}}
	for name, v := range map[string]string{"prefix": prefix, "delimiter": delimiter, "marker": mark} {
		if v != "" {
			q.Set(name, v)
		}
	}
	a, err := s.do(ctx, ask{method: http.MethodGet, query: q})
	// Of a container whose values alone are public it says that there is no such resource.
	if s.anonymous() && errors.Is(err, store.ErrNotExist) {
		err = &refusal{denied, errors.New("the list of its values is not public")}
	}
	if isCode(err, denied) {
		return p, false, s.unlisted.Refused(err)
	}
	if err != nil {
		return p, false, noContainer(err)
	}
	var said struct {
		Blobs struct {
			Blob []struct {
				Name       name
				Properties struct {
					Etag         string
					Size         string `xml:"Content-Length"`
					ResourceType string
				}
			}
			BlobPrefix []struct{ Name name }
		}
		NextMarker string
	}
	if err := xml.Unmarshal(a.Body, &said); err != nil {
		return p, false, fmt.Errorf("%w: %w", errListing, err)
	}
	p.Next = said.NextMarker
	for _, b := range said.Blobs.Blob {
		key, err := b.Name.text()
		if err != nil {
			return p, false, errListing
		}
		folders = folders || b.Properties.ResourceType != ""
		if b.Properties.ResourceType == "directory" {
			p.Entries = append(p.Entries, store.Entry{Key: key + "/", Size: -1, IsPrefix: true})
			continue
		}
		size, err := strconv.ParseInt(b.Properties.Size, 10, 64)
		if err != nil {
			size = -1
		}
		p.Entries = append(p.Entries, store.Entry{Key: key, Size: size, ETag: quoted(b.Properties.Etag)})
	}
	for _, b := range said.Blobs.BlobPrefix {
		key, err := b.Name.text()
		if err != nil {
			return p, false, errListing
		}
		p.Entries = append(p.Entries, store.Entry{Key: key, Size: -1, IsPrefix: true})
	}
	return p, folders, nil
}

var errListing = errors.New("the listing cannot be read")

// quoted is a tag as answers have it: listings leave the quotation marks out.
func quoted(tag string) string {
	if tag == "" || strings.HasPrefix(tag, `"`) {
		return tag
	}
	return `"` + tag + `"`
}

// noContainer is for requests that need no value: only the container can be missing.
func noContainer(err error) error {
	if errors.Is(err, store.ErrNotExist) {
		return errContainer
	}
	return err
}
