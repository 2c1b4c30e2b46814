package par

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// Turn bounds work whose size shows only while it is done, such as the decoding of chunks
// of text. All may go on at once as long as each takes no more than it was weighed for and
// a share besides; of those that need more, one at a time has its turn. Who asks for a turn
// gives up what it made so far and begins anew when it has it, so that nobody
// holds much while he waits.
type Turn struct {
	share int64
	held  chan struct{}
}

// leastShare is what all may have besides what they were weighed for, however many they are: so that
// what is small never waits.
const leastShare = 1 << 20

// NewTurn gives a turn for n that are worked on at once. What all of them together may have besides
// what they were weighed for is half of bytes.
func NewTurn(n int, bytes int64) *Turn {
	return &Turn{share: max(bytes/int64(2*max(n, 1)), leastShare), held: make(chan struct{}, 1)}
}

// wait waits for the turn.
func (t *Turn) wait(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case t.held <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *Turn) end() { <-t.held }

// errTurn is the error of work that needs a turn and may not wait for it.
var errTurn = errors.New("needs more memory than it was weighed for")

// bound is what f may have in Turn.Try. What it makes is held after it was decoded, and
// counted.
type bound struct {
	most    int64
	refused atomic.Bool

	mu     sync.Mutex
	holder any
	count  int   // how many blobs of the holder were counted
	bytes  int64 // that they have
}

type boundKey struct{}

// Try calls f, whose decoding may take share bytes besides weight in all, and never waits for a
// turn: refused says that it needs more, and was given up. What f returned is of no use then.
func (t *Turn) Try(ctx context.Context, weight int64, f func(ctx context.Context) error) (refused bool, err error) {
	b := &bound{most: weight + t.share}
	err = f(context.WithValue(ctx, boundKey{}, b))
	return b.refused.Load(), err
}

// Hold calls f as Try does, and again when it has the turn if it needs more: then nobody else
// has it until end is called.
func (t *Turn) Hold(ctx context.Context, weight int64, f func(ctx context.Context) error) (end func(), err error) {
	if refused, err := t.Try(ctx, weight, f); !refused {
		return func() {}, err
	}
	if err := t.wait(ctx); err != nil {
		return func() {}, err
	}
	if err := f(ctx); err != nil {
		t.end()
		return func() {}, err
	}
	return t.end, nil
}

// left is what may still be taken beside all blobs that a holder has.
func (b *bound) left(holder any, blobs [][]byte) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.holder != holder { // of another part, made when the last one was done
		b.holder, b.count, b.bytes = holder, 0, 0
	}
	for ; b.count < len(blobs); b.count++ {
		b.bytes += int64(len(blobs[b.count]))
	}
	return b.most - b.bytes
}

// Task is the decoding of one chunk with all that is inside of it: a Limiter that knows
// how much it may take. It may be used again when it was ended.
type Task struct {
	*Limiter
	turn  *Turn
	most  int64
	bound *bound // nil if it may wait

	has    atomic.Bool
	mu     sync.Mutex
	asking chan struct{} // closed when one of those inside of the task has asked for the turn
}

// Begin begins a task that weighs so much. Whatever comes of it, it must be ended.
func (t *Task) Begin(ctx context.Context, turn *Turn, l *Limiter, weight int64) {
	t.Limiter, t.turn, t.most = l, turn, weight+turn.share
	t.bound, _ = ctx.Value(boundKey{}).(*bound)
}

// Most is how many bytes may be taken at once, which free says is as many as anybody
// likes. What is decoded goes to a holder, which has these blobs already.
func (t *Task) Most(holder any, blobs [][]byte) (n int64, free bool) {
	switch {
	case t.has.Load():
		return 0, true
	case t.bound != nil:
		return max(min(t.most, t.bound.left(holder, blobs)), 0), false
	}
	return t.most, false
}

// Wait waits until the task may take as many bytes as it likes, if it may wait at all. All that
// is inside of the task has the turn then.
func (t *Task) Wait(ctx context.Context) error {
	if t.bound != nil {
		t.bound.refused.Store(true)
		return errTurn
	}
	for {
		t.mu.Lock()
		if t.has.Load() {
			t.mu.Unlock()
			return nil
		}
		if asking := t.asking; asking != nil {
			t.mu.Unlock()
			select {
			case <-asking:
			case <-ctx.Done():
				return ctx.Err()
			}
			continue
		}
		t.asking = make(chan struct{})
		t.mu.Unlock()
		err := t.turn.wait(ctx)
		t.mu.Lock()
		t.has.Store(err == nil)
		close(t.asking)
		t.asking = nil
		t.mu.Unlock()
		return err
	}
}

// End lets another one have the turn.
func (t *Task) End() {
	if t.has.Swap(false) {
		t.turn.end()
	}
	t.Limiter, t.turn, t.bound = nil, nil, nil
}

// Turns are those of items that read from two places, one after the other: who has the first
// may wait for the second.
type Turns [2]*Turn

// NewTurns gives two turns for n items at once, as NewTurn does.
func NewTurns(n int, bytes int64) *Turns { return &Turns{NewTurn(n, bytes), NewTurn(n, bytes)} }

type turnsKey struct{}

// In gives the context of the items.
func (t *Turns) In(ctx context.Context) context.Context { return context.WithValue(ctx, turnsKey{}, t) }

// Hold is Hold with one of the two turns of the context, where it has some. Inside of a Try it
// waits for nothing, since that is given up as a whole.
func Hold(ctx context.Context, which int, weight int64, f func(ctx context.Context) error) (end func(), err error) {
	turns, _ := ctx.Value(turnsKey{}).(*Turns)
	if turns == nil || ctx.Value(boundKey{}) != nil {
		return func() {}, f(ctx)
	}
	return turns[which].Hold(ctx, weight, f)
}

// Try is Try with a turn of the context, where it has one; else f is never refused.
func Try(ctx context.Context, weight int64, f func(ctx context.Context) error) (refused bool, err error) {
	turns, _ := ctx.Value(turnsKey{}).(*Turns)
	if turns == nil {
		return false, f(ctx)
	}
	return turns[0].Try(ctx, weight, f)
}
