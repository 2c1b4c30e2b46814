package hdf5

// sharedIndex is one index of the table of shared messages.
type sharedIndex struct {
	kinds uint32 // a bit for each kind of message
	heap  uint64
}

// readSharedTable reads the table of shared messages. How messages are found by
// their content concerns writers only.
func (f *File) readSharedTable(at uint64, n int) error {
	const what = "table of shared messages"
	c := f.cursor(what, at, uint64(8+n*(14+2*f.offsets)))
	c.signature("SMTB")
	for range n {
		c.skip(2)
		kinds := uint32(c.u16())
		c.skip(10 + c.o)
		f.shared = append(f.shared, sharedIndex{kinds, c.addr()})
	}
	c.checksum()
	return c.err
}

// resolve gives the message itself where another says where it is, and the
// address of the object that has it, if one has. Depth is how often that was
// done.
func (f *File) resolve(m message, what string, depth int) (message, uint64, error) {
	if m.flags&flagShared == 0 {
		return m, Undefined, nil
	}
	what = "shared " + what
	if depth > 4 {
		return m, 0, wrong(what, m.at, "shared messages lead to shared messages in a loop")
	}
	c := f.body(m, what)
	version := c.version(1, 3)
	kind := c.u8()
	switch {
	case version == 1:
		c.skip(6 + c.l)
	case version == 3 && kind == 1:
		id := c.take(8)
		if c.err != nil {
			return m, 0, c.err
		}
		for _, x := range f.shared {
			if x.kinds&(1<<m.kind) == 0 {
				continue
			}
			h, err := f.openHeap(x.heap)
			if err != nil {
				return m, 0, err
			}
			b, at, err := h.object(id)
			return message{kind: m.kind, body: b, at: at, order: m.order}, Undefined, err
		}
		return m, 0, wrong(what, m.at, "the file has no heap of such messages")
	case version == 3 && kind != 2:
		c.fail("its kind %d is not known", kind)
	}
	at := c.addr()
	if c.err != nil {
		return m, 0, c.err
	}
	h, err := f.header(at)
	if err != nil {
		return m, 0, wrong(what, m.at, "%w", err)
	}
	x, ok := h.find(m.kind)
	if !ok {
		return m, 0, wrong(what, m.at, "the object at address %d has no such message", at)
	}
	x, _, err = f.resolve(x, what, depth+1)
	return x, at, err
}
