package jpeg

// Without vectors, two columns or rows are transformed at once as the halves of
// an int64: a pair is low + high<<32, where low may be negative. Sums, differences
// and products with constants of pairs are pairs. Blocks whose values might need
// the limits of inverseWide are left to it.
const (
	pair = 1<<32 | 1

	// What columns give must stay within 14 bits and sign: then no sum of two
	// values wraps around, neither here nor, the transform being orthogonal,
	// before, and what rows give stays in its half.
	columnBias  = 1 << (14 + pass1Bits) * pair
	columnMask  = (1<<15 - 1) * pair
	columnRange = ^(1<<(15+pass1Bits) - 1) & (1<<32 - 1) * pair

	// Samples are 128 more than what rows give. With rowOffset more they are
	// positive; its bits and those of the sample are all that may be set then.
	rowOffset = 1 << 12
	rowBias   = (rowOffset + 128) << pass2Bits * pair
	rowRange  = 0x3f00 << pass2Bits * pair
	rowGood   = rowOffset << pass2Bits * pair
)

// inverseGo dequantises and transforms a block into samples. Where the upper half
// of the coefficients is zero, as it mostly is, half the work is left out.
func inverseGo(dst []byte, stride int, b *[blockSize]int16, q *[blockSize]uint16) {
	var w [blockSize / 2]int64 // pairs of rows
	over, right := uint64(0), int16(0)
	for x := 0; x < 8; x += 2 {
		high := b[32+x] | b[40+x] | b[48+x] | b[56+x] | b[33+x] | b[41+x] | b[49+x] | b[57+x]
		ac := b[8+x] | b[16+x] | b[24+x] | b[9+x] | b[17+x] | b[25+x] | high
		if x >= 4 {
			right |= ac | b[x] | b[x+1]
		}
		d0 := loadPair(b, q, x)
		if ac == 0 && d0 == 0 {
			continue
		}
		d1, d2, d3 := loadPair(b, q, 8+x), loadPair(b, q, 16+x), loadPair(b, q, 24+x)
		var e0, e1, e2, e3, o0, o1, o2, o3 int64
		if high == 0 {
			e0, e1, e2, e3, o0, o1, o2, o3 = transformLow(d0, d1, d2, d3, columnBias+1<<(pass1Bits-1)*pair)
		} else {
			d4, d5, d6, d7 := loadPair(b, q, 32+x), loadPair(b, q, 40+x), loadPair(b, q, 48+x), loadPair(b, q, 56+x)
			e0, e1, e2, e3, o0, o1, o2, o3 = transform(d0+d4, d0-d4, d1, d2, d3, d5, d6, d7,
				d7+d3, d5+d1, columnBias+1<<(pass1Bits-1)*pair)
		}
		over |= storePairs(&w, x, e0+o3, e1+o2) | storePairs(&w, 8+x, e2+o1, e3+o0) |
			storePairs(&w, 16+x, e3-o0, e2-o1) | storePairs(&w, 24+x, e1-o2, e0-o3)
	}
	if over != 0 {
		inverseWide(dst, stride, b, q)
		return
	}
	for y := 0; y < 8; y += 2 {
		r := w[4*y:][:8]
		var e0, e1, e2, e3, o0, o1, o2, o3 int64
		if right == 0 {
			e0, e1, e2, e3, o0, o1, o2, o3 = transformLow(r[0], r[1], r[2], r[3], rowBias+1<<(pass2Bits-1)*pair)
		} else {
			e0, e1, e2, e3, o0, o1, o2, o3 = transform(r[0]+r[4], r[0]-r[4], r[1], r[2], r[3], r[5], r[6], r[7],
				r[7]+r[3], r[5]+r[1], rowBias+1<<(pass2Bits-1)*pair)
		}
		s, t := dst[y*stride:][:8], dst[y*stride+stride:][:8]
		s[0], t[0] = samplePair(e0 + o3)
		s[1], t[1] = samplePair(e1 + o2)
		s[2], t[2] = samplePair(e2 + o1)
		s[3], t[3] = samplePair(e3 + o0)
		s[4], t[4] = samplePair(e3 - o0)
		s[5], t[5] = samplePair(e2 - o1)
		s[6], t[6] = samplePair(e1 - o2)
		s[7], t[7] = samplePair(e0 - o3)
	}
}

// loadPair dequantises coefficients i and i+1.
func loadPair(b *[blockSize]int16, q *[blockSize]uint16, i int) int64 {
	return int64(b[i]*int16(q[i])) + int64(b[i+1]*int16(q[i+1]))<<32
}

// transformLow is transform for coefficients of which the last four are zero.
func transformLow(d0, d1, d2, d3, half int64) (e0, e1, e2, e3, o0, o1, o2, o3 int64) {
	t0 := d0<<fixBits + half
	t2, t3 := d2*fix0541, d2*(fix0541+fix0765)
	return t0 + t3, t0 + t2, t0 - t2, t0 - t3,
		d1*(fix1175-fix0899) + d3*(fix1175-fix1961),
		d1*(fix1175-fix0390) + d3*(fix1175-fix2562),
		d1*fix1175 + d3*(fix3072-fix2562+fix1175-fix1961),
		d1*(fix1501-fix0899+fix1175-fix0390) + d3*fix1175
}

// storePairs takes two rows of a pair of columns, and stores them as pairs of
// rows. What it returns is not 0 if a value is too large.
func storePairs(w *[blockSize / 2]int64, i int, upper, lower int64) uint64 {
	u, l := upper>>pass1Bits&columnMask, lower>>pass1Bits&columnMask
	const bias = columnBias >> pass1Bits
	w[i&31] = u&(1<<32-1) | l<<32 - bias
	w[(i+1)&31] = u>>32 | l&^(1<<32-1) - bias
	return (uint64(upper) | uint64(lower)) & columnRange
}

// samplePair gives the two samples of a pair.
func samplePair(v int64) (s, t uint8) {
	if uint64(v)&rowRange != rowGood {
		return clampLarge(v), clampLarge(v >> 32)
	}
	return uint8(v >> pass2Bits), uint8(v >> (32 + pass2Bits))
}

// clampLarge limits the sample in the lower half.
func clampLarge(v int64) uint8 {
	return clampByte(int32(uint32(v)>>pass2Bits) - rowOffset)
}
