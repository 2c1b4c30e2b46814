package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/serve"
	"github.com/omnizarr/zarr/store/web"
)

// ran is a server that Run answers for.
type ran struct {
	url  string
	stop func() error // as an interrupt does
}

// run serves URLs by Run until the test ends.
func run(t *testing.T, o serve.Options, certificates []tls.Certificate, urls ...string) ran {
	t.Helper()
	s, err := serve.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range urls {
		if _, err := s.Add("", u); err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, l, certificates, time.Minute) }()
	stop := sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return ran{"http://" + l.Addr().String(), stop}
}

// gated is a web server of the files in a folder that can be told to wait, or to fail.
type gated struct {
	*httptest.Server
	asked chan string   // keys ending in "slow" that were asked for
	go_   chan struct{} // lets them go on
}

func upstream(t *testing.T, dir string, wrap func(http.Handler) http.Handler) gated {
	t.Helper()
	g := gated{asked: make(chan string), go_: make(chan struct{})}
	files := http.FileServer(http.Dir(dir))
	g.Server = httptest.NewServer(wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/c/0") {
			select {
			case g.asked <- r.URL.Path:
			case <-r.Context().Done():
				return
			}
			select {
			case <-g.go_:
			case <-r.Context().Done():
				return
			}
		}
		files.ServeHTTP(w, r)
	})))
	t.Cleanup(g.Close)
	return g
}

func asIs(h http.Handler) http.Handler { return h }

// onWeb are options for nodes on a web server of a test.
func onWeb(t *testing.T) []zarr.Option {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return []zarr.Option{zarr.Locate(locate.Options{HTTP: web.Options{Wait: 1, Transport: transport}})}
}

// written makes an array of four bytes in two chunks.
func written(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	a, err := zarr.CreateArray(t.Context(), filepath.Join(dir, "a.zarr"), zarr.ArraySpec{Shape: []int{4}, Chunks: []int{2}, DataType: "uint8", Codecs: json.RawMessage(`["bytes"]`)})
	if err == nil {
		err = zarr.Write(t.Context(), a, zarr.All(), []uint8("abcd"))
	}
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Who is being answered when the server is stopped gets the answer.
func TestShutdownFinishesRequests(t *testing.T) {
	from := upstream(t, written(t), asIs)
	s := run(t, serve.Options{Open: onWeb(t)}, nil, from.URL+"/a.zarr")
	got := make(chan reply, 1)
	go func() { got <- ask(t, "GET", s.url+"/zarr/a.zarr/c/0") }()
	<-from.asked
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop() }()
	close(from.go_)
	if r := <-got; r.StatusCode != 200 || r.text != "ab" {
		t.Errorf("%d %q", r.StatusCode, r.text)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://")); err == nil {
		t.Error("it still listens")
	}
}

// More than the server takes on waits, and is then told to come later; what says whether it
// lives does not wait.
func TestBusy(t *testing.T) {
	from := upstream(t, written(t), asIs)
	s := run(t, serve.Options{Open: onWeb(t), Limits: serve.Limits{Work: 1, Queue: time.Millisecond}}, nil, from.URL+"/a.zarr")
	got := make(chan reply, 1)
	go func() { got <- ask(t, "GET", s.url+"/zarr/a.zarr/c/0") }()
	<-from.asked
	r := ask(t, "GET", s.url+"/zarr/a.zarr/c/1")
	if r.StatusCode != 503 || r.Header.Get("Retry-After") != "1" || !strings.Contains(r.text, `"busy"`) || r.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%d %v %s", r.StatusCode, r.Header, r.text)
	}
	for _, path := range []string{"/healthz", "/metrics", "/"} {
		if r := ask(t, "GET", s.url+path); r.StatusCode != 200 {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
	close(from.go_)
	if r := <-got; r.text != "ab" {
		t.Errorf("%d %q", r.StatusCode, r.text)
	}
}

// What goes wrong between the server and where its data come from is tried again: clients
// do not see it.
func TestUpstreamTroubleIsNotSeen(t *testing.T) {
	var mu sync.Mutex
	tries := map[string]int{}
	trouble := func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			tries[r.URL.Path]++
			n := tries[r.URL.Path]
			mu.Unlock()
			if r.Header.Get("Range") != "" && n%4 == 3 {
				n++ // it would tell another size
			}
			switch n % 4 {
			case 1:
				w.WriteHeader(http.StatusServiceUnavailable)
			case 2: // a reset
				conn, _, err := http.NewResponseController(w).Hijack()
				if err == nil {
					_ = conn.(*net.TCPConn).SetLinger(0)
					conn.Close()
				}
			case 3: // half of an answer
				w.Header().Set("Content-Length", "1000")
				io.WriteString(w, "ab")
			default:
				h.ServeHTTP(w, r)
			}
		})
	}
	from := upstream(t, written(t), trouble)
	s := run(t, serve.Options{Open: onWeb(t)}, nil, from.URL+"/a.zarr")
	for key, want := range map[string]string{"zarr.json": `"array"`, "c/1": "cd"} {
		if r := ask(t, "GET", s.url+"/zarr/a.zarr/"+key); r.StatusCode != 200 || !strings.Contains(r.text, want) {
			t.Errorf("%s: %d %s", key, r.StatusCode, r.text)
		}
	}
	if r := ask(t, "HEAD", s.url+"/zarr/a.zarr/c/1"); r.StatusCode != 200 || r.ContentLength != 2 {
		t.Errorf("%d, %d bytes", r.StatusCode, r.ContentLength)
	}
}

