package zstdenc

import (
	"encoding/binary"
	"unsafe"
)

const maxHuffBits = 11

// huffTable is a Huffman code for literals. An entry of code holds the code
// word in its low 16 bits and its length above; length 0 means that the table
// has no code for the symbol.
type huffTable struct {
	code    [256]uint32
	maxBits uint
	nsym    int // one more than the largest symbol with a code
	valid   bool
}

func (t *huffTable) bits(s int) uint { return uint(t.code[s] >> 16) }

// huffNode is scratch for the tree: 256 leaves followed by their parents.
type huffNode struct {
	count  uint32
	parent uint16
}

// huffScratch holds the working memory of huffTable.build.
type huffScratch struct {
	order, tmp [256]uint32 // count<<8 | symbol
	node       [512]huffNode
	depth      [512]uint8
}

// build makes the table for hist, which must have at least two symbols.
func (t *huffTable) build(hist *[256]uint32, sc *huffScratch) {
	n := 0
	nsym := 0
	for s, c := range hist {
		if c != 0 {
			sc.order[n] = c<<8 | uint32(s)
			n++
			nsym = s + 1
		}
	}
	sortCounts(sc.order[:n], sc.tmp[:n])

	// Two queues, both ordered by count: the leaves, and the inner nodes as
	// they are made.
	node := &sc.node
	for i := 0; i < n; i++ {
		node[i].count = sc.order[i] >> 8
	}
	leaf, inner, top := 0, n, n
	take := func() int {
		if leaf < n && (inner == top || node[leaf].count <= node[inner].count) {
			leaf++
			return leaf - 1
		}
		inner++
		return inner - 1
	}
	for ; top < 2*n-1; top++ {
		a := take()
		b := take()
		node[top].count = node[a].count + node[b].count
		node[a].parent, node[b].parent = uint16(top), uint16(top)
	}
	root := 2*n - 2
	depth := &sc.depth
	depth[root] = 0
	for i := root - 1; i >= 0; i-- {
		depth[i] = depth[node[i].parent] + 1
	}
	limitDepth(depth[:n])

	var perLen [maxHuffBits + 1]uint32
	for i := 0; i < n; i++ {
		perLen[depth[i]]++
	}
	t.maxBits = uint(depth[0]) // the rarest symbol has the longest code
	t.nsym = nsym
	t.valid = true
	// Code words ascend from the longest codes to the shortest, and within a
	// length in symbol order.
	var next [maxHuffBits + 2]uint32
	word := uint32(0)
	for l := t.maxBits; l > 0; l-- {
		next[l] = word
		word = (word + perLen[l]) >> 1
	}
	t.code = [256]uint32{}
	for i := 0; i < n; i++ {
		t.code[sc.order[i]&0xff] = uint32(depth[i]) << 16
	}
	for s := 0; s < nsym; s++ {
		if l := t.code[s] >> 16; l != 0 {
			t.code[s] |= next[l]
			next[l]++
		}
	}
}

// sortCounts sorts by the count in the upper 24 bits (at most 17 of them are
// used), keeping symbol order among equals.
func sortCounts(a, tmp []uint32) {
	for shift := 8; shift < 26; shift += 9 {
		var start [513]uint16
		for _, v := range a {
			start[(v>>shift)&511+1]++
		}
		for i := 1; i < 512; i++ {
			start[i] += start[i-1]
		}
		for _, v := range a {
			k := (v >> shift) & 511
			tmp[start[k]] = v
			start[k]++
		}
		a, tmp = tmp, a
	}
}

// limitDepth shortens codes longer than maxHuffBits. depth is ordered from the
// rarest symbol, so it never increases.
func limitDepth(depth []uint8) {
	if depth[0] <= maxHuffBits {
		return
	}
	// Work in units of the longest permitted code: the code is complete when
	// the units sum to exactly 1<<maxHuffBits.
	over := -(1 << maxHuffBits)
	for i, d := range depth {
		if d > maxHuffBits {
			d = maxHuffBits
			depth[i] = d
		}
		over += 1 << (maxHuffBits - d)
	}
	// Lengthen the rarest symbol that still can be: that costs least.
	i := 0
	for over > 0 {
		for depth[i] == maxHuffBits {
			i++
		}
		over -= 1 << (maxHuffBits - depth[i] - 1)
		depth[i]++
	}
	// Lengthening may have freed more than needed; give it to frequent symbols.
	for j := len(depth) - 1; over < 0; j-- {
		for depth[j] > 1 && over+1<<(maxHuffBits-depth[j]) <= 0 {
			over += 1 << (maxHuffBits - depth[j])
			depth[j]--
		}
	}
	// Both steps can leave equal counts out of order; only the order of depths
	// matters to the caller.
	for i := 1; i < len(depth); i++ {
		for j := i; j > 0 && depth[j] > depth[j-1]; j-- {
			depth[j], depth[j-1] = depth[j-1], depth[j]
		}
	}
}

