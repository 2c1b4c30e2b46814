package jpeg

// The inverse transform is libjpeg's accurate integer one ("islow"), with the 16
// bits for values between its steps that its vector versions have: sums wrap
// around and results saturate there, which only blocks with impossible
// coefficients notice. The constants are cosines with 13 bits of fraction.
const (
	fix0298 = 2446
	fix0390 = 3196
	fix0541 = 4433
	fix0765 = 6270
	fix0899 = 7373
	fix1175 = 9633
	fix1501 = 12299
	fix1847 = 15137
	fix1961 = 16069
	fix2053 = 16819
	fix2562 = 20995
	fix3072 = 25172

	fixBits   = 13
	passBits  = 2 // of fraction that the columns leave for the rows
	pass1Bits = fixBits - passBits
	pass2Bits = fixBits + passBits + 3
)

// inverseFlat transforms a block of which only the first coefficient is set.
func inverseFlat(dst []byte, stride int, dc int16, q uint16) {
	w := dc * int16(q) << passBits
	v := uint64(clampSample((int32(w)+1<<(pass2Bits-fixBits-1))>>(pass2Bits-fixBits))) * 0x0101010101010101
	for y := range 8 {
		putUint64(dst[y*stride:], v)
	}
}

// inverseWide dequantises and transforms a block into samples, columns first,
// then rows. This is the definition; inverseGo does the same in half the time.
func inverseWide(dst []byte, stride int, b *[blockSize]int16, q *[blockSize]uint16) {
	var d, w [blockSize]int32
	wrap := func(v int32) int32 { return int32(int16(v)) }
	below := int16(0)
	for i, v := range b {
		d[i] = int32(v * int16(q[i]))
		if i >= 8 {
			below |= v
		}
	}
	for x := range 8 {
		if below == 0 { // rows are alike, and do not saturate
			for y := range 8 {
				w[8*y+x] = wrap(d[x] << passBits)
			}
			continue
		}
		e0, e1, e2, e3, o0, o1, o2, o3 := transform(wrap(d[x]+d[32+x]), wrap(d[x]-d[32+x]), d[8+x], d[16+x], d[24+x], d[40+x], d[48+x], d[56+x],
			wrap(d[56+x]+d[24+x]), wrap(d[40+x]+d[8+x]), 1<<(pass1Bits-1))
		for y, v := range [8]int32{e0 + o3, e1 + o2, e2 + o1, e3 + o0, e3 - o0, e2 - o1, e1 - o2, e0 - o3} {
			w[8*y+x] = min(max(v>>pass1Bits, -1<<15), 1<<15-1)
		}
	}
	for y := range 8 {
		r := w[8*y:][:8]
		e0, e1, e2, e3, o0, o1, o2, o3 := transform(wrap(r[0]+r[4]), wrap(r[0]-r[4]), r[1], r[2], r[3], r[5], r[6], r[7],
			wrap(r[7]+r[3]), wrap(r[5]+r[1]), 1<<(pass2Bits-1))
		for x, v := range [8]int32{e0 + o3, e1 + o2, e2 + o1, e3 + o0, e3 - o0, e2 - o1, e1 - o2, e0 - o3} {
			dst[y*stride+x] = clampSample(v >> pass2Bits)
		}
	}
}

// transform transforms eight coefficients: the sum and the difference of 0 and 4,
// the others, and the sums of 7 and 3 and of 5 and 1. It gives what the eight
// values are sums and differences of, the parts of the even and of the odd
// coefficients, with half added for rounding.
func transform[T int32 | int64](sum, diff, d1, d2, d3, d5, d6, d7, sum73, sum51, half T) (e0, e1, e2, e3, o0, o1, o2, o3 T) {
	z1 := (d2 + d6) * fix0541
	t2, t3 := z1-d6*fix1847, z1+d2*fix0765
	t0, t1 := sum<<fixBits+half, diff<<fixBits+half

	z1, z2 := -fix0899*(d7+d1), -fix2562*(d5+d3)
	z5 := (sum73 + sum51) * fix1175
	z3, z4 := z5-sum73*fix1961, z5-sum51*fix0390
	return t0 + t3, t1 + t2, t1 - t2, t0 - t3,
		d7*fix0298 + z1 + z3, d5*fix2053 + z2 + z4, d3*fix3072 + z2 + z3, d1*fix1501 + z1 + z4
}

// clampSample makes a sample of a value around 0.
func clampSample(v int32) uint8 {
	v += 128
	if uint32(v) > 255 {
		v = ^v >> 31
	}
	return uint8(v)
}
