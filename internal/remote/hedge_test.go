package remote

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/store"
)

// plan is a server whose n-th request takes a while and gets a status; the body says
// which one it was.
func plan(steps ...func(n int) (time.Duration, int)) (tripper, *atomic.Int64) {
	var asked atomic.Int64
	return func(r *http.Request) (*http.Response, error) {
		n := int(asked.Add(1)) - 1
		wait, status := steps[min(n, len(steps)-1)](n)
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
		body := strconv.Itoa(n)
		return says(r, status, bytes.NewReader([]byte(body)), int64(len(body))), nil
	}, &asked
}

func step(d time.Duration, status int) func(int) (time.Duration, int) {
	return func(int) (time.Duration, int) { return d, status }
}

// TestHedge has a first request that lingers, and looks which one is believed when.
func TestHedge(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]struct {
		first, second func(int) (time.Duration, int)
		body          string
		err           error
		takes         time.Duration
		hedges        int64
	}{
		"the first is quick":                       {step(s/2, 200), step(0, 200), "0", nil, s / 2, 0},
		"the second wins":                          {step(30*s, 200), step(s, 200), "1", nil, 2 * s, 1},
		"the first wins":                           {step(3*s, 200), step(10*s, 200), "0", nil, 3 * s, 1},
		"the second is refused, the first comes":   {step(9*s, 200), step(s, 503), "0", nil, 9 * s, 1},
		"the first is refused, the second comes":   {step(3*s, 503), step(9*s, 200), "1", nil, 10 * s, 1},
		"the second knows that there is nothing":   {step(30*s, 200), step(s, 404), "", store.ErrNotExist, 2 * s, 1},
		"the first stalls, the second is a minute": {step(90*s, 200), step(40*s, 200), "1", nil, 41 * s, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, asked := plan(c.first, c.second)
				client := New(Options{Remote: store.Remote{Retries: -1, Hedge: s}, Transport: server})
				start := time.Now()
				b, _, err := client.Get(ctx, get("x"), store.All(), nil)
				if string(b) != c.body || !errors.Is(err, c.err) || time.Since(start) != c.takes {
					t.Errorf("got %q, %v after %v", b, err, time.Since(start))
				}
				synctest.Wait()
				if n := client.Counts(); n.Hedges != c.hedges || n.Requests != 1+c.hedges || asked.Load() != n.Requests {
					t.Errorf("%+v, %d asked", n, asked.Load())
				}
				if len(client.slots) != 0 {
					t.Errorf("%d requests still have their places", len(client.slots))
				}
			})
		})
	}
}

// TestHedgesAreFew has a server that answers every request late.
func TestHedgesAreFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, asked := plan(step(10*time.Second, 200))
		c := New(Options{Remote: store.Remote{Hedge: time.Second}, Transport: server})
		for range 400 {
			if _, _, err := c.Get(ctx, get("x"), store.All(), nil); err != nil {
				t.Fatal(err)
			}
		}
		if n := c.Counts(); n.Hedges == 0 || asked.Load() > 430 {
			t.Errorf("%d requests for 400 reads, %+v", asked.Load(), n)
		}
		never := New(Options{Remote: store.Remote{Hedge: -1}, Transport: server})
		if _, _, err := never.Get(ctx, get("x"), store.All(), nil); err != nil || never.Counts().Requests != 1 {
			t.Error(err, never.Counts())
		}
		full := New(Options{Remote: store.Remote{Hedge: time.Second, Requests: 1}, Transport: server})
		if _, _, err := full.Get(ctx, get("x"), store.All(), nil); err != nil || full.Counts().Requests != 1 {
			t.Error("a second request without a place:", err, full.Counts())
		}
	})
}

// TestAdaptiveHedge wants stragglers to be overtaken once it is known what is usual.
func TestAdaptiveHedge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, _ := plan(func(n int) (time.Duration, int) {
			if n%50 == 40 {
				return 30 * time.Second, 200
			}
			return 80 * time.Millisecond, 200
		})
		c := New(Options{Transport: server})
		slow := 0
		for range 500 {
			start := time.Now()
			if _, _, err := c.Get(ctx, get("x"), store.All(), nil); err != nil {
				t.Fatal(err)
			}
			if time.Since(start) > time.Second {
				slow++
			}
		}
		if n := c.Counts(); slow > 0 || n.Hedges < 9 || n.Hedges > 12 {
			t.Errorf("%d slow, %+v", slow, n)
		}
	})
}

// lingering is a body of one letter that takes its time.
type lingering struct {
	ctx    context.Context
	letter byte
	left   int
}

func (l *lingering) Read(p []byte) (int, error) {
	select {
	case <-time.After(time.Duration(rand.IntN(3)) * time.Second):
	case <-l.ctx.Done():
		return 0, l.ctx.Err()
	}
	n := min(len(p), l.left, 1+rand.IntN(5000))
	for i := range n {
		p[i] = l.letter
	}
	if l.left -= n; l.left == 0 {
		return n, io.EOF
	}
	return n, nil
}

// TestHedgesMixNothing reads many values at once from a server that lingers by chance,
// before the header and in the middle of the body; every value is wholly that of one
// answer, and memory beside it is left alone.
func TestHedgesMixNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 10_000
		var version atomic.Int64
		c := New(Options{Remote: store.Remote{Hedge: time.Second}, Transport: tripper(func(r *http.Request) (*http.Response, error) {
			letter := byte(version.Add(1))
			if rand.IntN(10) == 0 {
				select {
				case <-time.After(time.Duration(rand.IntN(4000)) * time.Millisecond):
				case <-r.Context().Done():
				}
			}
			return says(r, 200, &lingering{r.Context(), letter, size}, size), nil
		})})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				room := make([]byte, size+2)
				for range 50 {
					room[0], room[size+1] = 'a', 'z'
					b, _, err := c.Get(ctx, get("x"), store.All(), room[:1:size+1])
					if err != nil || len(b) != size+1 || !bytes.Equal(b[1:], bytes.Repeat(b[1:2], size)) || room[0] != 'a' || room[size+1] != 'z' {
						t.Errorf("%d bytes that are not of one answer, or others were changed: %v", len(b), err)
						return
					}
				}
			})
		}
		wg.Wait()
		if n := c.Counts(); n.Hedges < 4 || len(c.slots) != 0 {
			t.Errorf("%+v, %d left", n, len(c.slots))
		}
	})
}

// TestHedgeCosts counts what the readiness for a second request costs when there is none.
func TestHedgeCosts(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	resp := func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Body: http.NoBody, ContentLength: 0, Request: r}, nil
	}
	cost := func(hedge time.Duration) float64 {
		c := New(Options{Remote: store.Remote{Hedge: hedge}, Transport: tripper(resp)})
		r, _ := http.NewRequest(http.MethodGet, "http://server/", nil)
		req := func(context.Context, string) (*http.Request, error) { return r, nil }
		return testing.AllocsPerRun(200, func() {
			if _, _, err := c.Get(ctx, req, store.All(), nil); err != nil {
				t.Error(err)
			}
		})
	}
	without, with := cost(-1), cost(time.Hour)
	t.Logf("%v allocations without, %v with", without, with)
	if with-without > 4 || without > 12 {
		t.Errorf("%v allocations without, %v with", without, with)
	}
}