// size returns how many bytes the literals counted by hist take, without the
// table description; ok is false if the table lacks one of the symbols.
func (t *huffTable) size(hist *[256]uint32) (n int, ok bool) {
	total := uint64(0)
	for s, c := range hist {
		if c != 0 {
			l := t.bits(s)
			if l == 0 {
				return 0, false
			}
			total += uint64(c) * uint64(l)
		}
	}
	return int(total>>3) + 1, true
}

// writeWeights writes the table description and returns its length, or 0 if
// the format cannot describe the table.
func (t *huffTable) writeWeights(dst []byte, ft *fseTable) uint {
	var w [256]uint8
	var hist [13]uint32
	n := t.nsym - 1 // the last weight follows from the others
	for s := 0; s < n; s++ {
		if l := t.bits(s); l != 0 {
			w[s] = uint8(t.maxBits + 1 - l)
		}
		hist[w[s]]++
	}
	if size := compressWeights(dst[1:], w[:n], &hist, ft); size > 0 && size < 128 && (n > 128 || size < uint(n+1)/2) {
		dst[0] = uint8(size)
		return size + 1
	}
	if n > 128 {
		return 0
	}
	dst[0] = uint8(127 + n)
	for i := 0; i < n; i += 2 {
		dst[1+i/2] = w[i]<<4 | w[i+1]
	}
	return 1 + uint(n+1)/2
}

// compressWeights FSE-compresses the weights with two interleaved states. It
// returns 0 where that is impossible or pointless.
func compressWeights(dst []byte, w []uint8, hist *[13]uint32, ft *fseTable) uint {
	if len(w) < 3 {
		return 0
	}
	nsym, used := 0, 0
	for s, c := range hist {
		if c != 0 {
			nsym = s + 1
			used++
		}
	}
	if used < 2 {
		return 0
	}
	log := optimalLog(uint32(len(w)), used, 6)
	ft.log, ft.nsym = log, nsym
	ft.norm = [maxFSESymbols]int16{}
	normalize(ft.norm[:nsym], hist[:nsym], uint32(len(w)), log)
	ft.build()
	bw := bitWriter{buf: dst, pos: writeNorm(dst, ft.norm[:], log)}

	put := func(state uint32, s uint8) uint32 {
		sy := ft.sym[s]
		n := (state + sy.deltaBits) >> 16
		bw.add(uint64(state&(1<<n-1)), uint(n))
		return uint32(ft.state[int32(state>>n)+sy.deltaState])
	}
	// state[k] codes the symbols whose index is k modulo 2; symbols go in from
	// the last to the first.
	var state [2]uint32
	i := len(w) - 1
	state[i&1] = ft.start(w[i])
	i--
	state[i&1] = ft.start(w[i])
	for i--; i >= 0; i-- {
		state[i&1] = put(state[i&1], w[i])
		bw.flush()
	}
	mask := uint32(1)<<log - 1
	bw.add(uint64(state[1]&mask), log)
	bw.add(uint64(state[0]&mask), log)
	bw.flush()
	return bw.close()
}

// encode1 writes lits as one backward stream and returns its length. dst needs
// 8 spare bytes.
func (t *huffTable) encode1(dst, lits []byte) uint {
	n := uint(len(lits))
	if n == 0 || len(dst) < 16 {
		return 0
	}
	in := unsafe.Pointer(unsafe.SliceData(lits))
	out := unsafe.Pointer(unsafe.SliceData(dst))
	code := &t.code
	acc, nb, pos := uint64(0), uint(0), uint(0)
	for ; n&3 != 0; n-- {
		c := code[*(*byte)(unsafe.Add(in, n-1))]
		acc |= uint64(c&0xffff) << (nb & 63)
		nb += uint(c >> 16)
	}
	store64(out, pos, acc)
	pos += nb >> 3
	acc >>= nb & 56
	nb &= 7
	for ; n > 0; n -= 4 {
		v := load32(in, n-4)
		c := code[v>>24]
		acc |= uint64(c&0xffff) << (nb & 63)
		nb += uint(c >> 16)
		c = code[v>>16&0xff]
		acc |= uint64(c&0xffff) << (nb & 63)
		nb += uint(c >> 16)
		c = code[v>>8&0xff]
		acc |= uint64(c&0xffff) << (nb & 63)
		nb += uint(c >> 16)
		c = code[v&0xff]
		acc |= uint64(c&0xffff) << (nb & 63)
		nb += uint(c >> 16)
		store64(out, pos, acc)
		pos += nb >> 3
		acc >>= nb & 56
		nb &= 7
	}
	acc |= 1 << nb
	store64(out, pos, acc)
	return pos + (nb+8)>>3
}

// encode4 writes lits as four streams behind their jump table.
func (t *huffTable) encode4(dst, lits []byte) uint {
	seg := (len(lits) + 3) / 4
	pos := uint(6)
	for i := range 4 {
		part := lits[i*seg : min((i+1)*seg, len(lits))]
		size := t.encode1(dst[pos:], part)
		pos += size
		if i < 3 {
			binary.LittleEndian.PutUint16(dst[2*i:], uint16(size))
		}
	}
	return pos
}
