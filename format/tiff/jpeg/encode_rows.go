package jpeg

// fillRows brings the samples of row y of MCUs into the components. Columns
// beyond the image repeat its last one before downsampling, rows beyond it
// repeat the last after downsampling, except those that share a sample of
// chroma with the last row of the image: libjpeg does it in this way.
func (e *encoder) fillRows(y int) {
	if !e.rgb {
		for c := range e.count {
			k := &e.sources[c]
			for r := range 8 {
				row := min(8*y+r, e.src.Height-1)
				extendRow(k.rows[r*k.stride:][:k.stride], e.src.row(c, row))
			}
		}
		return
	}
	for r := range 8 {
		first := (8*y + r) * e.v
		if first >= e.src.Height {
			for c := range e.sources[:3] {
				k := &e.sources[c]
				last := k.rows[(r*k.v-1)*k.stride:][:k.stride]
				for i := range k.v {
					copy(k.rows[(r*k.v+i)*k.stride:], last)
				}
			}
			continue
		}
		for i := range e.v {
			e.convertRow(min(first+i, e.src.Height-1), r, i)
		}
		if e.h*e.v > 1 {
			for i, full := range e.full {
				k := &e.sources[1+i]
				downsample(k.rows[r*k.stride:][:k.stride], full, e.fullStride, e.h, e.v)
			}
		}
	}
}

// row returns row y of plane c.
func (p *Planes) row(c, y int) []byte {
	return p.Data[c][y*p.Stride:][:p.Width]
}

// convertRow converts row y of the image, which is the i-th of those that share
// row r of chroma, and widens it to whole blocks.
func (e *encoder) convertRow(y, r, i int) {
	k := &e.sources[0]
	luma := k.rows[(r*k.v+i)*k.stride:][:k.stride]
	var blue, red []byte
	if e.h*e.v > 1 {
		blue = e.full[0][i*e.fullStride:][:e.fullStride]
		red = e.full[1][i*e.fullStride:][:e.fullStride]
	} else {
		b, r2 := &e.sources[1], &e.sources[2]
		blue = b.rows[r*b.stride:][:b.stride]
		red = r2.rows[r*r2.stride:][:r2.stride]
	}
	w := e.src.Width
	toYCbCr(luma[:w], blue[:w], red[:w], e.src.row(0, y), e.src.row(1, y), e.src.row(2, y))
	repeatLast(luma, w)
	repeatLast(blue, w)
	repeatLast(red, w)
}

// extendRow copies src to dst, and fills up dst with its last sample.
func extendRow(dst, src []byte) {
	repeatLast(dst, copy(dst, src))
}

// repeatLast sets what follows the first n samples to the last of them.
func repeatLast(row []byte, n int) {
	last := row[n-1]
	rest := row[n:]
	for i := range rest {
		rest[i] = last
	}
}

// The weights of red, green and blue in luma and chroma (ITU-R BT.601, full
// range), as fractions of 1<<16. Both weights of 0.5 are shifts by 15.
const (
	lumaRed, lumaGreen, lumaBlue = 19595, 38470, 7471
	blueRed, blueGreen           = 11059, 21709
	redGreen, redBlue            = 27439, 5329

	lumaRound   = 1 << 15
	chromaRound = 128<<16 + 1<<15 - 1 // a half would make 256 of the bluest blue
)

// toYCbCr converts rows of the same length.
func toYCbCr(y, cb, cr, r, g, b []byte) {
	n := len(y)
	cb, cr, r, g, b = cb[:n], cr[:n], r[:n], g[:n], b[:n]
	for i := range y {
		red, green, blue := int32(r[i]), int32(g[i]), int32(b[i])
		y[i] = byte((lumaRed*red + lumaGreen*green + lumaBlue*blue + lumaRound) >> 16)
		cb[i] = byte((blue<<15 - blueRed*red - blueGreen*green + chromaRound) >> 16)
		cr[i] = byte((red<<15 - redGreen*green - redBlue*blue + chromaRound) >> 16)
	}
}

// downsample sets dst to the averages of h by v samples. Where these come out
// halfway between two values, the commonest shapes round up and down by turns,
// lest the image become brighter.
func downsample(dst, src []byte, stride, h, v int) {
	switch {
	case h == 2 && v == 1:
		src = src[:2*len(dst)]
		for i := range dst {
			s := src[2*i : 2*i+2 : 2*i+2]
			dst[i] = byte((uint32(s[0]) + uint32(s[1]) + uint32(i&1)) >> 1)
		}
	case h == 2 && v == 2:
		above, below := src[:2*len(dst)], src[stride:][:2*len(dst)]
		for i := range dst {
			a, b := above[2*i:2*i+2:2*i+2], below[2*i:2*i+2:2*i+2]
			dst[i] = byte((uint32(a[0]) + uint32(a[1]) + uint32(b[0]) + uint32(b[1]) + 1 + uint32(i&1)) >> 2)
		}
	case h == 1 && v == 2:
		above, below := src[:len(dst)], src[stride:][:len(dst)]
		for i := range dst {
			dst[i] = byte((uint32(above[i]) + uint32(below[i]) + 1) >> 1)
		}
	default: // h == 4 && v == 1
		src = src[:4*len(dst)]
		for i := range dst {
			s := src[4*i : 4*i+4 : 4*i+4]
			dst[i] = byte((uint32(s[0]) + uint32(s[1]) + uint32(s[2]) + uint32(s[3]) + 2) >> 2)
		}
	}
}
