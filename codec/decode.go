package codec

import (
	"context"
	"sync"

	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// Decode fills dst with the elements in box of the chunk that src holds.
func (b *Bound) Decode(ctx context.Context, ck *Chunk, src Source, box nd.Box, dst nd.View) (err error) {
	defer b.caught(&err)
	if ck.task() != nil && b.alone(ck) {
		return ck.inTurn(ctx, dst.Heap, func(ck *Chunk) error { return b.decode(ctx, ck, src, box, dst) })
	}
	return b.decode(ctx, ck, src, box, dst)
}

func (b *Bound) decode(ctx context.Context, ck *Chunk, src Source, box nd.Box, dst nd.View) error {
	if b.cacheable(ck.Cache, box) && !b.passing(ck, box) {
		return b.decodeCached(ctx, ck, src, box, dst)
	}
	return b.decodeArrays(ctx, ck, src, 0, box, dst)
}

// cacheable reports whether the decoded chunk is kept: a serializer of inner
// chunks sees to that itself, and what is too large for the cache need not be
// decoded as a whole.
func (b *Bound) cacheable(l *Lease, box nd.Box) bool {
	if l == nil || b.traits.Inner != nil {
		return false
	}
	if l.PartsOnly() && (box.Covers(b.in.Shape) || b.Ranges(box)) {
		return false
	}
	n, ok := nd.Bytes(b.in.Shape, b.in.Type.Size())
	return ok && int64(n) <= l.Max()
}

// passing reports that a box is had for less than half of its chunk, which nobody wanted
// lately: it is decoded alone, and nothing of it is kept. Who reads on, as plane by plane,
// has lost little, and who reads here and there gains what would be decoded in vain.
func (b *Bound) passing(ck *Chunk, box nd.Box) bool {
	n := b.front(ck, b.serialized(box))
	return n > 0 && n < b.sizes[0].N/2 && ck.Cache.wantedOnce(ck.Name)
}

// decodeArrays undoes the array-to-array codecs from the i-th on: those that
// move elements on the views, the others through scratch memory.
func (b *Bound) decodeArrays(ctx context.Context, ck *Chunk, src Source, i int, box nd.Box, dst nd.View) error {
	for ; i < len(b.arrays); i++ {
		switch f := b.arrays[i].(type) {
		case Mover:
			dst, box, ck = f.View(dst), f.Box(box), ck.moved(f)
		case Transform:
			need := f.Needs(box)
			scratch, mem, err := ck.LendView(f.Out().Type.Size(), need.Shape)
			if err != nil {
				return wrap(b.arrayNames[i], err)
			}
			defer mem.Free()
			scratch.Heap = dst.Heap
			if err := b.decodeArrays(ctx, ck.computed(), src, i+1, need, scratch); err != nil {
				return err
			}
			return wrap(b.arrayNames[i], f.Decode(ck, dst, box, scratch))
		}
	}
	return b.decodeBytes(ctx, ck, src, box, dst)
}

// decodeBytes undoes the bytes-to-bytes codecs and the serializer.
func (b *Bound) decodeBytes(ctx context.Context, ck *Chunk, src Source, box nd.Box, dst nd.View) error {
	last := len(b.bytes) - 1
	var place []byte
	if b.placer != nil && box.Covers(b.mid.Shape) {
		place, _ = b.placer.Place(dst)
	}
	if ck.Strict() {
		mem, err := b.readStrict(ctx, ck, src)
		if err != nil {
			return err
		}
		defer mem.free()
		src = &mem.Memory
	} else if place != nil && b.cuts || place == nil && b.parts != nil && (b.ranges && b.parts.Ranges(box) || b.blocks) {
		for ; last >= 0; last-- {
			src = b.bytes[last].(Ranger).Range(ck, src)
		}
	}
	if last < 0 && (place == nil || len(place) >= shared && b.parts != nil && store.IsNear(src)) {
		return wrap(b.name, b.behind(b.serializer.Decode(ctx, ck, src, box, dst)))
	}
	if last < 0 {
		out, err := ck.ReadAll(ctx, src, b.sizes[0], place[:0:len(place)])
		if err == nil && len(out) > 0 && &out[0] != &place[0] {
			copy(place, out)
		}
		if err == nil {
			err = b.placer.Placed(dst)
		}
		return wrap(b.name, b.behind(err))
	}
	mem, err := b.decodeFilters(ctx, ck, src, last, b.front(ck, box), place)
	if err != nil {
		return err
	}
	if place != nil {
		return wrap(b.name, b.placer.Placed(dst))
	}
	err = b.serializer.Decode(ctx, ck, &mem.Memory, box, dst)
	mem.free()
	return wrap(b.name, err)
}

// behind names the codec that the bytes came through as they were read, unless the error
// names one: of what is wrong with them the serializer knows no more than that.
func (b *Bound) behind(err error) error {
	if err == nil || len(b.bytes) == 0 || isNamed(err) {
		return err
	}
	return wrap(b.byteNames[0], err)
}

// front is how many of the first serialized bytes box needs, where these can be had at
// less cost than all; else it is 0.
func (b *Bound) front(ck *Chunk, box nd.Box) int {
	if b.traits.Front == nil || b.first.DecodeFront == nil || !b.sizes[0].Exact || ck.Strict() {
		return 0
	}
	if n := b.traits.Front(box); n < b.sizes[0].N {
		return n
	}
	return 0
}

// shared is the size from which the bytes of a chunk that are elements already are left to the serializer, which
// can read parts of them on several goroutines.
const shared = 16 << 20

// readStrict reads all of a chunk, so that every codec sees all its bytes.
func (b *Bound) readStrict(ctx context.Context, ck *Chunk, src Source) (*lent, error) {
	if m, ok := src.(*Memory); ok {
		return lend(nil, m, m.Bytes), nil
	}
	hold := buf.Get(1 << 16)
	data, err := ck.ReadAll(ctx, src, b.Size(), hold.B)
	if err != nil {
		hold.Free()
		return nil, wrap(b.name, err)
	}
	hold.B = data
	return lend(hold, nil, data), nil
}

// lent is a source in a lent buffer.
type lent struct {
	Memory
	buf    *buf.Buffer
	parent *Memory // whose bytes these are, if they were not lent here
}

// lents are used again, since every chunk has one.
var lents = sync.Pool{New: func() any { return new(lent) }}

// lend makes a source of bytes that are in a lent buffer or are the parent's.
func lend(hold *buf.Buffer, parent *Memory, data []byte) *lent {
	l := lents.Get().(*lent)
	l.buf, l.parent, l.Bytes = hold, parent, data
	return l
}

func (l *lent) free() {
	if l.Kept() {
		if l.parent != nil {
			l.parent.Keep()
		}
		return
	}
	l.buf.Free()
	l.buf, l.parent, l.Bytes, l.Of = nil, nil, nil, 0
	lents.Put(l)
}

// decodeFilters reads all of src and undoes the bytes-to-bytes codecs from last
// to first; if front is not 0, only so many of the first bytes need come out of it. The
// result goes to place if there is one, else to a lent buffer.
func (b *Bound) decodeFilters(ctx context.Context, ck *Chunk, src Source, last, front int, place []byte) (*lent, error) {
	var cur []byte
	var hold *buf.Buffer
	var parent *Memory
	if m, ok := src.(*Memory); ok {
		cur, parent = m.Bytes, m
		if err := checkSize(b.sizes[last+1], len(cur)); err != nil {
			return nil, wrap(b.byteNames[last], err)
		}
	} else {
		raw := b.sizes[0]
		raw.Known = raw.Exact // the bound of a shard is far from what is likely
		hold = buf.Get(ck.firstGuess(b.sizes[last+1], raw))
		var err error
		hold.B, err = ck.ReadAll(ctx, src, b.sizes[last+1], hold.B)
		if err != nil {
			hold.Free() // of every chunk that is not stored
			return nil, wrap(b.byteNames[last], err)
		}
		cur = hold.B
	}
	if err := b.checkFilters(ck, last, place); err != nil {
		hold.Free()
		return nil, err
	}
	for i := last; i >= 0; i-- {
		if s, ok := b.bytes[i].(Slicer); ok {
			var err error
			if cur, err = s.Slice(ck, cur); err == nil {
				err = checkSize(b.sizes[i], len(cur))
			}
			if err != nil {
				hold.Free()
				return nil, wrap(b.byteNames[i], err)
			}
			if i == 0 && place != nil {
				copy(place, cur)
			}
			continue
		}
		if i == 0 && front > 0 {
			next, err := b.decodeFront(ck, cur, front)
			hold.Free()
			if err != nil {
				return nil, wrap(b.byteNames[0], err)
			}
			l := lend(next, nil, next.B)
			l.Of = b.sizes[0].N
			return l, nil
		}
		var next *buf.Buffer
		var out []byte
		limit := ck.Room(b.sizes[i])
		if i == 0 && place != nil {
			out, limit = place[:0:len(place)], len(place)
		} else {
			next = buf.Get(ck.firstGuess(b.sizes[i], AtMost(4*len(cur))) + decodeSlack)
			out = next.B
		}
		out, err := b.bytes[i].Decode(ck, out, cur, limit)
		if err == nil {
			err = checkSize(b.sizes[i], len(out))
		}
		hold.Free()
		if err != nil {
			next.Free()
			return nil, wrap(b.byteNames[i], err)
		}
		if next != nil {
			next.B = out
		} else if len(out) > 0 && &out[0] != &place[0] {
			copy(place, out)
		}
		hold, cur, parent = next, out, nil
	}
	if place != nil {
		hold.Free()
		return nil, nil
	}
	return lend(hold, parent, cur), nil
}

// decodeFront undoes the first of the bytes-to-bytes codecs for the first n bytes.
func (b *Bound) decodeFront(ck *Chunk, src []byte, n int) (*buf.Buffer, error) {
	size := b.sizes[0]
	mem := buf.Get(min(n, ck.firstGuess(size, size)) + decodeSlack)
	out, err := b.first.DecodeFront(ck, mem.B, src, n, ck.Room(size))
	if err == nil && len(out) < n {
		err = checkSize(size, len(out))
	}
	if err != nil {
		mem.Free()
		return nil, err
	}
	mem.B = out
	return mem, nil
}

// decodeSlack is room behind a decoded result: decoders that have it can copy in
// whole words and need not watch the end.
const decodeSlack = 64

// firstGuess is how much to reserve for a value of this size: never more than a
// small multiple of what is plausible, since a hostile size is only a number.
func (ck *Chunk) firstGuess(s, plausible Size) int {
	const small = 1 << 20
	most := min(maxReserve, ck.Piece())
	if s.Known && (s.Exact || s.N <= small) {
		return min(s.N, most)
	}
	if plausible.Known {
		return min(plausible.N+plausible.N/8+64, most)
	}
	return min(small, most)
}

// maxReserve bounds what is allocated on the word of metadata alone; buffers
// grow beyond it only as bytes really arrive.
const maxReserve = 32 << 20

// checkFilters asks for all that the bytes-to-bytes codecs up to last will make
// before any of them begins. What goes to place, or is cut, takes no memory.
func (b *Bound) checkFilters(ck *Chunk, last int, place []byte) error {
	for i := last; i >= 0; i-- {
		if _, cuts := b.bytes[i].(Slicer); cuts || i == 0 && place != nil || !b.sizes[i].Exact {
			continue
		}
		if err := ck.Check(b.sizes[i].N); err != nil {
			return wrap(b.byteNames[i], err)
		}
	}
	return nil
}
