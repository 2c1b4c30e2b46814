package packbits

import "encoding/binary"

// field says which bits of equal scalars are packed, and holds what the kernels
// need to move them a word of eight bytes of memory at a time.
//
// In memory a word is a number of lanes of width bytes. Packed it is step bits:
// the fields of its lanes side by side.
type field struct {
	width  int // bytes of a scalar in memory: 1, 2, 4 or 8
	first  int // the lowest bit of a scalar that is packed
	bits   int // how many are
	signed bool
	truth  bool  // a scalar is one bit, set if it is not zero
	order  Order // MSB only for truth values
	full   bool  // all bits of memory are packed

	step  int        // packed bits of a word of memory
	low   uint64     // that many ones
	mask  uint64     // the packed bits where they lie in a word of memory
	sign  uint64     // the highest of each lane, if it is a sign
	ext   uint64     // times a sign bit gives all bits above it in its lane
	steps [3]halving // from packed to memory, for eight, four and two lanes
	own   kernel     // what the processor's own kernels need
}

// halving takes groups of fields that lie side by side apart in two halves.
type halving struct {
	low, high uint64 // where the halves lie when they are apart
	shift     int    // by how much the upper one moves
}

func newField(width, first, bits int, signed, truth bool) *field {
	f := &field{width: width, first: first, bits: bits, signed: signed, truth: truth, full: bits == 8*width}
	lanes := 8 / width
	f.step = lanes * bits
	f.low = ones(f.step)
	f.mask = repeat(ones(bits)<<first, 8*width)
	if top := first + bits - 1; signed && top < 8*width-1 {
		f.sign = repeat(1<<top, 8*width)
		f.ext = 1<<(8*width-top) - 2
	}
	for i, group := range []int{4, 2, 1} {
		if group < lanes {
			apart := 8 * width * group // from half to half, in memory
			half := repeat(ones(group*bits), 2*apart)
			f.steps[i] = halving{half, half << apart, apart - group*bits}
		}
	}
	f.own = newKernel(f)
	return f
}

// block is how many words of memory are done at once, a multiple of eight: a
// kernel in assembly cannot be interrupted.
const block = 1 << 15

// ones is a number of n one bits.
func ones(n int) uint64 { return 1<<n - 1 }

// repeat fills a word with copies of x, some bits apart.
func repeat(x uint64, apart int) uint64 {
	out := x
	for at := apart; at < 64; at += apart {
		out |= x << at
	}
	return out
}

// unpack fills dst, whole scalars, with the fields from bit at of src on. src
// may end where the last field does.
func (f *field) unpack(dst, src []byte, at int) {
	for at&7 != 0 && len(dst) > 0 {
		f.store(dst, f.get(src, at))
		dst, at = dst[f.width:], at+f.bits
	}
	src = src[at>>3:]
	switch {
	case f.full:
		copy(dst, src)
		return
	case f.truth:
		UnpackBools(dst, src, f.order)
		return
	}
	n := f.unpackWords(dst, src)
	dst, at = dst[8*n:], f.step*n
	for ; len(dst) > 0; dst = dst[f.width:] {
		f.store(dst, f.get(src, at))
		at += f.bits
	}
}

// unpackWords unpacks words for as long as the bytes around a field can be
// loaded together, and returns their number.
func (f *field) unpackWords(dst, src []byte) int {
	n := 0
	if len(src) > 8 {
		n = min(len(dst)/8, (8*len(src)-65)/f.step+1)
	}
	for i := 0; i < n; i += block {
		to, from, k := dst[8*i:], src[i/8*f.step:], min(block, n-i)
		if done := f.unpackFast(to, from, k); done < k {
			f.unpackPlain(to[8*done:], from[done*f.step/8:], k-done)
		}
	}
	return n
}

// unpackPlain unpacks n words. The kernels of single processors do the same.
func (f *field) unpackPlain(dst, src []byte, n int) {
	a, b, c := f.steps[0], f.steps[1], f.steps[2]
	step, width, first, low, sign, ext := f.step, f.width, f.first, f.low, f.sign, f.ext
	dst = dst[:8*n]
	for at := 0; len(dst) >= 8; at += step {
		i, s := at>>3, at&7
		word := src[i : i+9 : i+9]
		x := (binary.LittleEndian.Uint64(word)>>s | uint64(word[8])<<1<<(63-s)) & low
		if width < 2 {
			x = x&a.low | x<<(a.shift&63)&a.high
		}
		if width < 4 {
			x = x&b.low | x<<(b.shift&63)&b.high
		}
		if width < 8 {
			x = x&c.low | x<<(c.shift&63)&c.high
		}
		x <<= first & 63
		x |= x & sign * ext
		binary.LittleEndian.PutUint64(dst, x)
		dst = dst[8:]
	}
}

