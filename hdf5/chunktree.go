package hdf5

import (
	"encoding/binary"
)

// maxNodes is how many nodes an index of chunks keeps.
const maxNodes = 64

// kept holds the nodes of a tree that were used last.
type kept[N any] struct {
	nodes map[uint64]N
	order []uint64
}

// get gives a node, which read reads.
func (k *kept[N]) get(at uint64, read func() (N, error)) (N, error) {
	if n, ok := k.nodes[at]; ok {
		return n, nil
	}
	n, err := read()
	if err != nil {
		return n, err
	}
	if k.nodes == nil {
		k.nodes = map[uint64]N{}
	}
	if len(k.order) == maxNodes {
		delete(k.nodes, k.order[0])
		k.order = append(k.order[:0], k.order[1:]...)
	}
	k.nodes[at], k.order = n, append(k.order, at)
	return n, nil
}

// chunkTree1 is a B-tree of the first generation: keys are the size and mask of
// a chunk and its first element.
type chunkTree1 struct {
	d *Dataset
	kept[node1]
}

func (x *chunkTree1) keySize() int { return 8 + 8*(len(x.d.Layout.Chunk)+1) }

func (x *chunkTree1) node(at uint64) (node1, error) {
	return x.get(at, func() (node1, error) {
		return x.d.file.readNode1(at, 1, x.keySize(), x.d.file.chunkK)
	})
}

// compare orders the chunk of an index and a key.
func (x *chunkTree1) compare(index []uint64, key []byte) int {
	for i, k := range index {
		scaled := binary.LittleEndian.Uint64(key[8+8*i:]) / x.d.Layout.Chunk[i]
		if k != scaled {
			if k < scaled {
				return -1
			}
			return 1
		}
	}
	return 0
}

func (x *chunkTree1) find(index []uint64) (stored, error) {
	at, level := x.d.Layout.Address, -1
	size := x.keySize()
	step := size + x.d.file.offsets
	for {
		n, err := x.node(at)
		if err != nil {
			return absent, err
		}
		if level >= 0 && n.level != level {
			return absent, wrong("B-tree node", at, "it is of level %d where %d is due", n.level, level)
		}
		keys := n.c.b[n.c.pos:]
		lo, hi := 0, n.entries // the last entry whose key is not behind the index
		for lo < hi {
			mid := (lo + hi) / 2
			if x.compare(index, keys[mid*step:]) >= 0 {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		if lo == 0 {
			return absent, nil
		}
		key := keys[(lo-1)*step:]
		c := n.c
		c.pos += (lo-1)*step + size
		child := c.addr()
		if n.level == 0 {
			if x.compare(index, key) != 0 {
				return absent, nil
			}
			return stored{at: child, size: uint64(binary.LittleEndian.Uint32(key)), mask: binary.LittleEndian.Uint32(key[4:])}, nil
		}
		at, level = child, n.level-1
	}
}

func (x *chunkTree1) each(do func([]uint64, stored) (bool, error)) error {
	_, err := x.below(x.d.file.walk(), x.d.Layout.Address, -1, make([]uint64, len(x.d.Layout.Chunk)), do)
	return err
}

func (x *chunkTree1) below(w *walk, at uint64, level int, index []uint64, do func([]uint64, stored) (bool, error)) (bool, error) {
	n, err := x.d.file.readNode1(at, 1, x.keySize(), x.d.file.chunkK)
	if err != nil {
		return false, err
	}
	if err := w.visit("B-tree node", at, len(n.c.b)); err != nil {
		return false, err
	}
	if level >= 0 && n.level != level {
		return false, wrong("B-tree node", at, "it is of level %d where %d is due", n.level, level)
	}
	for range n.entries {
		s := stored{size: uint64(n.c.u32()), mask: n.c.u32()}
		for i := range index {
			index[i] = n.c.uint(8) / x.d.Layout.Chunk[i]
		}
		n.c.skip(8)
		s.at = n.c.addr()
		if n.c.err != nil {
			return false, n.c.err
		}
		on := true
		if n.level > 0 {
			on, err = x.below(w, s.at, n.level-1, index, do)
		} else {
			on, err = do(index, s)
		}
		if err != nil || !on {
			return false, err
		}
	}
	return true, nil
}

// chunkTree2 is a B-tree of the second generation: records are an address, the
// size and mask if there are filters, and the index of the chunk.
type chunkTree2 struct {
	d    *Dataset
	t    *tree2
	wide int // bytes of the size, 0 without filters
	size uint64
	kept[node2]
}

func (d *Dataset) chunkTree2() (chunkIndex, error) {
	size, err := d.chunkSize()
	if err != nil {
		return nil, err
	}
	rank := len(d.Layout.Chunk)
	t, err := d.file.openTree2(d.Layout.Address, d.file.offsets+8*rank, 10, 11)
	if err != nil {
		return nil, err
	}
	x := &chunkTree2{d: d, t: t, size: size}
	want := d.file.offsets + 8*rank
	if t.kind == 11 {
		x.wide = t.record - want - 4
		if x.wide < 1 || x.wide > 8 {
			return nil, wrong("B-tree v2 header", t.at, "a record size of %d bytes for chunks of rank %d", t.record, rank)
		}
	} else if t.record != want {
		return nil, wrong("B-tree v2 header", t.at, "a record size of %d bytes for chunks of rank %d", t.record, rank)
	}
	return x, nil
}

// record reads one, with the index behind it.
func (x *chunkTree2) record(r *cursor) stored {
	s := stored{at: r.addr(), size: x.size}
	if x.wide > 0 {
		s.size, s.mask = r.uint(x.wide), r.u32()
	}
	return s
}

func (x *chunkTree2) find(index []uint64) (stored, error) {
	t := x.t
	if t.root == Undefined || t.inRoot == 0 {
		return absent, nil
	}
	at, n := t.root, t.inRoot
	key := t.record - 8*len(index)
	for depth := t.depth; ; depth-- {
		node, err := x.get(at, func() (node2, error) { return t.node(at, n, depth) })
		if err != nil {
			return absent, err
		}
		if node.depth != depth || node.n != n {
			return absent, wrong("B-tree v2 node", at, "the structure leads to it twice, in a loop")
		}
		lo, hi := 0, n // the first record that is not before the index
		for lo < hi {
			mid := (lo + hi) / 2
			b := node.records[mid*t.record+key:]
			c := 0
			for i, k := range index {
				if v := binary.LittleEndian.Uint64(b[8*i:]); v != k {
					if c = 1; v < k {
						c = -1
					}
					break
				}
			}
			if c == 0 {
				r := t.recordAt(&node, mid)
				return x.record(&r), r.err
			}
			if c < 0 {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		if depth == 0 {
			return absent, nil
		}
		at, n = t.child(&node, lo)
	}
}

func (x *chunkTree2) each(do func([]uint64, stored) (bool, error)) error {
	index := make([]uint64, len(x.d.Layout.Chunk))
	err := x.t.each(func(r *cursor) error {
		s := x.record(r)
		for i := range index {
			index[i] = r.uint(8)
		}
		if r.err != nil {
			return r.err
		}
		on, err := do(index, s)
		if err == nil && !on {
			err = errStop
		}
		return err
	})
	if err == errStop {
		return nil
	}
	return err
}
