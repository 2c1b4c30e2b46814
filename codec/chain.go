package codec

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/buf"
	"github.com/omnizarr/zarr/nd"
)

// Chain is a parsed codecs list.
type Chain struct {
	arrays     []ArrayToArray
	serializer ArrayToBytes
	bytes      []BytesToBytes
}

// Codecs lists the codecs in order.
func (c *Chain) Codecs() []Codec {
	var out []Codec
	for _, k := range c.arrays {
		out = append(out, k)
	}
	out = append(out, c.serializer)
	for _, k := range c.bytes {
		out = append(out, k)
	}
	return out
}

// MarshalJSON gives the codecs list for metadata.
func (c *Chain) MarshalJSON() ([]byte, error) { return json.Marshal(c.Codecs()) }

// Settler is a codec whose configuration may leave something to what flows in,
// such as the size of elements.
type Settler interface {
	// Settle gives the codec with all of it written down, as other readers
	// want it.
	Settle(in Spec) (Codec, error)
}

// Settle gives the chain with all configurations written down that depend on
// the chunks that will flow through it.
func (c *Chain) Settle(in Spec) (*Chain, error) {
	out := &Chain{}
	for _, k := range c.Codecs() {
		array, isArray := k.(ArrayToArray)
		if s, ok := k.(Settler); ok {
			var err error
			if k, err = s.Settle(in); err != nil {
				return nil, wrap(k.Name(), err)
			}
		}
		if isArray && out.serializer == nil && len(out.arrays) < len(c.arrays) {
			f, err := array.BindArray(in)
			if err != nil {
				return nil, wrap(k.Name(), err)
			}
			in = f.Out()
		}
		if err := out.add(k); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Bind fits the chain to the chunks that will flow through it.
func (c *Chain) Bind(in Spec) (*Bound, error) {
	b := &Bound{in: in, name: c.serializer.Name()}
	for _, k := range c.arrays {
		f, err := k.BindArray(in)
		if err != nil {
			return nil, wrap(k.Name(), err)
		}
		_, moves := f.(Mover)
		_, computes := f.(Transform)
		if moves == computes {
			return nil, fmt.Errorf("codec %s must either move or compute elements", k.Name())
		}
		b.arrays = append(b.arrays, f)
		b.arrayNames = append(b.arrayNames, k.Name())
		in = f.Out()
	}
	b.mid = in
	s, err := c.serializer.BindSerializer(in)
	if err != nil {
		return nil, wrap(b.name, err)
	}
	b.serializer = s
	b.placer, _ = s.(Placer)
	b.ranging, _ = s.(Ranging)
	b.ranges, b.cuts = true, true
	size := s.Size()
	b.sizes = append(b.sizes, size)
	for _, k := range c.bytes {
		f, err := k.BindBytes(in, size)
		if err != nil {
			return nil, wrap(k.Name(), err)
		}
		b.bytes = append(b.bytes, f)
		_, ranges := f.(Ranger)
		_, slices := f.(Slicer)
		b.ranges = b.ranges && ranges
		b.cuts = b.cuts && ranges && slices
		b.byteNames = append(b.byteNames, k.Name())
		size = f.Size()
		if size.Known && size.N < 0 {
			return nil, wrap(k.Name(), fmt.Errorf("a chunk of shape %v has more bytes than can be counted", b.in.Shape))
		}
		b.sizes = append(b.sizes, size)
	}
	if len(b.bytes) == 1 {
		_, b.blocked = b.bytes[0].(Blocked)
	}
	return b, nil
}

// Bound is a chain that is ready for chunks of one shape and type. It is itself
// a Serializer and an Updater.
type Bound struct {
	in, mid    Spec
	arrays     []ArrayFilter
	arrayNames []string
	serializer Serializer
	placer     Placer  // serializer, if it is one
	ranging    Ranging // serializer, if it is one
	name       string
	bytes      []BytesFilter
	byteNames  []string
	sizes      []Size // after the serializer, and after each of bytes
	ranges     bool   // all of bytes are Rangers
	cuts       bool   // all of bytes are Rangers and Slicers: decoding moves nothing
	blocked    bool   // the only one of bytes is Blocked
}

// Spec is what the chain was bound to.
func (b *Bound) Spec() Spec { return b.in }

// Serializer is the bound array-to-bytes codec.
func (b *Bound) Serializer() Serializer { return b.serializer }

// Size tells how many bytes an encoded chunk has.
func (b *Bound) Size() Size { return b.sizes[len(b.sizes)-1] }

// Ranges reports whether decoding box asks the source for ranges rather than
// for the whole chunk.
func (b *Bound) Ranges(box nd.Box) bool {
	if !b.ranges {
		return false
	}
	for _, f := range b.arrays {
		switch f := f.(type) {
		case Mover:
			box = f.Box(box)
		case Transform:
			box = f.Needs(box)
		}
	}
	return b.ranging != nil && b.ranging.Ranges(box)
}

// Decode fills dst with the elements in box of the chunk that src holds.
func (b *Bound) Decode(ctx context.Context, ck *Chunk, src Source, box nd.Box, dst nd.View) error {
	if b.cacheable(ck.Cache, box) {
		return b.decodeCached(ctx, ck, src, box, dst)
	}
	return b.decodeArrays(ctx, ck, src, 0, box, dst)
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
			scratch, mem := scratchView(f.Out().Type, need.Shape, dst.Heap)
			defer mem.Free()
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
	if ck.Limits.Strict {
		mem, err := b.readStrict(ctx, ck, src)
		if err != nil {
			return err
		}
		defer mem.free()
		src = &mem.Memory
	} else if place != nil && b.cuts || place == nil && b.ranging != nil && (b.ranges && b.ranging.Ranges(box) || b.blocked) {
		for ; last >= 0; last-- {
			src = b.bytes[last].(Ranger).Range(ck, src)
		}
	}
	if last < 0 && place == nil {
		return wrap(b.name, b.serializer.Decode(ctx, ck, src, box, dst))
	}
	if last < 0 {
		out, err := ReadAll(ctx, src, b.sizes[0], ck.Limits.MaxChunk, place[:0:len(place)])
		if err == nil && len(out) > 0 && &out[0] != &place[0] {
			copy(place, out)
		}
		if err == nil {
			err = b.placer.Placed(dst)
		}
		return wrap(b.name, err)
	}
	mem, err := b.decodeFilters(ctx, ck, src, last, place)
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

// readStrict reads all of a chunk, so that every codec sees all its bytes.
func (b *Bound) readStrict(ctx context.Context, ck *Chunk, src Source) (*lent, error) {
	if m, ok := src.(*Memory); ok {
		l := &lent{parent: m}
		l.Bytes = m.Bytes
		return l, nil
	}
	hold := buf.Get(1 << 16)
	data, err := ReadAll(ctx, src, b.Size(), ck.Limits.MaxChunk, hold.B)
	if err != nil {
		hold.Free()
		return nil, wrap(b.name, err)
	}
	hold.B = data
	l := &lent{buf: hold}
	l.Bytes = data
	return l, nil
}

// lent is a source in a lent buffer.
type lent struct {
	Memory
	buf    *buf.Buffer
	parent *Memory // whose bytes these are, if they were not lent here
}

func (l *lent) free() {
	switch {
	case !l.Kept():
		l.buf.Free()
	case l.parent != nil:
		l.parent.Keep()
	}
}

// decodeFilters reads all of src and undoes the bytes-to-bytes codecs from last
// to first. The result goes to place if there is one, else to a lent buffer.
func (b *Bound) decodeFilters(ctx context.Context, ck *Chunk, src Source, last int, place []byte) (*lent, error) {
	maxChunk := ck.Limits.MaxChunk
	var cur []byte
	var hold *buf.Buffer
	var parent *Memory
	if m, ok := src.(*Memory); ok {
		cur, parent = m.Bytes, m
		if err := checkLimit(b.sizes[last+1], maxChunk, len(cur)); err != nil {
			return nil, wrap(b.byteNames[last], err)
		}
	} else {
		raw := b.sizes[0]
		raw.Known = raw.Exact // the bound of a shard is far from what is likely
		hold = buf.Get(firstGuess(b.sizes[last+1], raw))
		var err error
		hold.B, err = ReadAll(ctx, src, b.sizes[last+1], maxChunk, hold.B)
		if err != nil {
			return nil, wrap(b.byteNames[last], err)
		}
		cur = hold.B
	}
	if n, max := b.sizes[0], ck.Limits.MaxWork; n.Exact && max > 0 && n.N > max {
		hold.Free()
		return nil, wrap(b.name, Bad("a chunk of %d bytes is larger than the %d that can be worked on", n.N, max))
	}
	for i := last; i >= 0; i-- {
		limit := b.sizes[i].Limit(maxChunk)
		if s, ok := b.bytes[i].(Slicer); ok {
			var err error
			if cur, err = s.Slice(ck, cur); err == nil {
				err = checkLimit(b.sizes[i], maxChunk, len(cur))
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
		var next *buf.Buffer
		var out []byte
		if i == 0 && place != nil {
			out = place[:0:len(place)]
		} else {
			next = buf.Get(firstGuess(b.sizes[i], AtMost(4*len(cur))) + decodeSlack)
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
	l := &lent{buf: hold, parent: parent}
	l.Bytes = cur
	if place != nil {
		hold.Free()
		l.buf = nil
	}
	return l, nil
}

// decodeSlack is room behind a decoded result: decoders that have it can copy in
// whole words and need not watch the end.
const decodeSlack = 64

// firstGuess is how much to reserve for a value of this size: never more than a
// small multiple of what is plausible, since a hostile size is only a number.
func firstGuess(s, plausible Size) int {
	const small = 1 << 20
	if s.Known && (s.Exact || s.N <= small) {
		return min(s.N, maxReserve)
	}
	if plausible.Known {
		return min(plausible.N+plausible.N/8+64, maxReserve)
	}
	return small
}

// maxReserve bounds what is allocated on the word of metadata alone; buffers
// grow beyond it only as bytes really arrive.
const maxReserve = 64 << 20

func checkLimit(size Size, max, n int) error {
	if limit := size.Limit(max); n > limit {
		return Bad("got %d bytes, at most %d are possible", n, limit)
	}
	return checkSize(size, n)
}

// Encode appends the encoded chunk to dst.
func (b *Bound) Encode(ctx context.Context, ck *Chunk, dst []byte, src nd.View) ([]byte, error) {
	for i, f := range b.arrays {
		switch f := f.(type) {
		case Mover:
			src, ck = f.View(src), ck.moved(f)
		case Transform:
			out := f.Out()
			scratch, mem := scratchView(out.Type, out.Shape, src.Heap)
			defer mem.Free()
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
	hold := buf.Get(firstGuess(b.sizes[0], AtMost(1<<16)))
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
		next := buf.Get(firstGuess(b.sizes[i+1], AtMost(len(raw))))
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
func (b *Bound) Update(ctx context.Context, ck *Chunk, dst []byte, old Source, box nd.Box, src nd.View) ([]byte, error) {
	if u, ok := b.serializer.(Updater); ok && b.moversOnly() {
		return b.updateInside(ctx, ck, u, dst, old, box, src)
	}
	chunk, mem := scratchView(b.in.Type, b.in.Shape, newHeap(b.in.Type))
	defer mem.Free()
	if old == nil {
		b.in.FillView(chunk)
	} else if err := b.decodeArrays(ctx, ck, old, 0, nd.Whole(b.in.Shape), chunk); err != nil {
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

func (b *Bound) updateInside(ctx context.Context, ck *Chunk, u Updater, dst []byte, old Source, box nd.Box, src nd.View) ([]byte, error) {
	for _, f := range b.arrays {
		m := f.(Mover)
		src, box, ck = m.View(src), m.Box(box), ck.moved(m)
	}
	if len(b.bytes) == 0 {
		dst, err := u.Update(ctx, ck, dst, old, box, src)
		return dst, wrap(b.name, err)
	}
	if old != nil {
		mem, err := b.decodeFilters(ctx, ck, old, len(b.bytes)-1, nil)
		if err != nil {
			return nil, err
		}
		defer mem.free()
		old = &mem.Memory
	}
	hold := buf.Get(firstGuess(b.sizes[0], AtMost(1<<16)))
	raw, err := u.Update(ctx, ck, hold.B, old, box, src)
	if err != nil {
		hold.Free()
		return nil, wrap(b.name, err)
	}
	hold.B = raw
	return b.encodeFilters(ck, dst, raw, hold)
}

// scratchView lends C-ordered memory for elements of type t.
func scratchView(t dtype.Type, shape []int, heap *nd.Heap) (nd.View, *buf.Buffer) {
	size := t.Size()
	n, _ := nd.Bytes(shape, size)
	mem := buf.Get(n)
	mem.B = mem.B[:n]
	return nd.View{Data: mem.B, Size: size, Shape: shape, Strides: nd.Strides(shape, size), Heap: heap}, mem
}

func newHeap(t dtype.Type) *nd.Heap {
	if len(t.Refs()) == 0 {
		return nil
	}
	return &nd.Heap{}
}

// moved is the chunk as codecs behind a mover see it.
func (ck *Chunk) moved(m Mover) *Chunk {
	if ck.Index == nil && ck.Extent == nil {
		return ck
	}
	out := *ck
	shape := ck.Extent
	if shape == nil {
		shape = ck.Index
	}
	box := m.Box(nd.Box{Start: ck.Index, Shape: shape})
	out.Index = box.Start
	if ck.Extent != nil {
		out.Extent = box.Shape
	}
	return &out
}

// computed is the chunk as codecs behind a transform see it: where it lies says
// nothing about what they get.
func (ck *Chunk) computed() *Chunk {
	out := *ck
	out.Index, out.Extent = nil, nil
	return &out
}
