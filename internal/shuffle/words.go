package shuffle

import "encoding/binary"

// The functions here do what they can in words of eight bytes and return for how
// many elements they did it.

var le = binary.LittleEndian

// swap exchanges the bits of a above shift, as far as mask has them, with those
// of b below.
func swap(a, b uint64, shift uint, mask uint64) (uint64, uint64) {
	t := (a>>shift ^ b) & mask
	return a ^ t<<shift, b ^ t
}

// transposeBytes exchanges byte i of word j with byte j of word i.
func transposeBytes(x *[8]uint64) {
	const m4, m2, m1 = 0x00000000ffffffff, 0x0000ffff0000ffff, 0x00ff00ff00ff00ff
	a, b, c, d, e, f, g, h := x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
	a, e = swap(a, e, 32, m4)
	b, f = swap(b, f, 32, m4)
	c, g = swap(c, g, 32, m4)
	d, h = swap(d, h, 32, m4)
	a, c = swap(a, c, 16, m2)
	b, d = swap(b, d, 16, m2)
	e, g = swap(e, g, 16, m2)
	f, h = swap(f, h, 16, m2)
	x[0], x[1] = swap(a, b, 8, m1)
	x[2], x[3] = swap(c, d, 8, m1)
	x[4], x[5] = swap(e, f, 8, m1)
	x[6], x[7] = swap(g, h, 8, m1)
}

// transposeBits exchanges bit i of every byte of word j with bit j of the same
// byte of word i.
func transposeBits(x *[8]uint64) {
	const m4, m2, m1 = 0x0f0f0f0f0f0f0f0f, 0x3333333333333333, 0x5555555555555555
	a, b, c, d, e, f, g, h := x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
	a, e = swap(a, e, 4, m4)
	b, f = swap(b, f, 4, m4)
	c, g = swap(c, g, 4, m4)
	d, h = swap(d, h, 4, m4)
	a, c = swap(a, c, 2, m2)
	b, d = swap(b, d, 2, m2)
	e, g = swap(e, g, 2, m2)
	f, h = swap(f, h, 2, m2)
	x[0], x[1] = swap(a, b, 1, m1)
	x[2], x[3] = swap(c, d, 1, m1)
	x[4], x[5] = swap(e, f, 1, m1)
	x[6], x[7] = swap(g, h, 1, m1)
}

// transposeWord exchanges bit i of byte j with bit j of byte i.
func transposeWord(x uint64) uint64 {
	t := (x ^ x>>7) & 0x00aa00aa00aa00aa
	x ^= t ^ t<<7
	t = (x ^ x>>14) & 0x0000cccc0000cccc
	x ^= t ^ t<<14
	t = (x ^ x>>28) & 0x00000000f0f0f0f0
	return x ^ t ^ t<<28
}

// evenBytes gathers the bytes 0, 2, 4 and 6 of x.
func evenBytes(x uint64) uint64 {
	x &= 0x00ff00ff00ff00ff
	x = (x | x>>8) & 0x0000ffff0000ffff
	return (x | x>>16) & 0x00000000ffffffff
}

// spreadBytes undoes evenBytes.
func spreadBytes(x uint64) uint64 {
	x = (x | x<<16) & 0x0000ffff0000ffff
	return (x | x<<8) & 0x00ff00ff00ff00ff
}

func split2(dst, src []byte, n, stride int) int {
	n &^= 7
	if n == 0 {
		return 0
	}
	lo, hi := dst[:n], dst[stride:][:n]
	for i := 0; i < n; i += 8 {
		a, b := le.Uint64(src[2*i:]), le.Uint64(src[2*i+8:])
		le.PutUint64(lo[i:], evenBytes(a)|evenBytes(b)<<32)
		le.PutUint64(hi[i:], evenBytes(a>>8)|evenBytes(b>>8)<<32)
	}
	return n
}

func join2(dst, lo, hi []byte, n int) int {
	n &^= 3
	for i := 0; i < n; i += 4 {
		a, b := uint64(le.Uint32(lo[i:])), uint64(le.Uint32(hi[i:]))
		le.PutUint64(dst[2*i:], spreadBytes(a)|spreadBytes(b)<<8)
	}
	return n
}

// square exchanges byte i of the j-th four bytes with byte j of the i-th, in
// sixteen.
func square(a, b uint64) (uint64, uint64) {
	// First in squares of two by two, then those with each other.
	t := (a ^ a>>24) & 0x00000000ff00ff00
	a ^= t ^ t<<24
	t = (b ^ b>>24) & 0x00000000ff00ff00
	b ^= t ^ t<<24
	return swap(a, b, 16, 0x0000ffff0000ffff)
}

func split4(dst, src []byte, n, stride int) int {
	n &^= 3
	for i := 0; i < n; i += 4 {
		a, b := square(le.Uint64(src[4*i:]), le.Uint64(src[4*i+8:]))
		le.PutUint32(dst[i:], uint32(a))
		le.PutUint32(dst[stride+i:], uint32(a>>32))
		le.PutUint32(dst[2*stride+i:], uint32(b))
		le.PutUint32(dst[3*stride+i:], uint32(b>>32))
	}
	return n
}

func join4(dst, p0, p1, p2, p3 []byte, n int) int {
	n &^= 3
	for i := 0; i < n; i += 4 {
		a := uint64(le.Uint32(p0[i:])) | uint64(le.Uint32(p1[i:]))<<32
		b := uint64(le.Uint32(p2[i:])) | uint64(le.Uint32(p3[i:]))<<32
		a, b = square(a, b)
		le.PutUint64(dst[4*i:], a)
		le.PutUint64(dst[4*i+8:], b)
	}
	return n
}

// splitAny takes eight bytes of eight elements at a time. Of elements that are
// smaller it ignores what belongs to the next one.
func splitAny(dst, src []byte, size, n, stride int) int {
	done := 0
	var x [8]uint64
	for ; done+8 <= n && len(src) >= 7*size+8; done += 8 {
		for c := 0; c < size; c += 8 {
			c = max(min(c, size-8), 0)
			for k := range x {
				x[k] = le.Uint64(src[k*size+c:])
			}
			transposeBytes(&x)
			for k := range min(size, 8) {
				le.PutUint64(dst[(c+k)*stride+done:], x[k])
			}
		}
		src = src[8*size:]
	}
	return done
}

// joinAny puts eight bytes of eight elements at a time. Of elements that are
// smaller it writes the beginning of the next one wrongly, which is then written
// again.
func joinAny[P planes](dst []byte, p P, size, at, n int) int {
	done := 0
	var x [8]uint64
	for ; done+8 <= n && len(dst) >= 7*size+8; done += 8 {
		for c := 0; c < size; c += 8 {
			c = max(min(c, size-8), 0)
			for k := range min(size, 8) {
				x[k] = le.Uint64(p.from(c+k, at+done))
			}
			transposeBytes(&x)
			for k := range x {
				le.PutUint64(dst[k*size+c:], x[k])
			}
		}
		dst = dst[8*size:]
	}
	return done
}
