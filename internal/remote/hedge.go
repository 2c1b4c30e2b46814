package remote

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// hedgeFloor is how long an answer may take at least before it counts as late.
	hedgeFloor = 100 * time.Millisecond
	// enough is how many answers must have come before it is known which one is late.
	enough = 32
	// hedgeShare is one second request for so many first ones.
	hedgeShare = 20
	// hedgeStart is how many there may be before that.
	hedgeStart = 4
)

// latencies remembers how long the last answers took to begin.
type latencies struct {
	mu   sync.Mutex
	last [128]time.Duration
	n    int           // of all that were seen
	late time.Duration // 0 until enough were seen
}

// add remembers one.
func (l *latencies) add(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last[l.n%len(l.last)] = d
	if l.n++; l.n >= enough && l.n%(enough/2) == 0 {
		sorted := l.last
		known := sorted[:min(l.n, len(sorted))]
		slices.Sort(known)
		l.late = max(known[len(known)*95/100]*3/2, hedgeFloor)
	}
}

// limit is after which time an answer is late.
func (l *latencies) limit() (time.Duration, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.late, l.late > 0
}

// hedgeAfter is when a read is asked for a second time, if ever.
func (c *Client) hedgeAfter() (time.Duration, bool) {
	switch {
	case c.opt.Hedge > 0:
		return c.opt.Hedge, true
	case c.opt.Hedge < 0:
		return 0, false
	}
	return c.seen.limit()
}

// ask sends a request and waits for the header of the answer; where that takes long, a
// second one is sent, and the first header that comes decides whose body is read. The
// other one is given up, and none of its bytes is ever looked at.
func (c *Client) ask(ctx context.Context, req Request, ranges string) (*answer, error) {
	if err := c.enter(ctx); err != nil {
		return nil, err
	}
	first := c.begin(ctx)
	delay, ok := c.hedgeAfter()
	if !ok {
		err := first.send(req, ranges)
		if err == nil {
			c.seen.add(time.Since(first.begun))
		}
		return first, err
	}
	r := &contest{ctx: ctx, first: first, req: req, ranges: ranges}
	timer := time.AfterFunc(delay, r.hedge)
	err := first.send(req, ranges)
	timer.Stop()
	c.seen.add(time.Since(first.begun))
	return r.decide(err)
}

// contest is a request and the one that was sent since it lingered.
type contest struct {
	ctx    context.Context
	first  *answer
	req    Request
	ranges string

	mu     sync.Mutex
	over   bool
	second *answer       // nil while there is none
	ended  chan struct{} // closed when the second one has its header or an error
	won    bool          // by the second one
	err    error         // of the second one
}

// decide is called when the first request has its header or err.
func (r *contest) decide(err error) (*answer, error) {
	r.mu.Lock()
	if ended := r.ended; !r.over && err != nil && ended != nil && IsPassing(err) {
		r.mu.Unlock() // the second one may still come
		<-ended
		r.mu.Lock()
	}
	defer r.mu.Unlock()
	if r.won {
		if err == nil {
			r.first.drop()
		}
		return r.second, r.err
	}
	r.over = true
	if r.second != nil {
		r.second.cancel(errHedged)
	}
	return r.first, err
}

// hedge sends the second request, if there may be one more.
func (r *contest) hedge() {
	c := r.first.c
	r.mu.Lock()
	if r.over || !c.mayHedge() {
		r.mu.Unlock()
		return
	}
	r.second, r.ended = c.begin(r.ctx), make(chan struct{})
	r.mu.Unlock()
	defer close(r.ended)
	err := r.second.send(r.req, r.ranges)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.over:
		if err == nil {
			r.second.drop()
		}
	case err == nil || !IsPassing(err):
		r.over, r.won, r.err = true, true, err
		r.first.cancel(errHedged)
	}
}

// mayHedge takes a place for a second request: only one that is free, and only for some
// of all requests, so that servers which are slow are not made slower.
func (c *Client) mayHedge() bool {
	if c.counts.hedges.Add(1) > hedgeStart+c.counts.requests.Load()/hedgeShare {
		c.counts.hedges.Add(-1)
		return false
	}
	select {
	case c.slots <- struct{}{}:
		if c.admit() == nil {
			return true
		}
	default:
	}
	c.counts.hedges.Add(-1)
	return false
}
