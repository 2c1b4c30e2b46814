package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr/store"
)

var ctx = context.Background()

// get asks for a path of a made-up server.
func get(path string) Request {
	return func(ctx context.Context, ranges string) (*http.Request, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://server/"+path, nil)
		if err == nil && ranges != "" {
			r.Header.Set("Range", ranges)
		}
		return r, err
	}
}

// tripper is a function as a transport.
type tripper func(r *http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	return f(r)
}

// says is an answer with a body.
func says(r *http.Request, status int, body io.Reader, size int64) *http.Response {
	return &http.Response{StatusCode: status, Header: make(http.Header), Body: io.NopCloser(body), ContentLength: size, Request: r}
}

func TestRetryAfterForms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)
		for v, want := range map[string]time.Duration{"": 0, "7": 7 * time.Second, "-3": 0, "soon": 0, in: 90 * time.Second, "Fri, 31 Dec 1999 23:59:59 GMT": 0} {
			if got := RetryAfter(http.Header{"Retry-After": {v}}); got != want {
				t.Errorf("Retry-After %q: %v, want %v", v, got, want)
			}
		}
	})
}

func TestWaits(t *testing.T) {
	c := New(Options{Wait: 100, MaxWait: 1000})
	for try, want := range []time.Duration{100, 200, 400, 800, 1000, 1000} {
		for range 50 {
			if d := c.wait(try, 0); d < want/2 || d > want {
				t.Fatalf("wait %v after try %d, want %v to %v", d, try, want/2, want)
			}
		}
	}
	if d := c.wait(70, 0); d <= 0 || d > 1000 {
		t.Errorf("wait %v after many tries", d)
	}
}

// TestRetry counts how often a function is called that a library would be behind.
func TestRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Options{Remote: store.Remote{Retries: 4}, Wait: time.Second, MaxWait: time.Minute})
		failed := errors.New("no")
		for _, c2 := range []struct {
			err   error
			after time.Duration
			calls int
		}{{failed, 0, 1}, {Passing(failed, 0), 0, 5}, {Passing(failed, -1), -1, 5 + maxMends}, {nil, 0, 1}} {
			calls, start := 0, time.Now()
			err := c.Retry(ctx, func(context.Context) error { calls++; return c2.err })
			if calls != c2.calls || !errors.Is(err, c2.err) && !errors.Is(err, failed) {
				t.Errorf("%v: %d calls, %v", c2.err, calls, err)
			}
			if waited := time.Since(start); (waited > 0) != (c2.calls > 1 && c2.after == 0) {
				t.Errorf("waited %v between tries", waited)
			}
		}
		calls := 0
		if err := c.Retry(ctx, func(context.Context) error {
			if calls++; calls < 3 {
				return fmt.Errorf("outside: %w", Passing(failed, 0))
			}
			return nil
		}); err != nil || calls != 3 {
			t.Errorf("%d calls, %v", calls, err)
		}
	})
}

// TestTheWriteThatWasLost has an answer that never came.
func TestTheWriteThatWasLost(t *testing.T) {
	for _, lost := range []bool{false, true} {
		n := 0
		c := New(Options{Wait: 1, MaxWait: 1, Transport: tripper(func(r *http.Request) (*http.Response, error) {
			body, _ := io.ReadAll(r.Body)
			if n++; lost && n == 1 {
				return nil, io.ErrUnexpectedEOF
			}
			return says(r, http.StatusOK, bytes.NewReader(body), int64(len(body))), nil
		})})
		a, err := c.Do(ctx, func(ctx context.Context, _ string) (*http.Request, error) {
			return http.NewRequestWithContext(ctx, http.MethodPut, "http://server/x", strings.NewReader("value"))
		}, 100)
		if err != nil || string(a.Body) != "value" || a.Lost != lost || a.Status != 200 {
			t.Errorf("%+v, %v", a, err)
		}
		if got := c.Counts(); got.Out != int64(5*n) || got.In != 5 {
			t.Errorf("%+v", got)
		}
	}
}

