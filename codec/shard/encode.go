package shard

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/nd"
)

// Encode appends a whole shard.
func (s *shard) Encode(ctx context.Context, ck *codec.Chunk, dst []byte, src nd.View) ([]byte, error) {
	out, err := s.build(ctx, ck, dst, func(inner *codec.Chunk, _ int, p *part, mem []byte) ([]byte, error) {
		view := p.in(src)
		if !ck.Limits.KeepEmpty && s.chain.Spec().IsFill(view) {
			return nil, codec.ErrEmpty
		}
		return s.chain.Encode(ctx, inner, mem, view)
	})
	if errors.Is(err, codec.ErrEmpty) {
		// A shard without inner chunks is still a shard when it is asked for.
		return s.empty(ctx, ck, dst)
	}
	return out, err
}

func (s *shard) empty(ctx context.Context, ck *codec.Chunk, dst []byte) ([]byte, error) {
	x, err := s.newIndex(ck)
	if err != nil {
		return nil, err
	}
	return s.append(ctx, ck, dst, x)
}

// update appends the shard that old holds with the elements in box replaced.
// Inner chunks outside box are copied as bytes.
func (s *shard) update(ctx context.Context, ck *codec.Chunk, dst []byte, old codec.Source, box nd.Box, src nd.View) ([]byte, error) {
	data := &codec.Memory{}
	x, err := s.newIndex(ck)
	if err != nil {
		return nil, err
	}
	if old != nil {
		if m, ok := old.(*codec.Memory); ok {
			data = m
		} else {
			hold, err := ck.Lend(min(1<<20, ck.MaxChunk()))
			if err != nil {
				return nil, err
			}
			defer hold.Free()
			hold.B, err = ck.ReadAll(ctx, old, s.Size(), hold.B)
			if err != nil {
				return nil, err
			}
			data.Bytes = hold.B
		}
		if x, err = s.read(ctx, ck, data); err != nil {
			return nil, err
		}
	}
	touched := s.parts(box)
	return s.build(ctx, ck, dst, func(inner *codec.Chunk, i int, p *part, mem []byte) ([]byte, error) {
		off, n, have, err := s.find(x, i)
		if err != nil {
			return nil, err
		}
		hit, k := touched.index(p.at)
		if !hit {
			if !have {
				return nil, codec.ErrEmpty
			}
			return append(mem, data.Bytes[off:off+n]...), nil
		}
		t := touched.get(k)
		view := t.in(src)
		if t.whole(s.inner) {
			if !ck.Limits.KeepEmpty && s.chain.Spec().IsFill(view) {
				return nil, codec.ErrEmpty
			}
			return s.chain.Encode(ctx, inner, mem, view)
		}
		var before codec.Source
		if have {
			before = &codec.Memory{Bytes: data.Bytes[off : off+n]}
		}
		return s.chain.Update(ctx, inner, mem, before, t.box, view)
	})
}

// index finds the part of an inner chunk, if the box touches it.
func (p *parts) index(at []int) (bool, int) {
	if p.n == 0 {
		return false, 0
	}
	k := 0
	for i, a := range at {
		d := a - p.lo[i]
		if d < 0 || d >= p.counts[i] {
			return false, 0
		}
		k = k*p.counts[i] + d
	}
	return true, k
}

// encodeInner appends the bytes of an inner chunk to mem, or says ErrEmpty.
type encodeInner func(inner *codec.Chunk, i int, p *part, mem []byte) ([]byte, error)

// build makes a shard in memory.
func (s *shard) build(ctx context.Context, ck *codec.Chunk, dst []byte, encode encodeInner) ([]byte, error) {
	start := len(dst)
	x, err := s.newIndex(ck)
	if err != nil {
		return nil, err
	}
	if s.first {
		if dst, err = ck.Grow(dst, s.indexSize); err != nil {
			return nil, err
		}
		dst = dst[:start+s.indexSize]
	}
	b := &builder{s: s, ck: ck, x: x, at: len(dst) - start, emit: func(data []byte) error {
		dst = append(dst, data...)
		return nil
	}}
	if err := b.run(ctx, s.parts(nd.Whole(s.spec.Shape)), encode); err != nil {
		return nil, err
	}
	if b.stored == 0 && !ck.Limits.KeepEmpty {
		return nil, codec.ErrEmpty
	}
	if !s.first {
		return s.append(ctx, ck, dst, x)
	}
	head, err := s.append(ctx, ck, nil, x)
	if err == nil {
		copy(dst[start:], head)
	}
	return dst, err
}

// builder puts inner chunks down in order, each as soon as those before it are there,
// so that little waits in memory and the result does not depend on timing.
type builder struct {
	s    *shard
	ck   *codec.Chunk
	x    *index
	emit func(data []byte) error

	mu      sync.Mutex
	waiting map[int]*codec.Buffer // nil for one that is not stored
	next    int                   // the inner chunk that comes next
	at      int                   // the bytes before it
	stored  int
}

// run encodes some inner chunks, the next ones, in parallel.
func (b *builder) run(ctx context.Context, all parts, encode encodeInner) error {
	b.waiting = make(map[int]*codec.Buffer)
	first := b.next
	guess, _ := nd.Bytes(b.s.inner, b.s.spec.Type.Size())
	return b.ck.Run(ctx, all.n, int64(guess), func(k int) error {
		p, i := all.get(k), first+k
		mem, err := b.ck.Lend(min(guess, 1<<24, b.ck.MaxChunk()))
		if err != nil {
			return err
		}
		out, err := encode(b.s.chunk(b.ck, p.at), i, &p, mem.B)
		if err == nil {
			mem.B = out
			return b.put(i, mem)
		}
		mem.Free()
		if errors.Is(err, codec.ErrEmpty) {
			return b.put(i, nil)
		}
		return fmt.Errorf("inner chunk %v: %w", p.at, err)
	})
}

// put takes an inner chunk, and puts down what can be.
func (b *builder) put(i int, mem *codec.Buffer) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting[i] = mem
	for {
		mem, ok := b.waiting[b.next]
		if !ok {
			return nil
		}
		delete(b.waiting, b.next)
		if mem != nil {
			b.x.set(b.next, b.at, len(mem.B))
			err := b.emit(mem.B)
			b.at += len(mem.B)
			b.stored++
			mem.Free()
			if err != nil {
				return err
			}
		}
		b.next++
	}
}
