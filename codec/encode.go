package codec

import (
	"context"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/nd"
)

// Encode appends the encoded chunk to dst.
func (b *Bound) Encode(ctx context.Context, ck *Chunk, dst []byte, src nd.View) (out []byte, err error) {
	defer b.caught(&err)
	for i, f := range b.arrays {
		switch f := f.(type) {
		case Mover:
			src, ck = f.View(src), ck.moved(f)
		case Transform:
			out := f.Out()
			scratch, mem, err := ck.LendView(out.Type.Size(), out.Shape)
			if err != nil {
				return nil, wrap(b.arrayNames[i], err)
			}
			defer mem.Free()
			scratch.Heap = src.Heap
			if err := f.Encode(ck, scratch, src); err != nil {
				return nil, wrap(b.arrayNames[i], err)
			}
			src, ck = scratch, ck.computed()
		}
	}
	if len(b.bytes) == 0 {
		dst, err := b.serializer.Encode(ctx, ck, dst, src)
		return dst, wrap(b.name, err)
	}
	if b.placer != nil {
		if mem, ok := b.placer.Place(src); ok {
			return b.encodeFilters(ck, dst, mem, nil)
		}
	}
	hold := buf.Get(ck.firstGuess(b.sizes[0], AtMost(1<<16)))
	raw, err := b.serializer.Encode(ctx, ck, hold.B, src)
	if err != nil {
		hold.Free()
		return nil, wrap(b.name, err)
	}
	hold.B = raw
	return b.encodeFilters(ck, dst, raw, hold)
}

// encodeFilters applies the bytes-to-bytes codecs to raw, which lies in hold.
func (b *Bound) encodeFilters(ck *Chunk, dst, raw []byte, hold *buf.Buffer) ([]byte, error) {
	defer func() { hold.Free() }()
	for i, f := range b.bytes {
		if i == len(b.bytes)-1 {
			dst, err := f.Encode(ck, dst, raw)
			return dst, wrap(b.byteNames[i], err)
		}
		next := buf.Get(ck.firstGuess(b.sizes[i+1], AtMost(len(raw))))
		out, err := f.Encode(ck, next.B, raw)
		if err != nil {
			next.Free()
			return nil, wrap(b.byteNames[i], err)
		}
		hold.Free()
		next.B, hold, raw = out, next, out
	}
	return append(dst, raw...), nil
}

// Place returns the memory of src if it is the encoded chunk as it stands, so
// that it can be stored without a copy.
func (b *Bound) Place(src nd.View) ([]byte, bool) {
	if b.placer == nil || len(b.bytes) > 0 {
		return nil, false
	}
	for _, f := range b.arrays {
		m, ok := f.(Mover)
		if !ok {
			return nil, false
		}
		src = m.View(src)
	}
	return b.placer.Place(src)
}

// Update appends to dst the chunk that old holds (nil: a missing one) with the
// elements in box replaced by src. It returns ErrEmpty when only fill values
// are left and empty chunks are not kept.
func (b *Bound) Update(ctx context.Context, ck *Chunk, dst []byte, old Source, box nd.Box, src nd.View) (out []byte, err error) {
	defer b.caught(&err)
	if b.traits.Update != nil && b.moversOnly() {
		return b.updateInside(ctx, ck, dst, old, box, src)
	}
	chunk, mem, err := ck.LendView(b.in.Type.Size(), b.in.Shape)
	if err != nil {
		return nil, wrap(b.name, err)
	}
	defer mem.Free()
	chunk.Heap = newHeap(b.in.Type)
	if old == nil {
		b.in.FillView(chunk)
	} else if err := ck.inTurn(ctx, chunk.Heap, func(ck *Chunk) error {
		return b.decodeArrays(ctx, ck, old, 0, nd.Whole(b.in.Shape), chunk)
	}); err != nil {
		return nil, err
	}
	dtype.Copy(b.in.Type, chunk.Box(box), src)
	if !ck.Limits.KeepEmpty && b.in.IsFill(chunk) {
		return nil, ErrEmpty
	}
	return b.Encode(ctx, ck, dst, chunk)
}

func (b *Bound) moversOnly() bool {
	for _, f := range b.arrays {
		if _, ok := f.(Mover); !ok {
			return false
		}
	}
	return true
}

func (b *Bound) updateInside(ctx context.Context, ck *Chunk, dst []byte, old Source, box nd.Box, src nd.View) ([]byte, error) {
	for _, f := range b.arrays {
		m := f.(Mover)
		src, box, ck = m.View(src), m.Box(box), ck.moved(m)
	}
	if len(b.bytes) == 0 {
		dst, err := b.traits.Update(ctx, ck, dst, old, box, src)
		return dst, wrap(b.name, err)
	}
	if old != nil {
		var mem *lent
		err := ck.inTurn(ctx, nil, func(ck *Chunk) (err error) {
			mem, err = b.decodeFilters(ctx, ck, old, len(b.bytes)-1, 0, nil)
			return err
		})
		if err != nil {
			return nil, err
		}
		defer mem.free()
		old = &mem.Memory
	}
	hold := buf.Get(ck.firstGuess(b.sizes[0], AtMost(1<<16)))
	raw, err := b.traits.Update(ctx, ck, hold.B, old, box, src)
	if err != nil {
		hold.Free()
		return nil, wrap(b.name, err)
	}
	hold.B = raw
	return b.encodeFilters(ck, dst, raw, hold)
}
