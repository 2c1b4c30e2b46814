package jpeg

// The cosines of the forward transform, in 13 bits of fraction. They are those
// of the fast algorithm of Loeffler, Ligtenberg and Moschytz, rounded one by
// one: what matters is not that they are near to the true cosines, but that
// their sums are the very ones of libjpeg's accurate integer transform.
const (
	cosBits = 13
	keep    = 2 // bits of fraction that the rows leave for the columns

	cos0298 = 2446
	cos0390 = 3196
	cos0541 = 4433
	cos0765 = 6270
	cos0899 = 7373
	cos1175 = 9633
	cos1501 = 12299
	cos1847 = 15137
	cos1961 = 16069
	cos2053 = 16819
	cos2562 = 20995
	cos3072 = 25172
)

// forwardDCT transforms the block at the beginning of src. The frequencies come
// out row by row, eight times as large as the standard has them.
func forwardDCT(freq *[64]int32, src []byte, stride int) {
	for i := range 8 {
		s := (*[8]byte)(src[i*stride:])
		f := (*[8]int32)(freq[8*i:])

		// The pairs from the outside in: their sums make up the even
		// frequencies, their differences the odd ones.
		s0, d0 := int32(s[0])+int32(s[7]), int32(s[0])-int32(s[7])
		s1, d1 := int32(s[1])+int32(s[6]), int32(s[1])-int32(s[6])
		s2, d2 := int32(s[2])+int32(s[5]), int32(s[2])-int32(s[5])
		s3, d3 := int32(s[3])+int32(s[4]), int32(s[3])-int32(s[4])

		// Samples are signed, 128 less than they are stored. Only the sum of
		// all of them knows of that.
		f[0] = (s0 + s3 + s1 + s2 - 8*128) << keep
		f[4] = (s0 + s3 - s1 - s2) << keep
		const half, shift = 1 << (cosBits - keep - 1), cosBits - keep
		f2, f6 := even(s0-s3, s1-s2, half)
		f[2], f[6] = f2>>shift, f6>>shift
		f1, f3, f5, f7 := odd(d0, d1, d2, d3, half)
		f[1], f[3], f[5], f[7] = f1>>shift, f3>>shift, f5>>shift, f7>>shift
	}
	for i := range 8 {
		f := (*[57]int32)(freq[i:])
		s0, d0 := f[0]+f[56], f[0]-f[56]
		s1, d1 := f[8]+f[48], f[8]-f[48]
		s2, d2 := f[16]+f[40], f[16]-f[40]
		s3, d3 := f[24]+f[32], f[24]-f[32]

		f[0] = (s0 + s3 + s1 + s2 + 1<<(keep-1)) >> keep
		f[32] = (s0 + s3 - s1 - s2 + 1<<(keep-1)) >> keep
		const half, shift = 1 << (cosBits + keep - 1), cosBits + keep
		f2, f6 := even(s0-s3, s1-s2, half)
		f[16], f[48] = f2>>shift, f6>>shift
		f1, f3, f5, f7 := odd(d0, d1, d2, d3, half)
		f[8], f[24], f[40], f[56] = f1>>shift, f3>>shift, f5>>shift, f7>>shift
	}
}

// even returns frequencies 2 and 6, of the outer and the inner difference of
// sums. half is what rounding adds.
func even(outer, inner, half int32) (f2, f6 int32) {
	z := (outer+inner)*cos0541 + half
	return z + outer*cos0765, z - inner*cos1847
}

// odd returns the odd frequencies, of the differences from the outermost pair
// to the innermost.
func odd(d0, d1, d2, d3, half int32) (f1, f3, f5, f7 int32) {
	z := (d0+d1+d2+d3)*cos1175 + half
	z13 := z - (d1+d3)*cos1961
	z02 := z - (d0+d2)*cos0390
	z03 := (d0 + d3) * cos0899
	z12 := (d1 + d2) * cos2562
	return d0*cos1501 - z03 + z02,
		d1*cos3072 - z12 + z13,
		d2*cos2053 - z12 + z02,
		d3*cos0298 - z03 + z13
}

// quantizer divides by the steps of a quantisation table. All is in the order
// of a stream.
type quantizer struct {
	half    [64]uint32 // of the step, which rounding adds
	inverse [64]uint32 // of the step, in 32 bits of fraction, rounded up
}

// set makes q ready for a table. The steps are eight times those of the
// table, since frequencies are eight times too large.
func (q *quantizer) set(table [64]uint8) {
	for k, i := range zigzag {
		step := 8 * uint32(table[i])
		q.half[k] = step / 2
		q.inverse[k] = uint32((1<<32-1)/uint64(step)) + 1
	}
}

// quantize sets values to the quotients of freq, rounded, halves away from
// zero. Bit k of nonzero says whether values[k] is not zero.
//
// The product with the inverse is the exact quotient: what is divided is less
// than 1<<14, and the inverse is too large by less than 1 in 1<<21.
func (q *quantizer) quantize(values, freq *[64]int32) (nonzero uint64) {
	for k, i := range zigzag {
		f := freq[i&63]
		sign := f >> 31
		n := uint32((f^sign)-sign) + q.half[k]
		v := uint32(uint64(n) * uint64(q.inverse[k]) >> 32)
		values[k] = (int32(v) ^ sign) - sign
		nonzero |= uint64(-v>>31) << k
	}
	return nonzero
}
