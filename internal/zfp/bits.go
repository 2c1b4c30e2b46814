package zfp

import "encoding/binary"

// writer appends bits to bytes, the least significant first.
type writer struct {
	dst []byte
	acc uint64
	n   uint // bits in acc, below 64
}

// put writes the lowest k bits of x, which has no others; k is at most 64.
func (w *writer) put(x uint64, k uint) {
	w.acc |= x << w.n
	w.n += k
	if w.n >= 64 {
		w.dst = binary.LittleEndian.AppendUint64(w.dst, w.acc)
		w.n -= 64
		w.acc = x >> (k - w.n)
	}
}

// zeros writes k zeros.
func (w *writer) zeros(k int) {
	for ; k > 64; k -= 64 {
		w.put(0, 64)
	}
	if k > 0 {
		w.put(0, uint(k))
	}
}

// at is the number of bits written, from the start of dst.
func (w *writer) at() int { return 8*len(w.dst) + int(w.n) }

// flush fills up the last word and returns the bytes.
func (w *writer) flush() []byte {
	if w.n > 0 {
		w.dst = binary.LittleEndian.AppendUint64(w.dst, w.acc)
		w.acc, w.n = 0, 0
	}
	return w.dst
}

// reader reads bits. Behind the end there are zeros: whoever reads looks at pos
// now and then.
type reader struct {
	data []byte
	pos  int // in bits
}

// peek gives the next 64 bits.
func (r *reader) peek() uint64 {
	i, s := r.pos>>3, uint(r.pos&7)
	if i+9 <= len(r.data) {
		return binary.LittleEndian.Uint64(r.data[i:])>>s | uint64(r.data[i+8])<<(64-s)
	}
	return r.peekEnd(i, s)
}

func (r *reader) peekEnd(i int, s uint) uint64 {
	var end [9]byte
	if i < len(r.data) {
		copy(end[:], r.data[i:])
	}
	return binary.LittleEndian.Uint64(end[:])>>s | uint64(end[8])<<(64-s)
}

// get reads k bits, at most 64.
func (r *reader) get(k int) uint64 {
	x := r.peek() & mask(k)
	r.pos += k
	return x
}

// over reports whether more was read than there is.
func (r *reader) over() bool { return r.pos > 8*len(r.data) }

// mask is k ones.
func mask(k int) uint64 { return 1<<uint(k) - 1 }
