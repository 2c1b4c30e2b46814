package hdf5

// LinkKind is what a link leads to.
type LinkKind uint8

// The kinds of links.
const (
	Hard     LinkKind = iota // an object of the file
	Soft                     // a path in the file
	External                 // a path in another file
	User                     // what only the program knows that made it
)

// Link is a name in a group.
type Link struct {
	Name    string
	Kind    LinkKind
	Address uint64 // of the object of a hard link
	Target  string // the path that a soft or external link leads to
	File    string // the file of an external link
	Number  int    // the type of a user-defined link
	Order   int64  // of creation, -1 if that is not tracked
}

// parseLink reads a link message.
func parseLink(c *cursor) Link {
	l := Link{Order: -1, Address: Undefined}
	c.version(1, 1)
	flags := c.u8()
	kind := 0
	if flags&8 != 0 {
		kind = c.u8()
	}
	if flags&4 != 0 {
		l.Order = int64(c.uint(8))
	}
	if flags&16 != 0 {
		c.skip(1)
	}
	n := c.uint(1 << (flags & 3))
	if c.err == nil && (n == 0 || n > uint64(c.left())) {
		c.fail("a name of %d bytes in a message with %d left", n, c.left())
	}
	l.Name = string(c.take(int(n)))
	if kind == 0 {
		l.Address = c.addr()
		return l
	}
	v := c.part("link", c.u16())
	switch {
	case kind == 1:
		l.Kind, l.Target = Soft, string(v.b)
	case kind == 64:
		l.Kind = External
		v.skip(1)
		l.File, l.Target = v.text(), v.text()
	case kind > 64:
		l.Kind, l.Number = User, kind
	default:
		c.fail("its type %d is not known", kind)
	}
	if c.err == nil {
		c.err = v.err
	}
	return l
}

// denseLinks reads the links of a group that has many: records of a B-tree lead
// to link messages in a heap.
func (f *File) denseLinks(m message) ([]Link, error) {
	c := f.body(m, "link info")
	c.version(0, 0)
	flags := c.u8()
	if flags&1 != 0 {
		c.skip(8)
	}
	at, names := c.addr(), c.addr()
	if c.err != nil || at == Undefined {
		return nil, c.err
	}
	h, err := f.openHeap(at)
	if err != nil {
		return nil, err
	}
	var links []Link
	err = f.records(names, 5, func(r *cursor) error {
		r.skip(4)
		id := r.take(h.idLen(r.left()))
		if r.err != nil {
			return r.err
		}
		b, at, err := h.object(id)
		if err != nil {
			return err
		}
		x := cursor{what: "link", at: at, b: b, o: f.offsets, l: f.lengths}
		links = append(links, parseLink(&x))
		return x.err
	})
	return links, err
}