// pack writes the fields of src, whole scalars, from bit at of dst on. The bits
// before stay as they are; those behind, up to the end of dst, may become
// anything but are zero up to the end of the byte.
func (f *field) pack(dst []byte, at int, src []byte) {
	for at&7 != 0 && len(src) > 0 {
		f.put(dst, at, f.load(src))
		src, at = src[f.width:], at+f.bits
	}
	dst = dst[at>>3:]
	switch {
	case f.full:
		copy(dst, src)
		return
	case f.truth:
		PackBools(dst, src, f.order)
		return
	}
	n := f.packWords(dst, src)
	src, at = src[8*n:], f.step*n
	for ; len(src) > 0; src = src[f.width:] {
		f.put(dst, at, f.load(src))
		at += f.bits
	}
}

// packWords packs words for as long as eight bytes can be stored, and returns
// their number.
func (f *field) packWords(dst, src []byte) int {
	n := 0
	if len(dst) >= 8 {
		n = min(len(src)/8, (8*len(dst)-57)/f.step+1)
	}
	for i := 0; i < n; i += block {
		to, from, k := dst[i/8*f.step:], src[8*i:], min(block, n-i)
		if done := f.packFast(to, from, k); done < k {
			f.packPlain(to[done*f.step/8:], from[8*done:], k-done)
		}
	}
	return n
}

// packPlain packs n words. The kernels of single processors do the same.
func (f *field) packPlain(dst, src []byte, n int) {
	a, b, c := f.steps[0], f.steps[1], f.steps[2]
	step, width, first, mask := f.step, f.width, f.first, f.mask
	src = src[:8*n]
	var word uint64 // the next to be stored
	s := 0          // how much of it is there
	for ; len(src) >= 8; src = src[8:] {
		x := binary.LittleEndian.Uint64(src) & mask >> (first & 63)
		if width < 8 {
			x = x&c.low | x&c.high>>(c.shift&63)
		}
		if width < 4 {
			x = x&b.low | x&b.high>>(b.shift&63)
		}
		if width < 2 {
			x = x&a.low | x&a.high>>(a.shift&63)
		}
		word |= x << (s & 63)
		if s += step; s >= 64 {
			binary.LittleEndian.PutUint64(dst, word)
			dst, s = dst[8:], s-64
			word = x >> ((step - s) & 63)
		}
	}
	storePart(dst, word, s)
}

// storePart writes the bytes that hold the lowest n bits of word.
func storePart(dst []byte, word uint64, n int) {
	for i := range (n + 7) >> 3 {
		dst[i] = byte(word >> (8 * i))
	}
}

// get returns the field at a bit of src.
func (f *field) get(src []byte, at int) uint64 {
	i, s := at>>3, at&7
	if f.order == MSB {
		return uint64(src[i] >> (7 - s) & 1)
	}
	var x uint64
	if len(src)-i > 8 {
		x = binary.LittleEndian.Uint64(src[i:])>>s | uint64(src[i+8])<<(64-s)
	} else {
		for k := len(src) - 1; k >= i; k-- {
			x = x<<8 | uint64(src[k])
		}
		x >>= s
	}
	if f.signed {
		x = uint64(int64(x<<(64-f.bits)) >> (64 - f.bits))
	} else {
		x &= ones(f.bits)
	}
	return x << f.first
}

// put writes a field at a bit of dst.
func (f *field) put(dst []byte, at int, x uint64) {
	i, s := at>>3, at&7
	if f.order == MSB {
		dst[i] = dst[i]&^(0xff>>s) | byte(x<<(7-s))
		return
	}
	word := x<<s | uint64(dst[i])&ones(s)
	storePart(dst[i:], word, min(s+f.bits, 64))
	if s+f.bits > 64 {
		dst[i+8] = byte(x >> (64 - s))
	}
}

// load returns the field of the first scalar of memory.
func (f *field) load(mem []byte) uint64 {
	var x uint64
	switch f.width {
	case 1:
		x = uint64(mem[0])
		if f.truth && x != 0 {
			return 1
		}
	case 2:
		x = uint64(binary.LittleEndian.Uint16(mem))
	case 4:
		x = uint64(binary.LittleEndian.Uint32(mem))
	case 8:
		x = binary.LittleEndian.Uint64(mem)
	}
	return x >> f.first & ones(f.bits)
}

// store writes the first scalar of memory.
func (f *field) store(mem []byte, x uint64) {
	switch f.width {
	case 1:
		mem[0] = byte(x)
	case 2:
		binary.LittleEndian.PutUint16(mem, uint16(x))
	case 4:
		binary.LittleEndian.PutUint32(mem, uint32(x))
	case 8:
		binary.LittleEndian.PutUint64(mem, x)
	}
}
