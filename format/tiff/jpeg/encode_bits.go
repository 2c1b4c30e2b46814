package jpeg

import (
	"encoding/binary"
	"math/bits"
)

// bitWriter appends the entropy-coded segment to buf.
type bitWriter struct {
	buf   []byte
	acc   uint64 // the last count bits wait to be written; what is above them is of no account
	count uint   // less than 32
}

// block writes a block, of which bit k of nonzero says whether values[k] is not
// zero. values[0] is the difference to the block before.
//
// Every code and value has its place in the tables: samples of 8 bits make
// differences of at most 11 bits and other values of at most 10.
func (w *bitWriter) block(values *[64]int32, nonzero uint64, dc *[16]huffCode, ac *[256]huffCode) {
	buf, acc, count := w.buf, w.acc, w.count

	v := values[0]
	sign := v >> 31
	size := uint(bits.Len32(uint32((v ^ sign) - sign)))
	code := dc[size&15]
	acc = acc<<(uint(code.size)+size) | uint64(code.bits)<<size | uint64(v+sign)&(1<<size-1)
	count += uint(code.size) + size
	if count >= 32 {
		count -= 32
		buf = appendStuffed(buf, uint32(acc>>count))
	}

	nonzero &^= 1
	last := 0
	for ; nonzero != 0; nonzero &= nonzero - 1 {
		k := bits.TrailingZeros64(nonzero)
		run := k - last - 1
		last = k
		for ; run > 15; run -= 16 {
			code := ac[0xf0] // sixteen zeros
			acc = acc<<code.size | uint64(code.bits)
			count += uint(code.size)
			if count >= 32 {
				count -= 32
				buf = appendStuffed(buf, uint32(acc>>count))
			}
		}
		v := values[k&63]
		sign := v >> 31
		size := uint(bits.Len32(uint32((v ^ sign) - sign)))
		code := ac[uint8(run<<4)|uint8(size)]
		acc = acc<<((uint(code.size)+size)&63) | uint64(code.bits)<<(size&63) | uint64(v+sign)&(1<<(size&63)-1)
		count += uint(code.size) + size
		if count >= 32 {
			count -= 32
			buf = appendStuffed(buf, uint32(acc>>(count&63)))
		}
	}
	if last != 63 {
		code := ac[0] // nothing but zeros
		acc = acc<<code.size | uint64(code.bits)
		count += uint(code.size)
		if count >= 32 {
			count -= 32
			buf = appendStuffed(buf, uint32(acc>>count))
		}
	}
	w.buf, w.acc, w.count = buf, acc, count
}

// flat writes a block that is as bright as the one before.
func (w *bitWriter) flat(dc *[16]huffCode, ac *[256]huffCode) {
	var none [64]int32
	w.block(&none, 0, dc, ac)
}

// pad fills up the last byte with ones, and writes all that waits.
func (w *bitWriter) pad() {
	n := -w.count & 7
	acc, count := w.acc<<n|(1<<n-1), w.count+n
	for ; count > 0; count -= 8 {
		w.buf = appendByte(w.buf, byte(acc>>(count-8)))
	}
	w.acc, w.count = 0, 0
}

// appendStuffed appends four bytes, with a zero behind each 0xff, which would
// begin a marker otherwise.
func appendStuffed(buf []byte, word uint32) []byte {
	if word&0x80808080&(^word-0x01010101) == 0 {
		return binary.BigEndian.AppendUint32(buf, word)
	}
	return appendBytes(buf, word)
}

// appendBytes is appendStuffed, byte by byte.
func appendBytes(buf []byte, word uint32) []byte {
	for shift := 24; shift >= 0; shift -= 8 {
		buf = appendByte(buf, byte(word>>shift))
	}
	return buf
}

func appendByte(buf []byte, b byte) []byte {
	if b == 0xff {
		return append(buf, b, 0)
	}
	return append(buf, b)
}
