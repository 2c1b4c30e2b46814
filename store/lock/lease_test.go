package lock_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/lock"
	"github.com/omnizarr/zarr/store/mem"
)

// far is a store that other processes reach too.
type far struct{ *mem.Store }

func (far) Concurrency() int { return 1 << 20 }

func TestALockInAStoreIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, s := context.Background(), far{mem.New()}
		release, err := lock.Take(ctx, s, "a")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if _, err := lock.Take(ctx, s, "a"); !errors.Is(err, lock.ErrBusy) || !strings.Contains(err.Error(), "process ") {
			t.Errorf("got %v", err)
		}
		other, err := lock.Take(ctx, s, "b")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Delete(ctx, "b/"+lock.Name); err != nil { // as who clears the folder does
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if _, err := lock.Take(ctx, s, "b"); !errors.Is(err, lock.ErrBusy) {
			t.Errorf("got %v", err)
		}
		if err := errors.Join(release(), other()); err != nil {
			t.Fatal(err)
		}
		for e := range s.List(ctx, "", "") {
			t.Errorf("left: %s", e.Key)
		}
	})
}

func TestLocksInAStoreAreWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, s := context.Background(), far{mem.New()}
		var held, done atomic.Int32
		for range 8 {
			go func() {
				release, err := lock.Wait(ctx, s, "")
				if err != nil {
					t.Error(err)
					return
				}
				if held.Add(1) > 1 {
					t.Error("two have the lock")
				}
				time.Sleep(time.Second)
				held.Add(-1)
				done.Add(1)
				if err := release(); err != nil {
					t.Error(err)
				}
			}()
		}
		time.Sleep(time.Minute)
		if n := done.Load(); n != 8 {
			t.Errorf("%d had the lock", n)
		}
	})
}

// A lock whose process has ended is taken over, and who wakes up later is told.
func TestALockInAStoreEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, s := context.Background(), far{mem.New()}
		if _, err := s.Put(ctx, lock.Name, []byte("process 1 on a, 2, 3\n"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		release, err := lock.Take(ctx, s, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Put(ctx, lock.Name, []byte("process 2 on b, 3, 1\n"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if err := release(); err == nil {
			t.Error("a lock was lost, and nobody says so")
		}
		if got, _, err := s.Get(ctx, lock.Name, store.All(), nil); err != nil || !strings.HasPrefix(string(got), "process 2") {
			t.Errorf("the lock of another was removed: %s, %v", got, err)
		}
	})
}

func TestWaitingForALockEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := far{mem.New()}
		release, err := lock.Take(context.Background(), s, "")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := lock.Wait(ctx, s, ""); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if err := release(); err != nil {
			t.Error(err)
		}
	})
}
