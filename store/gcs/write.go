package gcs

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/internal/bucket"
	"github.com/omnizarr/zarr/internal/remote"
	"github.com/omnizarr/zarr/store"
)

// mark is the name of metadata by which a conditional Put knows its own value again.
const mark = "omnizarr-put"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Put stores a value, with its checksum, so that the service takes it as it is or not at
// all.
func (s *Store) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	err := s.checkWrite(ctx, key)
	var u *upload
	if err == nil {
		u, err = s.upload(key, opt)
	}
	var info store.Info
	if err == nil {
		if len(data) >= s.large {
			info, err = u.again(ctx, data)
		} else {
			info, err = u.whole(ctx, data)
		}
		if u.mark != "" && errors.Is(err, store.ErrPrecondition) {
			info, err = u.mine(ctx, data)
		}
	}
	if err != nil {
		return store.Info{}, store.WrapError("put", s.url, key, noBucket(err))
	}
	return info, nil
}

// PutFrom stores what r gives, a piece at a time.
func (s *Store) PutFrom(ctx context.Context, key string, r io.Reader, size int64) (store.Info, error) {
	err := s.checkWrite(ctx, key)
	var u *upload
	if err == nil {
		u, err = s.upload(key, store.PutOptions{})
	}
	var info store.Info
	if err == nil {
		pieces, room := bucket.NewPieces(r, size), int64(s.piece)
		if size >= 0 {
			room = min(room, max(size, 1))
		}
		buf := make([]byte, room)
		var first []byte
		var last bool
		if first, last, err = pieces.Next(buf); err == nil && last {
			info, err = u.whole(ctx, first)
		} else if err == nil {
			info, err = u.pieces(ctx, func(n int) ([]byte, bool, error) {
				if n == 0 {
					return first, last, nil
				}
				return pieces.Next(buf)
			})
		}
	}
	if err != nil {
		return store.Info{}, store.WrapError("put", s.url, key, noBucket(err))
	}
	return info, nil
}

// upload is a value on its way.
type upload struct {
	s     *Store
	name  string
	query url.Values // conditions
	mark  string     // "" without conditions
}

func (s *Store) upload(key string, opt store.PutOptions) (*upload, error) {
	u := &upload{s: s, name: s.place.Prefix + key, query: url.Values{}}
	if opt.IfAbsent {
		u.query.Set("ifGenerationMatch", "0")
	}
	if opt.IfMatch != "" {
		// Other tags than generations are none that a value can have.
		if n, err := strconv.ParseUint(opt.IfMatch, 10, 63); err != nil || n == 0 || opt.IfAbsent {
			return nil, store.ErrPrecondition
		}
		u.query.Set("ifGenerationMatch", opt.IfMatch)
	}
	if len(u.query) > 0 {
		u.mark = rand.Text()
	}
	return u, nil
}

// head is what the service is told of the value.
func (u *upload) head(sum string) []byte {
	said := map[string]any{"name": u.name, "contentType": "application/octet-stream"}
	if sum != "" {
		said["crc32c"] = sum
	}
	if u.mark != "" {
		said["metadata"] = map[string]string{mark: u.mark}
	}
	b, _ := json.Marshal(said)
	return b
}

func (u *upload) request(ctx context.Context, kind string) (*http.Request, error) {
	q := url.Values{"uploadType": {kind}, "name": {u.name}, "fields": {"generation,size,crc32c"}}
	for name, v := range u.query {
		q[name] = v
	}
	const head = "/upload/storage/v1/b/"
	return u.s.request(ctx, http.MethodPost, head+u.s.place.Bucket+"/o", head+url.PathEscape(u.s.place.Bucket)+"/o", q.Encode())
}

// whole sends a value in one request, of two parts: what it is, and its bytes.
func (u *upload) whole(ctx context.Context, data []byte) (store.Info, error) {
	sum, limit := checksum(crc32.Checksum(data, castagnoli)), rand.Text()
	head := fmt.Appendf(nil, "--%s\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n%s\r\n--%s\r\nContent-Type: application/octet-stream\r\n\r\n",
		limit, u.head(sum), limit)
	tail := []byte("\r\n--" + limit + "--\r\n")
	var info store.Info
	err := u.s.client.Retry(ctx, func(ctx context.Context) error {
		a, err := u.s.client.Once(ctx, func(ctx context.Context, _ string) (*http.Request, error) {
			r, err := u.request(ctx, "multipart")
			if err == nil {
				r.Header.Set("Content-Type", "multipart/related; boundary="+limit)
				body(r, head, data, tail)
			}
			return r, err
		}, maxAnswer)
		if err == nil {
			info, err = stored(a.Body, int64(len(data)), sum)
		}
		return err
	})
	return info, err
}

// stored looks at what the service says it has stored.
func stored(answer []byte, size int64, sum string) (store.Info, error) {
	var o resource
	if json.Unmarshal(answer, &o) != nil || o.Generation == "" {
		return store.Info{}, errors.New("server does not say what it stored")
	}
	if o.size() != size || o.CRC32C != sum {
		return store.Info{}, remote.Passing(errors.New("server stored other bytes than it was sent"), 0)
	}
	return o.info(), nil
}

// mine looks whether the value that is in the way of a conditional Put is the one that it
// put itself, when the answer to that was lost.
func (u *upload) mine(ctx context.Context, data []byte) (store.Info, error) {
	o, err := u.about(ctx)
	if errors.Is(err, store.ErrNotExist) {
		return store.Info{}, store.ErrPrecondition
	} else if err != nil {
		return store.Info{}, err
	}
	if o.Metadata[mark] != u.mark || o.size() != int64(len(data)) || o.CRC32C != checksum(crc32.Checksum(data, castagnoli)) {
		return store.Info{}, store.ErrPrecondition
	}
	return o.info(), nil
}

// about asks what is stored at the place of the value.
func (u *upload) about(ctx context.Context) (o resource, err error) {
	path, raw := u.s.object(u.name)
	a, err := u.s.client.Do(ctx, func(ctx context.Context, _ string) (*http.Request, error) {
		return u.s.request(ctx, http.MethodGet, path, raw, "fields=generation,size,crc32c,metadata")
	}, maxAnswer)
	if err == nil && json.Unmarshal(a.Body, &o) != nil {
		err = errors.New("server does not say what it stored")
	}
	return o, err
}

// checksum is a CRC-32C as the service spells it.
func checksum(crc uint32) string {
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc))
}

// Delete removes a value, or with "/" at the end all that lie below.
func (s *Store) Delete(ctx context.Context, key string) error {
	name, tree := strings.CutSuffix(key, "/")
	err := s.checkWrite(ctx, name)
	switch {
	case err != nil:
	case tree:
		err = bucket.DeleteAll(ctx, s.place.Prefix+key, s.page, s.Concurrency(), 1, func(ctx context.Context, one []store.Entry) error { return s.remove(ctx, one[0].Key) })
	default:
		err = s.remove(ctx, s.place.Prefix+key)
	}
	return store.WrapError("delete", s.url, key, err)
}

func (s *Store) remove(ctx context.Context, name string) error {
	path, raw := s.object(name)
	_, err := s.client.Do(ctx, func(ctx context.Context, _ string) (*http.Request, error) {
		return s.request(ctx, http.MethodDelete, path, raw, "")
	}, maxAnswer)
	if errors.Is(err, store.ErrNotExist) {
		return nil
	}
	return err
}

// noBucket is for requests that need no value: only the bucket can be missing.
func noBucket(err error) error {
	if errors.Is(err, store.ErrNotExist) {
		return errBucket
	}
	return err
}
