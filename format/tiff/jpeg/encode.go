package jpeg

import (
	"fmt"
	"sync"
)

// EncodeOptions says how AppendEncode encodes. The zero value is quality 75
// without colour conversion, in a stream that has its tables.
type EncodeOptions struct {
	Quality     int    // 1 to 100 as libjpeg's quality; 0 is 75
	Subsampling [2]int // samples of a plane, across and down, for one of chroma: 1x1, 2x1, 2x2, 1x2 or 4x1; only with RGB; zero is 2x2
	RGB         bool   // the three planes are red, green and blue, and are stored as YCbCr
	Abbreviated bool   // leave out the tables; AppendTables gives them
}

// quality returns the quality that is meant, within bounds.
func (o *EncodeOptions) quality() int {
	if o.Quality == 0 {
		return 75
	}
	return min(max(o.Quality, 1), 100)
}

// AppendEncode appends src to dst as a baseline JPEG stream, such as libjpeg
// writes it for TIFF: without JFIF or Adobe headers, and with the standard
// Huffman tables. Each byte is what libjpeg-turbo makes with the same
// settings, as long as it is held to baseline JPEG.
//
// Without RGB src may have one to four planes, all of them stored as they are
// with the same tables. With an error dst comes back as it was.
func AppendEncode(dst []byte, src Planes, opt EncodeOptions) ([]byte, error) {
	h, v, err := checkEncode(src, opt)
	if err != nil {
		return dst, err
	}
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.setUp(src, opt, h, v)

	sets := 1
	if opt.RGB {
		sets = 2
	}
	dst = append(dst, 0xff, markerSOI)
	if !opt.Abbreviated {
		dst = appendDQT(dst, sets, opt.quality())
	}
	dst = e.appendFrameHeader(dst)
	if !opt.Abbreviated {
		dst = appendDHT(dst, sets)
	}
	dst = e.appendScanHeader(dst)
	dst = e.appendScan(dst)
	e.src = Planes{}
	return append(dst, 0xff, markerEOI), nil
}

// checkEncode returns how many samples across and down share one of chroma.
func checkEncode(src Planes, opt EncodeOptions) (h, v int, err error) {
	switch {
	case src.Width < 1 || src.Height < 1:
		return 0, 0, fmt.Errorf("JPEG: cannot encode an image of %d by %d", src.Width, src.Height)
	case src.Width > maxSide || src.Height > maxSide:
		return 0, 0, fmt.Errorf("JPEG: cannot encode an image of %d by %d: no side may be longer than %d", src.Width, src.Height, maxSide)
	case opt.Quality < 0 || opt.Quality > 100:
		return 0, 0, fmt.Errorf("JPEG: quality is %d, want 1 to 100", opt.Quality)
	case opt.RGB && len(src.Data) != 3:
		return 0, 0, fmt.Errorf("JPEG: cannot convert %d planes to YCbCr, want 3", len(src.Data))
	case len(src.Data) < 1 || len(src.Data) > 4:
		return 0, 0, fmt.Errorf("JPEG: cannot encode %d planes, want 1 to 4", len(src.Data))
	case src.Stride < src.Width && src.Height > 1:
		return 0, 0, fmt.Errorf("JPEG: rows are %d apart, but %d wide", src.Stride, src.Width)
	}
	// What follows the last row may be missing, and the product does not
	// overflow where there is such a plane.
	for c, plane := range src.Data {
		if len(plane) < src.Width || src.Height > 1 && (len(plane)-src.Width)/(src.Height-1) < src.Stride {
			return 0, 0, fmt.Errorf("JPEG: plane %d has %d bytes, too few for %d rows of %d that are %d apart",
				c, len(plane), src.Height, src.Width, src.Stride)
		}
	}
	s := opt.Subsampling
	switch {
	case !opt.RGB && s != [2]int{} && s != [2]int{1, 1}:
		return 0, 0, fmt.Errorf("JPEG: subsampling of %dx%d without conversion to YCbCr", s[0], s[1])
	case !opt.RGB:
		return 1, 1, nil
	case s == [2]int{}:
		return 2, 2, nil
	}
	switch s {
	case [2]int{1, 1}, [2]int{2, 1}, [2]int{2, 2}, [2]int{1, 2}, [2]int{4, 1}:
		return s[0], s[1], nil
	}
	return 0, 0, fmt.Errorf("JPEG: subsampling is %dx%d, want 1x1, 2x1, 2x2, 1x2 or 4x1", s[0], s[1])
}

// encoders lends encoders, so that encoding a tile allocates nothing.
var encoders = sync.Pool{New: func() any { return new(encoder) }}

