package hdf5

import (
	"bytes"
	"math"
)

// symbols reads the links of a group of the first generation: a B-tree of nodes
// of symbols, whose names lie in a local heap.
func (f *File) symbols(m message) ([]Link, error) {
	c := f.body(m, "symbol table")
	tree, at := c.addr(), c.addr()
	if c.err != nil {
		return nil, c.err
	}
	h, err := f.localHeap(at)
	if err != nil {
		return nil, err
	}
	s := symbolReader{f: f, w: f.walk(), heap: h}
	return s.links, s.tree(tree, -1, &s.links)
}

type symbolReader struct {
	f     *File
	w     *walk
	heap  localHeap
	links []Link
}

// tree reads a node and what lies below it. Level is what its parent says, -1
// for the root.
func (s *symbolReader) tree(at uint64, level int, links *[]Link) error {
	n, err := s.f.readNode1(at, 0, s.f.lengths, s.f.groupK)
	if err != nil {
		return err
	}
	if err := s.w.visit("B-tree node", at, len(n.c.b)); err != nil {
		return err
	}
	if level >= 0 && n.level != level {
		return wrong("B-tree node", at, "it is of level %d where %d is due", n.level, level)
	}
	for range n.entries {
		n.c.skip(n.c.l)
		child := n.c.addr()
		if n.c.err != nil {
			return n.c.err
		}
		if n.level > 0 {
			err = s.tree(child, n.level-1, links)
		} else {
			err = s.leaf(child, links)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// leaf reads a node of symbols.
func (s *symbolReader) leaf(at uint64, links *[]Link) error {
	const what = "symbol table node"
	c := s.f.cursor(what, at, 8)
	c.signature("SNOD")
	c.version(1, 1)
	c.skip(1)
	n := c.u16()
	if c.err != nil {
		return c.err
	}
	if n > 2*s.f.leafK {
		return wrong(what, at, "%d entries are more than the %d that nodes of this file have", n, 2*s.f.leafK)
	}
	c = s.f.cursor(what, at, uint64(8+n*(s.f.lengths+s.f.offsets+24)))
	if c.err != nil {
		return c.err
	}
	if err := s.w.visit(what, at, len(c.b)); err != nil {
		return err
	}
	c.skip(8)
	for range n {
		name := c.length()
		l := Link{Address: c.addr(), Order: -1}
		kind := c.u32()
		c.skip(4)
		scratch := c.part(what, 16)
		if c.err != nil {
			return c.err
		}
		var err error
		if l.Name, err = s.heap.text(name); err != nil {
			return err
		}
		if kind == 2 {
			l.Kind, l.Address = Soft, Undefined
			if l.Target, err = s.heap.text(uint64(scratch.u32())); err != nil {
				return err
			}
		}
		if err := s.w.spend(what, at, len(l.Name)+len(l.Target)); err != nil {
			return err
		}
		*links = append(*links, l)
	}
	return nil
}

// localHeap holds the names of a group.
type localHeap struct {
	at   uint64
	data []byte
}

func (f *File) localHeap(at uint64) (localHeap, error) {
	c := f.cursor("local heap", at, uint64(8+2*f.lengths+f.offsets))
	c.signature("HEAP")
	c.version(0, 0)
	c.skip(3)
	size := c.length()
	c.skip(c.l)
	data := c.addr()
	if c.err != nil {
		return localHeap{}, c.err
	}
	b, err := f.read("data of a local heap", data, size)
	return localHeap{at, b}, err
}

// text gives the text at an offset, which ends with a NUL.
func (h localHeap) text(off uint64) (string, error) {
	if off >= uint64(len(h.data)) {
		return "", wrong("local heap", h.at, "a name at offset %d lies beyond its end, %d", off, len(h.data))
	}
	b := h.data[off:]
	if len(b) > math.MaxUint16+1 {
		b = b[:math.MaxUint16+1]
	}
	n := bytes.IndexByte(b, 0)
	if n < 0 {
		return "", wrong("local heap", h.at, "the name at offset %d has no end", off)
	}
	return string(b[:n]), nil
}
