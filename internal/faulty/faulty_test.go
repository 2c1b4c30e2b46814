package faulty

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

var value = bytes.Repeat([]byte("0123456789"), 1000)

// start serves value with a plan before it, and counts what reaches the server.
func start(t *testing.T, p Plan) (*Proxy, *http.Client, string, *atomic.Int32) {
	var seen atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Add(1)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(value))
	}))
	t.Cleanup(server.Close)
	f, url := Serve(t, server.URL, p)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return f, client, url, &seen
}

// get asks for a range and gives all that comes.
func get(t *testing.T, c *http.Client, url, ranges string) (*http.Response, []byte, error) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if ranges != "" {
		req.Header.Set("Range", ranges)
	}
	resp, err := c.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp, b, err
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		fault  Fault
		status int // 0 for no answer
		bytes  int
		err    error
		seen   int32
	}{
		{None, 206, 1000, nil, 1},
		{Error, 500, 0, nil, 0},
		{Busy, 503, 0, nil, 0},
		{Slower, 429, 0, nil, 0},
		{Lost, 0, 0, syscall.ECONNRESET, 0},
		{Unanswered, 0, 0, syscall.ECONNRESET, 1},
		{Cut, 206, 500, syscall.ECONNRESET, 1},
		{Short, 206, 500, io.ErrUnexpectedEOF, 1},
		{Less, 206, 500, nil, 1},
		{More, 206, 1000, io.ErrUnexpectedEOF, 1},
		{Elsewhere, 206, 1000, nil, 1},
		{Expired, 403, -1, nil, 0},
		{Trickle, 206, 1000, nil, 1},
		{Misdirected, 307, 0, nil, 0},
	} {
		t.Run(c.fault.String(), func(t *testing.T) {
			f, client, url, seen := start(t, Plan{Fault: func(r *http.Request, n int) Fault {
				if r.Header.Get("Range") == "" {
					return None // the first look
				}
				return First(c.fault)(r, n)
			}})
			if _, b, err := get(t, client, url, ""); err != nil || !bytes.Equal(b, value) {
				t.Fatalf("%d bytes, %v", len(b), err)
			}
			resp, b, err := get(t, client, url, "bytes=5-1004")
			if !errors.Is(err, c.err) && !(errors.Is(c.err, syscall.ECONNRESET) && errors.Is(err, io.ErrUnexpectedEOF)) {
				t.Errorf("error %v, want %v", err, c.err)
			}
			if c.status != 0 && (resp == nil || resp.StatusCode != c.status) {
				t.Fatalf("answer %v", resp)
			}
			if c.bytes >= 0 && (len(b) > c.bytes || !errors.Is(c.err, syscall.ECONNRESET) && len(b) != c.bytes) {
				t.Errorf("%d bytes, want %d", len(b), c.bytes)
			}
			if c.bytes > 0 && !bytes.HasPrefix(value[5:], b) {
				t.Error("bytes that the value does not have")
			}
			if n := seen.Load() - 1; n != c.seen {
				t.Errorf("the server saw %d requests, want %d", n, c.seen)
			}
			if f.Count(c.fault) == 0 || f.Requests() != 2 {
				t.Errorf("%d of %d requests are counted", f.Count(c.fault), f.Requests())
			}
			switch {
			case c.fault == Busy && resp.Header.Get("Retry-After") != "1":
				t.Error("it does not say when to come back")
			case c.fault == Elsewhere && resp.Header.Get("Content-Range") != "bytes 6-1005/10000":
				t.Errorf("range %q", resp.Header.Get("Content-Range"))
			case c.fault == Expired && !strings.Contains(string(b), "ExpiredToken"):
				t.Errorf("said %q", b)
			}
			if _, b, err := get(t, client, url, "bytes=5-1004"); err != nil || !bytes.Equal(b, value[5:1005]) {
				t.Errorf("again: %d bytes, %v", len(b), err)
			}
		})
	}
}

func TestSilence(t *testing.T) {
	_, client, url, _ := start(t, Plan{Fault: First(Silent)})
	client.Timeout = 50 * time.Millisecond
	if _, _, err := get(t, client, url, ""); err == nil {
		t.Error("an answer")
	}
}

func TestSomeIsTheSameInAnyOrder(t *testing.T) {
	some := Some(7, 10, Error, Lost)
	request := func(i int) *http.Request {
		return httptest.NewRequest(http.MethodGet, "/k/"+strings.Repeat("x", i%40), nil)
	}
	counts := map[Fault]int{}
	for i := range 10_000 {
		f := some(request(i), i)
		counts[f]++
		if some(request(i), i) != f {
			t.Fatal("another fault for the same request")
		}
	}
	if n := counts[Error] + counts[Lost]; n < 800 || n > 1200 || counts[Error] < 300 || counts[Lost] < 300 {
		t.Errorf("faults %v", counts)
	}
	named := httptest.NewRequest(http.MethodGet, "/bucket/fault-3/x", nil)
	if Named()(named, 0) != Slower || Named()(named, 1) != None || Named()(request(1), 0) != None || All()[Slower-1] != Slower {
		t.Error("a fault that is not the named one")
	}
	if Only(http.MethodPut, First(Error))(request(1), 0) != None {
		t.Error("a fault of another method")
	}
}

func TestCounts(t *testing.T) {
	f, client, url, _ := start(t, Plan{})
	f.Reset()
	if _, _, err := get(t, client, url+"/a%2Fb?x=1", "bytes=0-9"); err != nil {
		t.Fatal(err)
	}
	if log := f.Log(); len(log) != 1 || log[0] != "GET /a%2Fb?x=1 bytes=0-9" {
		t.Errorf("log %q", log)
	}
	const at = 8
	var here sync.WaitGroup
	here.Add(at)
	f.Plan(Plan{Fault: func(*http.Request, int) Fault { // until all are there
		here.Done()
		here.Wait()
		return None
	}})
	f.Reset()
	var all sync.WaitGroup
	for range at {
		all.Go(func() { get(t, client, url, "") })
	}
	all.Wait()
	if f.Requests() != at || f.Most() != at || f.Faults() != 0 {
		t.Errorf("%d requests, %d at once, %d faults", f.Requests(), f.Most(), f.Faults())
	}
}

func TestSessionsGoThroughTheProxy(t *testing.T) {
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", server.URL+"/session/1")
	}))
	defer server.Close()
	_, url := Serve(t, server.URL, Plan{Bandwidth: 1 << 20})
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, _, err := get(t, client, url, "")
	if err != nil || resp.Header.Get("Location") != url+"/session/1" {
		t.Errorf("%v, %v", resp, err)
	}
}
