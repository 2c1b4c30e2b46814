package s3

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr/internal/cloudtest"
	"github.com/omnizarr/zarr/store"
)

// losing does requests of which some are picked out, and loses their answers.
func losing(pick func(r *http.Request) bool) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if pick(r) {
				h.ServeHTTP(discarded{http.Header{}}, r)
				panic(http.ErrAbortHandler)
			}
			h.ServeHTTP(w, r)
		})
	}
}

// discarded is an answer that goes nowhere.
type discarded struct{ h http.Header }

func (d discarded) Header() http.Header       { return d.h }
func (discarded) Write(p []byte) (int, error) { return len(p), nil }
func (discarded) WriteHeader(int)             {}

// first picks the first request that has a method and something in its query.
func first(method, query string) func(r *http.Request) bool {
	var done atomic.Bool
	return func(r *http.Request) bool {
		return r.Method == method && strings.Contains(r.URL.RawQuery, query) && !done.Swap(true)
	}
}

// TestLostAnswersOfConditionalPuts wants a writer to know its own value, and that of
// another from it, though both have the same bytes.
func TestLostAnswersOfConditionalPuts(t *testing.T) {
	s := small(t, new(cloudtest.Memory), Options{}, losing(first(http.MethodPut, "")))
	info, err := s.Put(ctx, "new", []byte("mine"), store.PutOptions{IfAbsent: true})
	if err != nil || info.ETag == "" || info.Size != 4 {
		t.Fatalf("IfAbsent: %+v, %v", info, err)
	}
	if _, err := s.Put(ctx, "new", []byte("mine"), store.PutOptions{IfAbsent: true}); !errors.Is(err, store.ErrPrecondition) {
		t.Errorf("the same bytes of another: %v", err)
	}

	s = small(t, new(cloudtest.Memory), Options{}, losing(func() func(r *http.Request) bool {
		n := 0
		return func(r *http.Request) bool { // the second put of all
			if r.Method == http.MethodPut {
				n++
			}
			return r.Method == http.MethodPut && n == 2
		}
	}()))
	old, err := s.Put(ctx, "k", []byte("old"), store.PutOptions{})
	if err != nil {
		t.Fatal(err)
	}
	now, err := s.Put(ctx, "k", []byte("now"), store.PutOptions{IfMatch: old.ETag})
	if err != nil {
		t.Fatalf("IfMatch: %v", err)
	}
	if b, found, err := s.Get(ctx, "k", store.All(), nil); err != nil || string(b) != "now" || found.ETag != now.ETag {
		t.Errorf("%q, %+v, %v", b, found, err)
	}

	// Where the answer of a put is lost that another was quicker than, it fails.
	var other *Store
	done := false
	s = small(t, new(cloudtest.Memory), Options{}, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut && !done {
				done = true
				if _, err := other.Put(ctx, "k", []byte("mine"), store.PutOptions{IfAbsent: true}); err != nil {
					t.Error(err)
				}
				panic(http.ErrAbortHandler)
			}
			h.ServeHTTP(w, r)
		})
	})
	other = s
	if _, err := s.Put(ctx, "k", []byte("mine"), store.PutOptions{IfAbsent: true}); !errors.Is(err, store.ErrPrecondition) {
		t.Errorf("another was quicker: %v", err)
	}
}

// TestPartsWithLostAnswers loses the answer of every step of an upload in turn.
func TestPartsWithLostAnswers(t *testing.T) {
	value := bytes.Repeat([]byte("0123456789"), 5)
	for name, pick := range map[string]func(*http.Request) bool{
		"part":     first(http.MethodPut, "partNumber"),
		"complete": first(http.MethodPost, "uploadId"),
		"put":      first(http.MethodPut, ""),
	} {
		m := new(cloudtest.Memory)
		s := small(t, m, Options{Part: 8}, losing(pick))
		info, err := s.PutFrom(ctx, "k", io.MultiReader(bytes.NewReader(value)), -1)
		if err != nil || info.Size != int64(len(value)) {
			t.Errorf("%s: %+v, %v", name, info, err)
			continue
		}
		if b, found, err := s.Get(ctx, "k", store.All(), nil); err != nil || !bytes.Equal(b, value) || found.ETag != info.ETag {
			t.Errorf("%s: %q, %+v, %v", name, b, found, err)
		}
		if m.Uploads() != 0 {
			t.Errorf("%s: an upload is left", name)
		}
	}
}

// failing is a reader that gives some bytes and then an error.
type failingReader struct {
	left int
	err  error
}

func (f *failingReader) Read(p []byte) (int, error) {
	n := min(len(p), f.left)
	if f.left -= n; n == 0 {
		return 0, f.err
	}
	return n, nil
}

// TestNothingIsLeftOfAnUpload ends uploads at every request, by the server, by the
// reader and by the caller.
func TestNothingIsLeftOfAnUpload(t *testing.T) {
	broken := errors.New("no more")
	put := func(name string, opt Options, r io.Reader, size int64, wrap func(http.Handler) http.Handler, ctx context.Context) error {
		t.Helper()
		m := new(cloudtest.Memory)
		s := small(t, m, opt, wrap)
		if _, err := s.Put(context.Background(), "k", []byte("old"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		_, err := s.PutFrom(ctx, "k", r, size)
		if m.Uploads() != 0 {
			t.Errorf("%s: an upload is left", name)
		}
		b, _, getErr := s.Get(context.Background(), "k", store.All(), nil)
		if getErr != nil || string(b) != "old" {
			t.Errorf("%s: the old value is %q, %v", name, b, getErr)
		}
		return err
	}
	if err := put("reader", Options{Part: 8}, &failingReader{30, broken}, -1, nil, ctx); !errors.Is(err, broken) {
		t.Error(err)
	}
	if err := put("size", Options{Part: 8}, bytes.NewReader(make([]byte, 30)), 31, nil, ctx); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	for _, refused := range []string{"partNumber=1&", "partNumber=3&", "uploadId"} {
		err := put(refused, Options{Part: 8, Remote: store.Remote{Retries: 1}}, bytes.NewReader(make([]byte, 30)), 30, func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodDelete && strings.Contains(r.URL.RawQuery, refused) {
					w.WriteHeader(http.StatusServiceUnavailable)
					return
				}
				h.ServeHTTP(w, r)
			})
		}, ctx)
		if err == nil || !strings.Contains(err.Error(), "503") {
			t.Errorf("%s: %v", refused, err)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	defer cancel()
	err := put("caller", Options{Part: 8}, bytes.NewReader(make([]byte, 100)), 100, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.RawQuery, "partNumber=2&") {
				cancel()
			}
			h.ServeHTTP(w, r)
		})
	}, cancelled)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestAnErrorBehindOK has a server that says 200 before it knows.
func TestAnErrorBehindOK(t *testing.T) {
	n := 0
	m := new(cloudtest.Memory)
	s := small(t, m, Options{Part: 8}, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && strings.Contains(r.URL.RawQuery, "uploadId") {
				if n++; n == 1 {
					io.WriteString(w, "<Error><Code>InternalError</Code><Message>Try again.</Message></Error>")
					return
				}
			}
			h.ServeHTTP(w, r)
		})
	})
	if _, err := s.Put(ctx, "k", make([]byte, 30), store.PutOptions{}); err != nil || n != 2 {
		t.Errorf("%v after %d times", err, n)
	}
}
