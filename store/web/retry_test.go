package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr/internal/remote"
	"github.com/omnizarr/zarr/store"
)

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
		{quick, 429, false, 9}, {quick, 500, false, 9}, {quick, 503, false, 9}, {quick, 504, false, 9},
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
	synctest.Test(t, func(t *testing.T) {
		// waited asks for a value of a server without a network, and tells how long that takes.
		waited := func(ctx context.Context, opt Options) (time.Duration, error) {
			asked.Store(0)
			opt.Transport = handled(busy)
			s, err := Open("http://server", opt)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			_, _, err = s.Get(ctx, "k", store.All(), nil)
			return time.Since(start), err
		}
		if d, err := waited(ctx, Options{Wait: time.Millisecond, MaxWait: 50 * time.Millisecond}); err != nil || d != 50*time.Millisecond {
			t.Errorf("waited %v, want what the server asks for up to 50 ms; %v", d, err)
		}
		short, cancel := context.WithTimeout(ctx, 30*time.Millisecond)
		defer cancel()
		d, err := waited(short, Options{})
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "429") {
			t.Errorf("got %v", err)
		}
		if d > 30*time.Millisecond {
			t.Errorf("the context ended the wait after %v", d)
		}
	})
}

// handled is a handler as a transport.
type handled http.HandlerFunc

func (h handled) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h(w, r)
	return w.Result(), nil
}

func TestTruncatedForGood(t *testing.T) {
	var asked atomic.Int32
	s := serve(t, quick, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "short")
	})
	b, _, err := s.Get(ctx, "k", store.All(), []byte("head"))
	if !errors.Is(err, io.ErrUnexpectedEOF) || asked.Load() != 9 || string(b) != "head" {
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
	if msg := err.Error(); strings.Count(msg, "the/key") != 1 || strings.Count(msg, server.URL) != 1 || !strings.Contains(msg, "tried 9 times") {
		t.Errorf("error %q should name key and URL once", msg)
	}
}

func TestStalledServer(t *testing.T) {
	done := make(chan struct{})
	opt := quick
	opt.Stall, opt.Retries = 10*time.Millisecond, 1
	stall := func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "body") {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "start")
			w.(http.Flusher).Flush()
		}
		<-done
	}
	s := serve(t, opt, stall)
	opt.Stall = time.Hour
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	patient := serve(t, opt, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "start")
		w.(http.Flusher).Flush()
		cancel()
		<-done
	})
	defer close(done)
	for _, key := range []string{"header", "body"} {
		if _, _, err := s.Get(ctx, key, store.All(), nil); !errors.Is(err, remote.ErrStalled) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if _, _, err := patient.Get(short, "body", store.All(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("who waits no longer: %v", err)
	}
}
