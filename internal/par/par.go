// Package par runs loops on a bounded number of goroutines.
package par

import (
	"context"
	"sync"
	"sync/atomic"
)

// Limiter bounds what all loops that share it may run besides the goroutines
// that called them: a number of goroutines, and bytes that they hold. A nil
// Limiter allows none.
type Limiter struct {
	free  atomic.Int64
	bytes atomic.Int64
}

// NewLimiter allows n extra goroutines that together hold at most bytes.
func NewLimiter(n int, bytes int64) *Limiter {
	l := &Limiter{}
	l.free.Store(int64(n))
	l.bytes.Store(bytes)
	return l
}

// TryAcquire takes one goroutine that holds weight bytes, if there is one left,
// for those who start it themselves. It is given back by Release.
func (l *Limiter) TryAcquire(weight int64) bool {
	if l == nil {
		return false
	}
	if l.free.Add(-1) < 0 {
		l.free.Add(1)
		return false
	}
	if l.bytes.Add(-weight) < 0 {
		l.Release(weight)
		return false
	}
	return true
}

// Release gives back what TryAcquire took.
func (l *Limiter) Release(weight int64) {
	l.bytes.Add(weight)
	l.free.Add(1)
}

// Run calls f for every i below n, on the calling goroutine and on as many more
// as l allows at the time, each of them holding weight bytes. A loop inside f
// may share l: it takes up what others have given back. The first error stops
// the loop and is returned; so does the end of ctx. A panic of f is an error, a
// *Panic.
func (l *Limiter) Run(ctx context.Context, n int, weight int64, f func(i int) error) error {
	if n == 1 {
		if err := ctx.Err(); err != nil {
			return err
		}
		return call(f, 0)
	}
	loop := &loop{ctx: ctx, l: l, n: int64(n), weight: weight, f: f}
	loop.work()
	loop.wg.Wait()
	return loop.err
}

type loop struct {
	ctx    context.Context
	l      *Limiter
	n      int64
	weight int64
	f      func(int) error
	next   atomic.Int64
	wg     sync.WaitGroup
	once   sync.Once
	err    error
}

func (p *loop) work() {
	for {
		i := p.next.Add(1) - 1
		if i >= p.n {
			return
		}
		if i+1 < p.n && p.l.TryAcquire(p.weight) {
			p.wg.Add(1)
			go func() {
				defer p.wg.Done()
				defer p.l.Release(p.weight)
				p.work()
			}()
		}
		err := p.ctx.Err()
		if err == nil {
			err = call(p.f, int(i))
		}
		if err != nil {
			p.once.Do(func() { p.err = err })
			p.next.Store(p.n)
			return
		}
	}
}
