package zarr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// WriteChunk stores the chunk at an index of the grid, a shard, without having all of
// it in memory: give is called for one box of it after the other, in the array, and
// lends the elements. part is the shape of the boxes: whole inner chunks, one along the
// first axes, some along one axis, and all of the shard along those behind it. The bytes
// are those that WriteFrom stores; arrays whose codecs cannot be written so
// (codec.Bound.Streams) are errors.ErrUnsupported.
func (a *Array) WriteChunk(ctx context.Context, index, part []int, give codec.Giver) (err error) {
	s, held, err := a.holdShape(ctx)
	if err != nil {
		return a.fail("write", err)
	}
	defer held.Unlock()
	if len(index) != len(s.meta.Shape) || !inside(index, s.meta.Grid.Count()) {
		return a.fail("write", errNoChunk)
	}
	key := a.chunkKey(s, index)
	defer a.caught("write", key, &err)
	lock, err := chunks.Lock(ctx, a.identity(key))
	if err != nil {
		return a.chunkError("write", key, err)
	}
	defer lock.Unlock()
	defer a.changing(key)()
	if err := a.streamChunk(ctx, s, key, index, part, give); err != nil {
		return a.chunkError("write", key, err)
	}
	return nil
}

func (a *Array) streamChunk(ctx context.Context, s *state, key string, index, part []int, give codec.Giver) error {
	rank := len(index)
	origin, length, extent := make([]int, rank), make([]int, rank), make([]int, rank)
	for i, k := range index {
		origin[i], length[i] = s.meta.Grid.Span(i, k)
		extent[i] = min(length[i], s.meta.Shape[i]-origin[i])
	}
	b, err := s.bound(length)
	if err != nil {
		return err
	}
	ck := &codec.Chunk{Index: index, Extent: extent, Limits: s.limits}
	inside := func(ctx context.Context, box nd.Box) (nd.View, func(), error) {
		in := nd.Box{Start: make([]int, rank), Shape: make([]int, rank)}
		for i, start := range box.Start {
			in.Start[i], in.Shape[i] = origin[i]+start, max(min(box.Shape[i], extent[i]-start), 0)
		}
		if slices.Equal(in.Shape, box.Shape) {
			return give(ctx, in)
		}
		// The box reaches past the end of the array: the rest is fill value.
		v, mem, err := ck.LendView(s.spec.Type.Size(), box.Shape)
		if err != nil {
			return v, nil, err
		}
		if len(s.spec.Type.Refs()) > 0 {
			v.Heap = &nd.Heap{}
		}
		s.spec.FillView(v)
		if !slices.Contains(in.Shape, 0) {
			some, free, err := give(ctx, in)
			if err != nil {
				mem.Free()
				return v, nil, err
			}
			dtype.Copy(s.spec.Type, v.Box(nd.Box{Start: make([]int, rank), Shape: in.Shape}), some)
			free()
		}
		return v, mem.Free, nil
	}
	w := &pipe{ctx: ctx, a: a, key: key}
	err = w.close(b.Stream(ctx, ck, w, part, inside))
	if errors.Is(err, codec.ErrEmpty) {
		metersOf(ctx).empty()
		return a.store.Delete(ctx, key)
	}
	return err
}

// pipe stores what is written to it as a value, from the first byte on.
type pipe struct {
	ctx  context.Context
	a    *Array
	key  string
	w    *io.PipeWriter
	done chan error
	n    int
}

func (p *pipe) Write(data []byte) (int, error) {
	if p.w == nil {
		r, w := io.Pipe()
		p.w, p.done = w, make(chan error, 1)
		go func() {
			err := par.Catch(func() error {
				_, err := store.PutFrom(p.ctx, p.a.store, p.key, r, -1, int64(p.a.limits.MaxChunk))
				return err
			})
			r.CloseWithError(errors.Join(err, io.ErrClosedPipe)) // who still writes is told
			p.done <- err
		}()
	}
	n, err := p.w.Write(data)
	p.n += n
	return n, err
}

// close ends the value, which is there if err is nil and nowhere else.
func (p *pipe) close(err error) error {
	if p.w == nil {
		return err
	}
	p.w.CloseWithError(err) // nil is the end
	if put := <-p.done; put != nil && (err == nil || errors.Is(err, put)) {
		return put
	}
	if err == nil {
		metersOf(p.ctx).put(p.n)
	}
	return err
}

// pieces is the size from which the bytes of a chunk are copied piece by piece.
const pieces = 8 << 20

// CopyChunk stores at an index of the grid the bytes that src has there, as they are:
// the two must encode the same elements alike, which is the caller's to know. It
// reports whether src stores the chunk; where it does not, nothing happens.
func (a *Array) CopyChunk(ctx context.Context, src *Array, index ...int) (stored bool, err error) {
	s, held, err := a.holdShape(ctx)
	if err != nil {
		return false, a.fail("write", err)
	}
	defer held.Unlock()
	from := src.now.Load()
	if len(index) != len(s.meta.Shape) || len(index) != len(from.meta.Shape) || !inside(index, s.meta.Grid.Count()) {
		return false, a.fail("write", errNoChunk)
	}
	old, key := src.chunkKey(from, index), a.chunkKey(s, index)
	o, err := src.openChunk(ctx, old)
	if err == nil {
		defer o.Close()
	}
	var small []byte
	var info store.Info
	hold := buf.Get(1 << 16)
	defer func() { hold.Free() }()
	if err == nil {
		if small, info, err = o.Get(ctx, store.UpTo(pieces), hold.B); err == nil {
			hold.B = small
		}
	}
	large := errors.Is(err, store.ErrTooLarge)
	switch {
	case errors.Is(err, store.ErrNotExist):
		return false, nil
	case large:
		if _, info, err = o.Get(ctx, store.Part(0, 1), nil); err == nil && info.Size < 0 {
			err = fmt.Errorf("%w: the store does not tell the size of a large value", store.ErrTooLarge)
		}
	}
	if err != nil {
		return false, src.chunkError("read", old, err)
	}
	lock, err := chunks.Lock(ctx, a.identity(key))
	if err != nil {
		return false, a.chunkError("write", key, err)
	}
	defer lock.Unlock()
	defer a.changing(key)()
	if !large {
		err = a.putChunk(ctx, key, small, store.PutOptions{})
	} else if _, err = store.PutFrom(ctx, a.store, key, store.Ranges(ctx, o, info.Size), info.Size, int64(a.limits.MaxChunk)); err == nil {
		metersOf(ctx).put(int(info.Size))
	}
	if err != nil {
		return true, a.chunkError("write", key, err)
	}
	return true, nil
}
