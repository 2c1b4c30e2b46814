package copying

import (
	"context"
	"sync/atomic"

	"github.com/omnizarr/zarr"
)

// tally counts what was done.
type tally struct {
	elements, passed, resumed atomic.Int64
	// What went to an array by way of which another one is copied, and came from it: it
	// does not count as the copy's, though meters see it.
	between, betweenRead, betweenChunks atomic.Int64
	// compared is what was read to see that the copy is right, which does not count either.
	compared atomic.Int64
}

// comparing counts what is read to compare until done is called.
func (t *tally) comparing(ctx context.Context) (_ context.Context, done func()) {
	m := new(zarr.Meter)
	return m.Context(ctx), func() { t.compared.Add(m.Read.Load()) }
}

// resume counts a block that was done before.
func (t *tally) resume(w *blocks) {
	if !w.passing {
		t.resumed.Add(1)
	}
}

// meter counts what goes to and comes from such an array, until done is called.
func (t *tally) meter(ctx context.Context, w *blocks) (_ context.Context, done func()) {
	if !w.passing && w.before == nil {
		return ctx, func() {}
	}
	m := new(zarr.Meter)
	return m.Context(ctx), func() {
		if w.passing {
			t.between.Add(m.Written.Load())
			t.betweenChunks.Add(m.Chunks.Load())
		} else {
			t.betweenRead.Add(m.Read.Load())
		}
	}
}

// summary is what was done, to which what meters saw is to be added.
func (t *tally) summary() Summary {
	return Summary{
		Passed: t.passed.Load(), Elements: t.elements.Load(), Resumed: t.resumed.Load(), Between: t.between.Load(),
		Read: -t.betweenRead.Load() - t.compared.Load(), Written: -t.between.Load(), Chunks: -t.betweenChunks.Load(),
	}
}