// encoder is what encoding an image needs besides the image.
type encoder struct {
	src        Planes
	rgb        bool
	h, v       int // blocks across and down of the first component in an MCU
	sources    [4]source
	count      int // of components
	quality    int // that steps is for
	steps      [2]quantizer
	full       [2][]byte // rows of chroma before they are downsampled, v of them
	fullStride int
}

// source is a component being encoded: what the headers say of it, and its
// samples of one row of MCUs.
type source struct {
	id           uint8
	h, v         int // blocks across and down in an MCU
	set          int // of tables
	across, down int // blocks of the image
	rows         []byte
	stride       int   // of rows
	dc           int32 // of the block before
}

// setUp prepares e for an image.
func (e *encoder) setUp(src Planes, opt EncodeOptions, h, v int) {
	e.src, e.rgb, e.h, e.v, e.count = src, opt.RGB, h, v, len(src.Data)
	if q := opt.quality(); q != e.quality {
		e.quality = q
		e.steps[0].set(scaledQuant(0, q))
		e.steps[1].set(scaledQuant(1, q))
	}
	for c := range e.count {
		k := &e.sources[c]
		k.id, k.h, k.v, k.set, k.dc = componentID(c, e.count, opt.RGB), 1, 1, 0, 0
		if opt.RGB && c == 0 {
			k.h, k.v = h, v
		} else if opt.RGB {
			k.set = 1
		}
		k.across = ceilDiv(src.Width*k.h, 8*h)
		k.down = ceilDiv(src.Height*k.v, 8*v)
		k.stride = 8 * k.across
		k.rows = grown(k.rows, 8*k.v*k.stride)
	}
	if h*v > 1 {
		e.fullStride = e.sources[1].stride * h
		for i := range e.full {
			e.full[i] = grown(e.full[i], v*e.fullStride)
		}
	}
}

// componentID returns the number of component c in the headers. They are
// libtiff's: three samples that are not converted are called R, G and B, since
// a reader that knows nothing of TIFF takes 1, 2, 3 for YCbCr.
func componentID(c, count int, rgb bool) uint8 {
	switch {
	case rgb || count == 1:
		return uint8(c + 1)
	case count == 3:
		return "RGB"[c]
	}
	return uint8(c)
}

// appendFrameHeader appends the SOF0 segment.
func (e *encoder) appendFrameHeader(dst []byte) []byte {
	w, h := e.src.Width, e.src.Height
	dst = append(dst, 0xff, markerSOF0, 0, byte(8+3*e.count), 8, byte(h>>8), byte(h), byte(w>>8), byte(w), byte(e.count))
	for c := range e.count {
		k := &e.sources[c]
		dst = append(dst, k.id, byte(k.h<<4|k.v), byte(k.set))
	}
	return dst
}

// appendScanHeader appends the SOS segment.
func (e *encoder) appendScanHeader(dst []byte) []byte {
	dst = append(dst, 0xff, markerSOS, 0, byte(6+2*e.count), byte(e.count))
	for c := range e.count {
		k := &e.sources[c]
		dst = append(dst, k.id, byte(k.set<<4|k.set))
	}
	return append(dst, 0, 63, 0)
}

// appendScan appends the coded samples.
func (e *encoder) appendScan(dst []byte) []byte {
	w := bitWriter{buf: dst}
	across := ceilDiv(e.src.Width, 8*e.h)
	down := ceilDiv(e.src.Height, 8*e.v)
	for y := range down {
		e.fillRows(y)
		for x := range across {
			for c := range e.count {
				e.encodeSource(&w, &e.sources[c], x, y)
			}
		}
	}
	w.pad()
	return w.buf
}

// encodeSource encodes the blocks that component k has in the MCU at x, y.
// Blocks that fill up an MCU beyond the image's last blocks are flat, and go
// on with the brightness of the block before, which takes the fewest bits.
func (e *encoder) encodeSource(w *bitWriter, k *source, x, y int) {
	step, dc, ac := &e.steps[k.set], &dcCodes[k.set], &acCodes[k.set]
	var freq [64]int32
	var values [64]int32
	for by := range k.v {
		for bx := range k.h {
			if x*k.h+bx >= k.across || y*k.v+by >= k.down {
				w.flat(dc, ac)
				continue
			}
			forwardDCT(&freq, k.rows[8*by*k.stride+8*(x*k.h+bx):], k.stride)
			nonzero := step.quantize(&values, &freq)
			d := values[0] - k.dc
			k.dc = values[0]
			values[0] = d
			w.block(&values, nonzero, dc, ac)
		}
	}
}

// grown returns a slice of n bytes, b's memory if that has room for them.
func grown(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}
