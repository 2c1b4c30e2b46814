// Package locks holds locks by name: those who work on things of the same name
// wait for each other, and nobody else does.
package locks

import (
	"context"
	"hash/maphash"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Table is a set of locks, one for each name that somebody holds or waits for.
// The zero value is ready.
type Table struct {
	parts [64]part // by the hash of a name, so that looking one up is no bottleneck
}

type part struct {
	mu    sync.Mutex
	locks map[string]*lock
}

// lock is the lock of one name.
type lock struct {
	who   *semaphore.Weighted
	users int // who hold it or wait for it, guarded by part.mu
}

// everybody is the weight of one who shares with nobody.
const everybody = 1 << 40

var (
	seed = maphash.MakeSeed()
	// Locks are used again, so that taking one allocates nothing.
	unused = sync.Pool{New: func() any { return &lock{who: semaphore.NewWeighted(everybody)} }}
)

// Held is a lock that was taken.
type Held struct {
	part   *part
	name   string
	lock   *lock
	weight int64
}

// Lock takes the lock of a name, alone. It waits until the lock is free or ctx
// ends, whose error it returns then. Who waits longest is served first.
func (t *Table) Lock(ctx context.Context, name string) (Held, error) {
	return t.take(ctx, name, everybody)
}

// Share takes the lock of a name together with others who share it.
func (t *Table) Share(ctx context.Context, name string) (Held, error) {
	return t.take(ctx, name, 1)
}

func (t *Table) take(ctx context.Context, name string, weight int64) (Held, error) {
	p := &t.parts[maphash.String(seed, name)%uint64(len(t.parts))]
	p.mu.Lock()
	l := p.locks[name]
	if l == nil {
		if p.locks == nil {
			p.locks = map[string]*lock{}
		}
		l = unused.Get().(*lock)
		p.locks[name] = l
	}
	l.users++
	p.mu.Unlock()
	h := Held{p, name, l, weight}
	err := ctx.Err()
	if err == nil {
		err = l.who.Acquire(ctx, weight)
	}
	if err != nil {
		h.leave()
		return Held{}, err
	}
	return h, nil
}

// Name is the name whose lock it is.
func (h Held) Name() string { return h.name }

// Unlock gives the lock back, which must be done once.
func (h Held) Unlock() {
	h.lock.who.Release(h.weight)
	h.leave()
}

// leave forgets the lock when nobody needs it any more.
func (h Held) leave() {
	h.part.mu.Lock()
	defer h.part.mu.Unlock()
	if h.lock.users--; h.lock.users == 0 {
		delete(h.part.locks, h.name)
		unused.Put(h.lock)
	}
}
