package lzma

import (
	"encoding/binary"
	"math/bits"

	"github.com/omnizarr/zarr/codec"
)

// rangeDecoder reads bits of which it is known how likely they are. Behind the
// end it reads zeros: who uses it looks at the place now and then.
type rangeDecoder struct {
	src  []byte
	at   int
	rng  uint32
	code uint32
}

// rangeHeader is how many bytes are read before the first bit.
const rangeHeader = 5

// init starts to read src.
func (r *rangeDecoder) init(src []byte) error {
	if len(src) < rangeHeader {
		return codec.Bad("ends within the first bytes of the data")
	}
	if src[0] != 0 {
		return codec.Bad("data begins with %d, not with 0", src[0])
	}
	*r = rangeDecoder{src, rangeHeader, 0xffffffff, binary.BigEndian.Uint32(src[1:])}
	return nil
}

const (
	enough = 1 << 24 // a smaller range takes another byte
	scale  = 11      // bits of a probability
	slow   = 5       // how slowly a probability adapts
)

// more takes another byte.
func (r *rangeDecoder) more() {
	r.rng <<= 8
	r.code <<= 8
	if r.at < len(r.src) {
		r.code |= uint32(r.src[r.at])
	}
	r.at++
}

// bit reads a bit, and learns from it.
func (r *rangeDecoder) bit(prob *uint16) int {
	p := uint32(*prob)
	bound := r.rng >> scale * p
	bit := 0
	if r.code < bound {
		r.rng = bound
		*prob = uint16(p + (1<<scale-p)>>slow)
	} else {
		r.rng -= bound
		r.code -= bound
		*prob = uint16(p - p>>slow)
		bit = 1
	}
	if r.rng < enough {
		r.more()
	}
	return bit
}

// literal reads a byte, from the highest bit down.
func (r *rangeDecoder) literal(probs *[0x300]uint16) byte {
	rng, code := r.rng, r.code
	s := uint32(1)
	for s < 0x100 {
		prob := &probs[s]
		p := uint32(*prob)
		bound := rng >> scale * p
		if code < bound {
			rng = bound
			*prob = uint16(p + (1<<scale-p)>>slow)
			s <<= 1
		} else {
			rng -= bound
			code -= bound
			*prob = uint16(p - p>>slow)
			s = s<<1 | 1
		}
		if rng < enough {
			rng <<= 8
			code <<= 8
			if r.at < len(r.src) {
				code |= uint32(r.src[r.at])
			}
			r.at++
		}
	}
	r.rng, r.code = rng, code
	return byte(s)
}

// matched reads a byte that follows a match: that which would have continued the
// match tells something about it, as long as their bits are the same.
func (r *rangeDecoder) matched(probs *[0x300]uint16, like byte) byte {
	m, same, s := int(like), 0x100, 1
	for s < 0x100 {
		m <<= 1
		expected := m & same
		if bit := r.bit(&probs[same+expected+s]); bit == 0 {
			same &^= expected
			s <<= 1
		} else {
			same = expected
			s = s<<1 | 1
		}
	}
	return byte(s)
}

// tree reads as many bits as probs has levels, from the highest down.
func (r *rangeDecoder) tree(probs []uint16) int {
	s := 1
	for s < len(probs) {
		s = s<<1 | r.bit(&probs[s])
	}
	return s - len(probs)
}

// reverse reads n bits from the lowest up.
func (r *rangeDecoder) reverse(probs []uint16, n int) uint32 {
	s, out := 1, uint32(0)
	for i := range n {
		bit := r.bit(&probs[s])
		s = s<<1 | bit
		out |= uint32(bit) << i
	}
	return out
}

// direct reads n bits that are as likely 0 as 1.
func (r *rangeDecoder) direct(n int) uint32 {
	var out uint32
	for range n {
		r.rng >>= 1
		out <<= 1
		if r.code >= r.rng {
			r.code -= r.rng
			out |= 1
		}
		if r.rng < enough {
			r.more()
		}
	}
	return out
}

// length reads the length of a match, less the shortest.
func (r *rangeDecoder) length(l *lengths, where int) int {
	switch {
	case r.bit(&l.choice) == 0:
		return r.tree(l.low[where][:])
	case r.bit(&l.choice2) == 0:
		return 8 + r.tree(l.mid[where][:])
	default:
		return 16 + r.tree(l.high[:])
	}
}

// distance reads the distance of a match of length n, both less the shortest.
func (r *rangeDecoder) distance(m *model, n int) uint32 {
	slot := r.tree(m.slot[min(n, 3)][:])
	if slot < firstWithin {
		return uint32(slot)
	}
	// The slot has the two highest bits and how many follow.
	k := slot>>1 - 1
	high := uint32(2|slot&1) << k
	if slot < firstDirect {
		return high + r.reverse(m.near[int(high)-slot:], k)
	}
	high += r.direct(k-alignBits) << alignBits
	return high + r.reverse(m.align[:], alignBits)
}

