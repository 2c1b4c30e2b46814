package job

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/nd"
)

// Halves are boxes of several chunks that may hold more than they were weighed for, since
// their elements have no fixed length: such a box is worked on half by half.
type Halves struct{ large atomic.Bool }

// Run calls f with a box, which was weighed as one of a. If that takes more than it may, f is called
// with parts of it, cut between the chunks of g, down to single ones.
func (h *Halves) Run(ctx context.Context, a *zarr.Array, g grid.Grid, box nd.Box, f func(ctx context.Context, box nd.Box) error) error {
	first, second, ok := halve(g, box)
	if !ok {
		return f(ctx, box)
	}
	if !h.large.Load() {
		refused, err := par.Try(ctx, Weight(a, box.Shape), func(ctx context.Context) error { return f(ctx, box) })
		if !refused {
			return err
		}
		h.large.Store(true) // and so are others: they are not tried as a whole
	}
	if err := h.Run(ctx, a, g, first, f); err != nil {
		return err
	}
	return h.Run(ctx, a, g, second, f)
}

// halve cuts a box between two chunks, if it has several.
func halve(g grid.Grid, box nd.Box) (first, second nd.Box, ok bool) {
	for i, start := range box.Start {
		if box.Shape[i] == 0 {
			return box, box, false
		}
		lo, hi := g.Find(i, start), g.Find(i, start+box.Shape[i]-1)
		if lo == hi {
			continue
		}
		at, _ := g.Span(i, lo+(hi-lo+1)/2)
		first = nd.Box{Start: slices.Clone(box.Start), Shape: slices.Clone(box.Shape)}
		second = nd.Box{Start: slices.Clone(box.Start), Shape: slices.Clone(box.Shape)}
		first.Shape[i], second.Start[i], second.Shape[i] = at-start, at, start+box.Shape[i]-at
		return first, second, true
	}
	return box, box, false
}
