package par

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

func TestALoopGoesToWhoWaitsForIt(t *testing.T) {
	inside, other := &around{}, &around{}
	for _, c := range []struct {
		waits  *notice
		inside *around
		want   bool
	}{
		{nil, nil, false},
		{nil, inside, false},
		{&acquired, nil, true},
		{&acquired, inside, false}, // nobody was acquired
		{&notice{around: inside}, inside, true},
		{&notice{around: inside}, other, false},
		{&notice{around: inside}, nil, false}, // would not be released
		{&notice{loop: &loop{}}, nil, false},  // was given one
	} {
		s, p := &seat{}, &loop{}
		p.offer.loop = p
		s.notice.Store(c.waits)
		if got := s.give(p, c.inside); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
		if c.want {
			if p.others.Load() != 1 {
				t.Errorf("%+v: %d others work on it", c, p.others.Load())
			}
			if got := s.rise(c.waits, true); got != p {
				t.Errorf("%+v: got %p", c, got)
			}
			p.leave()
		} else if p.others.Load() != 0 || s.notice.Load() != c.waits {
			t.Errorf("%+v: something happened", c)
		}
		p.wg.Wait()
	}
	var none *seat
	if none.give(&loop{}, nil) {
		t.Error("given to nobody")
	}
}

func TestWhoWaitsRisesWhenOthersHaveLeft(t *testing.T) {
	s, p := &seat{}, &loop{}
	if s.take(&notice{}, patience, p) != nil || s.notice.Load() != nil {
		t.Error("still waits")
	}
	if s.take(&acquired, 0, nil) != nil || s.notice.Load() != nil {
		t.Error("waits for longer than it worked")
	}
	s.notice.Store(&acquired)
	if s.take(&acquired, patience, nil) != nil || s.notice.Load() != &acquired {
		t.Error("two wait for any loop")
	}
}

// limited gives limiters with a seat and without one.
func limited(t *testing.T) []*Limiter {
	t.Helper()
	before := runtime.GOMAXPROCS(4)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	out := []*Limiter{NewLimiter(1, 1<<20), NewLimiter(3, 1<<20), NewLimiter(4, 1<<20), nil}
	if out[1].seat == nil || out[2].seat != nil {
		t.Fatal("processors are not counted")
	}
	return out
}

func TestLoopsAroundOthersDoAllOfThem(t *testing.T) {
	for _, l := range limited(t) {
		var wg sync.WaitGroup
		var now, top, all atomic.Int64
		const callers, rounds = 3, 100
		for range callers {
			wg.Go(func() {
				for range rounds {
					err := l.RunAround(context.Background(), 3, 1, func(ctx context.Context, i int) error {
						return l.RunAround(ctx, 2, 1, func(ctx context.Context, j int) error {
							return l.Run(ctx, 1+i*j*4, 1, func(int) error {
								n := now.Add(1)
								for m := top.Load(); n > m && !top.CompareAndSwap(m, n); m = top.Load() {
								}
								runtime.Gosched()
								all.Add(1)
								now.Add(-1)
								return nil
							})
						})
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if all.Load() != callers*rounds*(3+1+5+9) {
			t.Errorf("%d calls", all.Load())
		}
		extra := int64(0)
		if l != nil {
			extra = l.free.Load()
			if l.bytes.Load() != 1<<20 {
				t.Errorf("%d bytes were not given back", 1<<20-l.bytes.Load())
			}
		}
		if top.Load() > callers+extra {
			t.Errorf("%d at once, with %d more than %d callers", top.Load(), extra, callers)
		}
	}
}

// The only goroutine that may be acquired has a loop inside of the one that it was acquired for: who
// called that is the only one who can help. He is patient only for a while, and so that
// may take some tries.
func TestWhoWaitsForALoopWorksOnThoseInside(t *testing.T) {
	l := limited(t)[0]
	for range 10_000 {
		var now atomic.Int64
		var helped atomic.Bool
		err := l.RunAround(context.Background(), 2, 1, func(ctx context.Context, i int) error {
			if i == 0 {
				return nil
			}
			return l.Run(ctx, 20, 1, func(int) error {
				if now.Add(1) > 1 {
					helped.Store(true)
				}
				for range 100 {
					runtime.Gosched()
				}
				now.Add(-1)
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		if helped.Load() {
			return
		}
	}
	t.Error("nobody helped")
}

func TestErrorsInsideEndLoopsAround(t *testing.T) {
	bad := errors.New("bad")
	for _, l := range limited(t) {
		for k := range 100 {
			err := l.RunAround(context.Background(), 4, 1, func(ctx context.Context, i int) error {
				return l.Run(ctx, 10, 1, func(j int) error {
					if i*10+j == k%40 {
						return bad
					}
					return nil
				})
			})
			if err != bad {
				t.Fatalf("%d: got %v", k, err)
			}
		}
		own, cancel := context.WithCancel(context.Background())
		err := l.RunAround(own, 4, 1, func(ctx context.Context, i int) error {
			cancel()
			return l.Run(ctx, 10, 1, func(int) error { return nil })
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}
