package zarr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// WriteFrom writes src, which has the shape of the selection's result, to the
// selected elements. Chunks that are covered wholly are replaced; of others the
// part is changed, safely among the goroutines of this process, and among
// processes where the store has conditional writes. Where it has none, a chunk that
// somebody else has changed meanwhile is store.ErrPrecondition.
//
// The array has the shape that it was given last: a write never goes beyond one
// that anybody in this process made smaller, and takes note of what another
// process did to the shape if that was more than a second ago. An array that was
// removed is ErrNoNode in the same way.
func (a *Array) WriteFrom(ctx context.Context, sel Selection, src nd.View) error {
	s, held, err := a.holdShape(ctx)
	if err != nil {
		return a.fail("write", err)
	}
	defer held.Unlock()
	return a.writeView(ctx, s, sel, src)
}

func (a *Array) writeView(ctx context.Context, s *state, sel Selection, src nd.View) error {
	p, err := s.plan(sel)
	if err == nil {
		err = s.checkView(p, src)
	}
	if err == nil && s.noCodec != nil {
		err = s.noCodec
	}
	if err != nil {
		return a.fail("write", err)
	}
	return a.writePlan(ctx, s, p, src)
}

func (a *Array) writePlan(ctx context.Context, s *state, p *plan, src nd.View) error {
	p.cut(cells{Grid: s.meta.Grid, shape: s.meta.Shape})
	src = p.expand(src)
	weight := s.weight(p, false)
	run := p.run(weight)
	err := a.limits.Workers.Run(ctx, p.tasks/run, weight, func(k int) error {
		for t := k * run; t < (k+1)*run; t++ {
			if err := a.writePart(ctx, s, p.task(t, src, nil)); err != nil {
				return err
			}
		}
		return nil
	})
	return a.fail("write", err)
}

func (a *Array) writePart(ctx context.Context, s *state, t task) (err error) {
	key := a.chunkKey(s, t.chunk)
	defer a.caught("write", key, &err)
	if err := a.writeTask(ctx, s, &t, key); err != nil {
		return a.chunkError("write", key, err)
	}
	return nil
}

func (a *Array) writeTask(ctx context.Context, s *state, t *task, key string) error {
	b, err := s.bound(t.length)
	if err != nil {
		return err
	}
	ck := &codec.Chunk{Index: t.chunk, Extent: t.inside, Limits: s.limits}
	t.user.Heap = t.user.Heap.Fork() // what is decoded and made here goes with the task
	if !t.whole() {
		return a.update(ctx, s, b, t, key, ck)
	}
	chunk, opt := t.user, store.PutOptions{}
	if !t.box.Covers(t.length) {
		// Another process may have written behind the end of the array that is known
		// here, which is left as it is.
		opt.IfAbsent = a.conditional()
		// The chunk reaches past the end of the array: the rest is fill value.
		spec := b.Spec()
		own, mem, err := ck.LendView(chunk.Size, t.length)
		if err != nil {
			return err
		}
		defer mem.Free()
		chunk = own
		if t.user.Heap != nil {
			chunk.Heap = &nd.Heap{}
		}
		spec.FillView(chunk)
		dtype.Copy(spec.Type, chunk.Box(t.box), t.user)
	}
	err = a.replace(ctx, b, key, ck, chunk, opt)
	if !opt.IfAbsent || !errors.Is(err, store.ErrPrecondition) {
		return err
	}
	err = a.update(ctx, s, b, t, key, ck)
	if errors.Is(err, ErrData) || errors.Is(err, ErrTooLarge) { // of what is there, which is replaced
		return a.replace(ctx, b, key, ck, chunk, store.PutOptions{})
	}
	return err
}

// replace stores a whole chunk, or removes it if it holds only the fill value: that is
// ErrPrecondition if it is stored only where there is none.
func (a *Array) replace(ctx context.Context, b *codec.Bound, key string, ck *codec.Chunk, chunk nd.View, opt store.PutOptions) error {
	var data []byte
	empty := !ck.Limits.KeepEmpty && b.Spec().IsFill(chunk)
	filler := a.filler(b, chunk)
	if !empty && filler == nil {
		var hold *buf.Buffer
		var err error
		data, hold, err = encode(ctx, b, ck, chunk)
		defer hold.Free()
		if err != nil && !errors.Is(err, codec.ErrEmpty) {
			return err
		}
		empty = err != nil
	}
	lock, err := chunks.Lock(ctx, a.identity(key))
	if err != nil {
		return err
	}
	defer lock.Unlock()
	defer a.changing(key)()
	switch {
	case empty && opt.IfAbsent:
		return store.ErrPrecondition
	case empty:
		metersOf(ctx).empty()
		return a.store.Delete(ctx, key)
	case filler != nil:
		_, err := filler.PutFilled(ctx, key, int64(b.Size().N), func(w io.Writer) error { return b.EncodeRows(ck, w, chunk) }, opt)
		if err == nil {
			metersOf(ctx).put(b.Size().N)
		}
		return err
	}
	return a.putChunk(ctx, key, data, opt)
}

