package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
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
var quick = Options{Wait: time.Microsecond, MaxWait: 50 * time.Microsecond}

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

// TestRangesThatAreRefusedWithoutASize has a server that tells the size of a value only
// where it sends all of it.
func TestRangesThatAreRefusedWithoutASize(t *testing.T) {
	content := map[string]string{"/base/empty": "", "/base/ten": "0123456789"}
	s := serve(t, quick, func(w http.ResponseWriter, r *http.Request) {
		value := content[r.URL.Path]
		if span := r.Header.Get("Range"); strings.HasPrefix(span, "bytes=-") || span != "" && value == "" {
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(value))
	})
	for _, c := range []struct {
		key  string
		r    store.Range
		want string
		err  error
	}{
		{"empty", store.All(), "", nil}, {"empty", store.Part(0, 0), "", nil}, {"empty", store.Suffix(3), "", nil}, {"empty", store.Part(0, 1), "", store.ErrRange},
		{"ten", store.Part(0, 0), "", nil}, {"ten", store.Suffix(3), "789", nil}, {"ten", store.Suffix(20), "0123456789", nil}, {"ten", store.Part(0, 1), "0", nil},
	} {
		b, info, err := s.Get(ctx, c.key, c.r, nil)
		if string(b) != c.want || !errors.Is(err, c.err) || err == nil && info.Size != int64(len(content["/base/"+c.key])) {
			t.Errorf("%s %+v: %q of %d, %v", c.key, c.r, b, info.Size, err)
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
			if n += int64(k); err != nil || n > 65<<20 {
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

// TestRedirectsToOtherServers wants other servers not to be asked, unless the user named
// them.
func TestRedirectsToOtherServers(t *testing.T) {
	var asked atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		io.WriteString(w, "value")
	}))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/data/"+path.Base(r.URL.Path), http.StatusFound)
	}))
	defer server.Close()
	for _, c := range []struct {
		allow string
		right bool
	}{
		{"", false}, {server.URL, false}, {other.URL + "/other", false}, {other.URL + "/dat", false}, {"https" + other.URL[4:], false}, {"http://127.0.0.1/", false},
		{other.URL, true}, {other.URL + "/", true}, {other.URL + "/data", true}, {other.URL + "/data/k", true},
	} {
		asked.Store(0)
		opt := quick
		opt.Allow = []string{c.allow}
		s, err := Open(server.URL, opt)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = s.Get(ctx, "k", store.All(), nil)
		if c.right != (err == nil) || c.right != (asked.Load() > 0) {
			t.Errorf("allowed %q: %d requests, %v", c.allow, asked.Load(), err)
		}
		if !c.right && (!errors.Is(err, errRedirect) || errors.Is(err, store.ErrNotExist) || !strings.Contains(err.Error(), "--allow "+other.URL)) {
			t.Errorf("allowed %q: %v", c.allow, err)
		}
	}
}

// TestOtherServersLearnNoSecrets follows a redirect to another server.
func TestOtherServersLearnNoSecrets(t *testing.T) {
	var seen http.Header
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header
		io.WriteString(w, "value")
	}))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL+"/k", http.StatusTemporaryRedirect))
	defer server.Close()
	opt := quick
	opt.Allow = []string{other.URL}
	opt.Header = http.Header{"Authorization": {"Bearer secret"}, "X-Api-Key": {"secret"}}
	s, err := Open(server.URL+"/base?sig=secret", opt)
	if err != nil {
		t.Fatal(err)
	}
	if b, _, err := s.Get(ctx, "k", store.Part(0, 5), nil); err != nil || string(b) != "value" {
		t.Errorf("got %q, %v", b, err)
	}
	for name, values := range seen {
		if strings.Contains(strings.Join(values, " "), "secret") {
			t.Errorf("the other server was told %s: %q", name, values)
		}
	}
	if seen.Get("Range") != "bytes=0-4" {
		t.Errorf("the other server was asked for %q", seen.Get("Range"))
	}
}

// TestBodiesLongerThanDeclared has a server that sends more than it says on connections
// that are used again.
func TestBodiesLongerThanDeclared(t *testing.T) {
	log.SetOutput(io.Discard) // net/http tells of it
	defer log.SetOutput(os.Stderr)
	s := serve(t, quick, func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		for err == nil {
			fmt.Fprintf(rw, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n%s and more", r.URL.Path[len("/base/"):])
			rw.Flush()
			r, err = http.ReadRequest(rw.Reader)
		}
	})
	for i := range 50 {
		key := fmt.Sprintf("%05d", i)
		if b, _, err := s.Get(ctx, key, store.All(), nil); err != nil || string(b) != key {
			t.Fatalf("%s: got %q, %v", key, b, err)
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
