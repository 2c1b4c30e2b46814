package jpeg

import "fmt"

// decodeWhole decodes a scan that is the whole image: every row of units goes
// out as soon as it is there.
func (d *Decoder) decodeWhole() error {
	f, c := &d.frame, &d.scan
	c.block = [blockSize]int16{} // a scan that failed may have left something
	for m := range c.unitsY {
		for x := range c.unitsX {
			if err := c.restart(f.arithmetic, d.interval); err != nil {
				return d.failed(m, err)
			}
			for i := range c.n {
				p := &c.comp[i]
				for v := range p.v {
					for h := range p.h {
						last := -1
						if f.arithmetic {
							last = c.arith.sequential(p, &c.block)
						} else {
							last = c.bits.sequential(p, &c.block)
						}
						if last < 0 {
							return d.failed(m, nil)
						}
						p.transform(m, v, x*p.h+h, &c.block, last)
						if last > 0 {
							c.block = [blockSize]int16{}
						}
					}
				}
			}
			if c.short(f.arithmetic) {
				if !c.ends() {
					return d.failed(m, nil)
				}
				d.endsEarly(m)
				if !f.arithmetic {
					d.gray(m, x+1)
					return nil
				}
			}
		}
		d.emit(m)
	}
	return nil
}

// decodeUnits decodes a scan that is part of the image into the coefficients.
func (d *Decoder) decodeUnits() error {
	f, c := &d.frame, &d.scan
	for y := range c.unitsY {
		for x := range c.unitsX {
			if err := c.restart(f.arithmetic, d.interval); err != nil {
				return d.failed(y, err)
			}
			ok := true
			if c.n == 1 {
				p := &c.comp[0]
				ok = c.part(f, p, p.coefficients(x, y))
			} else {
				for i := range c.n {
					p := &c.comp[i]
					for v := range p.v {
						for h := range p.h {
							ok = ok && c.part(f, p, p.coefficients(x*p.h+h, y*p.v+v))
						}
					}
				}
			}
			if short := c.short(f.arithmetic); !ok || short && !c.ends() {
				return d.failed(y, nil)
			} else if short {
				d.endsEarly(y)
				if !f.arithmetic {
					return nil // what follows stays as it is
				}
			}
		}
	}
	return nil
}

// failed says where the scan's data is damaged: in row y of units.
func (d *Decoder) failed(y int, err error) error {
	f, c := &d.frame, &d.scan
	row := y * c.unitRows
	switch {
	case err != nil:
		return fmt.Errorf("JPEG: row %d of %d, scan %d: %w", row, f.height, c.number, err)
	case c.short(f.arithmetic):
		return fmt.Errorf("JPEG: data ends in row %d of %d, scan %d, before byte %d", row, f.height, c.number, c.in.pos)
	default:
		return fmt.Errorf("JPEG: corrupt code in row %d of %d, scan %d, before byte %d", row, f.height, c.number, c.in.pos)
	}
}

// part decodes what the scan has of a block, and reports whether it could.
func (c *scan) part(f *frame, p *scanComponent, b *[blockSize]int16) bool {
	switch {
	case f.progressive && f.arithmetic:
		return c.arithPart(p, b)
	case f.progressive:
		return c.progressivePart(p, b)
	case f.arithmetic:
		return c.arith.sequential(p, b) >= 0
	default:
		return c.bits.sequential(p, b) >= 0
	}
}

// sequential decodes a block with Huffman codes. It returns the index of the
// last coefficient that was set, or -1 if a code is not in its table.
func (r *bitReader) sequential(p *scanComponent, b *[blockSize]int16) int {
	r.need()
	e := p.dc.fast[r.acc>>(64-fastBits)]
	diff := int32(e) >> 16
	if e&fastMore == 0 {
		r.drop(int(e & 0x7f))
	} else {
		if e = r.slow(p.dc, e); e == 0 && !r.beyond() {
			return -1
		}
		diff = int32(e) >> 16
	}
	p.pred += diff
	b[0] = int16(p.pred)

	t := p.ac
	acc, n := r.acc, r.n
	last, k := 0, uint(0)
	for k < blockSize-1 {
		if n < 32 {
			r.acc, r.n = acc, n
			r.refill()
			acc, n = r.acc, r.n
		}
		e := t.fast[acc>>(64-fastBits)]
		if e&fastMore != 0 {
			r.acc, r.n = acc, n
			if e = r.slow(t, e); e == 0 {
				if !r.beyond() {
					return -1
				}
				e = fastEnd << 8
			}
			acc, n = r.acc, r.n
		} else {
			acc <<= e & 63
			n -= int(e & 63)
		}
		k += uint(e >> 8 & 0xff)
		if k >= blockSize {
			if k < fastEnd && e>>16 != 0 { // beyond the last coefficient
				if r.acc, r.n = acc, n; !r.over() {
					return -1
				}
				last = blockSize - 1
				b[last] = int16(e >> 16)
			}
			break
		}
		b[zigzag[k]&63] = int16(e >> 16)
		last = int(k)
	}
	r.acc, r.n = acc, n
	return last
}

// slow reads a code with its value that the fast table does not hold whole. It
// returns an entry of that table's form, 0 if there is no such code.
func (r *bitReader) slow(t *huffTable, e uint32) uint32 {
	if size := int(e >> 16); size > 0 {
		total := int(e & 0x7f)
		v := extend(r.acc<<uint(total-size), size)
		r.drop(total)
		return uint32(v)<<16 | e&0xff00 | 1
	}
	sym := r.symbol(t)
	if sym < 0 {
		return 0
	}
	size := sym & 15
	advance := uint32(sym>>4 + 1)
	if size == 0 {
		if sym != 0xf0 {
			advance = fastEnd
		}
		return advance<<8 | 1
	}
	v := extend(r.acc, size)
	r.drop(size)
	return uint32(v)<<16 | advance<<8 | 1
}