func TestAnswersOfDoAreBounded(t *testing.T) {
	for _, size := range []int64{-1, 1000} {
		c := New(Options{Transport: tripper(func(r *http.Request) (*http.Response, error) {
			return says(r, 200, strings.NewReader(strings.Repeat("x", 1000)), size), nil
		})})
		if _, err := c.Do(ctx, get("x"), 999); !errors.Is(err, store.ErrTooLarge) {
			t.Error(err)
		}
		if a, err := c.Do(ctx, get("x"), 1000); err != nil || len(a.Body) != 1000 {
			t.Error(err)
		}
	}
}

func TestBudget(t *testing.T) {
	asked := 0
	budget := store.NewBudget(3)
	open := func() *Client {
		return New(Options{Remote: store.Remote{Budget: budget}, Wait: 1, Transport: tripper(func(r *http.Request) (*http.Response, error) {
			asked++
			return says(r, 503, http.NoBody, 0), nil
		})})
	}
	for range 2 { // the second client shares what the first has left: nothing
		_, _, err := open().Get(ctx, get("x"), store.All(), nil)
		if !errors.Is(err, store.ErrBudget) || asked != 3 {
			t.Errorf("%v after %d requests", err, asked)
		}
	}
}

// TestRequestsUnderWay holds answers back until as many wait as may.
func TestRequestsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		c := New(Options{Remote: store.Remote{Requests: 3}, Transport: tripper(func(r *http.Request) (*http.Response, error) {
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(time.Second)
			now.Add(-1)
			return says(r, 200, strings.NewReader("x"), 1), nil
		})})
		var wg sync.WaitGroup
		start := time.Now()
		for range 9 {
			wg.Go(func() {
				if _, _, err := c.Get(ctx, get("x"), store.All(), nil); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		short, cancel := context.WithCancel(ctx)
		cancel()
		if _, _, err := c.Get(short, get("x"), store.All(), nil); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		wg.Wait()
		if most.Load() != 3 || time.Since(start) != 3*time.Second {
			t.Errorf("%d under way, %v", most.Load(), time.Since(start))
		}
	})
}

// trickle gives a byte a second.
type trickle struct{ ctx context.Context }

func (s trickle) Read(p []byte) (int, error) {
	select {
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	case <-time.After(time.Second):
		p[0] = 'x'
		return 1, nil
	}
}

func TestLowestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for rate, right := range map[int64]bool{0: false, 2: false, 1: true, -1: true} {
			c := New(Options{Remote: store.Remote{Retries: -1, MinRate: rate}, Stall: 10 * time.Second, Transport: tripper(func(r *http.Request) (*http.Response, error) {
				return says(r, 200, trickle{r.Context()}, 100), nil
			})})
			start := time.Now()
			b, _, err := c.Get(ctx, get("x"), store.All(), nil)
			if right && (err != nil || len(b) != 100) || !right && !errors.Is(err, errSlow) {
				t.Errorf("rate %d: %v", rate, err)
			}
			if passed := time.Since(start); !right && passed > 12*time.Second {
				t.Errorf("rate %d: given up after %v", rate, passed)
			}
		}
	})
}

// TestSlowUpload sends for longer than a server may be silent.
func TestSlowUpload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Options{Remote: store.Remote{Retries: -1}, Stall: 10 * time.Second, Transport: tripper(func(r *http.Request) (*http.Response, error) {
			p := make([]byte, 1)
			for {
				if _, err := r.Body.Read(p); err != nil {
					break
				}
				time.Sleep(3 * time.Second)
			}
			if r.Context().Err() != nil {
				return nil, r.Context().Err()
			}
			return says(r, 200, http.NoBody, 0), nil
		})})
		put := func(ctx context.Context, _ string) (*http.Request, error) {
			return http.NewRequestWithContext(ctx, http.MethodPut, "http://server/x", strings.NewReader("a long value"))
		}
		if _, err := c.Do(ctx, put, 0); !errors.Is(err, errSlow) {
			t.Error("12 bytes in 36 s:", err)
		}
		c.opt.MinRate = -1
		if _, err := c.Do(ctx, put, 0); err != nil {
			t.Error(err)
		}
	})
}

