package zarr

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// ReadInto reads the selected elements into dst, which has the shape of the
// selection's result and the element size of the array's type. Chunks are
// decoded in parallel, straight into dst where they can be. After an error dst
// may have been filled in part.
func (a *Array) ReadInto(ctx context.Context, sel Selection, dst nd.View) error {
	s := a.now.Load()
	p, err := s.plan(sel)
	if err == nil {
		err = s.checkView(p, dst)
	}
	if err == nil && s.noCodec != nil {
		err = s.noCodec
	}
	if err != nil {
		return a.fail("read", err)
	}
	return a.readPlan(ctx, s, p, dst, a.failMissing)
}

// checkView checks memory that a caller gave.
func (s *state) checkView(p *plan, v nd.View) error {
	if !slices.Equal(v.Shape, p.shape) {
		return mark(ErrSelection, fmt.Errorf("memory has shape %v, the selection gives %v", v.Shape, p.shape))
	}
	if v.Size != s.spec.Type.Size() {
		return mark(ErrType, fmt.Errorf("memory has elements of %d bytes, %s has %d", v.Size, s.spec.Type.Name(), s.spec.Type.Size()))
	}
	if len(s.spec.Type.Refs()) > 0 && v.Heap == nil {
		return mark(ErrType, fmt.Errorf("memory for %s needs a heap", s.spec.Type.Name()))
	}
	return mark(ErrRange, v.Check())
}

// readPlan carries out a plan; strict makes missing chunks an error.
func (a *Array) readPlan(ctx context.Context, s *state, p *plan, dst nd.View, strict bool) error {
	p.cut(cells{s.meta.Grid, s.meta.Shape, s.innerShape()})
	dst = p.expand(dst)
	err := a.limits.Workers.Run(ctx, p.tasks, s.weight(p, true), func(k int) (err error) {
		t := p.task(k, dst)
		key := a.chunkKey(s, t.chunk)
		defer a.caught("read", key, &err)
		err = a.readTask(ctx, s, &t, key)
		if errors.Is(err, ErrMissing) && !strict {
			err = nil
		}
		if err != nil {
			return a.chunkError("read", key, err)
		}
		return nil
	})
	return a.fail("read", err)
}

// innerShape is the shape of the parts of chunks that can be read by themselves, nil
// if there are none.
func (s *state) innerShape() []int {
	if s.uniform == nil || slices.Equal(s.uniform.InnerShape(), s.uniform.Spec().Shape) {
		return nil
	}
	return s.uniform.InnerShape()
}

// weight is about what a worker holds at most: a chunk encoded and a chunk
// decoded, or less where a read takes just a part of the chunk.
func (s *state) weight(p *plan, reads bool) int64 {
	box, chunk := p.largest(len(s.meta.Shape))
	size := s.spec.Type.Size()
	whole, ok := nd.Bytes(chunk, size)
	if !ok || whole > 1<<40 {
		whole = 1 << 40
	}
	if s.uniform != nil && reads && s.uniform.Ranges(nd.Box{Start: make([]int, len(box)), Shape: box}) {
		const fetched = 4 << 20
		part, ok := nd.Bytes(box, size)
		if ok && part < whole {
			return int64(min(2*whole, part+fetched))
		}
	}
	return 2 * int64(whole)
}

// chunkError names the chunk in which something failed. The end of a context is
// that of the whole work.
// caught makes a panic in the work on a chunk an error, when it is deferred.
func (a *Array) caught(op, key string, err *error) {
	if v := recover(); v != nil {
		*err = a.chunkError(op, key, par.Caught(v))
	}
}

func (a *Array) chunkError(op, key string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return a.fail(op, err)
	}
	var known *store.KeyError
	if errors.As(err, &known) {
		err = known.Err // it names the key again
	}
	return &Error{Op: op, URL: a.URL(), Key: key[len(a.prefix()):], Err: err}
}

// chunkKey is the key of a chunk in the store.
func (a *Array) chunkKey(s *state, chunk []int) string {
	var mem [128]byte
	return string(s.meta.Keys.Append(append(mem[:0], a.prefix()...), chunk))
}

// readTask reads one chunk's share. ErrMissing says that it is all fill value
// because there is no such chunk.
func (a *Array) readTask(ctx context.Context, s *state, t *task, key string) error {
	b, err := s.bound(t.length)
	if err != nil {
		return err
	}
	dst := t.user
	plain := t.pieces == nil && t.points == nil
	if !plain {
		scratch, mem, err := t.scratch(a.limits, s.spec.Type)
		if err != nil {
			return err
		}
		defer mem.Free()
		dst = scratch
	}
	err = a.readBox(ctx, s, b, t, key, dst)
	if !plain && (err == nil || errors.Is(err, ErrMissing)) {
		t.gather(dst)
	}
	return err
}

// readBox decodes the task's box of a chunk, or fills it if the chunk is
// missing.
func (a *Array) readBox(ctx context.Context, s *state, b *codec.Bound, t *task, key string, dst nd.View) error {
	err := a.decode(ctx, s, b, t, key, dst)
	if errors.Is(err, store.ErrNotExist) {
		s.spec.FillView(dst)
		return ErrMissing
	}
	return err
}
