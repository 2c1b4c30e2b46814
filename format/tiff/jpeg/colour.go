package jpeg

// Fixed-point factors of the conversion from YCbCr, with 16 bits of fraction.
const (
	redCr    = 91881
	greenCb  = -22554
	greenCr  = -46802
	blueCb   = 116130
	halfUnit = 1 << 15
)

// A pixel is converted in one word: green with its fraction in the lower half,
// red in bits 32 to 47, and blue above, each with 256 added so that sums are
// never negative. A sum that is no sample then shows in the two bits above.
const (
	colourOnes  = 1<<48 | 1<<32 | 1<<16
	colourRange = 0x300 * colourOnes
	colourGood  = 0x100 * colourOnes
)

// colourCb and colourCr hold what the values of the two components add.
var colourCb, colourCr = func() (cb, cr [256]uint64) {
	for i := range cb {
		v := int64(i) - 128
		cb[i] = uint64((v*blueCb+halfUnit)>>16<<48 + v*greenCb)
		cr[i] = uint64((v*redCr+halfUnit)>>16<<32 + v*greenCr + halfUnit + colourGood)
	}
	return cb, cr
}()

// colourGo converts a row of YCbCr to RGB.
func colourGo(r, g, b, y, cb, cr []byte) {
	n := len(r)
	g, b, y, cb, cr = g[:n], b[:n], y[:n], cb[:n], cr[:n]
	for i := range r {
		v := uint64(y[i])*colourOnes + colourCb[cb[i]] + colourCr[cr[i]]
		if v&colourRange == colourGood {
			r[i], g[i], b[i] = uint8(v>>32), uint8(v>>16), uint8(v>>48)
		} else {
			r[i], g[i], b[i] = clampLane(v>>32), clampLane(v>>16), clampLane(v>>48)
		}
	}
}

// clampLane limits the value in the lower bits of v, with 256 added.
func clampLane(v uint64) uint8 { return clampByte(int32(v&0x3ff) - 256) }

// clampByte limits v to 0 to 255.
func clampByte(v int32) uint8 { return uint8(min(max(v, 0), 255)) }
