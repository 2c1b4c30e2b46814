package par_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr/internal/par"
)

var ctx = context.Background()

func TestEveryNumberComesOnce(t *testing.T) {
	for _, l := range []*par.Limiter{nil, par.NewLimiter(0, 0), par.NewLimiter(1, 10), par.NewLimiter(7, 1<<40)} {
		for _, n := range []int{0, 1, 2, 3, 1000} {
			seen := make([]atomic.Int32, n)
			if err := l.Run(ctx, n, 1, func(i int) error { seen[i].Add(1); return nil }); err != nil {
				t.Fatal(err)
			}
			for i := range seen {
				if seen[i].Load() != 1 {
					t.Errorf("%d of %d came %d times", i, n, seen[i].Load())
				}
			}
		}
	}
}

// most counts how many calls of a loop run at once.
type most struct {
	now, top atomic.Int64
}

func (m *most) enter() {
	n := m.now.Add(1)
	for {
		top := m.top.Load()
		if n <= top || m.top.CompareAndSwap(top, n) {
			return
		}
	}
}

func (m *most) leave() { m.now.Add(-1) }

func TestGoroutinesAreBounded(t *testing.T) {
	for _, c := range []struct {
		extra  int
		bytes  int64
		weight int64
		want   int64
	}{
		{0, 1000, 1, 1},
		{3, 1000, 1, 4},
		{3, 25, 10, 3}, // memory for two more
		{3, 5, 10, 1},  // for none
		{3, 0, 0, 4},   // what weighs nothing needs no memory
		{100, 95, 10, 10},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := par.NewLimiter(c.extra, c.bytes)
			var m most
			err := l.Run(ctx, 200, c.weight, func(int) error {
				m.enter()
				time.Sleep(time.Millisecond)
				m.leave()
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if m.top.Load() != c.want {
				t.Errorf("%+v: %d at once", c, m.top.Load())
			}
		})
	}
}

func TestLoopsThatShareALimiterShareItsBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := par.NewLimiter(3, 1<<20)
		var m most
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				_ = l.Run(ctx, 50, 1, func(int) error {
					m.enter()
					time.Sleep(time.Millisecond)
					m.leave()
					return nil
				})
			})
		}
		wg.Wait()
		if m.top.Load() > 4+3 {
			t.Errorf("%d at once", m.top.Load())
		}
	})
}

func TestLoopsInsideLoopsNeverWaitForEachOther(t *testing.T) {
	l := par.NewLimiter(2, 100)
	var n atomic.Int64
	err := l.Run(ctx, 10, 30, func(int) error {
		return l.Run(ctx, 10, 30, func(int) error {
			return l.Run(ctx, 10, 30, func(int) error { n.Add(1); return nil })
		})
	})
	if err != nil || n.Load() != 1000 {
		t.Errorf("%d calls, %v", n.Load(), err)
	}
}

func TestTheFirstErrorStopsTheLoop(t *testing.T) {
	bad := errors.New("bad")
	for _, l := range []*par.Limiter{nil, par.NewLimiter(3, 100)} {
		var n atomic.Int64
		err := l.Run(ctx, 1_000_000, 1, func(i int) error {
			if n.Add(1) == 10 {
				return bad
			}
			return nil
		})
		if err != bad {
			t.Errorf("got %v", err)
		}
		if n.Load() > 100_000 {
			t.Errorf("%d calls", n.Load())
		}
	}
}

func TestTheEndOfTheContextStopsTheLoop(t *testing.T) {
	for _, l := range []*par.Limiter{nil, par.NewLimiter(3, 100)} {
		own, cancel := context.WithCancel(ctx)
		var n atomic.Int64
		err := l.Run(own, 1_000_000, 1, func(i int) error {
			if n.Add(1) == 10 {
				cancel()
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) || n.Load() > 100 {
			t.Errorf("%d calls, %v", n.Load(), err)
		}
		for _, count := range []int{1, 5} {
			err := l.Run(own, count, 1, func(int) error { t.Error("called"); return nil })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		}
	}
}

func TestNothingRunsAfterTheLoop(t *testing.T) {
	// A bubble ends only when all of its goroutines have.
	synctest.Test(t, func(t *testing.T) {
		l := par.NewLimiter(8, 100)
		for k := range 200 {
			var running atomic.Int64
			_ = l.Run(ctx, 20, 1, func(i int) error {
				running.Add(1)
				defer running.Add(-1)
				runtime.Gosched()
				if i == k%20 {
					return errors.New("stop")
				}
				return nil
			})
			if running.Load() != 0 {
				t.Fatal("a call still runs")
			}
		}
	})
}

func TestWhatWasTakenIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := par.NewLimiter(3, 30)
		for range 10 {
			_ = l.Run(ctx, 10, 10, func(i int) error {
				time.Sleep(time.Millisecond)
				if i == 5 {
					return errors.New("stop")
				}
				return nil
			})
		}
		var m most
		_ = l.Run(ctx, 20, 10, func(int) error {
			m.enter()
			time.Sleep(time.Millisecond)
			m.leave()
			return nil
		})
		if m.top.Load() != 4 {
			t.Errorf("%d at once after errors", m.top.Load())
		}
	})
}

func ExampleLimiter_Run() {
	l := par.NewLimiter(3, 1<<20)
	squares := make([]int, 5)
	err := l.Run(context.Background(), len(squares), 1<<10, func(i int) error {
		squares[i] = i * i
		return nil
	})
	fmt.Println(squares, err)
	// Output: [0 1 4 9 16] <nil>
}
