package s3

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"

	"github.com/omnizarr/zarr/internal/remote"
	"github.com/omnizarr/zarr/store"
)

// mine names the header by which a writer knows its own value, if the answer to a write
// was lost.
const mine = "X-Amz-Meta-Omnizarr-Put"

// maxAnswer is how large an answer that is no value may be.
const maxAnswer = 16 << 20

// Put stores a value by one request, a large one in parts that become a value together.
func (s *Store) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	err := s.checkWrite(ctx, key)
	if err == nil && int64(len(data)) > s.part && !opt.IfAbsent && opt.IfMatch == "" {
		info, err := s.putParts(ctx, key, &pieces{data: data, part: max(s.part, (int64(len(data))+maxParts-1)/maxParts)})
		return info, store.WrapError("put", s.url, key, err)
	}
	var info store.Info
	if err == nil {
		info, err = s.putWhole(ctx, key, data, opt)
	}
	return info, store.WrapError("put", s.url, key, err)
}

// putWhole stores a value by one request.
func (s *Store) putWhole(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	if data == nil {
		data = []byte{}
	}
	a := ask{method: http.MethodPut, key: key}.hashed(data)
	name := ""
	switch {
	case opt.IfAbsent:
		name = rand.Text()
		a.header = [4]string{"If-None-Match", "*", mine, name}
	case opt.IfMatch != "":
		name = rand.Text()
		a.header = [4]string{"If-Match", opt.IfMatch, mine, name}
	}
	tries := 0
	var answer *remote.Answer
	err := s.client.Retry(ctx, func(ctx context.Context) (err error) {
		tries++
		answer, err = s.client.Once(ctx, s.asking(&a), maxAnswer)
		return err
	})
	if errors.Is(err, store.ErrPrecondition) && tries > 1 {
		// An earlier try may have stored the value, and its answer was lost.
		if found, ok := s.isMine(ctx, key, name); ok {
			return store.Info{Size: int64(len(data)), ETag: found}, nil
		}
	}
	if err != nil {
		return store.Info{}, err
	}
	return store.Info{Size: int64(len(data)), ETag: answer.Header.Get("ETag")}, nil
}

// isMine looks whether the value at key is the one that was put under a name, and gives
// its ETag.
func (s *Store) isMine(ctx context.Context, key, name string) (etag string, ok bool) {
	answer, err := s.client.Do(ctx, s.asking(&ask{method: http.MethodHead, key: key}), maxAnswer)
	if err != nil || name == "" || answer.Header.Get(mine) != name {
		return "", false
	}
	return answer.Header.Get("ETag"), true
}

// asking makes the requests of a call that reads no value.
func (s *Store) asking(a *ask) remote.Request {
	return func(ctx context.Context, _ string) (*http.Request, error) { return s.request(ctx, a, "") }
}
