// Package par runs loops on a bounded number of goroutines.
package par

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Limiter bounds what all loops that share it may run besides the goroutines
// that called them: a number of goroutines, and bytes that they hold. A nil
// Limiter allows none.
type Limiter struct {
	free  atomic.Int64
	bytes atomic.Int64
	seat  *seat // nil where nobody waits for work
}

// NewLimiter allows n extra goroutines that together hold at most bytes.
func NewLimiter(n int, bytes int64) *Limiter {
	l := &Limiter{}
	l.free.Store(int64(n))
	l.bytes.Store(bytes)
	if n < runtime.GOMAXPROCS(0) {
		l.seat = new(seat)
	}
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
	p := &loop{ctx: ctx, l: l, n: int64(n), weight: weight, f: f}
	p.around, _ = ctx.(*around)
	return p.run()
}

// RunAround is Run for loops around others, which are to have the context that f is
// given: the calling goroutine works on those too when nothing else is left to it.
func (l *Limiter) RunAround(ctx context.Context, n int, weight int64, f func(ctx context.Context, i int) error) error {
	if n == 1 || l == nil || l.seat == nil {
		return l.Run(ctx, n, weight, func(i int) error { return f(ctx, i) })
	}
	inside := &around{Context: ctx}
	p := &loop{ctx: ctx, l: l, n: int64(n), weight: weight, f: func(i int) error { return f(inside, i) }}
	p.vacancy.around = inside
	return p.run()
}

type loop struct {
	ctx    context.Context
	around *around // the loop that it is inside of, if that is for sharing its work
	l      *Limiter
	n      int64
	weight int64
	f      func(int) error
	next   atomic.Int64
	others atomic.Int64 // goroutines that work on it besides the one that called
	wg     sync.WaitGroup
	once   sync.Once
	err    error

	offer, vacancy notice // what it may put on the seat of its limiter
}

func (p *loop) run() error {
	p.offer.loop = p
	p.work(nil)
	p.wait()
	return p.err
}

// work calls f for what nobody else has taken, as long as others work on until, if that
// is a loop.
func (p *loop) work(until *loop) {
	for until == nil || until.others.Load() > 0 {
		i := p.next.Add(1) - 1
		if i >= p.n {
			return
		}
		if i+1 < p.n {
			p.share()
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

// share lets one more goroutine work on the loop, if there may be one.
func (p *loop) share() {
	if p.l == nil {
		return
	}
	if p.around != nil && p.l.seat.give(p, p.around) || !p.l.TryAcquire(p.weight) {
		return
	}
	if !p.l.seat.give(p, nil) {
		p.enter()
		go p.help()
	}
}

// help is what a goroutine does that was acquired for the loop.
func (p *loop) help() {
	for p != nil {
		begin := time.Now()
		p.workReleased()
		p = p.l.linger(time.Since(begin))
	}
}

// workReleased works on the loop, and releases what was acquired for it.
func (p *loop) workReleased() {
	defer p.leave()
	defer p.l.Release(p.weight)
	p.work(nil)
}

func (p *loop) enter() {
	p.wg.Add(1)
	p.others.Add(1)
}

// leave is the last that another goroutine does for the loop. Who sees that there are
// no others need not be woken any more.
func (p *loop) leave() {
	p.wg.Done()
	p.others.Add(-1)
}