// A chunk that lies far away costs one request there.
func TestFarValuesAreAskedForOnce(t *testing.T) {
	var mu sync.Mutex
	asked := map[string][]string{}
	from := upstream(t, written(t), func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			asked[r.URL.Path] = append(asked[r.URL.Path], r.Header.Get("Range"))
			mu.Unlock()
			h.ServeHTTP(w, r)
		})
	})
	s := run(t, serve.Options{Open: onWeb(t)}, nil, from.URL+"/a.zarr")
	ask(t, "GET", s.url+"/zarr/a.zarr/zarr.json")
	for header, want := range map[string]string{"": "", "bytes=1-1": "bytes=1-1", "bytes=-1": "bytes=-1"} {
		mu.Lock()
		clear(asked)
		mu.Unlock()
		var headers []string
		if header != "" {
			headers = []string{"Range: " + header}
		}
		r := ask(t, "GET", s.url+"/zarr/a.zarr/c/1", headers...)
		if got := asked["/a.zarr/c/1"]; r.StatusCode/100 != 2 || len(got) != 1 || got[0] != want {
			t.Errorf("%q: %d %q, asked for %q", header, r.StatusCode, r.text, got)
		}
	}
}

// Who sends the lines of a request slowly, or takes nothing of the answer, is left.
func TestSlowClients(t *testing.T) {
	const size = 128 << 20 // more than a connection holds
	dir := folder(t)
	big, err := os.Create(filepath.Join(dir, "big"))
	if err == nil {
		err = big.Truncate(size)
	}
	if err == nil {
		err = big.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan string, 16)
	o := serve.Options{Limits: serve.Limits{Patience: 30 * time.Millisecond, Idle: 30 * time.Millisecond}, AccessLog: true, Log: slog.New(slog.NewJSONHandler(lines(told), nil))}
	s := run(t, o, nil, dir)
	var wait sync.WaitGroup
	for _, begin := range []string{"", "GET /", "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx", "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nx",
		"GET /files/data.zarr/big HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx"} {
		wait.Go(func() {
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			io.WriteString(conn, begin)
			if _, err := io.Copy(io.Discard, conn); err != nil && !strings.Contains(err.Error(), "reset") { // until the server ends it
				t.Errorf("%q: %v", begin, err)
			}
		})
	}
	wait.Wait()
	for len(told) > 0 {
		<-told
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "GET /files/data.zarr/big HTTP/1.1\r\nHost: localhost\r\n\r\n")
	var line struct{ Bytes, Status int64 }
	if text := <-told; json.Unmarshal([]byte(text), &line) != nil || line.Status != 200 || line.Bytes >= size {
		t.Errorf("%s", text)
	}
}

// lines sends each record of a log.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

func TestHeadersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the server waits before it closes such a connection
		s, err := serve.New(serve.Options{Limits: serve.Limits{Header: 8 << 10}})
		if err != nil {
			t.Fatal(err)
		}
		l := pipes{make(chan net.Conn), make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- s.Run(ctx, l, nil, time.Minute) }()
		client, far := net.Pipe()
		l.come <- far
		go io.WriteString(client, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: "+strings.Repeat("x", 32<<10)+"\r\n\r\n")
		if r, err := http.ReadResponse(bufio.NewReader(client), nil); err != nil || r.StatusCode != 431 {
			t.Errorf("%+v, %v", r, err)
		}
		client.Close()
		cancel()
		if err := errors.Join(<-ended, s.Close()); err != nil {
			t.Error(err)
		}
	})
}

// TLS comes with HTTP/2.
func TestTLS(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotAfter: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	s := run(t, serve.Options{Token: "secret"}, []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, folder(t))
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: "localhost"}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	for query, want := range map[string]int{"?token=secret": 206, "": 401} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", strings.Replace(s.url, "http:", "https:", 1)+"/files/data.zarr/value"+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Range", "bytes=1-2")
		r, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || r.ProtoMajor != 2 || r.StatusCode != want || want == 206 && string(text) != "bc" {
			t.Errorf("%s %d %q, %v", r.Proto, r.StatusCode, text, err)
		}
	}
}

func TestMetricsAndLog(t *testing.T) {
	var log bytes.Buffer
	var mu sync.Mutex
	h := started(t, serve.Options{AccessLog: true, Log: slog.New(slog.NewJSONHandler(locked{&mu, &log}, nil))}, folder(t))
	for range 3 {
		ask(t, "GET", h.URL+"/files/data.zarr/value?token=hidden", "Range: bytes=0-9")
	}
	ask(t, "GET", h.URL+"/files/data.zarr/gone")
	ask(t, "GET", h.URL+"/random/"+strings.Repeat("x", 100))
	text := ask(t, "GET", h.URL+"/metrics").text
	for _, want := range []string{
		`omnizarr_http_requests_total{route="/files",status="206"} 3`, `omnizarr_http_requests_total{route="/files",status="404"} 1`, `omnizarr_http_requests_total{route="other",status="404"} 1`,
		`omnizarr_http_request_duration_seconds_bucket{route="/files",le="+Inf"} 4`, `omnizarr_http_request_duration_seconds_count{route="/files"} 4`,
		"omnizarr_http_requests_in_flight 1", `omnizarr_cache_requests_total{from="made"} `, "# TYPE omnizarr_http_request_duration_seconds histogram", "omnizarr_work_in_flight 0",
	} {
		if !strings.Contains(text, want+"\n") && !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if n := strings.Count(log.String(), `"path":"/files/data.zarr/value","status":206,"bytes":10,`); n != 3 || strings.Contains(log.String(), "hidden") {
		t.Errorf("%d of 3 in %s", n, log.String())
	}
}

type locked struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// Requests at the same time do not mix.
func TestManyAtOnce(t *testing.T) {
	h := started(t, serve.Options{}, folder(t))
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			if r := ask(t, "GET", h.URL+"/files/data.zarr/value", fmt.Sprintf("Range: bytes=%d-%d", i%26, i%26)); r.text != letters[i%26:i%26+1] {
				t.Errorf("%d: %q", i, r.text)
			}
		})
	}
	wg.Wait()
}

// A chunk that is not there costs one request there, one that cannot be none.
func TestMissingValuesAreAskedForOnce(t *testing.T) {
	dir := written(t)
	if err := os.Remove(filepath.Join(dir, "a.zarr", "c", "1")); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var asked []string
	from := upstream(t, dir, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			asked = append(asked, r.URL.Path)
			mu.Unlock()
			h.ServeHTTP(w, r)
		})
	})
	s := run(t, serve.Options{Open: onWeb(t)}, nil, from.URL+"/a.zarr")
	ask(t, "GET", s.url+"/zarr/a.zarr/zarr.json")
	for key, most := range map[string]int{"c/7": 0, "nothing": 0, "c/1": 1} {
		mu.Lock()
		asked = nil
		mu.Unlock()
		r := ask(t, "GET", s.url+"/zarr/a.zarr/"+key)
		mu.Lock()
		if r.StatusCode != 404 || len(asked) > most {
			t.Errorf("%s: %d, asked for %q", key, r.StatusCode, asked)
		}
		mu.Unlock()
	}
}
