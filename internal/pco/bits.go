package pco

import "encoding/binary"

// tailLen is more than one latent variable of a batch can take: 256 bin numbers
// of up to 14 bits, 256 offsets of up to 64, and what loads of eight bytes read
// beyond.
const tailLen = batchLen*(maxSizeLog+64)/8 + 16

// bitReader reads bits from the lowest of each byte on. What is read behind the
// end is zero, and sets short.
type bitReader struct {
	b     []byte
	pos   uint // in bits
	end   uint // in bits; b may go on behind it
	taken uint // bytes before b
	short bool
	tail  [2 * tailLen]byte
}

func (r *bitReader) reset(src []byte) {
	r.b, r.pos, r.end, r.taken, r.short = src, 0, 8*uint(len(src)), 0, false
}

// left is the number of bits to come.
func (r *bitReader) left() uint { return r.end - r.pos }

// read gives the next n bits, at most 64.
func (r *bitReader) read(n uint) uint64 {
	if n > r.end-r.pos {
		r.short = true
		r.pos = r.end
		return 0
	}
	v := r.at(r.pos, n)
	r.pos += n
	return v
}

// at gives n bits at a place that is not behind the end.
func (r *bitReader) at(pos, n uint) uint64 {
	i, shift := pos>>3, pos&7
	if i+9 <= uint(len(r.b)) {
		v := binary.LittleEndian.Uint64(r.b[i:]) >> shift
		if n+shift > 64 {
			v |= uint64(r.b[i+8]) << (64 - shift)
		}
		return v & masks[n&127]
	}
	var v uint64
	for k := uint(0); k < n+shift; k += 8 {
		c := uint64(r.b[i+k/8])
		if k < shift {
			v |= c >> shift // k is 0
		} else {
			v |= c << (k - shift)
		}
	}
	return v & masks[n&127]
}

// align goes to the next whole byte and reports whether the bits before it are
// zero.
func (r *bitReader) align() bool {
	return r.read(-r.pos&7) == 0
}

// offset is the number of bytes of the source that were read, the last one
// perhaps in part.
func (r *bitReader) offset() int { return int(r.taken + (r.pos+7)/8) }

// ensure makes sure that a batch of one latent variable can be read without
// asking for the end: near the end, it moves on to a copy with zeros behind.
func (r *bitReader) ensure() {
	i := r.pos >> 3
	if i+tailLen <= uint(len(r.b)) {
		return
	}
	n := copy(r.tail[:], r.b[i:r.end/8])
	clear(r.tail[n:])
	r.b = r.tail[:]
	r.taken += i
	r.pos &= 7
	r.end = 8 * uint(n)
}

// masks has the lowest n bits set; it is larger than needed so that an index of
// seven bits needs no check.
var masks = func() (m [128]uint64) {
	for n := range m {
		if n < 64 {
			m[n] = 1<<n - 1
		} else {
			m[n] = ^uint64(0)
		}
	}
	return m
}()

// bitWriter appends bits, the first ones lowest.
type bitWriter struct {
	b   []byte
	acc uint64
	n   uint // bits in acc, less than 64
}

// put writes the lowest k bits of v, which has none above.
func (w *bitWriter) put(v uint64, k uint) {
	w.acc |= v << w.n
	if w.n+k >= 64 {
		w.b = binary.LittleEndian.AppendUint64(w.b, w.acc)
		w.acc = v >> (64 - w.n) // 0 if n is 0
		w.n += k - 64
		return
	}
	w.n += k
}

// align fills the last byte with zeros.
func (w *bitWriter) align() {
	for ; w.n > 0; w.n -= min(w.n, 8) {
		w.b = append(w.b, byte(w.acc))
		w.acc >>= 8
	}
	w.acc = 0
}
