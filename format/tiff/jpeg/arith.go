package jpeg

import "math/bits"

// arithDecoder decodes binary decisions as Annex D of ITU-T T.81 has it. Each
// decision has a bin: a state in the lower seven bits, and above them the symbol
// that is more probable.
type arithDecoder struct {
	src   []byte // the entropy-coded segment
	pos   int
	open  bool   // the segment ends without a marker: it is cut short
	short bool   // more was read than there is
	dead  bool   // it makes no sense behind the end: what follows in the segment is zero
	c     uint32 // code register, shift bits of which are not yet used
	a     uint32 // size of the interval
	shift int
	cond  *conditioning
	dc    [16][256]uint8
	ac    [16][256]uint8
	fixed uint8
}

// reset begins a segment.
func (d *arithDecoder) reset(src []byte, open bool) {
	d.src, d.pos, d.open, d.short, d.dead = src, 0, open, false, false
	d.fixed = fixedState
	d.a, d.shift = 1<<16, 0
	d.c = d.next()<<8 | d.next()
}

// next is the next byte. Before a marker any number of zeros may be left out.
func (d *arithDecoder) next() uint32 {
	if d.pos < len(d.src) {
		d.pos++
		return uint32(d.src[d.pos-1])
	}
	d.short = d.short || d.open
	return 0
}

// decide decodes a decision.
func (d *arithDecoder) decide(bin *uint8) bool {
	for d.a < 1<<15 {
		if d.shift == 0 {
			d.c = d.c<<8 | d.next()
			d.shift = 8
		}
		d.shift--
		d.a <<= 1
	}
	v := *bin
	s := &arithStates[v&0x7f]
	qe := uint32(s.qe)
	d.a -= qe
	likely := v >> 7
	if part := d.a << (d.shift & 31); d.c >= part {
		d.c -= part
		if d.a < qe {
			*bin = v&0x80 ^ s.high
		} else {
			*bin = v&0x80 ^ s.low
			likely ^= 1
		}
		d.a = qe
	} else if d.a < 1<<15 {
		if d.a < qe {
			*bin = v&0x80 ^ s.low
			likely ^= 1
		} else {
			*bin = v&0x80 ^ s.high
		}
	}
	return likely != 0
}

// magnitude decodes the rest of a value whose category is at least m, given the
// bins for categories from i on. The values' bits have bins 14 further on. It
// gives 0 if the value is too large.
func (d *arithDecoder) magnitude(bins *[256]uint8, i uint8, m int32) int32 {
	for d.decide(&bins[i]) {
		if m <<= 1; m == 1<<15 {
			return 0
		}
		i++
	}
	return d.pattern(bins, i+14, m)
}

// pattern decodes the bits of a value below the topmost one, m.
func (d *arithDecoder) pattern(bins *[256]uint8, i uint8, m int32) int32 {
	v := m
	for m >>= 1; m > 0; m >>= 1 {
		if d.decide(&bins[i]) {
			v |= m
		}
	}
	return v + 1
}

// difference decodes a DC coefficient's difference and adds it to the last one.
// It reports whether it was possible.
func (d *arithDecoder) difference(p *scanComponent) bool {
	bins := &d.dc[p.td&15]
	i := uint8(p.context)
	if !d.decide(&bins[i]) {
		p.context = 0
		return true
	}
	sign := 0
	if d.decide(&bins[i+1]) {
		sign = 1
	}
	i += 2 + uint8(sign)
	v := int32(1)
	if d.decide(&bins[i]) {
		if v = d.magnitude(bins, 20, 1); v == 0 {
			return false
		}
	}
	top := 1 << bits.Len32(uint32(v-1)) >> 1 // the topmost bit of the value less one
	switch td := p.td & 15; {
	case top < 1<<d.cond.dcLow[td]>>1:
		p.context = 0
	case top > 1<<d.cond.dcHigh[td]>>1:
		p.context = 12 + 4*sign
	default:
		p.context = 4 + 4*sign
	}
	if sign != 0 {
		v = -v
	}
	p.pred += v
	return true
}

