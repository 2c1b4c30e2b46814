package locks_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr/internal/locks"
)

func TestOneAtATimeByName(t *testing.T) {
	var table locks.Table
	counts := make([]int, 3)
	var wg sync.WaitGroup
	for k := range 300 {
		wg.Go(func() {
			held, err := table.Lock(t.Context(), fmt.Sprint(k%3))
			if err != nil {
				t.Error(err)
				return
			}
			counts[k%3]++
			held.Unlock()
		})
	}
	wg.Wait()
	if counts[0] != 100 || counts[1] != 100 || counts[2] != 100 {
		t.Error(counts)
	}
}

func TestOtherNamesDoNotWait(t *testing.T) {
	var table locks.Table
	held, err := table.Lock(t.Context(), "hung")
	if err != nil {
		t.Fatal(err)
	}
	for k := range 10_000 { // more than any table has places
		other, err := table.Lock(t.Context(), fmt.Sprint(k))
		if err != nil {
			t.Fatal(err)
		}
		defer other.Unlock()
	}
	held.Unlock()
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var table locks.Table
		held, err := table.Lock(context.Background(), "a")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := table.Lock(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		held.Unlock()
		if _, err := table.Lock(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a context that has ended takes a lock: %v", err)
		}
		again, err := table.Lock(context.Background(), "a")
		if err != nil {
			t.Fatal(err)
		}
		again.Unlock()
	})
}

func TestSharing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var table locks.Table
		ctx := context.Background()
		one, _ := table.Share(ctx, "a")
		two, err := table.Share(ctx, "a")
		if err != nil {
			t.Fatal(err)
		}
		alone := false
		go func() {
			held, _ := table.Lock(ctx, "a")
			alone = true
			held.Unlock()
		}()
		synctest.Wait()
		one.Unlock()
		synctest.Wait()
		if alone {
			t.Error("taken alone while somebody shares it")
		}
		two.Unlock()
		synctest.Wait()
		if !alone {
			t.Error("still waiting")
		}
	})
}

func TestALockCostsNoMemory(t *testing.T) {
	var table locks.Table
	ctx := t.Context()
	if n := testing.AllocsPerRun(1000, func() {
		held, err := table.Lock(ctx, "name")
		if err != nil {
			t.Fatal(err)
		}
		held.Unlock()
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func Example() {
	var table locks.Table
	held, err := table.Lock(context.Background(), "chunk 0/0")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer held.Unlock()
	fmt.Println("alone")
	// Output: alone
}