// TestPatience has a server that is busy for a while, as S3 is when it wants fewer
// requests: half a minute is waited for, and not much more.
func TestPatience(t *testing.T) {
	for _, c := range []struct {
		busy  time.Duration
		after string
		right bool
	}{{5 * time.Second, "", true}, {15 * time.Second, "", true}, {28 * time.Second, "5", true}, {time.Hour, "", false}, {time.Hour, "3600", false}} {
		synctest.Test(t, func(t *testing.T) {
			begin, tries := time.Now(), 0
			client := New(Options{Transport: tripper(func(r *http.Request) (*http.Response, error) {
				tries++
				if time.Since(begin) >= c.busy {
					return says(r, 200, strings.NewReader("x"), 1), nil
				}
				a := says(r, 503, http.NoBody, 0)
				a.Header.Set("Retry-After", c.after)
				return a, nil
			})})
			_, _, err := client.Get(ctx, get("x"), store.All(), nil)
			passed := time.Since(begin)
			if c.right != (err == nil) || passed > 90*time.Second || !c.right && passed < 15*time.Second || tries > retries+1 {
				t.Errorf("busy for %v: %v after %v and %d tries", c.busy, err, passed, tries)
			}
		})
	}
	// A server that says nothing at all is given up after two or three.
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		client := New(Options{Remote: store.Remote{Hedge: -1}, Transport: tripper(func(r *http.Request) (*http.Response, error) {
			tries++
			<-r.Context().Done()
			return nil, r.Context().Err()
		})})
		if _, _, err := client.Get(ctx, get("x"), store.All(), nil); !errors.Is(err, ErrStalled) || tries > 3 {
			t.Errorf("%v after %d tries", err, tries)
		}
	})
}

// TestTimeOfARequest has a server that sends enough to be no slow one, and never ends.
func TestTimeOfARequest(t *testing.T) {
	for limit, want := range map[time.Duration]time.Duration{0: timeout, 20 * time.Second: 20 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			c := New(Options{Remote: store.Remote{Retries: -1, MinRate: -1, Timeout: limit}, Transport: tripper(func(r *http.Request) (*http.Response, error) {
				return says(r, 200, trickle{r.Context()}, 1<<40), nil
			})})
			begin := time.Now()
			_, _, err := c.Get(ctx, get("x"), store.Part(0, 1<<20), nil)
			if passed := time.Since(begin); !errors.Is(err, errLong) || passed < want || passed > want+2*time.Second {
				t.Errorf("%v after %v", err, passed)
			}
		})
	}
}

// TestMemoryIsGivenBack has servers that answer before they have read what is sent; the
// caller changes its memory as soon as it has an error.
func TestMemoryIsGivenBack(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack() // net/http would wait before it closes it
		if err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { conn.Close() })
		io.WriteString(conn, "HTTP/1.1 412 Precondition Failed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	}))
	defer server.Close()
	c := New(Options{})
	data := make([]byte, 4<<20)
	for i := range 20 {
		if _, err := c.Do(ctx, func(ctx context.Context, _ string) (*http.Request, error) {
			return http.NewRequestWithContext(ctx, http.MethodPut, server.URL, bytes.NewReader(data))
		}, 100); !errors.Is(err, store.ErrPrecondition) && !strings.Contains(fmt.Sprint(err), "reset") && !strings.Contains(fmt.Sprint(err), "broken pipe") {
			t.Error(err)
		}
		data[i*1000] = 1 // the race detector sees who else has it
	}
}

func TestNoRedirectUnlessAskedFor(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Error("asked the other server, with", r.Header)
	}))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	c := New(Options{})
	_, err := c.Do(ctx, func(ctx context.Context, _ string) (*http.Request, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
		r.Header.Set("X-Amz-Security-Token", "secret")
		return r, err
	}, 100)
	if err == nil || !strings.Contains(err.Error(), "307") {
		t.Error(err)
	}
}
