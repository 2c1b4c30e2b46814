package hdf5

import "math/bits"

// fractalHeap holds messages of groups and attributes that have many.
type fractalHeap struct {
	f        *File
	at       uint64
	idBytes  int
	checked  bool // direct blocks have checksums
	most     uint32
	huge     uint64 // the tree of huge objects
	width    int
	start    uint64
	direct   uint64 // the largest direct block
	offBytes int
	lenBytes int
	maxRows  int
	root     uint64
	rows     int // of the root, 0 if it is a direct block
	rootSize uint64
	rootMask uint32
	filters  []Filter

	seen   map[uint64]struct{} // blocks whose checksums are right
	last   uint64              // the filtered block that was decoded last
	plain  []byte
	hugeBy map[uint64]hugeRecord
	// The indirect block that was read last, which most objects share.
	rowsAt uint64
	rowsOf cursor
}

// openHeap reads the header of a fractal heap.
func (f *File) openHeap(at uint64) (*fractalHeap, error) {
	const what = "fractal heap"
	fixed := uint64(22 + 12*f.lengths + 3*f.offsets)
	c := f.cursor(what, at, fixed)
	c.signature("FRHP")
	c.version(0, 0)
	h := &fractalHeap{f: f, at: at, last: Undefined, rowsAt: Undefined, seen: map[uint64]struct{}{}}
	h.idBytes = c.u16()
	filters := c.u16()
	if c.err != nil {
		return nil, c.err
	}
	n := fixed + 4
	if filters > 0 {
		n += uint64(f.lengths+4) + uint64(filters)
	}
	c = f.cursor(what, at, n)
	c.skip(9)
	h.checked = c.u8()&2 != 0
	h.most = c.u32()
	c.skip(c.l)
	h.huge = c.addr()
	c.skip(c.l + c.o + 8*c.l)
	h.width, h.start, h.direct = c.u16(), c.length(), c.length()
	heapBits := c.u16()
	c.skip(2)
	h.root, h.rows = c.addr(), c.u16()
	if filters > 0 {
		h.rootSize, h.rootMask = c.length(), c.u32()
		p := c.part("filter pipeline of a fractal heap", filters)
		h.filters = parseFilters(&p)
		if c.err == nil {
			c.err = p.err
		}
	}
	c.checksum()
	power := func(x uint64) bool { return x != 0 && x&(x-1) == 0 }
	switch {
	case c.err != nil:
	case !power(uint64(h.width)):
		c.fail("the width of its table is %d, which is no power of two", h.width)
	case !power(h.start) || !power(h.direct) || h.direct < h.start || h.direct > mostMeta:
		c.fail("its blocks have %d to %d bytes, which must be powers of two", h.start, h.direct)
	case heapBits == 0 || heapBits > 64:
		c.fail("its size is given as 2^%d bytes", heapBits)
	case h.idBytes < 1:
		c.fail("its identifiers have no bytes")
	}
	if c.err != nil {
		return nil, c.err
	}
	h.offBytes = (heapBits + 7) / 8
	h.lenBytes = min((bits.Len64(h.direct)-1+7)/8, bytesFor(uint64(h.most)))
	h.maxRows = heapBits - (bits.Len64(h.start) - 1) - (bits.Len(uint(h.width)) - 1) + 1
	if h.rows > h.maxRows {
		return nil, wrong(what, at, "its root block has %d rows, and %d are possible", h.rows, h.maxRows)
	}
	return h, nil
}

// idLen is how many bytes of a record are an identifier.
func (h *fractalHeap) idLen(left int) int { return min(h.idBytes, left) }

// object gives what an identifier stands for, and its address.
func (h *fractalHeap) object(id []byte) ([]byte, uint64, error) {
	c := cursor{what: "identifier in the fractal heap", at: h.at, b: id, o: h.f.offsets, l: h.f.lengths}
	head := c.u8()
	if c.err == nil && head>>6 != 0 {
		c.fail("version %d is not known", head>>6)
	}
	if c.err != nil {
		return nil, 0, c.err
	}
	switch head >> 4 & 3 {
	case 0:
		off, n := c.uint(h.offBytes), c.uint(h.lenBytes)
		if c.err != nil {
			return nil, 0, c.err
		}
		return h.managed(off, n)
	case 1:
		return h.hugeObject(&c)
	case 2:
		n := head & 15
		if h.idBytes > 17 {
			n = n<<8 | c.u8()
		}
		b := c.take(n + 1)
		return b, h.at, c.err
	}
	return nil, 0, wrong(c.what, h.at, "its kind 3 is not known")
}

