package hdf5

import "sync"

// heaps keeps the collections of the global heap that were used last, since
// what belongs together lies in one.
type heaps struct {
	mu    sync.Mutex
	have  map[uint64]*collection
	order []uint64
	held  int
}

// collection is a part of the global heap.
type collection struct {
	data    []byte
	objects map[int]extent
}

type extent struct{ off, n int }

const mostHeaps = 8 << 20

// heapObject gives an object of the global heap, which must not be changed.
func (f *File) heapObject(at uint64, index int) ([]byte, error) {
	c, err := f.collection(at)
	if err != nil {
		return nil, err
	}
	x, ok := c.objects[index]
	if !ok {
		return nil, wrong("global heap", at, "it has no object of index %d", index)
	}
	return c.data[x.off : x.off+x.n : x.off+x.n], nil
}

func (f *File) collection(at uint64) (*collection, error) {
	h := &f.heaps
	h.mu.Lock()
	c := h.have[at]
	h.mu.Unlock()
	if c != nil {
		return c, nil
	}
	c, err := f.readCollection(at)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.have == nil {
		h.have = map[uint64]*collection{}
	}
	if h.have[at] == nil {
		h.have[at] = c
		h.order = append(h.order, at)
		h.held += len(c.data) + 64*len(c.objects)
	}
	for h.held > mostHeaps && len(h.order) > 1 {
		old := h.have[h.order[0]]
		h.held -= len(old.data) + 64*len(old.objects)
		delete(h.have, h.order[0])
		h.order = h.order[1:]
	}
	return c, nil
}

// readCollection finds the objects of a collection.
func (f *File) readCollection(at uint64) (*collection, error) {
	const what = "global heap"
	head := (8 + f.lengths + 7) &^ 7
	c := f.cursor(what, at, uint64(head))
	c.signature("GCOL")
	c.version(1, 1)
	c.skip(3)
	size := c.length()
	if c.err != nil {
		return nil, c.err
	}
	if size < uint64(head) {
		return nil, wrong(what, at, "a collection of %d bytes has a size that is too small", size)
	}
	c = f.cursor(what, at, size)
	if c.err != nil {
		return nil, c.err
	}
	g := &collection{data: c.b, objects: map[int]extent{}}
	objHead := (8 + f.lengths + 7) &^ 7
	for pos := head; len(c.b)-pos >= objHead; {
		c.pos = pos
		index := c.u16()
		c.skip(6)
		n := c.length()
		if index == 0 { // free space, up to the end
			break
		}
		body := pos + objHead
		if n > uint64(len(c.b)-body) {
			return nil, wrong(what, at, "object %d has %d bytes, beyond the end of the collection", index, n)
		}
		g.objects[index] = extent{body, int(n)}
		pos = body + (int(n)+7)&^7
	}
	return g, nil
}

// heapID is how elements refer to the global heap.
type heapID struct {
	n     uint32 // elements
	at    uint64
	index int
}

// heapID reads the element of a sequence or of text.
func (f *File) heapID(b []byte) heapID {
	c := cursor{b: b, o: f.offsets, l: f.lengths}
	return heapID{c.u32(), c.addr(), int(c.u32())}
}

// Sequence gives the elements of a sequence or text of variable length, of which
// each has size bytes. Raw is the element as it is stored. The result must not
// be changed.
func (f *File) Sequence(raw []byte, size int) ([]byte, error) {
	if len(raw) < 8+f.offsets {
		return nil, wrong("global heap", 0, "an element of %d bytes refers to nothing", len(raw))
	}
	id := f.heapID(raw)
	if id.n == 0 || id.at == 0 || id.at == Undefined {
		return nil, nil
	}
	b, err := f.heapObject(id.at, id.index)
	if err != nil {
		return nil, err
	}
	if n := uint64(id.n) * uint64(size); n <= uint64(len(b)) {
		return b[:n], nil
	}
	return nil, wrong("global heap", id.at, "a sequence of %d elements is longer than object %d, which has a size of %d bytes", id.n, id.index, len(b))
}
