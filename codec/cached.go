package codec

import (
	"context"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// Composite is a Serializer that is made of inner chunks, each with a chain of
// its own: the cache keeps those, not the whole.
type Composite interface {
	// Inner is the chain of the inner chunks.
	Inner() *Bound
}

func (b *Bound) composite() bool {
	_, ok := b.serializer.(Composite)
	return ok
}

// Grain is the shape of the smallest part of a chunk that is coded by itself, in
// the axes of the array; it is the whole chunk unless there are inner ones.
func (b *Bound) Grain() []int {
	c, ok := b.serializer.(Composite)
	if !ok || len(b.arrays) > 0 {
		return b.in.Shape
	}
	return c.Inner().Grain()
}

// cacheable reports whether the decoded chunk is kept: a serializer of inner
// chunks sees to that itself, and what is too large for the cache need not be
// decoded as a whole.
func (b *Bound) cacheable(l *Lease) bool {
	if l == nil || b.composite() {
		return false
	}
	n, ok := nd.Bytes(b.in.Shape, b.in.Type.Size())
	return ok && int64(n) <= l.Max()
}

// decodeCached decodes the whole chunk once and copies the box from it.
func (b *Bound) decodeCached(ctx context.Context, ck *Chunk, src Source, box nd.Box, dst nd.View) error {
	v, err := ck.Cache.Get(ctx, ck.Name, func() (any, int64, error) {
		n, _ := nd.Bytes(b.in.Shape, b.in.Type.Size())
		chunk := nd.Make(b.in.Type.Size(), b.in.Shape...)
		chunk.Heap = newHeap(b.in.Type)
		err := b.decodeArrays(ctx, ck, src, 0, nd.Whole(b.in.Shape), chunk)
		return chunk, int64(n + chunk.Heap.Compact()), err
	})
	if err != nil {
		return err
	}
	dtype.Copy(b.in.Type, dst, v.(nd.View).Box(box))
	return nil
}
