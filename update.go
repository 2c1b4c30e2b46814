package zarr

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// tries is how often something that others keep changing is tried again.
const tries = 100

// update changes a part of a chunk. Goroutines of this process take turns; where
// the store has conditional writes, so do processes.
func (a *Array) update(ctx context.Context, s *state, b *codec.Bound, t *task, key string, ck *codec.Chunk) error {
	lock, err := chunks.Lock(ctx, a.identity(key))
	if err != nil {
		return err
	}
	defer lock.Unlock()
	defer a.changing(key)()
	for try := 0; ; try++ {
		err := a.updateOnce(ctx, s, b, t, key, ck)
		if !errors.Is(err, store.ErrPrecondition) || try == tries {
			return err
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
}

// pause waits a little before the next try, longer and longer and never as long
// as others do, so that of many who change the same thing each gets its turn.
func pause(ctx context.Context, try int) error {
	wait := time.Duration(rand.Int64N(int64(100*time.Microsecond) << min(try, 9)))
	select {
	case <-time.After(wait):
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (e *engine) conditional() bool {
	c, ok := store.As[store.Conditional](e.store)
	return ok && c.Conditional()
}

func (a *Array) updateOnce(ctx context.Context, s *state, b *codec.Bound, t *task, key string, ck *codec.Chunk) error {
	// The old chunk is read whole and once, so that what is merged and the tag
	// of the condition belong together.
	hold := buf.Get(1 << 16)
	defer func() { hold.Free() }()
	limit := ck.Room(b.Size())
	old, info, err := a.store.Get(ctx, key, store.UpTo(int64(limit)), hold.B)
	var before *codec.Memory
	opt := store.PutOptions{}
	switch {
	case err == nil:
		metersOf(ctx).read(len(old) - len(hold.B))
		hold.B = old
		before = &codec.Memory{Bytes: old}
		if a.conditional() {
			opt.IfMatch = info.ETag
		}
	case errors.Is(err, store.ErrNotExist):
		opt.IfAbsent = a.conditional()
	case errors.Is(err, store.ErrTooLarge):
		return ck.Over(-1, limit)
	default:
		return err
	}
	out := buf.Get(1 << 16)
	defer func() { out.Free() }()
	data, err := a.merge(ctx, s, b, t, ck, before, out.B)
	if before != nil && before.Kept() {
		hold = nil
	}
	if errors.Is(err, codec.ErrEmpty) && opt.IfMatch != "" {
		// There is no conditional delete: a chunk of fill values is stored.
		keep := *ck.Limits
		keep.KeepEmpty = true
		ck.Limits = &keep
		data, err = a.merge(ctx, s, b, t, ck, before, out.B)
	}
	if errors.Is(err, codec.ErrEmpty) && before == nil {
		return nil // as it was; somebody else may have stored the chunk meanwhile
	}
	if errors.Is(err, codec.ErrEmpty) {
		metersOf(ctx).empty()
		return a.store.Delete(ctx, key)
	}
	if err != nil {
		return err
	}
	out.B = data
	return a.putChunk(ctx, key, data, opt)
}

// merge appends to dst the chunk in before (nil: a missing one) with the task's
// part replaced.
func (a *Array) merge(ctx context.Context, s *state, b *codec.Bound, t *task, ck *codec.Chunk, before *codec.Memory, dst []byte) ([]byte, error) {
	var old codec.Source
	if before != nil {
		old = before
	}
	if t.pieces == nil && t.points == nil {
		return b.Update(ctx, ck, dst, old, t.box, t.user)
	}
	box, mem, err := t.scratch(a.limits, s.spec.Type)
	if err != nil {
		return nil, err
	}
	defer mem.Free()
	if err := readOld(ctx, s, b, t, ck, old, box); err != nil {
		return nil, err
	}
	t.scatter(box)
	return b.Update(ctx, ck, dst, old, t.box, box)
}

// readOld reads what the box around scattered elements holds now.
func readOld(ctx context.Context, s *state, b *codec.Bound, t *task, ck *codec.Chunk, old codec.Source, box nd.View) error {
	if old == nil {
		s.spec.FillView(box)
		return nil
	}
	return b.Decode(ctx, ck, old, t.box, box)
}
