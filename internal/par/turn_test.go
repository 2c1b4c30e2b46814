package par_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr/internal/par"
)

func begun(turn *par.Turn, ctx context.Context, l *par.Limiter, weight int64) *par.Task {
	task := new(par.Task)
	task.Begin(ctx, turn, l, weight)
	return task
}

func TestTasksTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn, l := par.NewTurn(4, 64<<20), par.NewLimiter(3, 64<<20)
		var m most
		err := l.Run(ctx, 8, 1, func(int) error {
			task := begun(turn, ctx, l, 100)
			defer task.End()
			if n, free := task.Most(nil, nil); free || n != 8<<20+100 {
				t.Errorf("%d bytes, %v", n, free)
			}
			// What is inside of a task has the turn when it has.
			return l.Run(ctx, 3, 0, func(int) error {
				if err := task.Wait(ctx); err != nil {
					return err
				}
				if _, free := task.Most(nil, nil); !free {
					t.Error("is not free in its turn")
				}
				m.enter()
				time.Sleep(time.Millisecond)
				m.leave()
				return nil
			})
		})
		if err != nil || m.top.Load() > 3 {
			t.Errorf("%d at once, %v", m.top.Load(), err)
		}
	})
}

func TestTheEndOfTheContextEndsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn := par.NewTurn(1, 0)
		first := begun(turn, ctx, nil, 0)
		if err := first.Wait(ctx); err != nil {
			t.Fatal(err)
		}
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		second := begun(turn, short, nil, 0)
		done := make(chan error)
		for range 2 {
			go func() { done <- second.Wait(short) }()
		}
		for range 2 {
			if err := <-done; !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		}
		second.End() // has nothing
		first.End()
		if err := begun(turn, ctx, nil, 0).Wait(ctx); err != nil {
			t.Error(err)
		}
		if err := begun(turn, ctx, nil, 0).Wait(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

// What is held after it was decoded is counted, and what needs a turn is tried before it
// waits for one.
func TestWhatIsHeldIsCounted(t *testing.T) {
	turn := par.NewTurn(1, 0) // a mebibyte for each
	read := func(sizes ...int) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			var blobs [][]byte
			holder := &blobs
			for _, size := range sizes {
				task := begun(turn, ctx, nil, 0)
				defer task.End()
				if n, free := task.Most(holder, blobs); !free && int64(size) > n {
					if err := task.Wait(ctx); err != nil {
						return err
					}
				}
				blobs = append(blobs, make([]byte, size))
			}
			return nil
		}
	}
	if refused, err := turn.Try(ctx, 0, read(500<<10, 500<<10)); refused || err != nil {
		t.Errorf("%v, %v", refused, err)
	}
	if refused, err := turn.Try(ctx, 0, read(500<<10, 500<<10, 500<<10)); !refused || err == nil {
		t.Errorf("%v, %v", refused, err)
	}
	bad := errors.New("bad")
	if refused, err := turn.Try(ctx, 0, func(context.Context) error { return bad }); refused || err != bad {
		t.Errorf("%v, %v", refused, err)
	}
	other := par.NewTurns(1, 0)
	short, cancel := context.WithCancel(other.In(ctx))
	cancel()
	calls := 0
	count := func(ctx context.Context) error { calls++; return read(500<<10, 600<<10)(ctx) }
	end, err := par.Hold(other.In(ctx), 0, 0, count)
	if err != nil || calls != 2 {
		t.Errorf("%d calls, %v", calls, err)
	}
	if second, err := par.Hold(other.In(ctx), 1, 0, count); err != nil { // of the other turn
		t.Error(err)
	} else {
		second()
	}
	if _, err := par.Hold(short, 0, 0, count); !errors.Is(err, context.Canceled) {
		t.Errorf("who waits for the turn: %v", err)
	}
	end()
	if refused, _ := par.Try(other.In(ctx), 0, func(ctx context.Context) error {
		end, err := par.Hold(ctx, 0, 0, count)
		end()
		return err
	}); !refused {
		t.Error("was not given up as a whole")
	}
	for range 2 {
		if _, err := par.Hold(other.In(ctx), 0, 0, func(context.Context) error { return bad }); err != bad {
			t.Error(err)
		}
	}
	calls = 0
	if end, err := par.Hold(ctx, 0, 0, count); err != nil || calls != 1 {
		t.Errorf("without turns: %d calls, %v", calls, err)
	} else {
		end()
	}
}

func ExampleTurn_Hold() {
	turn := par.NewTurn(4, 64<<20)
	end, err := turn.Hold(context.Background(), 1<<10, func(ctx context.Context) error {
		fmt.Println("decodes what is held until the end")
		return nil
	})
	end()
	fmt.Println(err)
	// Output:
	// decodes what is held until the end
	// <nil>
}
