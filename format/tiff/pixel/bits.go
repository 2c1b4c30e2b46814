package pixel

// Unpack fills dst with integers of size bytes, 1, 2 or 4, little-endian, whose
// values stand in src with so many bits each, 1 to 31, the most significant first
// and nothing between them. They fit into size bytes, dst is a whole number of
// them, and src holds at least as many; it shares no memory with dst.
func Unpack(dst, src []byte, bits, size int) {
	src = src[:checkPacked(dst, src, bits, size)]
	done := unpackFast(dst, src, bits, size) // values, a whole number of bytes of src
	dst, src = dst[done*size:], src[done*bits/8:]
	done = 0
	switch {
	case bits == 1 && size == 1:
		done = unpack1(dst, src)
	case bits == 2 && size == 1:
		done = unpack2(dst, src)
	case bits == 4 && size == 1:
		done = unpack4(dst, src)
	case bits == 12 && size == 2:
		done = unpack12(dst, src)
	}
	unpack(dst[done*size:], src[done*bits/8:], bits, size)
}

// Pack undoes Unpack: it puts the lowest bits of the integers in src into dst, one
// behind the other, and zeros into what is left of the last byte. dst holds them
// at least; what follows stays as it is.
func Pack(dst, src []byte, bits, size int) {
	dst = dst[:checkPacked(src, dst, bits, size)]
	done := 0
	switch {
	case bits == 1 && size == 1:
		done = pack1(dst, src)
	case bits == 2 && size == 1:
		done = pack2(dst, src)
	case bits == 4 && size == 1:
		done = pack4(dst, src)
	case bits == 12 && size == 2:
		done = pack12(dst, src)
	}
	pack(dst[done*bits/8:], src[done*size:], bits, size)
}

// checkPacked returns how many bytes the packed values take.
func checkPacked(values, packed []byte, bits, size int) int {
	switch size {
	case 1, 2, 4:
	default:
		mistake("%d bits in integers of %d bytes", bits, size)
	}
	if bits < 1 || bits > 31 || bits > 8*size {
		mistake("%d bits in integers of %d bytes", bits, size)
	}
	n := len(values) / size
	need := n/8*bits + (n%8*bits+7)/8
	if len(values)%size != 0 || len(packed) < need {
		mistake("%d bytes for values of %d bits, %d bytes for them in integers of %d", len(packed), bits, len(values), size)
	}
	return need
}

// unpack does any number of bits, each value from a word of its own.
func unpack(dst, src []byte, bits, size int) {
	n := len(dst) / size
	// A value begins in one of the first bytes that have seven behind them, or in
	// the last seven.
	near := 0
	if len(src) >= 8 {
		near = min(n, (8*(len(src)-8)+7)/bits+1)
		unpackWords(dst[:near*size], src, 0, bits, size)
	}
	if near == n {
		return
	}
	var last [16]byte
	at := near * bits
	copy(last[:], src[at/8:])
	unpackWords(dst[near*size:], last[:], at%8, bits, size)
}

// unpackWords does values that begin at bit at of src and have eight bytes from
// their first one on.
func unpackWords(dst, src []byte, at, bits, size int) {
	right := uint(64 - bits)
	switch size {
	case 1:
		for i := range dst {
			dst[i] = byte(be.Uint64(src[at/8:]) << (at % 8) >> right)
			at += bits
		}
	case 2:
		for ; len(dst) >= 2; dst = dst[2:] {
			le.PutUint16(dst, uint16(be.Uint64(src[at/8:])<<(at%8)>>right))
			at += bits
		}
	default:
		for ; len(dst) >= 4; dst = dst[4:] {
			le.PutUint32(dst, uint32(be.Uint64(src[at/8:])<<(at%8)>>right))
			at += bits
		}
	}
}

// pack does any number of bits through a word that is written by halves.
func pack(dst, src []byte, bits, size int) {
	mask := uint64(1)<<bits - 1
	word, held := uint64(0), 0 // the lowest bits of word are still to be written
	for ; len(src) >= size; src = src[size:] {
		var v uint64
		switch size {
		case 1:
			v = uint64(src[0])
		case 2:
			v = uint64(le.Uint16(src))
		default:
			v = uint64(le.Uint32(src))
		}
		word = word<<bits | v&mask
		if held += bits; held >= 32 {
			held -= 32
			be.PutUint32(dst, uint32(word>>held))
			dst = dst[4:]
		}
	}
	word <<= 32 - held
	for i := range dst {
		dst[i] = byte(word >> (24 - 8*i))
	}
}
