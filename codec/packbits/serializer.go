package packbits

import (
	"context"
	"errors"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

type serializer struct {
	shape   []int // of a chunk
	strides []int // in elements
	apart   []int // the same in bytes of memory
	bits    int   // packed bits of an element
	size    int   // bytes of an element in memory
	packed  int   // bytes of a packed chunk, without the padding byte
	pad     byte  // bits that fill the last of them
	padding Padding
	field   *field
}

// newSerializer is for chunks of n packed bits, whose elements have size bytes.
func newSerializer(shape []int, size, n int, f *field, padding Padding) *serializer {
	return &serializer{
		shape:   shape,
		strides: nd.Strides(shape, 1),
		apart:   nd.Strides(shape, size),
		bits:    size / f.width * f.bits,
		size:    size,
		packed:  n/8 + (n%8+7)/8,
		pad:     byte(-n & 7),
		padding: padding,
		field:   f,
	}
}

// Size is the number of bits of all elements in bytes, and the padding byte.
func (s *serializer) Size() codec.Size {
	if s.optional() {
		return codec.AtMost(s.packed + 1)
	}
	return codec.Exactly(s.total())
}

// total is the size of a chunk as Encode writes it.
func (s *serializer) total() int {
	if s.padding == None {
		return s.packed
	}
	return s.packed + 1
}

// optional reports whether the padding byte may be missing: zarrs leaves it out
// where elements are whole bytes.
func (s *serializer) optional() bool { return s.padding != None && s.field.full }

// Ranges reports that any part of the chunk can be read by itself.
func (s *serializer) Ranges(box nd.Box) bool { return !box.Covers(s.shape) }

// Encode appends the packed elements.
func (s *serializer) Encode(_ context.Context, ck *codec.Chunk, dst []byte, src nd.View) ([]byte, error) {
	at := len(dst)
	dst, err := ck.Grow(dst, s.total())
	if err != nil {
		return nil, err
	}
	dst = dst[:at+s.total()]
	return dst, s.pack(ck, dst[at:], src)
}

// pack fills out with a chunk.
func (s *serializer) pack(ck *codec.Chunk, out []byte, src nd.View) error {
	switch s.padding {
	case FirstByte:
		out[0] = s.pad
		out = out[1:]
	case LastByte:
		out[s.packed] = s.pad
		out = out[:s.packed]
	}
	m := memory{s: s, ck: ck, packed: out}
	defer m.done()
	return m.walker(src).walk(0, 0, slices.Clone(s.shape), src, m.pack)
}

// Decode fills dst with a box of the chunk.
func (s *serializer) Decode(ctx context.Context, ck *codec.Chunk, src codec.Source, box nd.Box, dst nd.View) error {
	if m, ok := src.(*codec.Memory); ok {
		if ck.Strict() {
			if err := s.checkPadding(m.Bytes); err != nil {
				return err
			}
		}
		return s.decodeWhole(ck, m.Bytes, box, dst)
	}
	w := walker{strides: s.strides, piece: s.elements(farPiece), gap: s.elements(farGap)}
	if store.IsNear(src) {
		w.piece, w.gap = s.elements(nearPiece), s.elements(nearGap)
	}
	w.piece = min(w.piece, s.elements(ck.Piece()-1))
	whole := box.Covers(s.shape)
	if n, _ := nd.Len(s.shape); whole && n <= w.piece {
		hold, err := ck.Lend(s.total())
		if err != nil {
			return err
		}
		defer hold.Free()
		if hold.B, err = ck.ReadAll(ctx, src, s.Size(), hold.B); err != nil {
			return err
		}
		return s.decodeWhole(ck, hold.B, box, dst)
	}
	r := reader{memory: memory{s: s, ck: ck}, ctx: ctx, src: src}
	defer r.done()
	if err := r.begin(whole); err != nil {
		return err
	}
	return w.walk(0, s.offset(box), slices.Clone(box.Shape), dst, r.slab)
}

// decodeWhole unpacks a box of a chunk whose bytes are all there.
func (s *serializer) decodeWhole(ck *codec.Chunk, data []byte, box nd.Box, dst nd.View) error {
	data, err := s.strip(data)
	if err != nil {
		return err
	}
	m := memory{s: s, ck: ck, packed: data}
	defer m.done()
	return m.walker(dst).walk(0, s.offset(box), slices.Clone(box.Shape), dst, m.unpack)
}

// strip checks the length of a chunk and takes the padding byte off.
func (s *serializer) strip(data []byte) ([]byte, error) {
	switch {
	case s.optional() && len(data) == s.packed:
		return data, nil
	case len(data) != s.total():
		return nil, codec.Bad("got %d bytes, want %d", len(data), s.total())
	case s.padding == FirstByte:
		return data[1:], s.checkPad(data[0])
	case s.padding == LastByte:
		return data[:s.packed], s.checkPad(data[s.packed])
	}
	return data, nil
}

func (s *serializer) checkPad(b byte) error {
	if b > 7 {
		return codec.Bad("%v says that %d bits are padding, but at most 7 can be", s.padding, b)
	}
	if b != s.pad {
		return codec.Bad("%v says that %d bits are padding, but shape and type leave %d", s.padding, b, s.pad)
	}
	return nil
}

// offset is the number of the first element of a box.
func (s *serializer) offset(box nd.Box) int {
	off := 0
	for i, k := range box.Start {
		off += k * s.strides[i]
	}
	return off
}

// elements is how many elements lie in so many packed bytes.
func (s *serializer) elements(n int) int { return 8 * n / s.bits }

// placer is a serializer of elements that are stored as they are in memory.
type placer struct{ *serializer }

// Place gives the memory of a whole chunk.
func (p placer) Place(v nd.View) ([]byte, bool) { return v.Contiguous() }

// Placed has nothing to check: all bits of memory are a value.
func (p placer) Placed(nd.View) error { return nil }

// reader reads ranges of a source.
type reader struct {
	memory
	ctx   context.Context
	src   codec.Source
	start int // where the packed bytes begin
	total int // bytes of the chunk
	lent  *codec.Buffer
}

func (r *reader) done() {
	r.lent.Free()
	r.memory.done()
}

// begin finds out where the packed bytes are. Only a read of the whole chunk,
// or one whose padding byte may be missing, costs a request for that.
func (r *reader) begin(whole bool) error {
	s := r.s
	r.total = s.total()
	if s.padding == FirstByte {
		r.start = 1
	}
	if s.optional() {
		_, err := r.get(s.packed, 1)
		if errors.Is(err, store.ErrRange) {
			r.start, r.total = 0, s.packed
			return nil
		}
		if err != nil {
			return err
		}
	}
	if s.padding == None || !whole {
		return nil
	}
	at := 0
	if s.padding == LastByte {
		at = s.packed
	}
	b, err := r.get(at, 1)
	if err != nil {
		return codec.RangeError(err)
	}
	return s.checkPad(b[0])
}

// slab reads what holds the span elements from off on, and unpacks a box of
// them.
func (r *reader) slab(k, off, span int, shape []int, dst nd.View) error {
	first := off * r.s.bits
	lo, hi := first>>3, (first+span*r.s.bits+7)>>3
	data, err := r.get(r.start+lo, hi-lo)
	if err != nil {
		return codec.RangeError(err)
	}
	r.packed, r.skip = data, lo
	return r.walker(dst).walk(k, off, shape, dst, r.unpack)
}

// get reads a range. What it returns is valid until the next one.
func (r *reader) get(off, n int) ([]byte, error) {
	if r.lent == nil || cap(r.lent.B) < n {
		r.lent.Free()
		var err error
		if r.lent, err = r.ck.Lend(n); err != nil {
			return nil, err
		}
	}
	out, info, err := r.src.Get(r.ctx, store.Part(int64(off), int64(n)), r.lent.B[:0])
	if info.Size > 0 && info.Size != int64(r.total) && !(r.s.optional() && info.Size == int64(r.s.packed)) {
		return nil, codec.Bad("got %d bytes, want %d", info.Size, r.total)
	}
	if err != nil {
		return nil, err
	}
	r.lent.B = out
	return out, nil
}

// memory packs and unpacks chunks, or parts of them, that are in memory.
type memory struct {
	s      *serializer
	ck     *codec.Chunk
	packed []byte
	skip   int // bytes of the chunk before packed
	hold   *codec.Buffer
}

func (m *memory) done() { m.hold.Free() }

// walker cuts work on v into what a scratch buffer in the first-level cache
// holds, and leaves runs of v whole.
func (m *memory) walker(v nd.View) walker {
	w := walker{strides: m.s.strides, piece: scratch / m.s.size, gap: 64, runs: true}
	if last := len(v.Shape) - 1; last >= 0 && v.Strides[last] == v.Size {
		w.rows = v.Shape[last]*v.Size >= longRow
	}
	return w
}

const (
	scratch = 32 << 10 // bytes of elements that are unpacked before they are copied
	longRow = 1 << 10  // bytes of a row that is worth a call of its own
)

// unpack fills dst from the span elements from off on.
func (m *memory) unpack(k, off, span int, shape []int, dst nd.View) error {
	at := off*m.s.bits - 8*m.skip
	if mem, ok := run(span, dst); ok {
		m.s.field.unpack(mem, m.packed, at)
		return nil
	}
	part, err := m.part(k, span, shape)
	if err != nil {
		return err
	}
	m.s.field.unpack(part.Data, m.packed, at)
	nd.Copy(dst, part)
	return nil
}

// pack packs the elements of src as those from off on.
func (m *memory) pack(k, off, span int, shape []int, src nd.View) error {
	if mem, ok := run(span, src); ok {
		m.s.field.pack(m.packed, off*m.s.bits, mem)
		return nil
	}
	part, err := m.part(k, span, shape)
	if err != nil {
		return err
	}
	nd.Copy(part, src)
	m.s.field.pack(m.packed, off*m.s.bits, part.Data)
	return nil
}

// part is scratch memory for span elements, viewed as the box of them that has
// the given shape from axis k on.
func (m *memory) part(k, span int, shape []int) (nd.View, error) {
	if m.hold == nil {
		var err error
		if m.hold, err = m.ck.Lend(scratch); err != nil {
			return nd.View{}, err
		}
	}
	return nd.View{Data: m.hold.B[:span*m.s.size], Size: m.s.size, Shape: shape[k:], Strides: m.s.apart[k:]}, nil
}

// checkPadding reports bits behind the last element that are not zero.
func (s *serializer) checkPadding(data []byte) error {
	data, err := s.strip(data)
	if err != nil || len(data) == 0 {
		return err
	}
	n, _ := nd.Len(s.shape)
	used := uint(n*s.bits) % 8
	if last := data[len(data)-1]; used != 0 && last>>used != 0 {
		return codec.Bad("the %d bits behind the last element are not zero", 8-used)
	}
	return nil
}
