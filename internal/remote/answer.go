package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	// maxDrain is how much is read to be able to use a connection again.
	maxDrain = 64 << 10
	// maxWhy is how much is read of an answer that says what went wrong.
	maxWhy = 64 << 10
)

var (
	// ErrStalled says that a server sent nothing, or took nothing, for too long.
	ErrStalled = errors.New("server sends nothing more")
	errSlow    = errors.New("server sends or takes too slowly")
	errLong    = errors.New("the request takes too long")
	errHedged  = errors.New("another request was answered first")
)

// answer is a response under way, given up when nothing comes for too long.
type answer struct {
	*http.Response
	c      *Client
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	whole  *time.Timer // for the request in all, nil if it may take any time
	begun  time.Time   // of the request
	in     pace
	closed bool
	sent   sync.WaitGroup // until nobody reads the body of the request any more
}

// begin gives an answer that is still to be asked for; it has its place among those
// under way.
func (c *Client) begin(ctx context.Context) *answer {
	a := &answer{c: c, begun: time.Now()}
	a.ctx, a.cancel = context.WithCancelCause(ctx)
	return a
}

// send makes the request and waits for the header of the answer. On an error nothing is
// left to be closed.
func (a *answer) send(req Request, ranges string) error {
	r, err := req(a.ctx, ranges)
	if err != nil {
		a.end()
		return err
	}
	stall := a.c.opt.Stall
	a.timer = time.AfterFunc(stall, a.stalled)
	if most := a.c.opt.Timeout; most > 0 {
		a.whole = time.AfterFunc(most, func() { a.cancel(errLong) })
	}
	if r.Body != nil && r.Body != http.NoBody {
		a.c.counts.out.Add(max(r.ContentLength, 0))
		a.watch(r)
	}
	resp, err := a.c.roundTrip(r)
	if err != nil {
		err = explainError(a.ctx, err)
		a.stop()
		a.end()
		a.sent.Wait()
		return err
	}
	a.timer.Reset(stall)
	a.Response, a.in = resp, pace{since: time.Now()}
	err = a.explain(r)
	if code := resp.Header.Get("Content-Encoding"); err == nil && code != "" && code != "identity" {
		err = fmt.Errorf("server sends the value encoded with %q, which was not asked for", code)
	}
	if err != nil {
		a.close()
	}
	return err
}

func (a *answer) stalled() { a.cancel(ErrStalled) }

// explain gives the error that the status means.
func (a *answer) explain(r *http.Request) error {
	code := a.StatusCode
	if code >= 200 && code < 300 || code == http.StatusRequestedRangeNotSatisfiable && r.Method == http.MethodGet {
		return nil
	}
	why := &Answer{Status: code, Header: a.Header}
	for len(why.Body) < maxWhy { // as much as comes: a half is better than nothing
		p := make([]byte, 1<<10)
		n, err := a.some(p)
		if why.Body = append(why.Body, p[:n]...); err != nil {
			break
		}
	}
	if a.ctx.Err() != nil && context.Cause(a.ctx) != ErrStalled {
		return explainError(a.ctx, a.ctx.Err())
	}
	return a.c.opt.Explain(r, why)
}

// close lets the connection be used again if little is left to read.
func (a *answer) close() {
	if a.closed {
		return
	}
	if a.ContentLength <= maxDrain {
		a.timer.Reset(min(a.c.opt.Stall, time.Second))
		io.CopyN(io.Discard, a.Body, maxDrain)
	}
	a.drop()
}

// drop gives up an answer as it is.
func (a *answer) drop() {
	a.closed = true
	a.stop()
	a.cancel(errHedged)
	a.Body.Close()
	a.c.leave()
	a.sent.Wait()
}

// stop ends the clocks.
func (a *answer) stop() {
	a.timer.Stop()
	if a.whole != nil {
		a.whole.Stop()
	}
}

// end gives up an answer that has not come.
func (a *answer) end() {
	a.cancel(nil)
	a.c.leave()
}

// read fills p. A body that ends before, as if that were right, is io.EOF.
func (a *answer) read(p []byte) error {
	for len(p) > 0 {
		n, err := a.some(p)
		p = p[n:]
		if err == io.EOF && len(p) > 0 {
			return io.EOF
		}
		if err != nil && len(p) > 0 {
			return a.broken(err)
		}
	}
	return nil
}

// some is one read with the clock for it set anew. A server that sends a little now and
// then is given up when it has sent less than it must in the time of a stall.
func (a *answer) some(p []byte) (int, error) {
	stall := a.c.opt.Stall
	a.timer.Reset(stall)
	n, err := a.Body.Read(p)
	a.c.counts.in.Add(int64(n))
	if err == nil && a.in.isSlow(n, a.c.opt.MinRate, stall) {
		a.cancel(errSlow)
		err = errSlow
	}
	return n, err
}

// pace is how fast bytes come or go.
type pace struct {
	since time.Time // when bytes began to be counted
	bytes int64     // since then
}

// isSlow counts n more bytes, and reports whether those of the time that is over were too
// few: less than rate a second.
func (p *pace) isSlow(n int, rate int64, over time.Duration) bool {
	p.bytes += int64(n)
	passed := time.Since(p.since)
	if passed <= over {
		return false
	}
	slow := float64(p.bytes) < float64(rate)*passed.Seconds()
	p.since, p.bytes = p.since.Add(passed), 0
	return slow
}

func (a *answer) broken(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &passing{err: fmt.Errorf("answer is cut off: %w", err)}
	}
	return explainError(a.ctx, err)
}

// watch lets the clock of a request begin anew whenever the server takes a piece of it. A
// transport may read a body still when the answer has come: the caller gets its memory
// back when that has ended.
func (a *answer) watch(r *http.Request) {
	a.sent.Add(1)
	r.Body = &sending{ReadCloser: r.Body, a: a, out: pace{since: time.Now()}}
	if again := r.GetBody; again != nil {
		r.GetBody = func() (io.ReadCloser, error) {
			b, err := again()
			if err != nil {
				return nil, err
			}
			a.sent.Add(1)
			return &sending{ReadCloser: b, a: a, out: pace{since: time.Now()}}, nil
		}
	}
}

// sending is a body that is sent.
type sending struct {
	io.ReadCloser
	a    *answer
	out  pace
	once sync.Once
}

// Read is called when the server has taken what was read before.
func (s *sending) Read(p []byte) (int, error) {
	opt := &s.a.c.opt
	s.a.timer.Reset(opt.Stall)
	n, err := s.ReadCloser.Read(p)
	if err == nil && s.out.isSlow(n, opt.MinRate, opt.Stall) {
		s.a.cancel(errSlow)
		err = errSlow
	}
	return n, err
}

func (s *sending) Close() error {
	err := s.ReadCloser.Close()
	s.once.Do(s.a.sent.Done)
	return err
}
