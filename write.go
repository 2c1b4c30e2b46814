package zarr

import (
	"context"
	"errors"
	"hash/maphash"
	"sync"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// WriteFrom writes src, which has the shape of the selection's result, to the
// selected elements. Chunks that are covered wholly are replaced; of others the
// part is changed, safely among the goroutines of this process, and among
// processes where the store has conditional writes.
func (a *Array) WriteFrom(ctx context.Context, sel Selection, src nd.View) error {
	s := a.now.Load()
	p, err := sel.plan(s.meta.Shape, s.meta.Grid)
	if err == nil {
		err = s.checkView(p, src)
	}
	if err == nil && s.missing != nil {
		err = s.missing
	}
	if err != nil {
		return &Error{Op: "write", URL: a.URL(), Err: err}
	}
	return a.writePlan(ctx, s, p, src)
}

func (a *Array) writePlan(ctx context.Context, s *state, p *plan, src nd.View) error {
	src = p.expand(src)
	return a.limits.Workers.Run(ctx, p.tasks, s.weight(), func(k int) error {
		t := p.task(k, src)
		key := a.chunkKey(s, t.chunk)
		if err := a.writeTask(ctx, s, &t, key); err != nil {
			return a.chunkError("write", key, err)
		}
		return nil
	})
}

// locks serialise the writers of a chunk in this process, also those of arrays
// that were opened twice. Chunks that share a lock only wait for each other.
var (
	locks [1024]sync.Mutex
	seed  = maphash.MakeSeed()
)

func lockFor(url, key string) *sync.Mutex {
	var h maphash.Hash
	h.SetSeed(seed)
	h.WriteString(url)
	h.WriteByte(0)
	h.WriteString(key)
	return &locks[h.Sum64()%uint64(len(locks))]
}

func (a *Array) writeTask(ctx context.Context, s *state, t *task, key string) error {
	b, err := s.bound(t.length)
	if err != nil {
		return err
	}
	ck := &codec.Chunk{Key: key, Index: t.chunk, Extent: t.inside, Limits: a.limits}
	if !t.whole() {
		return a.update(ctx, s, b, t, ck)
	}
	chunk := t.user
	if !t.box.Covers(t.length) {
		// The chunk reaches past the end of the array: the rest is fill value.
		spec := b.Spec()
		n, _ := nd.Bytes(t.length, chunk.Size)
		mem := buf.Get(n)
		defer mem.Free()
		chunk = nd.View{Data: mem.B[:n], Size: chunk.Size, Shape: t.length, Strides: nd.Strides(t.length, chunk.Size)}
		if t.user.Heap != nil {
			chunk.Heap = &nd.Heap{}
		}
		spec.FillView(chunk)
		dtype.Copy(spec.Type, chunk.Box(t.box), t.user)
	}
	return a.replace(ctx, b, ck, chunk)
}

// replace stores a whole chunk, or removes it if it holds only the fill value.
func (a *Array) replace(ctx context.Context, b *codec.Bound, ck *codec.Chunk, chunk nd.View) error {
	data, hold, err := a.encode(ctx, b, ck, chunk)
	defer hold.Free()
	if err != nil && !errors.Is(err, codec.ErrEmpty) {
		return err
	}
	lock := lockFor(a.store.URL(), ck.Key)
	lock.Lock()
	defer lock.Unlock()
	defer a.limits.Cache.Forget(ck.Key)
	if err != nil {
		return a.store.Delete(ctx, ck.Key)
	}
	_, err = a.store.Put(ctx, ck.Key, data, store.PutOptions{})
	return err
}

// encode gives a chunk's bytes: the caller's memory itself where that is what
// is stored, else a lent buffer.
func (a *Array) encode(ctx context.Context, b *codec.Bound, ck *codec.Chunk, chunk nd.View) ([]byte, *buf.Buffer, error) {
	if !a.keepEmpty && b.Spec().IsFill(chunk) {
		return nil, nil, codec.ErrEmpty
	}
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

// tries is how often a changed chunk is read again when other processes keep
// changing it.
const tries = 100

// update changes a part of a chunk.
func (a *Array) update(ctx context.Context, s *state, b *codec.Bound, t *task, ck *codec.Chunk) error {
	lock := lockFor(a.store.URL(), ck.Key)
	lock.Lock()
	defer lock.Unlock()
	defer a.limits.Cache.Forget(ck.Key)
	conditional := false
	if c, ok := store.As[store.Conditional](a.store); ok {
		conditional = c.Conditional()
	}
	for try := 0; ; try++ {
		err := a.updateOnce(ctx, s, b, t, ck, conditional)
		if !errors.Is(err, store.ErrPrecondition) || try == tries {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

func (a *Array) updateOnce(ctx context.Context, s *state, b *codec.Bound, t *task, ck *codec.Chunk, conditional bool) error {
	// The old chunk is read whole and once, so that what is merged and the tag
	// of the condition belong together.
	hold := buf.Get(1 << 16)
	defer func() { hold.Free() }()
	limit := b.Size().Limit(a.maxChunk)
	old, info, err := a.store.Get(ctx, ck.Key, store.UpTo(int64(limit)), hold.B)
	var before *codec.Memory
	opt := store.PutOptions{}
	switch {
	case err == nil:
		hold.B = old
		before = &codec.Memory{Bytes: old}
		if conditional {
			opt.IfMatch = info.ETag
		}
	case errors.Is(err, store.ErrNotExist):
		opt.IfAbsent = conditional
	default:
		return err
	}
	src := t.user
	if t.pieces != nil || t.points != nil {
		box, mem, err := t.scratch(s.spec.Type)
		if err != nil {
			return err
		}
		defer mem.Free()
		if before == nil {
			s.spec.FillView(box)
		} else if err := b.Decode(ctx, &codec.Chunk{Index: ck.Index, Extent: ck.Extent, Limits: uncached(ck.Limits)}, before, t.box, box); err != nil {
			return err
		}
		t.scatter(box)
		src = box
	}
	out := buf.Get(1 << 16)
	defer func() { out.Free() }()
	var source codec.Source
	if before != nil {
		source = before
	}
	data, err := b.Update(ctx, ck, out.B, source, t.box, src)
	if errors.Is(err, codec.ErrEmpty) {
		return a.store.Delete(ctx, ck.Key)
	}
	if err != nil {
		return err
	}
	out.B = data
	if before != nil && before.Kept() {
		hold = nil
	}
	_, err = a.store.Put(ctx, ck.Key, data, opt)
	return err
}

func uncached(l *codec.Limits) *codec.Limits {
	own := *l
	own.Cache = nil
	return &own
}
