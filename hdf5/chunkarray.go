package hdf5

import (
	"math/bits"
	"slices"
)

// elements is what both kinds of arrays of chunks have in common.
type elements struct {
	d      *Dataset
	what   string
	at     uint64            // of the header
	entry  int               // bytes of an element
	wide   int               // bytes of the size of a chunk, 0 without filters
	size   uint64            // of a chunk without filters
	counts []uint64          // of chunks, as they are numbered
	seen   map[seen]struct{} // blocks whose checksums are right
}

// seen is a block of a kind.
type seen struct {
	what string
	at   uint64
}

// begin reads the first fields of a header.
func (e *elements) begin(c *cursor) {
	c.version(0, 0)
	client := c.u8()
	e.entry = c.u8()
	want := e.d.file.offsets
	if c.err != nil {
		return
	}
	if client == 1 {
		e.wide = e.entry - want - 4
		if e.wide < 1 || e.wide > 8 {
			c.fail("its elements have a size of %d bytes", e.entry)
		}
	} else if e.entry != want || client > 1 {
		c.fail("its elements have a size of %d bytes, and are of kind %d", e.entry, client)
	}
}

// element reads one.
func (e *elements) element(c *cursor) (stored, error) {
	s := stored{at: c.addr(), size: e.size}
	if e.wide > 0 {
		s.size, s.mask = c.uint(e.wide), c.u32()
	}
	return s, c.err
}

// in gives element i of n that lie at an address, behind which is a checksum.
func (e *elements) in(what string, at, n, i uint64) (stored, error) {
	f := e.d.file
	size := uint64(e.entry)
	if n > uint64(f.size)/size {
		return absent, wrong(what, at, "%d elements of %d bytes are more than the file has", n, size)
	}
	if _, ok := e.seen[seen{what, at}]; !ok {
		c := f.cursor(what, at, n*size+4)
		c.skip(int(n * size))
		if c.checksum(); c.err != nil {
			return absent, c.err
		}
		e.saw(what, at)
	}
	c := f.cursor(what, at+i*size, size)
	return e.element(&c)
}

// saw keeps in mind that checksums are right, of a bounded number of blocks.
func (e *elements) saw(what string, at uint64) {
	if len(e.seen) >= 4096 {
		clear(e.seen)
	}
	e.seen[seen{what, at}] = struct{}{}
}

// fixed is a fixed array: one block of elements, or pages of them.
type fixed struct {
	elements
	n        uint64
	block    uint64
	pageBits int
}

func (d *Dataset) fixedArray() (chunkIndex, error) {
	size, err := d.chunkSize()
	if err != nil {
		return nil, err
	}
	f := d.file
	x := &fixed{elements: elements{d: d, what: "fixed array", at: d.Layout.Address, size: size, counts: d.counts(true), seen: map[seen]struct{}{}}}
	c := f.cursor(x.what, x.at, uint64(12+f.lengths+f.offsets))
	c.signature("FAHD")
	x.begin(&c)
	x.pageBits = c.u8()
	x.n, x.block = c.length(), c.addr()
	c.checksum()
	if want, ok := product(x.counts); c.err == nil && (!ok || want != x.n) {
		c.fail("it has %d elements for %d chunks", x.n, x.counts)
	}
	if c.err == nil && (x.pageBits > 62 || x.n > uint64(f.size)*8) {
		c.fail("%d elements in pages of 2^%d are not possible in this file", x.n, x.pageBits)
	}
	return x, c.err
}

func (x *fixed) find(index []uint64) (stored, error) {
	i, ok := linear(index, x.counts)
	if !ok || x.block == Undefined {
		return absent, nil
	}
	s, _, err := x.numbered(i)
	return s, err
}

// numbered gives an element, and how many behind it are not stored either.
func (x *fixed) numbered(i uint64) (stored, uint64, error) {
	const what = "fixed array data block"
	f := x.d.file
	head := uint64(6 + f.offsets)
	page := uint64(1) << x.pageBits
	if x.n <= page {
		n := x.n
		if n > uint64(f.size)/uint64(x.entry) {
			return absent, 0, wrong(what, x.block, "%d elements are more than the file has", n)
		}
		if _, ok := x.seen[seen{what, x.block}]; !ok {
			c := f.cursor(what, x.block, head+n*uint64(x.entry)+4)
			c.signature("FADB")
			c.version(0, 0)
			c.skip(len(c.b) - 9)
			if c.checksum(); c.err != nil {
				return absent, 0, c.err
			}
			x.saw(what, x.block)
		}
		c := f.cursor(what, x.block+head+i*uint64(x.entry), uint64(x.entry))
		s, err := x.element(&c)
		return s, 0, err
	}
	pages := (x.n + page - 1) / page
	bitmap := (pages + 7) / 8
	c := f.cursor(what, x.block, head+bitmap+4)
	if _, ok := x.seen[seen{what, x.block}]; !ok {
		c.signature("FADB")
		c.version(0, 0)
		c.skip(len(c.b) - 9)
		if c.checksum(); c.err == nil {
			x.saw(what, x.block)
		}
	}
	if c.err != nil {
		return absent, 0, c.err
	}
	p := i / page
	if c.b[head+p/8]&(0x80>>(p%8)) == 0 {
		return absent, page - i%page - 1, nil
	}
	at := x.block + head + bitmap + 4 + p*(page*uint64(x.entry)+4)
	s, err := x.in("fixed array page", at, min(page, x.n-p*page), i%page)
	return s, 0, err
}

