package s3

import (
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/omnizarr/zarr/internal/bucket"
	"github.com/omnizarr/zarr/internal/remote"
	"github.com/omnizarr/zarr/store"
)

// Delete removes a key, or all below a prefix, a thousand at a time.
func (s *Store) Delete(ctx context.Context, key string) error {
	prefix, tree := strings.CutSuffix(key, "/")
	err := s.checkWrite(ctx, prefix)
	if err == nil && tree {
		err = bucket.DeleteAll(ctx, s.prefix+key, s.page, 8, 1000, s.deleteSome)
	} else if err == nil {
		err = s.deleteOne(ctx, s.prefix+key)
	}
	return store.WrapError("delete", s.url, key, err)
}

// deleteOne removes a value of the bucket.
func (s *Store) deleteOne(ctx context.Context, key string) error {
	_, err := s.client.Do(ctx, s.asking(&ask{method: http.MethodDelete, key: key, whole: true}), maxAnswer)
	if errors.Is(err, store.ErrNotExist) {
		return nil
	}
	return err
}

// deleteSome removes values of the bucket by one request, those that XML cannot name by
// one each.
func (s *Store) deleteSome(ctx context.Context, some []store.Entry) error {
	type object struct{ Key string }
	var list struct {
		XMLName xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ Delete"`
		Quiet   bool
		Object  []object
	}
	list.Quiet = true
	var alone []string
	for _, e := range some {
		if inXML(e.Key) {
			list.Object = append(list.Object, object{e.Key})
		} else {
			alone = append(alone, e.Key)
		}
	}
	if len(list.Object) > 0 {
		body, err := xml.Marshal(list)
		if err != nil {
			return err
		}
		err = s.client.Retry(ctx, func(ctx context.Context) error { return s.deleteBatch(ctx, body) })
		if errors.Is(err, errNoBatch) {
			for _, o := range list.Object {
				alone = append(alone, o.Key)
			}
		} else if err != nil {
			return err
		}
	}
	one, within := errgroup.WithContext(ctx)
	one.SetLimit(s.Concurrency())
	for _, key := range alone {
		one.Go(func() error { return s.deleteOne(within, key) })
	}
	return one.Wait()
}

// deleteBatch is one try to remove keys.
func (s *Store) deleteBatch(ctx context.Context, body []byte) error {
	sum := md5.Sum(body)
	a := ask{
		method: http.MethodPost, query: url.Values{"delete": {""}},
		header: [4]string{"Content-Md5", base64.StdEncoding.EncodeToString(sum[:])},
	}.hashed(body)
	answer, err := s.client.Once(ctx, s.asking(&a), maxAnswer)
	if err != nil {
		return err
	}
	var result struct {
		XMLName xml.Name
		Error   []struct{ Key, Code, Message string }
	}
	if err := xml.Unmarshal(answer.Body, &result); err != nil || result.XMLName.Local != "DeleteResult" {
		return errors.New("server answers with something that is no list of what was deleted")
	}
	for _, e := range result.Error {
		err := fmt.Errorf("%q: server answers %s: %s", e.Key, e.Code, oneLine(e.Message))
		switch e.Code {
		case "NoSuchKey":
			continue
		case "InternalError", "SlowDown", "ServiceUnavailable":
			return remote.Passing(err, 0)
		}
		return err
	}
	return nil
}

// inXML reports whether a document can spell a key as it is.
func inXML(key string) bool {
	for _, r := range key {
		if r < 0x20 || r == 0xFFFD || r == 0xFFFE || r == 0xFFFF {
			return false
		}
	}
	return true
}
