package hdf5

import "math/bits"

// LayoutClass is where the elements of a dataset are.
type LayoutClass uint8

// The classes of layouts.
const (
	Compact    LayoutClass = iota // in the object header
	Contiguous                    // in one piece, or in external files
	Chunked
	Virtual // in other datasets
)

// IndexKind is how the chunks of a dataset are found.
type IndexKind uint8

// The indexes of chunks, by their numbers in files.
const (
	IndexBTree1 IndexKind = iota
	IndexSingle
	IndexImplicit
	IndexFixedArray
	IndexExtensibleArray
	IndexBTree2
)

// Layout is how a dataset is stored.
type Layout struct {
	Class   LayoutClass
	Version int
	Address uint64 // of the elements or of the index of chunks, Undefined if there are none
	Size    uint64 // bytes of a contiguous dataset, as stored
	Data    []byte // of a compact dataset
	Chunk   []uint64
	Index   IndexKind
	// EdgesPlain says that chunks that are cut off by the edge are not filtered.
	EdgesPlain bool

	single struct {
		size     uint64
		mask     uint32
		filtered bool
	}
	element uint64 // bytes, as the chunks say
	heap    heapID // of the sources of a virtual dataset
}

// parseLayout reads a layout message.
func parseLayout(c *cursor) Layout {
	l := Layout{Address: Undefined}
	l.Version = c.version(1, 5)
	if l.Version < 3 {
		l.parseOld(c)
		return l
	}
	class := c.u8()
	l.Class = LayoutClass(class)
	switch {
	case c.err != nil:
	case l.Class == Compact:
		n := c.u16()
		if n > c.left() {
			c.fail("compact data of %d bytes in a message with %d left", n, c.left())
		}
		l.Data = c.take(n)
	case l.Class == Contiguous:
		l.Address, l.Size = c.addr(), c.length()
	case l.Class == Chunked && l.Version == 3:
		rank := c.u8()
		l.Address = c.addr()
		l.parseChunk(c, rank, 4)
	case l.Class == Chunked:
		l.parseIndexed(c)
	case l.Class == Virtual && l.Version > 3:
		l.heap = heapID{at: c.addr(), index: int(c.u32())}
	default:
		c.fail("class %d is not known in version %d", class, l.Version)
	}
	return l
}

// parseOld reads versions 1 and 2.
func (l *Layout) parseOld(c *cursor) {
	rank, class := c.u8(), c.u8()
	l.Class = LayoutClass(class)
	c.skip(5)
	if l.Class != Compact {
		l.Address = c.addr()
	}
	switch {
	case c.err != nil:
	case l.Class == Chunked:
		l.parseChunk(c, rank, 4)
	case l.Class == Contiguous:
		c.skip(4 * rank)
		l.Size = Undefined // it is that of the elements
	case l.Class == Compact:
		c.skip(4 * rank)
		n := c.u32()
		if uint64(n) > uint64(c.left()) {
			c.fail("compact data of %d bytes in a message with %d left", n, c.left())
		}
		l.Data = c.take(int(n))
	default:
		c.fail("class %d is not known", class)
	}
}

// parseChunk reads the shape of chunks, whose last dimension is an element.
func (l *Layout) parseChunk(c *cursor, rank, wide int) {
	if rank < 1 || rank > maxRank+1 {
		c.fail("chunks of rank %d", rank)
		return
	}
	l.Chunk = make([]uint64, rank)
	for i := range l.Chunk {
		if l.Chunk[i] = c.uint(wide); l.Chunk[i] == 0 {
			c.fail("dimension %d of chunks is zero", i)
		}
	}
	l.element, l.Chunk = l.Chunk[rank-1], l.Chunk[:rank-1]
}

// parseIndexed reads chunks of versions 4 and 5.
func (l *Layout) parseIndexed(c *cursor) {
	flags, rank, wide := c.u8(), c.u8(), c.u8()
	if c.err == nil && (wide < 1 || wide > 8) {
		c.fail("dimensions of chunks of %d bytes", wide)
		return
	}
	l.parseChunk(c, rank, wide)
	l.EdgesPlain = flags&1 != 0
	kind := c.u8()
	l.Index = IndexKind(kind)
	switch {
	case c.err != nil:
	case l.Index == IndexSingle:
		if flags&2 != 0 {
			l.single.filtered = true
			l.single.size, l.single.mask = c.length(), c.u32()
		}
	case l.Index == IndexImplicit:
	case l.Index == IndexFixedArray:
		c.skip(1)
	case l.Index == IndexExtensibleArray:
		c.skip(5)
	case l.Index == IndexBTree2:
		c.skip(6)
	default:
		c.fail("an index of chunks of type %d is not known", kind)
	}
	l.Address = c.addr()
}

// chunkBytes is how many bytes a chunk has, decoded.
func (l *Layout) chunkBytes(size int) (uint64, bool) {
	n, ok := product(l.Chunk)
	hi, lo := bits.Mul64(n, uint64(size))
	return lo, ok && hi == 0
}
