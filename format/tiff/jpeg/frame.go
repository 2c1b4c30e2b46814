package jpeg

import (
	"encoding/binary"
	"fmt"
)

// frame is the image as its header describes it.
type frame struct {
	width, height, precision int
	marker                   byte
	progressive, arithmetic  bool
	n                        int // components
	comp                     [4]channel
	hmax, vmax               int
	mcusX, mcusY             int // units of interleaved scans
}

// channel is a component of the frame.
type channel struct {
	id      byte
	h, v    int // sampling factors
	tq      int // quantisation table
	w, rows int // samples that belong to the image
	bw, bh  int // blocks that belong to the image
	mw, mh  int // blocks of all units of interleaved scans

	quant  [blockSize]uint16 // in the order of the block; as it was when the first scan began
	hasQ   bool
	coef   []int16         // blocks of mw x mh, if they come in several scans
	bits   [blockSize]int8 // how many of each coefficient's lower bits are to come, -1: all
	before [smoothed]int8  // the same of the first ones, before the component's last scan
	mode   upsampling
	strip  []byte // samples of two rows of units, alternating
	stride int
}

// The largest side of an image that libjpeg takes, and the largest sampling
// factor and number of blocks of a unit that the format knows.
const (
	maxSide     = 65500
	maxSampling = 4
	maxBlocks   = 10
)

// parse reads a frame header.
func (f *frame) parse(s segment) error {
	b := s.body
	if len(b) < 6 {
		return s.bad("frame header")
	}
	f.marker = s.marker
	f.precision = int(b[0])
	f.height = int(binary.BigEndian.Uint16(b[1:]))
	f.width = int(binary.BigEndian.Uint16(b[3:]))
	f.n = int(b[5])
	f.progressive = s.marker&3 == 2
	f.arithmetic = s.marker >= 0xc9
	if len(b) != 6+3*f.n {
		return s.bad(fmt.Sprintf("frame header of %d components", f.n))
	}
	if f.width == 0 || f.height == 0 || f.width > maxSide || f.height > maxSide {
		return fmt.Errorf("JPEG: image size is %d x %d, sides must be 1 to %d", f.width, f.height, maxSide)
	}
	if f.n == 0 || f.n > len(f.comp) {
		return fmt.Errorf("JPEG: %d components, 1 to %d are possible", f.n, len(f.comp))
	}
	for i := range f.n {
		c := b[6+3*i:]
		h, v := int(c[1]>>4), int(c[1]&15)
		if h == 0 || h > maxSampling || v == 0 || v > maxSampling {
			return fmt.Errorf("JPEG: sampling factors of component %d are %d x %d, 1 to %d are possible", i, h, v, maxSampling)
		}
		if c[2] > 3 {
			return fmt.Errorf("JPEG: component %d wants quantisation table %d, 0 to 3 are possible", i, c[2])
		}
		p := &f.comp[i]
		p.id, p.h, p.v, p.tq = c[0], h, v, int(c[2])
	}
	if f.n == 1 {
		f.comp[0].h, f.comp[0].v = 1, 1 // a component alone is never subsampled
	}
	return nil
}

// supported says what of the frame cannot be decoded.
func (f *frame) supported() error {
	switch f.marker {
	case 0xc0, 0xc1, 0xc2, 0xc9, 0xca:
	case 0xc3, 0xcb:
		return fmt.Errorf("JPEG: lossless coding (SOF%d) is not supported", f.marker-markerSOF0)
	default:
		return fmt.Errorf("JPEG: hierarchical coding (SOF%d) is not supported", f.marker-markerSOF0)
	}
	if f.precision != 8 {
		return fmt.Errorf("JPEG: precision of %d bits is not supported, only 8", f.precision)
	}
	return nil
}

// fit compares the frame with the room and the options.
func (f *frame) fit(dst Planes, rgb bool) error {
	if f.width > dst.Width || f.height > dst.Height {
		return fmt.Errorf("JPEG: image size of %d x %d exceeds the expected %d x %d", f.width, f.height, dst.Width, dst.Height)
	}
	if f.n != len(dst.Data) {
		return fmt.Errorf("JPEG: %d components, %d samples per pixel are expected", f.n, len(dst.Data))
	}
	if dst.Stride < dst.Width {
		return fmt.Errorf("JPEG: room with rows %d apart, narrower than the width of %d", dst.Stride, dst.Width)
	}
	for i, p := range dst.Data {
		if need := (dst.Height-1)*dst.Stride + dst.Width; len(p) < need {
			return fmt.Errorf("JPEG: room for component %d has %d bytes, %d are needed", i, len(p), need)
		}
	}
	if rgb && f.n != 3 {
		return fmt.Errorf("JPEG: %d components cannot be YCbCr", f.n)
	}
	for i := 1; i < f.n && !rgb; i++ {
		if a, b := &f.comp[0], &f.comp[i]; a.h != b.h || a.v != b.v {
			return fmt.Errorf("JPEG: sampling factors differ (component 0: %d x %d, component %d: %d x %d) though components are not YCbCr",
				a.h, a.v, i, b.h, b.v)
		}
	}
	return nil
}

// layout works out how large everything is.
func (f *frame) layout() error {
	f.hmax, f.vmax = 1, 1
	for i := range f.n {
		f.hmax = max(f.hmax, f.comp[i].h)
		f.vmax = max(f.vmax, f.comp[i].v)
	}
	f.mcusX = ceilDiv(f.width, 8*f.hmax)
	f.mcusY = ceilDiv(f.height, 8*f.vmax)
	for i := range f.n {
		c := &f.comp[i]
		if f.hmax%c.h != 0 || f.vmax%c.v != 0 {
			return fmt.Errorf("JPEG: component %d has sampling factors %d x %d, which do not divide the largest, %d x %d", i, c.h, c.v, f.hmax, f.vmax)
		}
		c.w, c.rows = ceilDiv(f.width*c.h, f.hmax), ceilDiv(f.height*c.v, f.vmax)
		c.bw, c.bh = ceilDiv(c.w, 8), ceilDiv(c.rows, 8)
		c.mw, c.mh = f.mcusX*c.h, f.mcusY*c.v
		c.mode = modeOf(f.hmax/c.h, f.vmax/c.v, c.w)
		c.hasQ = false
		for k := range c.bits {
			c.bits[k] = -1
		}
	}
	return nil
}

// ceilDiv is a/b rounded up.
func ceilDiv(a, b int) int { return (a + b - 1) / b }