// value decodes an AC coefficient that is not zero; i is the first of its bins.
// It gives 0 if it is too large.
func (d *arithDecoder) value(p *scanComponent, k int, i uint8) int32 {
	bins := &d.ac[p.ta&15]
	negative := d.decide(&d.fixed)
	v := int32(1)
	if d.decide(&bins[i]) {
		if !d.decide(&bins[i]) {
			v = d.pattern(bins, i+14, 1)
		} else {
			high := uint8(217)
			if k <= int(d.cond.acLow[p.ta&15]) {
				high = 189
			}
			if v = d.magnitude(bins, high, 2); v == 0 {
				return 0
			}
		}
	}
	if negative {
		return -v
	}
	return v
}

// coefficients decodes AC coefficients from and to the given ones, shifted left.
// It returns the index of the last one set, or -1.
func (d *arithDecoder) coefficients(p *scanComponent, b *[blockSize]int16, from, to, shift int) int {
	bins := &d.ac[p.ta&15]
	last := 0
	for k := from; k <= to; k++ {
		i := uint8(3 * (k - 1))
		if d.decide(&bins[i]) {
			break
		}
		for !d.decide(&bins[i+1]) {
			i += 3
			if k++; k > to {
				return -1
			}
		}
		v := d.value(p, k, i+2)
		if v == 0 {
			return -1
		}
		b[zigzag[k&63]] = int16(v << shift)
		last = k
	}
	return last
}

// sequential decodes a block. It returns the index of the last coefficient that
// was set, or -1 if the code is corrupt.
func (d *arithDecoder) sequential(p *scanComponent, b *[blockSize]int16) int {
	b[0] = 0
	if d.dead {
		return 0
	}
	last := -1
	if d.difference(p) {
		b[0] = int16(p.pred)
		last = d.coefficients(p, b, 1, blockSize-1, 0)
	}
	if last < 0 && d.dies() {
		return blockSize - 1
	}
	return last
}

// dies is called where the code is corrupt. Behind the end of the data that is no
// error: the zeros there were never meant.
func (d *arithDecoder) dies() bool {
	d.dead = d.short
	return d.dead
}

// arithPart decodes what a progressive scan has of a block.
func (c *scan) arithPart(p *scanComponent, b *[blockSize]int16) bool {
	if c.arith.dead {
		return true
	}
	ok := true
	switch first, dc := c.ah == 0, c.ss == 0; {
	case dc && first:
		ok = c.arithFirstDC(p, b)
	case dc:
		ok = c.arithRefineDC(b)
	case first:
		ok = c.arithFirstAC(p, b)
	default:
		ok = c.arithRefineAC(p, b)
	}
	return ok || c.arith.dies()
}

// arithFirstDC reads the upper bits of a DC coefficient.
func (c *scan) arithFirstDC(p *scanComponent, b *[blockSize]int16) bool {
	if !c.arith.difference(p) {
		return false
	}
	b[0] = int16(p.pred << c.al)
	return true
}

// arithRefineDC reads one more bit of a DC coefficient.
func (c *scan) arithRefineDC(b *[blockSize]int16) bool {
	if c.arith.decide(&c.arith.fixed) {
		b[0] |= 1 << c.al
	}
	return true
}

// arithFirstAC reads the upper bits of AC coefficients.
func (c *scan) arithFirstAC(p *scanComponent, b *[blockSize]int16) bool {
	return c.arith.coefficients(p, b, c.ss, c.se, c.al) >= 0
}

// arithRefineAC reads one more bit of AC coefficients, and those that begin with it.
func (c *scan) arithRefineAC(p *scanComponent, b *[blockSize]int16) bool {
	d := &c.arith
	bins := &d.ac[p.ta&15]
	plus, minus := int16(1)<<c.al, int16(-1)<<c.al
	end := c.se // where the block ended in the scans before
	for end > 0 && b[zigzag[end&63]] == 0 {
		end--
	}
	for k := c.ss; k <= c.se; k++ {
		i := uint8(3 * (k - 1))
		if k > end && d.decide(&bins[i]) {
			break
		}
		for {
			v := &b[zigzag[k&63]]
			if *v != 0 {
				if d.decide(&bins[i+2]) {
					if *v < 0 {
						*v += minus
					} else {
						*v += plus
					}
				}
				break
			}
			if d.decide(&bins[i+1]) {
				*v = plus
				if d.decide(&d.fixed) {
					*v = minus
				}
				break
			}
			i += 3
			if k++; k > c.se {
				return false
			}
		}
	}
	return true
}
