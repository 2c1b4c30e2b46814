package s3

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/omnizarr/zarr/internal/cloudtest"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/storetest"
)

var ctx = context.Background()

// onServer gives an empty store of a real server.
func onServer(t testing.TB, opt Options) *Store {
	t.Helper()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(transport.CloseIdleConnections)
	transport.MaxIdleConnsPerHost, transport.DisableCompression = 64, true
	opt.Transport = transport
	s, err := Open(ctx, cloudtest.S3(t).At("some/prefix"), opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestServer(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return onServer(t, Options{}) })
}

func TestServerTakesParts(t *testing.T) {
	s := onServer(t, Options{Part: 5 << 20})
	value := bytes.Repeat([]byte("0123456789abcdef"), 12<<20/16)
	value = append(value, "the end"...)
	same := func(key string, info store.Info, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		got, found, err := s.Get(ctx, key, store.All(), nil)
		if err != nil || !bytes.Equal(got, value) || info.Size != int64(len(value)) || found.ETag != info.ETag {
			t.Errorf("%s: %d bytes, %+v, put as %+v, %v", key, len(got), found, info, err)
		}
	}
	info, err := s.Put(ctx, "put", value, store.PutOptions{})
	same("put", info, err)
	info, err = s.PutFrom(ctx, "stream", io.MultiReader(bytes.NewReader(value)), int64(len(value)))
	same("stream", info, err)
	info, err = s.PutFrom(ctx, "unknown", io.MultiReader(bytes.NewReader(value)), -1)
	same("unknown", info, err)
	for key, size := range map[string]int64{"short": int64(len(value)) + 1, "long": int64(len(value)) - 1} {
		if _, err := s.PutFrom(ctx, key, bytes.NewReader(value), size); err == nil {
			t.Errorf("%s: no error", key)
		}
		if _, _, err := s.Get(ctx, key, store.All(), nil); !errors.Is(err, store.ErrNotExist) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if _, err := s.PutFrom(ctx, "small", bytes.NewReader([]byte("abc")), -1); err != nil {
		t.Error(err)
	}
	if left := uploads(t, s); left != 0 {
		t.Errorf("%d uploads are left", left)
	}
}

// uploads counts those that were begun and not ended.
func uploads(t *testing.T, s *Store) int {
	t.Helper()
	a, err := s.client.Do(ctx, s.asking(&ask{method: http.MethodGet, query: map[string][]string{"uploads": {""}}}), maxAnswer)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(a.Body, []byte("<UploadId>"))
}

func TestServerObjectsDoNotMixValues(t *testing.T) {
	s := onServer(t, Options{})
	for _, v := range []string{"first", "other"} {
		if _, err := s.Put(ctx, "k", []byte(v), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		o, err := store.Open(ctx, s, "k")
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		if b, _, err := o.Get(ctx, store.Part(0, 2), nil); err != nil || string(b) != v[:2] {
			t.Fatal(b, err)
		}
		if _, err := s.Put(ctx, "k", []byte("replaced"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		if b, _, err := o.Get(ctx, store.Part(2, 2), nil); !errors.Is(err, store.ErrChanged) {
			t.Errorf("got %q, %v", b, err)
		}
	}
}

func TestServerDeletesManyKeys(t *testing.T) {
	s := onServer(t, Options{})
	for _, key := range []string{"d/a&b", "d/c<d>", "d/é", "e"} {
		if _, err := s.Put(ctx, key, []byte("x"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Delete(ctx, "d/"); err != nil {
		t.Fatal(err)
	}
	var left []string
	for e, err := range s.List(ctx, "", "") {
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, e.Key)
	}
	if len(left) != 1 || left[0] != "e" {
		t.Errorf("left: %q", left)
	}
}

// BenchmarkGet reads 4 KiB of a value; the server is another process, so that its
// allocations do not count.
func BenchmarkGet(b *testing.B) {
	s := onServer(b, Options{})
	if _, err := s.Put(ctx, "k", make([]byte, 1<<20), store.PutOptions{}); err != nil {
		b.Fatal(err)
	}
	room := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := s.Get(ctx, "k", store.Part(8192, 4096), room); err != nil {
			b.Fatal(err)
		}
	}
}
