package pixel

// The definitions of what the package does, sample by sample.

// number is the little-endian number in b.
func number(b []byte) (v uint64) {
	for i, x := range b {
		v |= uint64(x) << (8 * i)
	}
	return v
}

func setNumber(b []byte, v uint64) {
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
}

func modelUndelta(row []byte, samples, size int) {
	for i := samples; i < len(row)/size; i++ {
		e, before := row[i*size:][:size], row[(i-samples)*size:][:size]
		setNumber(e, number(e)+number(before))
	}
}

func modelDelta(row []byte, samples, size int) {
	for i := len(row)/size - 1; i >= samples; i-- {
		e, before := row[i*size:][:size], row[(i-samples)*size:][:size]
		setNumber(e, number(e)-number(before))
	}
}

func modelUnfloat(dst, src []byte, samples, size int) {
	for i := samples; i < len(src); i++ {
		src[i] += src[i-samples]
	}
	n := len(src) / size
	for i := range n {
		for j := range size {
			dst[i*size+j] = src[(size-1-j)*n+i]
		}
	}
}

func modelFloat(dst, src []byte, samples, size int) {
	n := len(src) / size
	for i := range n {
		for j := range size {
			dst[(size-1-j)*n+i] = src[i*size+j]
		}
	}
	modelDelta(dst, samples, 1)
}

func modelSplit(dst [][]byte, src []byte, size int) {
	for i := range len(src) / size {
		copy(dst[i%len(dst)][i/len(dst)*size:], src[i*size:][:size])
	}
}

func modelJoin(dst []byte, src [][]byte, size int) {
	for i := range len(dst) / size {
		copy(dst[i*size:], src[i%len(src)][i/len(src)*size:][:size])
	}
}

func modelSwap(b []byte, size int) {
	for ; len(b) >= size; b = b[size:] {
		for i := range size / 2 {
			b[i], b[size-1-i] = b[size-1-i], b[i]
		}
	}
}

func modelUnpack(dst, src []byte, bits, size int) {
	for i := range len(dst) / size {
		v := uint64(0)
		for at := i * bits; at < (i+1)*bits; at++ {
			v = v<<1 | uint64(src[at/8]>>(7-at%8)&1)
		}
		setNumber(dst[i*size:][:size], v)
	}
}

func modelPack(dst, src []byte, bits, size int) {
	n := len(src) / size
	clear(dst[:(n*bits+7)/8])
	for at := range n * bits {
		i, bit := at/bits, bits-1-at%bits
		dst[at/8] |= src[i*size+bit/8] >> (bit % 8) & 1 << (7 - at%8)
	}
}
