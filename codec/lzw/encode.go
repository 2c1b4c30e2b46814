package lzw

import (
	"encoding/binary"
	"slices"
	"sync"
)

const (
	// full is how many codes are known when all strings are forgotten. There
	// could be more; libtiff has it so.
	full = maxCodes - 2

	// checkGap is after how many bytes it is seen whether compression still gets
	// better. If not, all strings are forgotten.
	checkGap = 10000

	// periodBytes is more than what is written from one clear code to the next: a
	// code for each that becomes known, one to clear, one to end, and the rest of
	// the word that is written with the last.
	periodBytes = maxCodes*maxWidth/8 + 16

	// hashBits makes four times as many slots as there are strings: with fewer, the
	// search goes wrong more often than clearing them costs.
	hashBits = 14
)

// table finds a string by the code of all but its last byte, and that byte. A
// slot has one more than the former code in its upper twelve bits, so that none
// in use is 0, then the byte, and then one more than the string's code.
type table [1 << hashBits]uint32

var tables = sync.Pool{New: func() any { return new(table) }}

// AppendEncode appends the compressed form of src to dst. It gives the bytes
// that libtiff gives.
func AppendEncode(dst, src []byte) []byte {
	w := bitWriter{buf: dst[:cap(dst)], pos: len(dst)}
	width := w.clear(minWidth)
	if len(src) > 0 {
		t := tables.Get().(*table)
		code, next, wide := t.encode(&w, src)
		tables.Put(t)
		w.put(code, wide)
		if width = wide; next+1 == full {
			width = w.clear(width)
		} else if next == 1<<width-1 {
			width++
		}
	}
	w.put(endCode, width)
	return w.finish()
}

// encode writes the codes of src but for the last one, which it returns with
// the number of codes that are known then, and the width it must have.
func (t *table) encode(out *bitWriter, src []byte) (last, next uint32, width uint) {
	clear(t[:])
	w := *out // so that it stays in registers
	next, width = firstCode, minWidth
	// The clear code before: where it stands in src, and in bits that are written.
	began, wrote := 0, w.bits()-minWidth
	check, ratio := checkGap, 0
	id := uint32(src[0]) + 1
	for i := 1; i < len(src); i++ {
		c := uint32(src[i])
		key := id<<8 | c
		at := key * 0x9e3779b1 >> (32 - hashBits)
		slot := t[at]
		for slot>>maxWidth != key && slot != 0 {
			at = (at + 1) % (1 << hashBits)
			slot = t[at]
		}
		if slot != 0 {
			id = slot % maxCodes
			continue
		}
		w.put(id-1, width)
		next++
		t[at] = key<<maxWidth | next
		id = c + 1
		slips := false
		if next > 1<<width-1 {
			width++
		} else if n := i + 1 - began; n >= check && next < full {
			check = n + checkGap
			now := n << 8 / (w.bits() - wrote)
			slips, ratio = now <= ratio, now
		}
		if slips || next == full {
			began, wrote, ratio = i+1, w.bits(), 0
			width, next = w.clear(width), firstCode
			clear(t[:])
		}
	}
	*out = w
	return id - 1, next, width
}

// bitWriter writes codes from the most significant bit down. It writes a whole
// word each time, of which what is behind the last code is 0.
type bitWriter struct {
	buf []byte // has periodBytes of room behind pos at each clear code
	pos int    // bytes that are complete
	acc uint64 // ends with the bits of the byte that is not
	n   uint   // how many these are
}

func (w *bitWriter) put(code uint32, width uint) {
	w.acc = w.acc<<width | uint64(code)
	w.n += width
	binary.BigEndian.PutUint64(w.buf[w.pos:], w.acc<<(64-w.n))
	w.pos += int(w.n / 8)
	w.n %= 8
}

// clear writes a clear code, makes room for what can follow before the next one,
// and gives the width of the code behind it.
func (w *bitWriter) clear(width uint) uint {
	if len(w.buf)-w.pos < periodBytes {
		w.buf = slices.Grow(w.buf, periodBytes)
		w.buf = w.buf[:cap(w.buf)]
	}
	w.put(clearCode, width)
	return minWidth
}

// bits gives how many are written.
func (w *bitWriter) bits() int { return w.pos*8 + int(w.n) }

func (w *bitWriter) finish() []byte { return w.buf[:w.pos+int(w.n+7)/8] }