// filler is the store if it is better given the bytes of a chunk as they are gathered.
func (a *Array) filler(b *codec.Bound, chunk nd.View) store.Filler {
	if !b.InRows() {
		return nil
	}
	if _, ok := b.Place(chunk); ok {
		return nil // nothing is to be gathered
	}
	f, _ := store.As[store.Filler](a.store)
	return f
}

// encode gives a chunk's bytes: the caller's memory itself where that is what
// is stored, else a lent buffer.
func encode(ctx context.Context, b *codec.Bound, ck *codec.Chunk, chunk nd.View) ([]byte, *buf.Buffer, error) {
	if mem, ok := b.Place(chunk); ok {
		return mem, nil, nil
	}
	n, _ := nd.Bytes(chunk.Shape, chunk.Size)
	hold := buf.Get(min(n+n/16+1024, 1<<30))
	data, err := b.Encode(ctx, ck, hold.B, chunk)
	if err == nil {
		hold.B = data
	}
	return data, hold, err
}

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
		if !errors.Is(err, store.ErrPrecondition) || errors.Is(err, errNoTurns) || try == tries {
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
		if d, ok := store.As[store.MatchDeleter](a.store); ok {
			if err := d.DeleteMatch(ctx, key, opt.IfMatch); !errors.Is(err, errors.ErrUnsupported) {
				metersOf(ctx).empty()
				return err
			}
		}
		// There is no conditional delete: a chunk of fill values is stored.
		keep := *ck.Limits
		keep.KeepEmpty = true
		ck.Limits = &keep
		data, err = a.merge(ctx, s, b, t, ck, before, out.B)
	}
	if errors.Is(err, codec.ErrEmpty) && before == nil {
		return nil // as it was; somebody else may have stored the chunk meanwhile
	}
	empty := errors.Is(err, codec.ErrEmpty)
	if err != nil && !empty {
		return err
	}
	if !a.conditional() {
		if err := a.unchanged(ctx, key, before, info.ETag); err != nil {
			return err
		}
	}
	if empty {
		metersOf(ctx).empty()
		return a.store.Delete(ctx, key)
	}
	out.B = data
	return a.putChunk(ctx, key, data, opt)
}

// errNoTurns says that two change parts of a chunk where they cannot take turns.
var errNoTurns = fmt.Errorf("%w by another writer; nothing was written: this store has neither locks nor conditions, so that only one may write", store.ErrPrecondition)

// unchanged is errNoTurns if the chunk is not the one that was read, whose bytes (nil: a
// missing one) and tag are given. What others do from here to the put is not noticed: that
// takes conditions.
func (a *Array) unchanged(ctx context.Context, key string, was *codec.Memory, tag string) error {
	_, now, err := a.store.Get(ctx, key, store.Part(0, 0), nil)
	missing := errors.Is(err, store.ErrNotExist)
	switch {
	case err != nil && !missing:
		return err
	case missing || was == nil:
		if missing != (was == nil) {
			return errNoTurns
		}
		return nil
	case tag != "" && now.ETag == tag:
		return nil
	case tag != "" && now.ETag != "":
		return errNoTurns
	}
	hold := buf.Get(len(was.Bytes))
	defer hold.Free()
	same, _, err := a.store.Get(ctx, key, store.UpTo(int64(len(was.Bytes))), hold.B)
	switch {
	case errors.Is(err, store.ErrNotExist), errors.Is(err, store.ErrTooLarge), err == nil && !bytes.Equal(same, was.Bytes):
		return errNoTurns
	}
	return err
}

// merge appends to dst the chunk in before (nil: a missing one) with the task's
// part replaced.
func (a *Array) merge(ctx context.Context, s *state, b *codec.Bound, t *task, ck *codec.Chunk, before *codec.Memory, dst []byte) ([]byte, error) {
	var old codec.Source
	if before != nil {
		old = before
	}
	if len(s.spec.Type.Refs()) > 0 && old != nil {
		work := a.begin(ctx, ck.Limits, b, t)
		defer work.end()
		own := *ck
		own.Limits, ck = &work.limits, &own
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