func (x *fixed) each(do func([]uint64, stored) (bool, error)) error {
	if x.block == Undefined {
		return nil
	}
	return x.all(x.n, x.numbered, func(_, n []uint64) []uint64 { return n }, do)
}

// extensible is an extensible array: elements in its index block, then data
// blocks that grow, which the index block or super blocks point to.
type extensible struct {
	elements
	axis     int // the one without end, which is numbered first
	maxBits  int
	inIndex  uint64 // elements in the index block
	least    uint64 // elements of the first data block
	pageBits int
	direct   int // super blocks whose data blocks the index block points to
	index    uint64
	offBytes int
	pointers int // to data blocks, in the index block
	supers   int // pointers to super blocks
	turned   []uint64
}

func (d *Dataset) extensibleArray() (chunkIndex, error) {
	size, err := d.chunkSize()
	if err != nil {
		return nil, err
	}
	f := d.file
	x := &extensible{elements: elements{d: d, what: "extensible array", at: d.Layout.Address, size: size, counts: d.counts(true), seen: map[seen]struct{}{}}}
	c := f.cursor(x.what, x.at, uint64(16+6*f.lengths+f.offsets))
	c.signature("EAHD")
	x.begin(&c)
	x.maxBits, x.inIndex, x.least = c.u8(), uint64(c.u8()), uint64(c.u8())
	ptrs := c.u8()
	x.pageBits = c.u8()
	c.skip(6 * c.l)
	x.index = c.addr()
	c.checksum()
	power := func(n uint64) bool { return n != 0 && n&(n-1) == 0 }
	switch {
	case c.err != nil:
	case x.maxBits == 0 || x.maxBits > 64 || x.pageBits > 62:
		c.fail("2^%d elements in pages of 2^%d are not possible", x.maxBits, x.pageBits)
	case !power(x.least) || !power(uint64(ptrs)):
		c.fail("data blocks of %d elements, %d of them in a super block, which must be powers of two", x.least, ptrs)
	}
	if c.err != nil {
		return nil, c.err
	}
	all := 1 + x.maxBits - (bits.Len64(x.least) - 1)
	x.direct = 2 * (bits.Len(uint(ptrs)) - 1)
	x.pointers = 2 * (ptrs - 1)
	x.supers = max(all-x.direct, 0)
	x.offBytes = (x.maxBits + 7) / 8
	x.axis = slices.Index(x.counts, Unlimited)
	if x.axis < 0 {
		x.axis = 0
	}
	// The axis without end is numbered first.
	turned := append([]uint64{x.counts[x.axis]}, x.counts[:x.axis]...)
	x.counts = append(turned, x.counts[x.axis+1:]...)
	if n, ok := product(x.counts[1:]); !ok || n == 0 {
		return nil, wrong(x.what, x.at, "%d chunks along the axes that have an end", x.counts[1:])
	}
	x.turned = make([]uint64, len(x.counts))
	return x, nil
}

// head checks the beginning of a block, of n bytes with its checksum, and gives
// a cursor over it.
func (x *extensible) head(what, sign string, at, n uint64) cursor {
	c := x.d.file.cursor(what, at, n)
	if _, ok := x.seen[seen{what, at}]; !ok {
		c.signature(sign)
		c.version(0, 0)
		c.skip(len(c.b) - 9)
		if c.checksum(); c.err == nil {
			x.saw(what, at)
		}
	}
	return c
}

func (x *extensible) find(index []uint64) (stored, error) {
	if x.index == Undefined {
		return absent, nil
	}
	x.turned[0] = index[x.axis]
	copy(x.turned[1:], index[:x.axis])
	copy(x.turned[x.axis+1:], index[x.axis+1:])
	i, ok := linear(x.turned, x.counts)
	if !ok {
		return absent, nil
	}
	s, _, err := x.numbered(i)
	return s, err
}

