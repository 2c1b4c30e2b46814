package jpeg

import (
	"bytes"
	"encoding/binary"
)

// bitReader reads the bits of one entropy-coded segment. The segment has been
// freed of stuffed bytes, so that eight bytes can be taken at a time; beyond its
// end there are zeros, and over tells that they have been used.
type bitReader struct {
	buf []byte // the segment and eight zeros
	pos int    // of the next byte to take
	acc uint64 // the next bits, topmost first
	n   int    // how many of them count
}

// padding is how many zeros stand behind a segment.
const padding = 8

// reset begins a segment.
func (r *bitReader) reset(buf []byte) {
	*r = bitReader{buf: buf}
}

// refill makes 56 bits ready. Bits of acc below the n that count are the same as
// those that come again, so nothing needs masking.
func (r *bitReader) refill() {
	if uint(r.pos) <= uint(len(r.buf)-8) {
		r.acc |= binary.BigEndian.Uint64(r.buf[r.pos:]) >> (uint(r.n) & 63)
	}
	r.pos += (63 - r.n) >> 3
	r.n |= 56
}

// need makes at least 32 bits ready: a code and a value.
func (r *bitReader) need() {
	if r.n < 32 {
		r.refill()
	}
}

// over reports whether more bits were read than there are.
func (r *bitReader) over() bool {
	return r.pos*8-r.n > (len(r.buf)-padding)*8
}

// beyond takes a code that no symbol has, all of its seventeen bits, and reports
// whether the data has ended in it. libjpeg then goes on as if it were symbol 0.
func (r *bitReader) beyond() bool {
	r.drop(17)
	return r.over()
}

// drop passes over n bits.
func (r *bitReader) drop(n int) {
	r.acc <<= uint(n) & 63
	r.n -= n
}

// bits reads n bits, 0 to 16, that are ready.
func (r *bitReader) bits(n int) int32 {
	v := int32(r.acc >> 1 >> (63 - uint(n)&63))
	r.drop(n)
	return v
}

// symbol reads a code, and gives -1 if there is none. 16 bits must be ready.
func (r *bitReader) symbol(t *huffTable) int {
	if e := t.look[r.acc>>(64-lookBits)]; e != 0 {
		r.drop(int(e >> 8))
		return int(e & 0xff)
	}
	top := uint32(r.acc >> 48)
	for l := lookBits + 1; l <= 16; l++ {
		if top < t.limit[l] {
			r.drop(l)
			return int(t.def.symbols[uint8(t.offset[l]+int32(top>>(16-l)))])
		}
	}
	return -1
}

// code is symbol, where a code that the end of the data cuts off may be any.
func (r *bitReader) code(t *huffTable) int {
	sym := r.symbol(t)
	if sym < 0 && r.beyond() {
		return 0
	}
	return sym
}

// unstuff appends the entropy-coded segment at the beginning of src to dst, with
// zeros behind it, and returns the length that it has in src. What follows is a
// marker, or the end.
func unstuff(dst, src []byte) ([]byte, int) {
	p := 0
	for {
		i := bytes.IndexByte(src[p:], 0xff)
		if i < 0 {
			dst = append(dst, src[p:]...)
			p = len(src)
			break
		}
		dst = append(dst, src[p:p+i]...)
		p += i
		q := p
		for q < len(src) && src[q] == 0xff {
			q++
		}
		if q == len(src) || src[q] != 0 {
			if q < len(src) {
				q-- // fill bytes may come before a marker
			}
			p = q
			break
		}
		dst = append(dst, 0xff)
		p = q + 1
	}
	var zeros [padding]byte
	return append(dst, zeros[:]...), p
}
