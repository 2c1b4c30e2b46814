package hdf5

// The messages of object headers.
const (
	msgSpace        = 0x01
	msgLinkInfo     = 0x02
	msgType         = 0x03
	msgOldFill      = 0x04
	msgFill         = 0x05
	msgLink         = 0x06
	msgExternal     = 0x07
	msgLayout       = 0x08
	msgFilters      = 0x0b
	msgAttribute    = 0x0c
	msgSharedTable  = 0x0f
	msgContinuation = 0x10
	msgSymbols      = 0x11
	msgBTreeK       = 0x13
	msgDriver       = 0x14
	msgAttrInfo     = 0x15
	msgLast         = 0x17 // the last that is known
)

const (
	flagShared = 1 << 1
	flagFail   = 1 << 7 // readers who do not know the message must not go on
)

// message is one message of an object header.
type message struct {
	kind  int
	flags int
	order int // of creation, -1 if that is not tracked
	body  []byte
	at    uint64
}

// header is an object header.
type header struct {
	at       uint64
	messages []message
}

// block is a part of an object header.
type block struct{ at, n uint64 }

// header reads an object header of either generation.
func (f *File) header(at uint64) (*header, error) {
	const what = "object header"
	c := f.cursor(what, at, 4)
	if c.err != nil {
		return nil, c.err
	}
	h := &header{at: at, messages: make([]message, 0, 8)}
	var blocks []block
	var err error
	old, tracked := string(c.b) != "OHDR", false
	if old {
		c = f.cursor(what, at, 16)
		if v := c.u8(); c.err == nil && v != 1 {
			c.fail("there is no header: neither a version nor a signature that is known")
		}
		c.skip(7)
		n := uint64(c.u32())
		if c.err != nil {
			return nil, c.err
		}
		blocks, err = f.messages1(h, block{at + 16, n}, nil)
	} else {
		blocks, tracked, err = f.header2(h)
	}
	if err != nil {
		return nil, err
	}
	if len(blocks) == 0 {
		return h, nil
	}
	w := f.walk()
	w.seen[at], w.seen[at+16] = struct{}{}, struct{}{}
	for len(blocks) > 0 {
		b := blocks[0]
		blocks = blocks[1:]
		if err := f.check("object header continuation", b.at, b.n); err != nil {
			return nil, err
		}
		if err := w.visit("object header continuation", b.at, int(b.n)); err != nil {
			return nil, err
		}
		if old {
			blocks, err = f.messages1(h, b, blocks)
		} else {
			blocks, err = f.continuation2(h, b, blocks, tracked)
		}
		if err != nil {
			return nil, err
		}
	}
	return h, nil
}

// messages1 reads a block of the first generation.
func (f *File) messages1(h *header, b block, blocks []block) ([]block, error) {
	c := f.cursor("object header", b.at, b.n)
	for c.err == nil && c.left() >= 8 {
		m := message{kind: c.u16(), order: -1}
		n := c.u16()
		m.flags = c.u8()
		c.skip(3)
		m.at = c.at + uint64(c.pos)
		if n > c.left() {
			c.fail("a message of %d bytes is longer than what is left of the header, %d", n, c.left())
		}
		m.body = c.take(n)
		blocks = f.message(h, &c, m, blocks)
	}
	return blocks, c.err
}

// header2 reads the first block of the second generation.
func (f *File) header2(h *header) ([]block, bool, error) {
	c := f.cursor("object header", h.at, 6)
	c.skip(4)
	c.version(2, 2)
	flags := c.u8()
	if c.err != nil {
		return nil, false, c.err
	}
	n := 6
	if flags&(1<<5) != 0 { // times
		n += 16
	}
	if flags&(1<<4) != 0 { // when attributes become dense
		n += 4
	}
	wide := 1 << (flags & 3)
	c = f.cursor("object header", h.at, uint64(n+wide))
	c.skip(n)
	size := c.uint(wide)
	if c.err != nil {
		return nil, false, c.err
	}
	if size > mostMeta {
		return nil, false, wrong("object header", h.at, "its size of %d bytes is beyond every limit", size)
	}
	c = f.cursor("object header", h.at, uint64(n+wide+4)+size)
	c.skip(n + wide)
	tracked := flags&(1<<2) != 0
	blocks := f.messages2(h, &c, int(size), nil, tracked)
	return blocks, tracked, c.err
}

// continuation2 reads a further block of the second generation.
func (f *File) continuation2(h *header, b block, blocks []block, tracked bool) ([]block, error) {
	if b.n < 8 {
		return nil, wrong("object header continuation", b.at, "%d bytes are too short for one", b.n)
	}
	c := f.cursor("object header continuation", b.at, b.n)
	c.signature("OCHK")
	blocks = f.messages2(h, &c, int(b.n)-8, blocks, tracked)
	return blocks, c.err
}

// messages2 reads n bytes of messages, and the checksum behind them.
func (f *File) messages2(h *header, c *cursor, n int, blocks []block, tracked bool) []block {
	if c.err != nil {
		return blocks
	}
	end := c.pos + n
	sum := *c
	sum.skip(n)
	if sum.checksum(); sum.err != nil {
		c.err = sum.err
		return blocks
	}
	least := 4
	if tracked {
		least = 6
	}
	for c.err == nil && end-c.pos >= least {
		m := message{kind: c.u8(), order: -1}
		size := c.u16()
		m.flags = c.u8()
		if tracked {
			m.order = c.u16()
		}
		m.at = c.at + uint64(c.pos)
		if size > end-c.pos {
			c.fail("a message of %d bytes is longer than what is left of the header, %d", size, end-c.pos)
		}
		m.body = c.take(size)
		blocks = f.message(h, c, m, blocks)
	}
	return blocks
}

// message takes a message into the header, or its block into the list of those
// that are still to be read.
func (f *File) message(h *header, c *cursor, m message, blocks []block) []block {
	switch {
	case c.err != nil || m.kind == 0:
	case m.kind == msgContinuation:
		x := cursor{what: "object header continuation", at: m.at, b: m.body, o: f.offsets, l: f.lengths}
		b := block{x.addr(), x.length()}
		if c.err = x.err; c.err == nil {
			blocks = append(blocks, b)
		}
	case m.kind > msgLast:
		if m.flags&flagFail != 0 {
			c.fail("message of the unknown type %d, which says that readers must know it", m.kind)
		}
	default:
		h.messages = append(h.messages, m)
	}
	return blocks
}

// body is a cursor over what a message says.
func (f *File) body(m message, what string) cursor {
	return cursor{what: what, at: m.at, b: m.body, o: f.offsets, l: f.lengths}
}

// find gives the first message of a kind.
func (h *header) find(kind int) (message, bool) {
	for _, m := range h.messages {
		if m.kind == kind {
			return m, true
		}
	}
	return message{}, false
}
