package serve

import (
	"context"
	"time"

	"github.com/omnizarr/zarr/serve/api"
)

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
		return nil, api.ErrBusy
	}
}

func (g *gate) leave() { <-g.room }

// inside is how many are in.
func (g *gate) inside() int { return len(g.room) }
