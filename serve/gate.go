package serve

import (
	"context"
	"errors"
	"time"
)

// errBusy says that there is more to do than the server takes on.
var errBusy = errors.New("the server is busy: try again in a moment")

// gate lets a number of requests in at once. Others wait for a while, and are then sent
// away, so that a flood takes neither all memory nor the server's life.
type gate struct {
	room chan struct{}
	wait time.Duration
}

func newGate(n int, wait time.Duration) *gate {
	return &gate{room: make(chan struct{}, n), wait: wait}
}

// enter waits for room; leave must be called in the end.
func (g *gate) enter(ctx context.Context) (leave func(), err error) {
	select {
	case g.room <- struct{}{}:
		return g.leave, nil
	default:
	}
	timer := time.NewTimer(g.wait)
	defer timer.Stop()
	select {
	case g.room <- struct{}{}:
		return g.leave, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-timer.C:
		return nil, errBusy
	}
}

func (g *gate) leave() { <-g.room }

// inside is how many are in.
func (g *gate) inside() int { return len(g.room) }
