package zstdenc

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// The hot loops read and write through raw pointers: their indexes are data
// dependent, so the compiler cannot drop the bounds checks. Going through
// encoding/binary on a fixed-size array compiles to one instruction where the
// hardware allows it and stays correct where it does not.

func load32(p unsafe.Pointer, i uint) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(p, i))[:])
}

func load64(p unsafe.Pointer, i uint) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(p, i))[:])
}

func store64(p unsafe.Pointer, i uint, v uint64) {
	binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Add(p, i))[:], v)
}

// highBit returns the position of the highest set bit of v, which must not be 0.
func highBit(v uint32) uint { return uint(bits.Len32(v)) - 1 }

// bitWriter collects bits from the least significant end, as every bit stream
// in a zstd frame does. The buffer it writes to must have 8 spare bytes past
// the last byte of the stream, because whole words are stored.
type bitWriter struct {
	buf []byte
	pos uint
	acc uint64
	n   uint
}

// add appends the low n bits of v; higher bits of v must be 0. At most 56 bits
// may be added between two flushes.
func (w *bitWriter) add(v uint64, n uint) {
	w.acc |= v << (w.n & 63)
	w.n += n
}

// flush moves whole bytes to the buffer.
func (w *bitWriter) flush() {
	binary.LittleEndian.PutUint64(w.buf[w.pos:], w.acc)
	k := w.n >> 3
	w.pos += k
	w.acc >>= (k * 8) & 63
	w.n &= 7
}

// pad ends a forward stream at a byte boundary and returns the next position.
func (w *bitWriter) pad() uint {
	w.flush()
	if w.n > 0 {
		w.pos++
		w.acc, w.n = 0, 0
	}
	return w.pos
}

// close ends a stream that is read backwards: a 1 bit marks where it starts.
func (w *bitWriter) close() uint {
	w.add(1, 1)
	return w.pad()
}
