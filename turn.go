package zarr

import (
	"context"
	"sync"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/nd"
)

// How much memory chunks of values without a fixed length take is not known before they
// are decoded. Each is decoded as a task, with limits of its own: beyond what it was weighed
// for and some more it waits for its turn, which ends with the task.

// work is a task with the limits of what is decoded for it.
type work struct {
	task   par.Task
	limits codec.Limits
}

var works = sync.Pool{New: func() any { return new(work) }}

// begin begins to decode a chunk of such values. It must be ended.
func (a *Array) begin(ctx context.Context, limits *codec.Limits, b *codec.Bound, t *task) *work {
	weight := twice(t.length, b.Spec().Type)
	if n, ok := nd.Bytes(t.box.Shape, b.Spec().Type.Size()); ok && b.Ranges(t.box) {
		weight = min(weight, int64(n)+fetched)
	}
	w := works.Get().(*work)
	// Those that weigh more than all may are not decoded beside each other.
	w.task.Begin(ctx, a.turn, a.pool, min(weight, a.inFlight))
	w.limits = *limits
	w.limits.Workers = &w.task
	return w
}

// end lets another chunk have the turn.
func (w *work) end() {
	w.task.End()
	w.limits = codec.Limits{}
	works.Put(w)
}

// limited gives the limits that a task is read with.
func (t *task) limited(a *Array) *codec.Limits {
	if t.limits != nil {
		return t.limits
	}
	return a.limits
}