// rowSize is the size of a block in a row.
func (h *fractalHeap) rowSize(row int) uint64 {
	if row == 0 {
		return h.start
	}
	return h.start << (row - 1)
}

// managed gives n bytes from an offset of the heap.
func (h *fractalHeap) managed(off, n uint64) ([]byte, uint64, error) {
	what := "object of a fractal heap"
	if h.root == Undefined {
		return nil, 0, wrong(what, h.at, "the heap has no blocks")
	}
	if n == 0 || n > uint64(h.most) {
		return nil, 0, wrong(what, h.at, "an object of %d bytes, where at most %d are possible", n, h.most)
	}
	block, rows, base := h.root, h.rows, uint64(0)
	size, mask := h.rootSize, h.rootMask
	span := h.start
	for depth := 0; rows > 0; depth++ {
		if depth > 64 {
			return nil, 0, wrong(what, h.at, "indirect blocks are nested too deep")
		}
		rel := off - base
		row := 0
		if q := rel / (h.start * uint64(h.width)); q > 0 {
			row = bits.Len64(q)
		}
		if row >= rows {
			return nil, 0, wrong(what, h.at, "offset %d lies beyond the end of the heap", off)
		}
		span = h.rowSize(row)
		rowStart := uint64(0)
		if row > 0 {
			rowStart = h.start * uint64(h.width) << (row - 1)
		}
		col := (rel - rowStart) / span
		directRows := bits.Len64(h.direct) - bits.Len64(h.start) + 2
		var err error
		if block, size, mask, err = h.entry(block, rows, directRows, row, int(col)); err != nil {
			return nil, 0, err
		}
		if block == Undefined {
			return nil, 0, wrong(what, h.at, "offset %d is in a block that is not there", off)
		}
		base += rowStart + col*span
		if row < directRows {
			break
		}
		rows = bits.Len64(span) - bits.Len64(h.start*uint64(h.width)) + 1
	}
	return h.inBlock(block, span, size, mask, off, base, n)
}

// entry gives one entry of an indirect block.
func (h *fractalHeap) entry(at uint64, rows, directRows, row, col int) (block, size uint64, mask uint32, err error) {
	const what = "indirect block of a fractal heap"
	f := h.f
	wide := f.offsets // of a direct entry
	if len(h.filters) > 0 {
		wide += f.lengths + 4
	}
	head := 5 + f.offsets + h.offBytes
	d := min(rows, directRows)
	if h.rowsAt != at {
		if rows*h.width*wide > mostMeta {
			return 0, 0, 0, wrong(what, at, "%d rows of %d blocks are too many", rows, h.width)
		}
		c := f.cursor(what, at, uint64(head+d*h.width*wide+(rows-d)*h.width*f.offsets+4))
		c.signature("FHIB")
		c.version(0, 0)
		c.skip(len(c.b) - 9)
		c.checksum()
		if c.err != nil {
			return 0, 0, 0, c.err
		}
		h.rowsAt, h.rowsOf = at, c
	}
	c := h.rowsOf
	i := row*h.width + col
	if row < d {
		c.pos = head + i*wide
		block = c.addr()
		if len(h.filters) > 0 {
			size, mask = c.length(), c.u32()
		}
	} else {
		c.pos = head + d*h.width*wide + (i-d*h.width)*f.offsets
		block = c.addr()
	}
	return block, size, mask, c.err
}

