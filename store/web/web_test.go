package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/storetest"
)

var ctx = context.Background()

// quick retries without waiting long.
var quick = Options{Wait: time.Millisecond, MaxWait: 5 * time.Millisecond}

// serve gives a store on a server that answers with h.
func serve(t *testing.T, opt Options, h http.HandlerFunc) *Store {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	s, err := Open(server.URL+"/base", opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// values answers from a map, with all that the standard library knows of
// ranges.
func values(content map[string][]byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		key, ok := strings.CutPrefix(r.URL.Path, "/base/")
		value, found := content[key]
		if !ok || !found {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("ETag", fmt.Sprintf("%q", strconv.Itoa(len(value))))
		w.Header().Set("Content-Type", "application/octet-stream")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(value))
	}
}

// Servers of several kinds.
var servers = map[string]func(content map[string][]byte) http.HandlerFunc{
	"with ranges": values,
	"without ranges": func(content map[string][]byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Range")
			values(content)(w, r)
		}
	},
	"without ranges and sizes": func(content map[string][]byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Range")
			values(content)(unsized{w}, r)
		}
	},
	"without suffixes": func(content map[string][]byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.Header.Get("Range"), "bytes=-") {
				r.Header.Del("Range")
			}
			values(content)(w, r)
		}
	},
	"that fails now and then": func(content map[string][]byte) http.HandlerFunc {
		var n atomic.Int64
		return func(w http.ResponseWriter, r *http.Request) {
			switch n.Add(1) % 4 {
			case 1:
				http.Error(w, "busy", http.StatusServiceUnavailable)
			case 2:
				values(content)(&cutOff{ResponseWriter: w, left: 5}, r)
			default:
				values(content)(w, r)
			}
		}
	},
}

// unsized drops the declared length.
type unsized struct{ http.ResponseWriter }

func (u unsized) WriteHeader(code int) {
	u.Header().Del("Content-Length")
	u.ResponseWriter.WriteHeader(code)
	u.ResponseWriter.(http.Flusher).Flush()
}

// cutOff closes the connection after some bytes of a body.
type cutOff struct {
	http.ResponseWriter
	left int
}

func (c *cutOff) Write(p []byte) (int, error) {
	if len(p) <= c.left {
		c.left -= len(p)
		return c.ResponseWriter.Write(p)
	}
	c.ResponseWriter.Write(p[:c.left])
	c.ResponseWriter.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

func TestReader(t *testing.T) {
	for name, server := range servers {
		t.Run(name, func(t *testing.T) {
			storetest.RunReader(t, func(t *testing.T, content map[string][]byte) store.Reader {
				opt := quick
				opt.Retries = 30 // several goroutines share the failures
				return serve(t, opt, server(content))
			})
		})
	}
}

func TestKeysAndQuery(t *testing.T) {
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got = r.RequestURI }))
	defer server.Close()
	s, err := Open("http://user:secret@"+strings.TrimPrefix(server.URL, "http://")+"/a%2Fb/c%20d/?token=hidden&x=1#frag", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(s.URL(), "secret") || strings.Contains(s.URL(), "hidden") {
		t.Errorf("URL %q shows a secret", s.URL())
	}
	if _, _, err := s.Get(ctx, "k/ä #?%/0", store.All(), nil); err != nil {
		t.Fatal(err)
	}
	if want := "/a%2Fb/c%20d/k/%C3%A4%20%23%3F%25/0?token=hidden&x=1"; got != want {
		t.Errorf("asked for %s, want %s", got, want)
	}
}

func TestHeaders(t *testing.T) {
	s := serve(t, Options{Header: http.Header{"Authorization": {"Bearer x"}}}, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer x" || r.Header.Get("Accept-Encoding") != "identity" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	if _, _, err := s.Get(ctx, "k", store.All(), nil); err != nil {
		t.Error(err)
	}
}

