package jpeg

import (
	"encoding/binary"
	"fmt"
)

// Rows of strips have room at both ends, for the samples that interpolation
// wants there and for vectors that reach beyond.
const (
	marginLeft  = 32
	marginRight = 64
)

// allocate gets the memory for the frame's samples.
func (d *Decoder) allocate() {
	f := &d.frame
	for i := range f.n {
		c := &f.comp[i]
		c.stride = marginLeft + 8*c.mw + marginRight
		c.strip = grow(c.strip, 2*8*c.v*c.stride)
	}
	for i := range d.up {
		d.up[i] = grow(d.up[i], f.width+marginRight)
	}
}

// allocateCoefficients gets the memory for the coefficients of all components,
// when the first of several scans begins. With Huffman codes, every block takes a
// bit at least, so what has fewer is not worth the memory.
func (d *Decoder) allocateCoefficients() error {
	f := &d.frame
	if d.scan.number > 1 {
		return nil
	}
	blocks := 0
	for i := range f.n {
		blocks += f.comp[i].bw * f.comp[i].bh
	}
	if n := len(d.in.src); !f.arithmetic && blocks > 8*n {
		return fmt.Errorf("JPEG: data of %d bytes ends before the %d blocks of an image of %d x %d do", n, blocks, f.width, f.height)
	}
	for i := range f.n {
		c := &f.comp[i]
		c.coef = grow(c.coef, c.mw*c.mh*blockSize)
		clear(c.coef)
	}
	return nil
}

// grow gives n elements of b, or of a new slice if it has not as many.
func grow[T any](b []T, n int) []T {
	if cap(b) < n {
		return make([]T, n)
	}
	return b[:n]
}

// coefficients is the block at (x, y) of those that are kept.
func (c *channel) coefficients(x, y int) *[blockSize]int16 {
	return (*[blockSize]int16)(c.coef[(y*c.mw+x)*blockSize:])
}

// row is row y of the component's samples, of which the strip holds those of the
// last two rows of units. It begins with the margin.
func (c *channel) row(y int) []byte {
	n := 8 * c.v
	return c.strip[(y/n&1*n+y%n)*c.stride:][:c.stride]
}

// transform makes samples of a block of which no coefficient after the last is
// set: block (x, v) of row m of units.
func (c *channel) transform(m, v, x int, b *[blockSize]int16, last int) {
	dst := c.strip[((m&1)*c.v+v)*8*c.stride+marginLeft+8*x:]
	if last == 0 {
		inverseFlat(dst, c.stride, b[0], c.quant[0])
		return
	}
	inverse(dst, c.stride, b, &c.quant)
}

// transformRow makes samples of row m of units of the blocks that are kept.
func (c *channel) transformRow(m int) {
	for v := range c.v {
		for x := range c.mw {
			c.transform(m, v, x, c.coefficients(x, m*c.v+v), blockSize-1)
		}
	}
}

// putUint64 writes eight bytes.
func putUint64(b []byte, v uint64) { binary.LittleEndian.PutUint64(b, v) }
