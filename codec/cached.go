package codec

import (
	"context"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// decodeCached decodes the whole chunk once and copies the box from it.
func (b *Bound) decodeCached(ctx context.Context, ck *Chunk, src Source, box nd.Box, dst nd.View) error {
	v, err := ck.Cache.Get(ctx, ck.Name, func() (any, int64, error) {
		chunk, err := b.decodeWhole(ctx, ck, src)
		return chunk, int64(len(chunk.Data) + chunk.Heap.Compact()), err
	})
	if err != nil {
		return err
	}
	dtype.Copy(b.in.Type, dst, v.(nd.View).Box(box))
	return nil
}

// adopt is the size from which a lent buffer wastes little when it is kept.
const adopt = 8 << 10

// decodeWhole decodes a chunk into memory of its own. Where the decoded bytes
// are the elements already, it is the buffer they were decoded to, which has the
// margin that decoders like.
func (b *Bound) decodeWhole(ctx context.Context, ck *Chunk, src Source) (nd.View, error) {
	size := b.in.Type.Size()
	if b.placer != nil && len(b.arrays) == 0 && len(b.bytes) > 0 {
		mem, err := b.decodeFilters(ctx, ck, src, len(b.bytes)-1, 0, nil)
		if err != nil {
			return nd.View{}, err
		}
		if n, _ := nd.Bytes(b.in.Shape, size); mem.buf != nil && len(mem.Bytes) == n && n >= adopt {
			chunk := nd.Of(mem.Bytes, size, b.in.Shape...)
			if _, ok := b.placer.Place(chunk); ok {
				return chunk, wrap(b.name, b.placer.Placed(chunk))
			}
		}
		src = &mem.Memory
		defer mem.free()
		chunk, err := ck.Make(size, b.in.Shape...)
		if err != nil {
			return nd.View{}, wrap(b.name, err)
		}
		return chunk, wrap(b.name, b.serializer.Decode(ctx, ck, src, nd.Whole(b.in.Shape), chunk))
	}
	chunk, err := ck.Make(size, b.in.Shape...)
	if err != nil {
		return nd.View{}, wrap(b.name, err)
	}
	chunk.Heap = newHeap(b.in.Type)
	return chunk, b.decodeArrays(ctx, ck, src, 0, nd.Whole(b.in.Shape), chunk)
}
