package serve

import (
	"context"
	"time"

	"github.com/omnizarr/zarr/serve/api"
)

// gate lets a number of requests in at once. Others wait for a while, and are then sent
// away, so that a flood takes neither all memory nor the server's life.
type gate struct {
	room  chan struct{}
	wait  time.Duration
	leave func() // gives room again
}

func newGate(n int, wait time.Duration) *gate {
	room := make(chan struct{}, n)
	return &gate{room: room, wait: wait, leave: func() { <-room }}
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

// inside is how many are in.
func (g *gate) inside() int { return len(g.room) }
