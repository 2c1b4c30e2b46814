package lzw

import "sync"

// AppendEncode appends the compressed form of src to dst.
func AppendEncode(dst, src []byte) []byte {
	t := tables.Get().(*table)
	defer tables.Put(t)
	t.clear()
	w := bits{dst: dst}
	width, next := uint(minWidth), firstCode
	w.put(clearCode, width)
	if len(src) > 0 {
		code := int(src[0])
		for _, c := range src[1:] {
			slot, longer := t.find(code, c)
			if longer >= 0 {
				code = longer
				continue
			}
			w.put(code, width)
			t.add(slot, code, c, next)
			code = int(c)
			width, next = w.grow(t, width, next+1)
		}
		w.put(code, width)
		width, _ = w.grow(t, width, next+1)
	}
	w.put(endCode, width)
	return w.finish()
}

// grow gives the width of the next code when so many strings are known. Before
// they are too many for twelve bits, all are forgotten.
func (w *bits) grow(t *table, width uint, next int) (uint, int) {
	switch {
	case next == maxCodes-2:
		w.put(clearCode, width)
		t.clear()
		return minWidth, firstCode
	case next > 1<<width-1:
		return width + 1, next
	}
	return width, next
}

// bits writes codes from the most significant bit down.
type bits struct {
	dst []byte
	acc uint64
	n   uint // bits in acc that are not written yet
}

func (w *bits) put(code int, width uint) {
	w.acc = w.acc<<width | uint64(code)
	w.n += width
	for w.n >= 8 {
		w.n -= 8
		w.dst = append(w.dst, byte(w.acc>>w.n))
	}
}

func (w *bits) finish() []byte {
	if w.n > 0 {
		w.dst = append(w.dst, byte(w.acc<<(8-w.n)))
	}
	return w.dst
}

// table finds the code of a string by that of all but its last byte, and that
// byte. Slots of an earlier era count as free, so that forgetting all is cheap.
type table struct {
	slots [1 << hashBits]slot
	era   uint32
}

const hashBits = 13

type slot struct {
	era    uint32
	prefix uint16
	code   uint16
	last   byte
}

var tables = sync.Pool{New: func() any { return new(table) }}

func (t *table) clear() {
	if t.era++; t.era == 0 {
		*t = table{era: 1}
	}
}

// find gives the code of a string, or -1 and the slot where it belongs. There
// are twice as many slots as codes, so the search ends.
func (t *table) find(prefix int, last byte) (at, code int) {
	at = int(uint32(prefix<<8|int(last)) * 2654435761 >> (32 - hashBits))
	for {
		s := &t.slots[at]
		if s.era != t.era {
			return at, -1
		}
		if int(s.prefix) == prefix && s.last == last {
			return at, int(s.code)
		}
		at = (at + 1) % len(t.slots)
	}
}

func (t *table) add(at, prefix int, last byte, code int) {
	t.slots[at] = slot{t.era, uint16(prefix), uint16(code), last}
}
