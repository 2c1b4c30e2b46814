package par

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// A goroutine that has nothing to do looks for work for so long, and no longer than it
// worked before, until it ends or sleeps: to wake another takes about as long, which is
// much beside the work on a small part of a chunk. Others that could run go first. More
// goroutines than processors wait for answers rather than for each other, and look for
// nothing.
const (
	patience = 200 * time.Microsecond
	glances  = 30   // between two looks at the clock
	looks    = 1000 // at the clock, which stands still in some tests
)

// around is the context of loops that are inside of one.
type around struct{ context.Context }

// seat is where a goroutine waits for work. It is the only one of a limiter, so that
// little is spent on waiting.
type seat struct{ notice atomic.Pointer[notice] }

// notice is what lies on a seat: that somebody waits there, or a loop for him.
type notice struct {
	loop   *loop
	around *around // what it must be inside of, nil for one that a goroutine was acquired for
}

// acquired is the notice of a goroutine that must be acquired.
var acquired notice

// give hands a loop to the goroutine that waits, if that is for such a one.
func (s *seat) give(p *loop, inside *around) bool {
	if s == nil {
		return false
	}
	v := s.notice.Load()
	if v == nil || v.loop != nil || v.around != inside {
		return false
	}
	p.enter()
	if s.notice.CompareAndSwap(v, &p.offer) {
		return true
	}
	p.leave()
	return false
}

// take waits for most of the time that there is patience for, at the seat if v is not
// nil, and until nobody else works on until. It returns the loop that it was given.
func (s *seat) take(v *notice, most time.Duration, until *loop) *loop {
	seated := false
	for k, begin := 0, time.Now(); k < looks && time.Since(begin) < most; k++ {
		for range glances {
			switch {
			case until != nil && until.others.Load() == 0:
				return s.rise(v, seated)
			case seated && s.notice.Load() != v:
				return s.rise(v, seated)
			case !seated && v != nil:
				seated = s.notice.CompareAndSwap(nil, v)
			}
		}
		if !seated && v == &acquired && s.notice.Load() == v {
			return nil // one of them is enough
		}
		runtime.Gosched()
	}
	return s.rise(v, seated)
}

// rise leaves the seat, with what was given meanwhile.
func (s *seat) rise(v *notice, seated bool) *loop {
	if !seated || s.notice.CompareAndSwap(v, nil) {
		return nil
	}
	return s.notice.Swap(nil).loop
}

// linger is what a goroutine does that is released, and worked for some time before. It
// is acquired again for the loop that it returns, if any.
func (l *Limiter) linger(worked time.Duration) *loop {
	if l.seat == nil {
		return nil
	}
	return l.seat.take(&acquired, min(patience, worked), nil)
}

// wait returns when all others have left the loop. A loop that is inside of it was one
// call's of f: whoever waits here might have made that call, so that it cannot need
// what he holds.
func (p *loop) wait() {
	var v *notice
	if p.vacancy.around != nil {
		v = &p.vacancy
	}
	for p.others.Load() > 0 && p.l.seat != nil {
		q := p.l.seat.take(v, patience, p)
		if q == nil {
			break
		}
		q.work(p)
		q.leave()
	}
	p.wg.Wait()
}