// inBlock gives n bytes of a direct block of span bytes, which begins at base.
func (h *fractalHeap) inBlock(at, span, size uint64, mask uint32, off, base, n uint64) ([]byte, uint64, error) {
	const what = "direct block of a fractal heap"
	head := uint64(5 + h.f.offsets + h.offBytes)
	if h.checked {
		head += 4
	}
	rel := off - base
	if off < base || rel < head || rel > span || n > span-rel {
		return nil, 0, wrong(what, at, "an object of %d bytes at offset %d lies outside of the block of %d", n, rel, span)
	}
	if len(h.filters) > 0 {
		if h.last != at {
			raw, err := h.f.read(what, at, size)
			if err != nil {
				return nil, 0, err
			}
			b, err := h.f.decode(raw, h.filters, mask, int(span))
			if err != nil {
				return nil, 0, wrong(what, at, "%w", err)
			}
			if err := h.checkBlock(at, b, head); err != nil {
				return nil, 0, err
			}
			h.last, h.plain = at, b
		}
		return h.plain[rel : rel+n], at + rel, nil
	}
	if _, ok := h.seen[at]; !ok {
		b, err := h.f.read(what, at, span)
		if err != nil {
			return nil, 0, err
		}
		if err := h.checkBlock(at, b, head); err != nil {
			return nil, 0, err
		}
		h.seen[at] = struct{}{}
	}
	b, err := h.f.read(what, at+rel, n)
	return b, at + rel, err
}

// checkBlock looks at the signature and the checksum of a direct block, which
// is over all of it, as if the checksum were 0.
func (h *fractalHeap) checkBlock(at uint64, b []byte, head uint64) error {
	c := cursor{what: "direct block of a fractal heap", at: at, b: b, o: h.f.offsets, l: h.f.lengths}
	c.signature("FHDB")
	c.version(0, 0)
	if c.err == nil && h.checked {
		c.pos = int(head) - 4
		stored := c.u32()
		x := append([]byte(nil), b...)
		clear(x[head-4 : head])
		if sum := lookup3(x); sum != stored && verify {
			c.fail("the checksum is %08x, and %08x by the bytes", stored, sum)
		}
	}
	return c.err
}

// hugeObject gives an object that lies by itself.
func (h *fractalHeap) hugeObject(id *cursor) ([]byte, uint64, error) {
	const what = "huge object of a fractal heap"
	o, l := h.f.offsets, h.f.lengths
	filtered := len(h.filters) > 0
	direct := o + l
	if filtered {
		direct += 4 + l
	}
	if direct <= h.idBytes-1 { // the identifier says it all
		at, n := id.addr(), id.length()
		var mask uint32
		size := n
		if filtered {
			mask, size = id.u32(), id.length()
		}
		if id.err != nil {
			return nil, 0, id.err
		}
		return h.readHuge(at, n, mask, size)
	}
	want := id.uint(min(l, h.idBytes-1))
	if id.err != nil {
		return nil, 0, id.err
	}
	if h.hugeBy == nil {
		if err := h.indexHuge(); err != nil {
			return nil, 0, err
		}
	}
	r, ok := h.hugeBy[want]
	if !ok {
		return nil, 0, wrong(what, h.at, "the heap has no object %d", want)
	}
	return h.readHuge(r.at, r.n, r.mask, r.size)
}

// hugeRecord is where a huge object lies.
type hugeRecord struct {
	at, n, size uint64
	mask        uint32
}

// indexHuge reads the tree of huge objects.
func (h *fractalHeap) indexHuge() error {
	t, err := h.f.openTree2(h.huge, h.f.offsets+2*h.f.lengths, 1, 2)
	if err != nil {
		return err
	}
	h.hugeBy = map[uint64]hugeRecord{}
	return t.each(func(r *cursor) error {
		x := hugeRecord{at: r.addr(), n: r.length()}
		if x.size = x.n; t.kind == 2 {
			x.mask, x.size = r.u32(), r.length()
		}
		h.hugeBy[r.length()] = x
		return r.err
	})
}

func (h *fractalHeap) readHuge(at, n uint64, mask uint32, size uint64) ([]byte, uint64, error) {
	const what = "huge object of a fractal heap"
	b, err := h.f.read(what, at, n)
	if err != nil || len(h.filters) == 0 {
		return b, at, err
	}
	if size > mostMeta {
		return nil, 0, wrong(what, at, "it is said to have %d bytes", size)
	}
	b, err = h.f.decode(b, h.filters, mask, int(size))
	if err != nil {
		return nil, 0, wrong(what, at, "%w", err)
	}
	return b, at, nil
}