func TestStatus(t *testing.T) {
	var asked atomic.Int32
	status := func(opt Options, code int) error {
		asked.Store(0)
		s := serve(t, opt, func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			w.WriteHeader(code)
		})
		_, _, err := s.Get(ctx, "k", store.All(), nil)
		return err
	}
	lax := quick
	lax.ForbiddenIsMissing = true
	for _, c := range []struct {
		opt     Options
		code    int
		missing bool
		times   int32
	}{
		{quick, 404, true, 1}, {quick, 410, true, 1}, {quick, 403, false, 1}, {lax, 403, true, 1}, {quick, 401, false, 1},
		{quick, 400, false, 1}, {quick, 204, false, 1}, {quick, 501, false, 1},
		{quick, 429, false, 5}, {quick, 500, false, 5}, {quick, 503, false, 5}, {quick, 504, false, 5},
		{Options{Retries: -1}, 503, false, 1},
	} {
		err := status(c.opt, c.code)
		if err == nil || errors.Is(err, store.ErrNotExist) != c.missing || asked.Load() != c.times {
			t.Errorf("status %d: %v after %d requests", c.code, err, asked.Load())
		}
		if !c.missing && !strings.Contains(err.Error(), strconv.Itoa(c.code)) {
			t.Errorf("error %q does not name status %d", err, c.code)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	var asked atomic.Int32
	busy := func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}
	s := serve(t, Options{Wait: time.Millisecond, MaxWait: 50 * time.Millisecond}, busy)
	start := time.Now()
	if _, _, err := s.Get(ctx, "k", store.All(), nil); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(start); d < 50*time.Millisecond || d > 5*time.Second {
		t.Errorf("waited %v, want what the server asks for up to 50 ms", d)
	}
	asked.Store(0)
	s = serve(t, Options{}, busy)
	short, cancel := context.WithTimeout(ctx, 30*time.Millisecond)
	defer cancel()
	start = time.Now()
	if _, _, err := s.Get(short, "k", store.All(), nil); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "429") {
		t.Errorf("got %v", err)
	}
	if time.Since(start) > 5*time.Second {
		t.Error("the context did not end the wait")
	}
}

func TestRetryAfterForms(t *testing.T) {
	in := time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)
	for v, want := range map[string]time.Duration{"": 0, "7": 7 * time.Second, "-3": 0, "soon": 0, in: 90 * time.Second, "Mon, 02 Jan 2006 15:04:05 GMT": 0} {
		if got := retryAfter(v); got > want || got < want-5*time.Second {
			t.Errorf("Retry-After %q: %v, want %v", v, got, want)
		}
	}
}

func TestWaits(t *testing.T) {
	s := &Store{opt: Options{Wait: 100, MaxWait: 1000}}
	for try, want := range []time.Duration{100, 200, 400, 800, 1000, 1000} {
		for range 50 {
			if d := s.wait(try, 0); d < want/2 || d > want {
				t.Fatalf("wait %v after try %d, want %v to %v", d, try, want/2, want)
			}
		}
	}
	if d := s.wait(70, 0); d <= 0 || d > 1000 {
		t.Errorf("wait %v after many tries", d)
	}
}

func TestTruncatedForGood(t *testing.T) {
	var asked atomic.Int32
	s := serve(t, quick, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "short")
	})
	b, _, err := s.Get(ctx, "k", store.All(), []byte("head"))
	if !errors.Is(err, io.ErrUnexpectedEOF) || asked.Load() != 5 || string(b) != "head" {
		t.Errorf("got %q, %v after %d requests", b, err, asked.Load())
	}
}

func TestNoServer(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	s, err := Open(server.URL, quick)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = s.Get(ctx, "the/key", store.All(), nil)
	if err == nil || errors.Is(err, store.ErrNotExist) {
		t.Fatalf("got %v", err)
	}
	if msg := err.Error(); strings.Count(msg, "the/key") != 1 || strings.Count(msg, server.URL) != 1 || !strings.Contains(msg, "tried 5 times") {
		t.Errorf("error %q should name key and URL once", msg)
	}
}

func TestStalledServer(t *testing.T) {
	done := make(chan struct{})
	opt := quick
	opt.Stall, opt.Retries = 30*time.Millisecond, 1
	s := serve(t, opt, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "body") {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "start")
			w.(http.Flusher).Flush()
		}
		<-done
	})
	defer close(done)
	for _, key := range []string{"header", "body"} {
		if _, _, err := s.Get(ctx, key, store.All(), nil); !errors.Is(err, errStalled) {
			t.Errorf("%s: %v", key, err)
		}
	}
	short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	if _, _, err := s.Get(short, "body", store.All(), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("deadline: %v", err)
	}
}

