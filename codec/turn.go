package codec

import (
	"context"
	"errors"
	"sync"

	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// How much a chunk of values without a fixed length takes shows only when it is decoded.
// It is first decoded within what its task may have beside all others. If that is too
// little, what was made of it is given up, and it is decoded again when the task has its
// turn, of which there is one for all work with the same limits.

// task is what the chunk is decoded for, if that may have to wait.
func (ck *Chunk) task() *par.Task {
	if ck == nil || ck.Limits == nil {
		return nil
	}
	t, _ := ck.Limits.Workers.(*par.Task)
	return t
}

// alone reports whether a chunk is decoded as one: inner chunks that are read one by one are each
// decoded so.
func (b *Bound) alone(ck *Chunk) bool {
	return b.traits.Inner == nil || len(b.bytes) > 0 && !b.ranges || ck.Strict()
}

// within is a chunk with limits of its own, for what is inside of it too, which does not wait.
type within struct {
	chunk  Chunk
	limits Limits
}

var withins = sync.Pool{New: func() any { return new(within) }}

// inTurn calls f, which decodes the chunk into memory with a heap, with as much memory as the
// task may have, and again with as much as it likes when that is too little. Nothing is
// waited for inside of f, since others may wait for what a cache gets there.
func (ck *Chunk) inTurn(ctx context.Context, heap *nd.Heap, f func(ck *Chunk) error) error {
	t := ck.task()
	if t == nil {
		return f(ck)
	}
	w := withins.Get().(*within)
	defer func() {
		*w = within{}
		withins.Put(w)
	}()
	for all := ck.MaxChunk(); ; {
		n, free := t.Most(heap, heap.Blobs())
		free = free || n >= int64(all)
		w.chunk, w.limits = *ck, *ck.Limits
		w.chunk.Limits, w.limits.Workers, w.limits.MaxChunk = &w.limits, t.Limiter, all
		if !free {
			w.limits.MaxChunk = int(max(n, 1)) // 0 stands for another number
		}
		err := f(&w.chunk)
		if err == nil || free || !maybeBounds(err) {
			return err
		}
		if err := t.Wait(ctx); err != nil {
			return err
		}
		if ck.Row != nil {
			ck.Row.Free()
		}
	}
}

// maybeBounds reports whether an error may come of bounds: what codecs say of data that are more than
// they may decode is theirs, and may look like damage.
func maybeBounds(err error) bool {
	var stored *store.KeyError
	switch {
	case errors.Is(err, ErrTooLarge), errors.Is(err, ErrData):
		return true
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, store.ErrNotExist), errors.Is(err, store.ErrChanged):
		return false
	}
	return !errors.As(err, &stored)
}