// numbered gives an element, and how many behind it are not stored either.
func (x *extensible) numbered(i uint64) (stored, uint64, error) {
	f := x.d.file
	o, entry := uint64(f.offsets), uint64(x.entry)
	first := 6 + o
	c := x.head("extensible array index block", "EAIB", x.index, first+x.inIndex*entry+uint64(x.pointers+x.supers)*o+4)
	if c.err != nil {
		return absent, 0, c.err
	}
	if i < x.inIndex {
		c.pos = int(first + i*entry)
		s, err := x.element(&c)
		return s, 0, err
	}
	i -= x.inIndex
	super := bits.Len64(i/x.least+1) - 1
	i -= (1<<super - 1) * x.least
	blocks := uint64(1) << (super / 2)
	each := x.least << ((super + 1) / 2)
	block := i / each
	i %= each
	page := uint64(1) << x.pageBits
	if super < x.direct {
		// Blocks of all super blocks before.
		before := uint64(0)
		for s := range super {
			before += 1 << (s / 2)
		}
		c.pos = int(first + x.inIndex*entry + (before+block)*o)
		at := c.addr()
		if c.err != nil || at == Undefined {
			return absent, each - i - 1, c.err
		}
		if each > page {
			return absent, 0, wrong(x.what, x.at, "data blocks of the index block have pages")
		}
		s, err := x.block(at, each, i)
		return s, 0, err
	}
	rest := (blocks-block)*each - i - 1 // of the super block
	if super-x.direct >= x.supers {
		return absent, rest, nil
	}
	c.pos = int(first + x.inIndex*entry + uint64(x.pointers+super-x.direct)*o)
	at := c.addr()
	if c.err != nil || at == Undefined {
		return absent, rest, c.err
	}
	pages := uint64(0) // of a data block
	bitmap := uint64(0)
	if each > page {
		pages = each / page
		bitmap = blocks * ((pages + 7) / 8)
	}
	if blocks > uint64(f.size)/o || bitmap > uint64(f.size) {
		return absent, 0, wrong("extensible array super block", at, "%d data blocks are more than the file has", blocks)
	}
	s := x.head("extensible array super block", "EASB", at, first+uint64(x.offBytes)+bitmap+blocks*o+4)
	if s.err != nil {
		return absent, 0, s.err
	}
	s.pos = int(first) + x.offBytes + int(bitmap+block*o)
	if at = s.addr(); at == Undefined {
		return absent, each - i - 1, nil
	}
	if pages == 0 {
		s, err := x.block(at, each, i)
		return s, 0, err
	}
	p := i / page
	bit := block*pages + p
	if s.b[first+uint64(x.offBytes)+bit/8]&(0x80>>(bit%8)) == 0 {
		return absent, page - i%page - 1, nil
	}
	prefix := first + uint64(x.offBytes) + 4
	if h := x.head("extensible array data block", "EADB", at, prefix); h.err != nil {
		return absent, 0, h.err
	}
	e, err := x.in("extensible array page", at+prefix+p*(page*entry+4), page, i%page)
	return e, 0, err
}

// block gives element i of a data block without pages.
func (x *extensible) block(at, n, i uint64) (stored, error) {
	const what = "extensible array data block"
	if n > uint64(x.d.file.size)/uint64(x.entry) {
		return absent, wrong(what, at, "%d elements are more than the file has", n)
	}
	first := uint64(6 + x.d.file.offsets + x.offBytes)
	c := x.head(what, "EADB", at, first+n*uint64(x.entry)+4)
	c.pos = int(first + i*uint64(x.entry))
	return x.element(&c)
}

func (x *extensible) each(do func([]uint64, stored) (bool, error)) error {
	if x.index == Undefined {
		return nil
	}
	// As many as the dataset has now.
	n, ok := product(append([]uint64{x.d.counts(false)[x.axis]}, x.counts[1:]...))
	if !ok {
		n = Unlimited
	}
	return x.all(n, x.numbered, func(index, turned []uint64) []uint64 {
		copy(index, turned[1:x.axis+1])
		index[x.axis] = turned[0]
		copy(index[x.axis+1:], turned[x.axis+1:])
		return index
	}, do)
}

// all calls do for n elements. Turn makes the index of a chunk of that by which
// it is numbered.
func (e *elements) all(n uint64, at func(uint64) (stored, uint64, error), turn func(index, turned []uint64) []uint64, do func([]uint64, stored) (bool, error)) error {
	index, turned := make([]uint64, len(e.counts)), make([]uint64, len(e.counts))
	for i := uint64(0); i < n; {
		s, skip, err := at(i)
		if err != nil {
			return err
		}
		if s.at != Undefined {
			rest := i
			for j := len(turned) - 1; j > 0; j-- {
				turned[j] = rest % e.counts[j]
				rest /= e.counts[j]
			}
			turned[0] = rest
			if on, err := do(turn(index, turned), s); err != nil || !on {
				return err
			}
		}
		if i+1+skip <= i {
			break
		}
		i += 1 + skip
	}
	return nil
}