// TestHostileServer has answers that must not be believed.
func TestHostileServer(t *testing.T) {
	for name, c := range map[string]struct {
		r       store.Range
		headers map[string]string
		status  int
		body    string
	}{
		"huge declared length":     {store.All(), map[string]string{"Content-Length": "1000000000000"}, 200, "x"},
		"another part":             {store.Part(5, 2), map[string]string{"Content-Range": "bytes 0-1/10"}, 206, "01"},
		"shorter part":             {store.Part(5, 2), map[string]string{"Content-Range": "bytes 5-5/10"}, 206, "5"},
		"part of no place":         {store.Part(5, 2), nil, 206, "56"},
		"part that makes no sense": {store.Part(5, 2), map[string]string{"Content-Range": "bytes 6-5/10"}, 206, "56"},
		"part behind the end":      {store.Part(5, 2), map[string]string{"Content-Range": "bytes 5-16/10"}, 206, "56"},
		"negative size":            {store.Part(5, 2), map[string]string{"Content-Range": "bytes 5-6/-10"}, 206, "56"},
		"length and part differ":   {store.Part(5, 2), map[string]string{"Content-Range": "bytes 5-6/10", "Content-Length": "3"}, 206, "567"},
		"wrong suffix":             {store.Suffix(2), map[string]string{"Content-Range": "bytes 0-1/10"}, 206, "01"},
		"refusal without reason":   {store.Part(5, 2), nil, 416, ""},
		"refusal with a size":      {store.Part(5, 2), map[string]string{"Content-Range": "bytes */10"}, 416, ""},
		"encoded":                  {store.All(), map[string]string{"Content-Encoding": "gzip"}, 200, "x"},
	} {
		opt := quick
		opt.Retries = -1
		s := serve(t, opt, func(w http.ResponseWriter, r *http.Request) {
			for k, v := range c.headers {
				w.Header().Set(k, v)
			}
			w.WriteHeader(c.status)
			io.WriteString(w, c.body)
		})
		if b, _, err := s.Get(ctx, "k", c.r, nil); err == nil || len(b) > 0 {
			t.Errorf("%s: got %q, %v", name, b, err)
		}
	}
}

func TestNotReadPastLimit(t *testing.T) {
	sent := make(chan int64, 1)
	endless := func(w http.ResponseWriter, r *http.Request) {
		var n int64
		buf := make([]byte, 64<<10)
		for {
			k, err := w.Write(buf)
			if n += int64(k); err != nil || n > 1<<30 {
				sent <- n
				return
			}
		}
	}
	s := serve(t, quick, endless)
	if _, _, err := s.Get(ctx, "k", store.UpTo(1000), nil); !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("limit: %v", err)
	}
	if n := <-sent; n > 64<<20 {
		t.Errorf("server could send %d bytes", n)
	}
	if b, _, err := s.Get(ctx, "k", store.Part(100_000, 10), nil); err != nil || len(b) != 10 {
		t.Errorf("part: %d bytes, %v", len(b), err)
	}
	if n := <-sent; n > 64<<20 {
		t.Errorf("server could send %d bytes", n)
	}
	if _, _, err := s.Get(ctx, "k", store.Part(1<<40, 10), nil); err == nil {
		t.Error("a part far away: no error")
	}
	<-sent
}

func TestRedirects(t *testing.T) {
	s := serve(t, quick, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/base/old":
			http.Redirect(w, r, "/base/new", http.StatusFound)
		case "/base/new":
			io.WriteString(w, "value")
		case "/base/folder":
			http.Redirect(w, r, "/base/folder/", http.StatusMovedPermanently)
		case "/base/loop":
			http.Redirect(w, r, "/base/loop", http.StatusFound)
		default:
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		}
	})
	if b, _, err := s.Get(ctx, "old", store.All(), nil); err != nil || string(b) != "value" {
		t.Errorf("got %q, %v", b, err)
	}
	if _, _, err := s.Get(ctx, "folder", store.All(), nil); !errors.Is(err, store.ErrNotExist) {
		t.Errorf("a folder: %v", err)
	}
	for _, key := range []string{"loop", "other"} {
		if _, _, err := s.Get(ctx, key, store.All(), nil); !errors.Is(err, errRedirect) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	content := map[string][]byte{"k": bytes.Repeat([]byte("0123456789"), 10_000)}
	server := httptest.NewUnstartedServer(values(content))
	var opened atomic.Int32
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	s, err := Open(server.URL+"/base", quick)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				for _, r := range []store.Range{store.All(), store.Part(10, 5000), store.Suffix(7), store.Part(3, 0)} {
					if _, _, err := s.Get(ctx, "k", r, nil); err != nil {
						t.Error(err)
					}
				}
				s.Get(ctx, "missing", store.All(), nil)
			}
		})
	}
	wg.Wait()
	if n := opened.Load(); n > 16 {
		t.Errorf("400 requests by 8 goroutines took %d connections", n)
	}
}

func TestReadOnly(t *testing.T) {
	s := serve(t, quick, values(nil))
	if _, err := s.Put(ctx, "k", nil, store.PutOptions{}); !errors.Is(err, store.ErrReadOnly) {
		t.Error(err)
	}
	if err := s.Delete(ctx, "k"); !errors.Is(err, store.ErrReadOnly) {
		t.Error(err)
	}
	for _, err := range s.List(ctx, "", "") {
		if !errors.Is(err, store.ErrNoList) {
			t.Error(err)
		}
	}
	for _, bad := range []string{"ftp://host/x", "/path", "http://", "http://[", "file:///x"} {
		if _, err := Open(bad, Options{}); err == nil {
			t.Errorf("Open %q: no error", bad)
		}
	}
}
