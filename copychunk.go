package zarr

import (
	"context"
	"errors"
	"fmt"

	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/store"
)

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
