package source

import (
	"context"
	"sync"
)

// holding is a context that knows what is held until it ends.
type holding struct {
	context.Context

	mu     sync.Mutex
	places []*place
	ended  bool
}

// Holding gives a context for the work of one request, and what ends it: what sources give
// for it is good until then. Any other context will do as well, but has to be watched, which
// costs more than most requests.
func Holding(ctx context.Context) (_ context.Context, end func()) {
	h := &holding{Context: ctx}
	return h, h.end
}

func (h *holding) end() {
	h.mu.Lock()
	h.ended = true
	places := h.places
	h.places = nil
	h.mu.Unlock()
	for _, p := range places {
		p.source.release(p)
	}
}

// add has a use of a place end with the context, unless that has ended.
func (h *holding) add(p *place) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.ended {
		h.places = append(h.places, p)
	}
	return !h.ended
}

// hold has a use of a place end with the context. A context that was made of one that holds
// may end later than it, and is watched as all others are.
func hold(ctx context.Context, p *place) {
	if h, ok := ctx.(*holding); ok {
		if !h.add(p) {
			p.source.release(p)
		}
		return
	}
	context.AfterFunc(ctx, func() { p.source.release(p) })
}