// rangeEncoder writes what a rangeDecoder reads.
type rangeEncoder struct {
	out   []byte
	start int
	low   uint64
	rng   uint32
	// Bytes that a carry may still change: one, and behind it some that are all
	// ones.
	cache byte
	held  int
}

// init starts to append to dst.
func (r *rangeEncoder) init(dst []byte) {
	*r = rangeEncoder{out: dst, start: len(dst), rng: 0xffffffff, held: 1}
}

// size is how many bytes there are, if nothing more is written.
func (r *rangeEncoder) size() int { return len(r.out) - r.start + r.held + rangeHeader - 1 }

// shift moves a byte out of low.
func (r *rangeEncoder) shift() {
	if low := uint32(r.low); low < 0xff000000 || r.low>>32 != 0 {
		carry := byte(r.low >> 32)
		r.out = append(r.out, r.cache+carry)
		for ; r.held > 1; r.held-- {
			r.out = append(r.out, 0xff+carry)
		}
		r.held = 0
		r.cache = byte(low >> 24)
	}
	r.held++
	r.low = r.low & 0xffffff << 8
}

// flush writes what is held, and returns all that there is.
func (r *rangeEncoder) flush() []byte {
	for range rangeHeader {
		r.shift()
	}
	return r.out
}

// bit writes a bit, and learns from it.
func (r *rangeEncoder) bit(prob *uint16, bit int) {
	p := uint32(*prob)
	bound := r.rng >> scale * p
	if bit == 0 {
		r.rng = bound
		*prob = uint16(p + (1<<scale-p)>>slow)
	} else {
		r.low += uint64(bound)
		r.rng -= bound
		*prob = uint16(p - p>>slow)
	}
	if r.rng < enough {
		r.rng <<= 8
		r.shift()
	}
}

// matched writes a byte that follows a match.
func (r *rangeEncoder) matched(probs *[0x300]uint16, like, b byte) {
	m, same, s := int(like), 0x100, 1
	for i := 7; i >= 0; i-- {
		m <<= 1
		expected := m & same
		bit := int(b >> i & 1)
		r.bit(&probs[same+expected+s], bit)
		if bit == 0 {
			same &^= expected
		} else {
			same = expected
		}
		s = s<<1 | bit
	}
}

// tree writes as many bits of x as probs has levels, from the highest down.
func (r *rangeEncoder) tree(probs []uint16, x int) {
	s := 1
	for mask := len(probs) >> 1; mask > 0; mask >>= 1 {
		bit := 0
		if x&mask != 0 {
			bit = 1
		}
		r.bit(&probs[s], bit)
		s = s<<1 | bit
	}
}

// reverse writes n bits of x from the lowest up.
func (r *rangeEncoder) reverse(probs []uint16, n int, x uint32) {
	s := 1
	for range n {
		bit := int(x & 1)
		r.bit(&probs[s], bit)
		s = s<<1 | bit
		x >>= 1
	}
}

// direct writes n bits of x that are as likely 0 as 1.
func (r *rangeEncoder) direct(n int, x uint32) {
	for i := n - 1; i >= 0; i-- {
		r.rng >>= 1
		if x>>i&1 != 0 {
			r.low += uint64(r.rng)
		}
		if r.rng < enough {
			r.rng <<= 8
			r.shift()
		}
	}
}

// length writes the length of a match, less the shortest.
func (r *rangeEncoder) length(l *lengths, where, n int) {
	switch {
	case n < 8:
		r.bit(&l.choice, 0)
		r.tree(l.low[where][:], n)
	case n < 16:
		r.bit(&l.choice, 1)
		r.bit(&l.choice2, 0)
		r.tree(l.mid[where][:], n-8)
	default:
		r.bit(&l.choice, 1)
		r.bit(&l.choice2, 1)
		r.tree(l.high[:], n-16)
	}
}

// distance writes the distance of a match of length n, both less the shortest.
func (r *rangeEncoder) distance(m *model, n int, dist uint32) {
	slot := int(dist)
	if dist >= firstWithin {
		top := bits.Len32(dist) - 1
		slot = top<<1 | int(dist>>(top-1)&1)
	}
	r.tree(m.slot[min(n, 3)][:], slot)
	if slot < firstWithin {
		return
	}
	k := slot>>1 - 1
	high := uint32(2|slot&1) << k
	if slot < firstDirect {
		r.reverse(m.near[int(high)-slot:], k, dist-high)
		return
	}
	r.direct(k-alignBits, (dist-high)>>alignBits)
	r.reverse(m.align[:], alignBits, dist&(1<<alignBits-1))
}
