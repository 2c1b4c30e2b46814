package codec

import (
	"context"
	"fmt"
	"sync"
	"testing"
)

// Who holds one of the locks of a cache keeps nobody else waiting than those who want the very
// same corner of it: there is no lock for all.
func TestNoLockOfTheCacheIsForAll(t *testing.T) {
	const chunks, parts = 64, 64
	c := NewCache(1 << 20)
	ctx := context.Background()
	work := func(chunk, name string) {
		l := c.Lease(chunk)
		defer l.Close()
		for range 2 {
			if _, err := l.Get(ctx, name, func() (any, int64, error) { return name, 1, nil }); err != nil || !l.Has(name) {
				t.Errorf("%s of %s: %v", name, chunk, err)
			}
		}
	}
	held := c.Lease("held")
	defer held.Close()
	for _, lock := range []struct {
		what string
		mu   *sync.Mutex
		most int // that may have to wait: far fewer do, whatever the seed of the hash
	}{
		{"rack", &held.s.rack.mu, chunks * parts / 2},
		{"drawer", &held.s.drawers[0].mu, 0},
		{"queue", &c.queues[0].mu, chunks * parts / 2},
	} {
		lock.mu.Lock()
		var wg sync.WaitGroup
		done := make(chan struct{}, chunks*parts)
		for i := range chunks {
			for k := range parts {
				wg.Go(func() {
					work(fmt.Sprint(lock.what, i), fmt.Sprint(k))
					done <- struct{}{}
				})
			}
		}
		for range chunks*parts - lock.most {
			<-done
		}
		lock.mu.Unlock()
		wg.Wait()
	}
}

// Readers, writers and those who make room at once leave nothing behind: what is counted is what is there.
func TestTheCacheCountsWhatItHolds(t *testing.T) {
	c := NewCache(500)
	ctx := context.Background()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 2000 {
				chunk := fmt.Sprint((g + i) % 7)
				switch {
				case i%50 == g:
					c.Change(chunk)()
				case i%333 == g:
					c.Drop("3")
				default:
					l := c.Lease(chunk)
					if v, err := l.Get(ctx, fmt.Sprint(i%11), func() (any, int64, error) { return i % 11, int64(10 + i%11), nil }); err != nil || v != i%11 {
						t.Errorf("got %v, %v", v, err)
					}
					l.Close()
				}
			}
		})
	}
	wg.Wait()
	var queued, shelved int64
	for i := range c.queues {
		for e := c.queues[i].front; e != nil; e = e.next {
			queued += e.size
		}
	}
	for i := range c.racks {
		for chunk, s := range c.racks[i].chunks {
			if s.leases != 0 || s.writers != 0 || s.ended.Load() || s.kept.Load() == 0 {
				t.Errorf("chunk %s was left with %d leases, %d writers and %d parts", chunk, s.leases, s.writers, s.kept.Load())
			}
			for k := range s.drawers {
				for _, e := range s.drawers[k].items {
					shelved += e.size
				}
			}
		}
	}
	if size, _ := c.Stats(); size != queued || size != shelved || size > 500 {
		t.Errorf("%d bytes are counted, %d in queues, %d on shelves", size, queued, shelved)
	}
}
