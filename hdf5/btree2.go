package hdf5

import "math/bits"

// tree2 is a B-tree of the second generation.
type tree2 struct {
	f        *File
	at       uint64
	kind     int
	nodeSize int
	record   int // bytes of a record
	depth    int
	root     uint64
	inRoot   int
	counts   int   // bytes of the number of records of a node
	totals   []int // bytes of the number of all records below a node, by its depth
}

// bytesFor is how many bytes a number needs.
func bytesFor(n uint64) int { return (bits.Len64(max(n, 1))-1)/8 + 1 }

// openTree2 reads the header of a tree whose records are of a kind, and have at
// least some bytes.
func (f *File) openTree2(at uint64, least int, kinds ...int) (*tree2, error) {
	const what = "B-tree v2 header"
	c := f.cursor(what, at, uint64(22+f.offsets+f.lengths))
	c.signature("BTHD")
	c.version(0, 0)
	t := &tree2{f: f, at: at, kind: c.u8()}
	t.nodeSize, t.record, t.depth = int(c.u32()), c.u16(), c.u16()
	c.skip(2)
	t.root, t.inRoot = c.addr(), c.u16()
	c.skip(c.l)
	c.checksum()
	if c.err != nil {
		return nil, c.err
	}
	known := false
	for _, k := range kinds {
		known = known || k == t.kind
	}
	switch {
	case !known:
		c.fail("its records are of type %d, not %d", t.kind, kinds)
	case t.record < least:
		c.fail("a record size of %d bytes is less than the %d that they need", t.record, least)
	case t.nodeSize < 10+t.record || t.nodeSize > 1<<24:
		c.fail("nodes of %d bytes for records of %d", t.nodeSize, t.record)
	case t.depth > 32:
		c.fail("a depth of %d is too much", t.depth)
	}
	if c.err != nil {
		return nil, c.err
	}
	most := uint64(t.nodeSize-10) / uint64(t.record)
	t.counts = bytesFor(most)
	t.totals = []int{0}
	all := most
	for d := 1; d <= t.depth; d++ {
		ptr := f.offsets + t.counts + t.totals[d-1]
		n := (t.nodeSize - 10 - ptr) / (t.record + ptr)
		if n < 1 {
			return nil, wrong(what, at, "nodes of %d bytes have no room for records of %d", t.nodeSize, t.record)
		}
		hi, lo := bits.Mul64(uint64(n+1), all)
		if all = lo + uint64(n); hi != 0 || all < lo {
			all = ^uint64(0)
		}
		t.totals = append(t.totals, bytesFor(all))
	}
	return t, nil
}

// node2 is a node: records, and between them children.
type node2 struct {
	at       uint64
	records  []byte
	n        int
	depth    int
	children cursor
}

// node reads one with n records.
func (t *tree2) node(at uint64, n, depth int) (node2, error) {
	what, sign := "B-tree v2 leaf", "BTLF"
	ptr := 0
	size := 10 + n*t.record
	if depth > 0 {
		what, sign = "B-tree v2 node", "BTIN"
		ptr = t.f.offsets + t.counts + t.totals[depth-1]
		size += (n + 1) * ptr
	}
	if size > t.nodeSize {
		return node2{}, wrong(what, at, "%d records do not fit into a node of %d bytes", n, t.nodeSize)
	}
	c := t.f.cursor(what, at, uint64(size))
	c.signature(sign)
	c.version(0, 0)
	if kind := c.u8(); c.err == nil && kind != t.kind {
		c.fail("its records are of type %d, not %d", kind, t.kind)
	}
	x := node2{at: at, n: n, depth: depth, records: c.take(n * t.record)}
	if depth > 0 {
		x.children = c.part(what, (n+1)*ptr)
	}
	c.checksum()
	return x, c.err
}

// child gives the address and the number of records of a child.
func (t *tree2) child(x *node2, i int) (uint64, int) {
	c := x.children
	c.pos = i * (t.f.offsets + t.counts + t.totals[x.depth-1])
	return c.addr(), int(c.uint(t.counts))
}

// each calls do for every record.
func (t *tree2) each(do func(r *cursor) error) error {
	if t.root == Undefined || t.inRoot == 0 && t.depth == 0 {
		return nil
	}
	return t.below(t.f.walk(), t.root, t.inRoot, t.depth, do)
}

func (t *tree2) below(w *walk, at uint64, n, depth int, do func(r *cursor) error) error {
	x, err := t.node(at, n, depth)
	if err != nil {
		return err
	}
	if err := w.visit("B-tree v2 node", at, 10+n*t.record); err != nil {
		return err
	}
	for i := range n + 1 {
		if depth > 0 {
			child, k := t.child(&x, i)
			if err := t.below(w, child, k, depth-1, do); err != nil {
				return err
			}
		}
		if i == n {
			break
		}
		r := t.recordAt(&x, i)
		if err := do(&r); err != nil {
			return err
		}
	}
	return nil
}

// recordAt is a cursor over a record.
func (t *tree2) recordAt(x *node2, i int) cursor {
	return cursor{what: "B-tree v2 record", at: x.at, b: x.records[i*t.record : (i+1)*t.record], o: t.f.offsets, l: t.f.lengths}
}

// records calls do for every record of a tree of one kind.
func (f *File) records(at uint64, kind int, do func(r *cursor) error) error {
	t, err := f.openTree2(at, 5, kind)
	if err != nil {
		return err
	}
	return t.each(do)
}
