package zstdenc

import (
	"encoding/binary"
	"unsafe"
)

// A sequence is packed into one word: 20 bits of literal length, 20 bits of
// match length minus 3, 24 bits of offset value (1 to 3 name a repeated
// offset, larger values are the offset plus 3).
type sequence uint64

const minMatch = 3

func makeSequence(litLen, matchLen, offValue uint) sequence {
	return sequence(uint64(litLen) | uint64(matchLen-minMatch)<<20 | uint64(offValue)<<40)
}

func (s sequence) litLen() uint32   { return uint32(s) & (1<<20 - 1) }
func (s sequence) matchVal() uint32 { return uint32(s>>20) & (1<<20 - 1) }
func (s sequence) offValue() uint32 { return uint32(s >> 40) }

const (
	maxLLCode = 35
	maxMLCode = 52
)

var (
	llBits = [64]uint8{16: 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	mlBits = [64]uint8{32: 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}

	// llCodes and mlCodes map small lengths; longer ones have one code per
	// power of two.
	llCodes = codesFor[[64]uint8](llBits[:maxLLCode+1])
	mlCodes = codesFor[[128]uint8](mlBits[:maxMLCode+1])
)

func codesFor[T [64]uint8 | [128]uint8](bits []uint8) (t T) {
	v := 0
	for c, b := range bits {
		for range 1 << b {
			if v < len(t) {
				t[v] = uint8(c)
				v++
			}
		}
	}
	return t
}

func llCode(v uint32) uint8 {
	if v < 64 {
		return llCodes[v]
	}
	return uint8(highBit(v) + 19)
}

func mlCode(v uint32) uint8 {
	if v < 128 {
		return mlCodes[v]
	}
	return uint8(highBit(v) + 36)
}

// longLength marks, in a code word, a sequence whose lengths have extra bits.
const longLength = 1 << 31

// seqCoder holds the state of the sequence section across the blocks of a frame.
type seqCoder struct {
	code       []uint32 // per sequence: literal length, match length, offset code
	ll, of, ml seqTable
}

// seqTable is one of the three code alphabets of a sequence section.
type seqTable struct {
	predefined *fseTable
	prev, next *fseTable // prev is what repeat mode refers to
	prevValid  bool
	limit      uint
	hist       [64]uint32
	buf        [2]fseTable
}

func (t *seqTable) init(predefined *fseTable, limit uint) {
	t.predefined = predefined
	t.limit = limit
	t.prev, t.next = &t.buf[0], &t.buf[1]
}

func predefinedTable(log uint, norm ...int16) *fseTable {
	t := &fseTable{log: log, nsym: len(norm)}
	copy(t.norm[:], norm)
	t.build()
	return t
}

// The default distributions of RFC 8878, section 3.1.1.3.2.2.
var (
	predefinedLL = predefinedTable(6,
		4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2,
		2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1)
	predefinedML = predefinedTable(6,
		1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1,
		-1, -1, -1, -1, -1)
	predefinedOF = predefinedTable(5,
		1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		-1, -1, -1, -1, -1)
)

const (
	modePredefined = 0
	modeRLE        = 1
	modeFSE        = 2
	modeRepeat     = 3
)

// choose picks the cheapest way to code n symbols counted in t.hist, writes
// the table description to dst and returns the table, the mode and the
// description's length. Which table repeat mode will mean next is only settled
// by commit, since the block may still be stored raw.
func (t *seqTable) choose(dst []byte, n uint32, last uint8) (ft *fseTable, mode, size uint) {
	nsym, used := 0, 0
	for s, c := range t.hist {
		if c != 0 {
			nsym = s + 1
			used++
		}
	}
	hist := t.hist[:nsym]
	if used == 1 && n > 2 {
		dst[0] = last
		ft := t.next
		ft.log, ft.nsym = 0, 0
		ft.sym[last] = fseSymbol{}
		ft.norm[last] = 0
		ft.state[0], ft.state[1] = 0, 0
		return ft, modeRLE, 1
	}
	cost, ok := t.predefined.cost(hist)
	ft, mode = t.predefined, modePredefined
	if !ok {
		cost = 1 << 62
	}
	if t.prevValid {
		if c, ok := t.prev.cost(hist); ok && c < cost {
			ft, mode, cost = t.prev, modeRepeat, c
		}
	}
	// A fresh table costs some 4 bits per symbol to describe, so few sequences
	// never pay for it.
	if used > 1 && cost > uint64(used)*4<<8 {
		nt := t.next
		nt.log, nt.nsym = optimalLog(n, used, t.limit), nsym
		clear(nt.norm[:])
		normalize(nt.norm[:nsym], hist, n, nt.log)
		if c, ok := nt.cost(hist); ok {
			size = writeNorm(dst, nt.norm[:], nt.log)
			if c+uint64(size)*8<<8 < cost {
				nt.build()
				return nt, modeFSE, size
			}
		}
	}
	return ft, mode, 0
}

// commit makes the table of a finished block the one that repeat mode refers to.
func (t *seqTable) commit(mode uint) {
	switch mode {
	case modeFSE:
		t.prev, t.next = t.next, t.prev
		t.prevValid = true
	case modePredefined, modeRLE:
		t.prevValid = false
	}
}

// tally computes the codes of all sequences and counts them.
func (c *seqCoder) tally(seqs []sequence) {
	clear(c.ll.hist[:])
	clear(c.of.hist[:])
	clear(c.ml.hist[:])
	code := c.code[:len(seqs)]
	for i, s := range seqs {
		l := llCode(s.litLen())
		m := mlCode(s.matchVal())
		o := uint8(highBit(s.offValue()))
		c.ll.hist[l&63]++
		c.ml.hist[m&63]++
		c.of.hist[o&63]++
		w := uint32(l) | uint32(m)<<8 | uint32(o)<<16
		if l >= 16 || m >= 32 {
			w |= longLength
		}
		code[i] = w
	}
}

// seqModes records the choices made for a block until they are committed.
type seqModes struct {
	ll, of, ml             *fseTable
	llMode, ofMode, mlMode uint
}

// encode writes the sequence section and returns its length.
func (c *seqCoder) encode(dst []byte, seqs []sequence) (uint, seqModes) {
	n := uint(len(seqs))
	pos := uint(0)
	switch {
	case n < 128:
		dst[0] = uint8(n)
		pos = 1
	case n < 0x7f00:
		dst[0], dst[1] = uint8(n>>8+128), uint8(n)
		pos = 2
	default:
		dst[0] = 255
		binary.LittleEndian.PutUint16(dst[1:], uint16(n-0x7f00))
		pos = 3
	}
	var m seqModes
	if n == 0 {
		m.llMode, m.ofMode, m.mlMode = modeRepeat, modeRepeat, modeRepeat
		return pos, m
	}
	c.tally(seqs)
	code := c.code[:n]
	lastCode := code[n-1]
	modePos := pos
	pos++
	var size uint
	m.ll, m.llMode, size = c.ll.choose(dst[pos:], uint32(n), uint8(lastCode))
	pos += size
	m.of, m.ofMode, size = c.of.choose(dst[pos:], uint32(n), uint8(lastCode>>16))
	pos += size
	m.ml, m.mlMode, size = c.ml.choose(dst[pos:], uint32(n), uint8(lastCode>>8))
	pos += size
	dst[modePos] = uint8(m.llMode<<6 | m.ofMode<<4 | m.mlMode<<2)
	return pos + encodeSequences(dst[pos:], seqs, code, &m), m
}

// encodeSequences writes the interleaved bit stream, from the last sequence to
// the first.
func encodeSequences(dst []byte, seqs []sequence, code []uint32, m *seqModes) uint {
	n := len(seqs)
	if len(code) < n || n == 0 {
		return 0
	}
	c := code[n-1]
	out := unsafe.Pointer(unsafe.SliceData(dst))
	s := sequenceWriter{
		out: out, seqs: unsafe.SliceData(seqs), code: unsafe.SliceData(code), i: n - 1,
		ll: m.ll, of: m.of, ml: m.ml,
		sl: m.ll.start(uint8(c)), sm: m.ml.start(uint8(c >> 8)), so: m.of.start(uint8(c >> 16)),
	}
	s.writeFast()
	s.write(seqs, code)
	w := bitWriter{buf: dst, pos: uint(uintptr(s.out) - uintptr(out)), acc: s.acc, n: s.nb}
	w.add(uint64(s.sm&(1<<m.ml.log-1)), m.ml.log)
	w.add(uint64(s.so&(1<<m.of.log-1)), m.of.log)
	w.add(uint64(s.sl&(1<<m.ll.log-1)), m.ll.log)
	w.flush()
	return w.close()
}

// sequenceWriter is the state of the bit stream before the sequence i.
type sequenceWriter struct {
	out        unsafe.Pointer
	acc        uint64
	nb         uint // bits in acc
	i          int
	seqs       *sequence
	code       *uint32
	ll, of, ml *fseTable
	sl, so, sm uint32
}

// write writes the extra bits of the sequence i, then the codes and the extra bits of each one before it.
func (w *sequenceWriter) write(seqs []sequence, code []uint32) {
	out, acc, nb, pos := w.out, w.acc, w.nb, uint(0)
	ll, of, ml := w.ll, w.of, w.ml
	sl, so, sm := w.sl, w.so, w.sm
	c := code[w.i]
	for i := w.i; ; {
		s := seqs[i]
		if c&longLength != 0 {
			// Lengths with extra bits: 16 each at most, besides the 26 bits of
			// the states and 7 left over.
			k := uint(llBits[c&63])
			acc |= uint64(s.litLen()&(1<<k-1)) << (nb & 63)
			nb += k
			store64(out, pos, acc)
			pos += nb >> 3
			acc >>= nb & 56
			nb &= 7
			k = uint(mlBits[c>>8&63])
			acc |= uint64(s.matchVal()&(1<<k-1)) << (nb & 63)
			nb += k
			store64(out, pos, acc)
			pos += nb >> 3
			acc >>= nb & 56
			nb &= 7
		}
		// The offset takes 23 bits at most.
		k := uint(c>>16) & 31
		acc |= uint64(s.offValue()&(1<<k-1)) << (nb & 63)
		nb += k
		store64(out, pos, acc)
		pos += nb >> 3
		acc >>= nb & 56
		nb &= 7

		if i--; i < 0 {
			break
		}
		c = code[i]
		var v uint32
		so, v, k = of.step(so, c>>16&31)
		acc |= uint64(v) << (nb & 63)
		nb += k
		sm, v, k = ml.step(sm, c>>8&63)
		acc |= uint64(v) << (nb & 63)
		nb += k
		sl, v, k = ll.step(sl, c&63)
		acc |= uint64(v) << (nb & 63)
		nb += k
	}
	w.out, w.acc, w.nb, w.i = unsafe.Add(out, pos), acc, nb, -1
	w.sl, w.so, w.sm = sl, so, sm
}
