package conformance

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/cloudtest"
	"github.com/omnizarr/zarr/internal/faulty"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
	_ "github.com/omnizarr/zarr/store/azblob"
	_ "github.com/omnizarr/zarr/store/gcs"
	"github.com/omnizarr/zarr/store/s3"
	"github.com/omnizarr/zarr/store/web"
)

// place is a bucket, seen as it is and through a proxy.
type place struct {
	direct, cloud cloudtest.Cloud
	proxy         *faulty.Proxy
	memory        *cloudtest.Memory // nil where it is a real one
	values        *sync.Map         // of a web server, which takes none
}

// everywhere runs a test on a bucket of every server, and on one in memory, which is
// always there.
func everywhere(t *testing.T, test func(t *testing.T, p place)) {
	t.Run("memory", func(t *testing.T) { test(t, inMemory(t)) })
	onServers(t, test)
}

// readable is everywhere, and on a web server.
func readable(t *testing.T, test func(t *testing.T, p place)) {
	t.Run("web", func(t *testing.T) {
		values := new(sync.Map)
		proxy := faulty.New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			value, ok := values.Load(strings.TrimPrefix(r.URL.Path, "/"))
			if !ok {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("ETag", fmt.Sprintf(`"%08x"`, crc32.ChecksumIEEE(value.([]byte))))
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(value.([]byte)))
		}), faulty.Plan{})
		server := httptest.NewServer(proxy)
		defer server.Close()
		test(t, place{cloud: cloudtest.Cloud{URL: server.URL}, proxy: proxy, values: values})
	})
	everywhere(t, test)
}

// seed has a value in the store before anything goes wrong.
func (p place) seed(s store.Store, key string, value []byte) error {
	if p.values != nil {
		p.values.Store(key, value)
		return nil
	}
	_, err := s.Put(ctx, key, value, store.PutOptions{})
	return err
}

// at is the URL of a key, through the proxy.
func (p place) at(key string) string {
	if p.values != nil {
		return p.cloud.URL + "/" + key
	}
	return p.cloud.At(key)
}

// onServers runs a test on a bucket of every server.
func onServers(t *testing.T, test func(t *testing.T, p place)) {
	for _, c := range []struct {
		name  string
		start func(testing.TB) cloudtest.Cloud
	}{{"S3", cloudtest.S3}, {"GCS", cloudtest.GCS}, {"Azure", cloudtest.Azure}} {
		t.Run(c.name, func(t *testing.T) {
			direct := c.start(t)
			proxy, url := faulty.Serve(t, direct.Server(), faulty.Plan{})
			test(t, place{direct: direct, cloud: direct.Through(url), proxy: proxy})
		})
	}
}

func inMemory(t *testing.T) place {
	m := &cloudtest.Memory{Page: 7}
	var proxy *faulty.Proxy
	c := cloudtest.InMemory(t, m, func(h http.Handler) http.Handler {
		proxy = faulty.New(h, faulty.Plan{})
		return proxy
	})
	return place{direct: c, cloud: c, proxy: proxy, memory: m}
}

// soon opens URLs as zarr.Open does, but waits hardly before it asks again.
var soon = func() zarr.Option {
	schemes := locate.Builtin()
	schemes["s3"] = func(ctx context.Context, url string, opt locate.Options) (locate.Location, error) {
		return locate.Remote(ctx, url, opt, func(ctx context.Context, base string) (store.Store, error) {
			return s3.Open(ctx, base, s3.Options{Remote: opt.Remote, Wait: quick.Wait, MaxWait: quick.MaxWait})
		})
	}
	return zarr.Locate(locate.Options{Schemes: schemes, HTTP: quick})
}()

var quick = web.Options{Wait: time.Millisecond, MaxWait: 5 * time.Millisecond}

// open opens the bucket through the proxy.
func (p place) open(t *testing.T, opt store.Remote) store.Store {
	t.Helper()
	if p.memory != nil { // in small parts, and without long waits
		s, err := s3.Open(ctx, p.cloud.URL, s3.Options{Remote: opt, Part: 100_000, Wait: quick.Wait, MaxWait: quick.MaxWait})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	l, err := locate.Open(ctx, p.cloud.URL, locate.Options{Remote: opt, HTTP: quick})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l.Store
}

// large is the size of a value that goes in several parts.
func (p place) large() int {
	if p.memory != nil {
		return 250_000
	}
	return 40 << 20
}

// pattern is n bytes that tell where they are from.
func pattern(n int, key string) []byte {
	b := make([]byte, 0, n+len(key)+8)
	for len(b) < n {
		b = append(b, key...)
		b = binary.LittleEndian.AppendUint64(b, uint64(len(b)))
	}
	return b[:n]
}

// all calls f for every item, many at a time.
func all[T any](t *testing.T, items []T, f func(item T) error) {
	t.Helper()
	var wait sync.WaitGroup
	free := make(chan struct{}, 64)
	for _, item := range items {
		free <- struct{}{}
		wait.Go(func() {
			defer func() { <-free }()
			if err := f(item); err != nil {
				t.Errorf("%v: %v", item, err)
			}
		})
	}
	wait.Wait()
}

// get wants a range of a value.
func get(ctx context.Context, s store.Reader, key string, r store.Range, value []byte) error {
	want, err := r.Append(nil, value)
	if err != nil {
		return err
	}
	got, info, err := s.Get(ctx, key, r, nil)
	switch {
	case err != nil:
		return err
	case !bytes.Equal(got, want):
		return fmt.Errorf("WRONG DATA: %d bytes, want %d", len(got), len(want))
	case info.Size >= 0 && info.Size != int64(len(value)):
		return fmt.Errorf("WRONG SIZE: %d, want %d", info.Size, len(value))
	}
	return nil
}

// always has a fault each time that a request is made.
func always(f func(*http.Request, int) faulty.Fault) func(*http.Request, int) faulty.Fault {
	return func(r *http.Request, _ int) faulty.Fault { return f(r, 0) }
}
