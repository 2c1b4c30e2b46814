package pixel

// The functions here pack and unpack the common numbers of bits in words of eight
// bytes, and return how many values they did: a multiple of eight, of four for
// twelve bits.

func unpack1(dst, src []byte) int {
	n := len(dst) / 8
	for ; len(dst) >= 8 && len(src) >= 1; dst, src = dst[8:], src[1:] {
		// The byte in each byte of a word, in each one of its bits, brought down.
		x := uint64(src[0]) * 0x0101010101010101 & 0x0102040810204080
		le.PutUint64(dst, (x+0x7f7f7f7f7f7f7f7f)>>7&0x0101010101010101)
	}
	return 8 * n
}

func pack1(dst, src []byte) int {
	n := len(src) / 8
	for ; len(src) >= 8 && len(dst) >= 1; dst, src = dst[1:], src[8:] {
		// The product has bit 8*k of the word at bit 63-k, and no two at one.
		x := le.Uint64(src) & 0x0101010101010101
		dst[0] = byte(x * 0x8040201008040201 >> 56)
	}
	return 8 * n
}

func unpack2(dst, src []byte) int {
	n := len(dst) / 8
	for ; len(dst) >= 8 && len(src) >= 2; dst, src = dst[8:], src[2:] {
		x := uint64(be.Uint16(src))
		x = (x | x<<24) & 0x000000ff000000ff
		x = (x | x<<12) & 0x000f000f000f000f
		x = (x | x<<6) & 0x0303030303030303
		be.PutUint64(dst, x)
	}
	return 8 * n
}

func pack2(dst, src []byte) int {
	n := len(src) / 8
	for ; len(src) >= 8 && len(dst) >= 2; dst, src = dst[2:], src[8:] {
		x := be.Uint64(src) & 0x0303030303030303
		x = (x | x>>6) & 0x000f000f000f000f
		x = (x | x>>12) & 0x000000ff000000ff
		be.PutUint16(dst, uint16(x|x>>24))
	}
	return 8 * n
}

func unpack4(dst, src []byte) int {
	n := len(dst) / 8
	for ; len(dst) >= 8 && len(src) >= 4; dst, src = dst[8:], src[4:] {
		x := uint64(be.Uint32(src))
		x = (x | x<<16) & 0x0000ffff0000ffff
		x = (x | x<<8) & 0x00ff00ff00ff00ff
		x = (x | x<<4) & 0x0f0f0f0f0f0f0f0f
		be.PutUint64(dst, x)
	}
	return 8 * n
}

func pack4(dst, src []byte) int {
	n := len(src) / 8
	for ; len(src) >= 8 && len(dst) >= 4; dst, src = dst[4:], src[8:] {
		x := be.Uint64(src) & 0x0f0f0f0f0f0f0f0f
		x = (x | x>>4) & 0x00ff00ff00ff00ff
		x = (x | x>>8) & 0x0000ffff0000ffff
		be.PutUint32(dst, uint32(x|x>>16))
	}
	return 8 * n
}

// unpack12 reads two bytes more than it uses.
func unpack12(dst, src []byte) int {
	n := 0
	for ; len(dst) >= 8 && len(src) >= 8; n += 4 {
		x := be.Uint64(src)
		le.PutUint64(dst, x>>52|x>>40&0xfff<<16|x>>28&0xfff<<32|x>>16&0xfff<<48)
		dst, src = dst[8:], src[6:]
	}
	return n
}

func pack12(dst, src []byte) int {
	n := 0
	for ; len(src) >= 8 && len(dst) >= 6; n += 4 {
		x := le.Uint64(src)
		x = x&0xfff<<36 | x>>16&0xfff<<24 | x>>32&0xfff<<12 | x>>48&0xfff
		be.PutUint32(dst, uint32(x>>16))
		be.PutUint16(dst[4:], uint16(x))
		dst, src = dst[6:], src[8:]
	}
	return n
}
