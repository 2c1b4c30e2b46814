package pixel

// Undelta undoes predictor 2 in a row of pixels, in place: it adds to every sample
// that of the pixel before it. A sample has size bytes, 1, 2, 4 or 8, and a pixel
// that many samples side by side. Sums wrap around. What follows the last whole
// sample stays as it is.
func Undelta(row []byte, samples, size int) {
	checkDelta(samples, size)
	row = row[:len(row)&-size]
	if samples >= len(row)/size {
		return
	}
	stride := samples * size
	if done := undeltaFast(row, stride, size); done > 0 {
		row = row[done-stride:]
	}
	undelta(row, stride, size)
}

// Delta does predictor 2 in a row of pixels, in place: it subtracts from every
// sample that of the pixel before it, as Undelta undoes.
func Delta(row []byte, samples, size int) {
	checkDelta(samples, size)
	row = row[:len(row)&-size]
	if samples >= len(row)/size {
		return
	}
	stride := samples * size
	row = row[:len(row)-deltaFast(row, stride, size)]
	delta(row, stride, size)
}

func checkDelta(samples, size int) {
	if samples < 1 {
		mistake("predictor 2 with %d samples", samples)
	}
	switch size {
	case 1, 2, 4, 8:
	default:
		mistake("predictor 2 of samples of %d bytes", size)
	}
}

// undelta is Undelta of pixels of stride bytes. Sums stay in registers where a pixel
// is small: added up in memory, each would wait for the one before to be stored.
func undelta(row []byte, stride, size int) {
	switch {
	case stride == size:
		undeltaOne(row, size)
	case stride == 2:
		undeltaPairs(row)
	case stride == 3:
		undeltaThrees(row)
	case stride == 6 && size == 2:
		undeltaWideThrees(row)
	case stride == 4:
		undeltaFours(row, size)
	case stride < 8:
		for i := stride; i < len(row); i++ {
			row[i] += row[i-stride]
		}
	default:
		undeltaWords(row, stride, size)
	}
}

// undeltaOne adds up one sample a pixel.
func undeltaOne(row []byte, size int) {
	switch size {
	case 1:
		sum := byte(0)
		for i := range row {
			sum += row[i]
			row[i] = sum
		}
	case 2:
		for sum := uint16(0); len(row) >= 2; row = row[2:] {
			sum += le.Uint16(row)
			le.PutUint16(row, sum)
		}
	case 4:
		for sum := uint32(0); len(row) >= 4; row = row[4:] {
			sum += le.Uint32(row)
			le.PutUint32(row, sum)
		}
	default:
		for sum := uint64(0); len(row) >= 8; row = row[8:] {
			sum += le.Uint64(row)
			le.PutUint64(row, sum)
		}
	}
}

// undeltaPairs adds up two samples of one byte.
func undeltaPairs(row []byte) {
	var a, b byte
	for ; len(row) >= 2; row = row[2:] {
		a += row[0]
		b += row[1]
		row[0], row[1] = a, b
	}
	if len(row) > 0 {
		row[0] += a
	}
}

// undeltaThrees adds up three samples of one byte, four pixels at a time.
func undeltaThrees(row []byte) {
	var a, b, c byte
	for ; len(row) >= 12; row = row[12:] {
		p := (*[12]byte)(row)
		a, b, c = a+p[0], b+p[1], c+p[2]
		p[0], p[1], p[2] = a, b, c
		a, b, c = a+p[3], b+p[4], c+p[5]
		p[3], p[4], p[5] = a, b, c
		a, b, c = a+p[6], b+p[7], c+p[8]
		p[6], p[7], p[8] = a, b, c
		a, b, c = a+p[9], b+p[10], c+p[11]
		p[9], p[10], p[11] = a, b, c
	}
	for i := range row {
		a += row[i]
		row[i] = a
		a, b, c = b, c, a
	}
}

// undeltaWideThrees adds up three samples of two bytes.
func undeltaWideThrees(row []byte) {
	var a, b, c uint16
	for ; len(row) >= 6; row = row[6:] {
		a, b, c = a+le.Uint16(row), b+le.Uint16(row[2:]), c+le.Uint16(row[4:])
		le.PutUint16(row, a)
		le.PutUint16(row[2:], b)
		le.PutUint16(row[4:], c)
	}
	for ; len(row) >= 2; row = row[2:] {
		a += le.Uint16(row)
		le.PutUint16(row, a)
		a, b, c = b, c, a
	}
}

// undeltaFours adds up the samples of pixels of four bytes.
func undeltaFours(row []byte, size int) {
	high := highBits(size)
	sum := uint64(0)
	for ; len(row) >= 4; row = row[4:] {
		sum = add(sum, uint64(le.Uint32(row)), high)
		le.PutUint32(row, uint32(sum))
	}
	var rest [8]byte
	copy(rest[:], row)
	le.PutUint64(rest[:], add(sum, le.Uint64(rest[:]), high))
	copy(row, rest[:])
}

// undeltaWords adds up pixels of at least eight bytes, eight bytes at a time.
func undeltaWords(row []byte, stride, size int) {
	high := highBits(size)
	i := 0
	for n := len(row) - stride; i+8 <= n; i += 8 {
		le.PutUint64(row[i+stride:], add(le.Uint64(row[i+stride:]), le.Uint64(row[i:]), high))
	}
	var a, b [8]byte
	copy(b[:], row[i:len(row)-stride])
	rest := row[i+stride:]
	copy(a[:], rest)
	le.PutUint64(a[:], add(le.Uint64(a[:]), le.Uint64(b[:]), high))
	copy(rest, a[:])
}

// delta is Delta, from the end on, since what it subtracts must still be there.
func delta(row []byte, stride, size int) {
	high := highBits(size)
	i := len(row) - stride
	for ; i >= 8; i -= 8 {
		le.PutUint64(row[i+stride-8:], sub(le.Uint64(row[i+stride-8:]), le.Uint64(row[i-8:]), high))
	}
	if i <= 0 {
		return
	}
	var a, b [8]byte
	copy(b[:], row[:i])
	rest := row[stride:][:i]
	copy(a[:], rest)
	le.PutUint64(a[:], sub(le.Uint64(a[:]), le.Uint64(b[:]), high))
	copy(rest, a[:])
}
