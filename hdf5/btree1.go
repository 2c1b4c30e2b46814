package hdf5

// node1 is a node of a B-tree of the first generation, without its keys' size.
type node1 struct {
	level   int
	entries int
	c       cursor // at the first key
}

// readNode1 reads a node of a tree, whose keys have keySize bytes.
func (f *File) readNode1(at uint64, kind, keySize, k int) (node1, error) {
	const what = "B-tree node"
	c := f.cursor(what, at, uint64(8+2*f.offsets))
	c.signature("TREE")
	got, level, n := c.u8(), c.u8(), c.u16()
	if c.err != nil {
		return node1{}, c.err
	}
	if got != kind {
		return node1{}, wrong(what, at, "it is of type %d, not %d", got, kind)
	}
	if n > 2*k {
		return node1{}, wrong(what, at, "%d entries are more than the %d that nodes of this file have", n, 2*k)
	}
	if level > 32 {
		return node1{}, wrong(what, at, "level %d is too deep", level)
	}
	head := 8 + 2*f.offsets
	c = f.cursor(what, at, uint64(head+n*(keySize+f.offsets)+keySize))
	c.skip(head)
	return node1{level: level, entries: n, c: c}, c.err
}
