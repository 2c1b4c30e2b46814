package jpeg

import "fmt"

// progress checks that the scan goes on where those before it ended. Sequential
// images too have coefficients that come once.
func (c *scan) progress(progressive bool) error {
	if progressive {
		bad := c.ss > c.se || c.se >= blockSize || c.al > 13
		bad = bad || c.ss == 0 && c.se != 0 // DC and AC coefficients come apart
		bad = bad || c.ss > 0 && c.n != 1
		bad = bad || c.ah > 0 && c.al != c.ah-1
		if bad {
			return fmt.Errorf("JPEG: scan %d of %d components cannot have coefficients %d to %d, bits %d to %d", c.number, c.n, c.ss, c.se, c.ah, c.al)
		}
	}
	for i := range c.n {
		p := &c.comp[i]
		for k := c.ss; k <= c.se; k++ {
			if was := int(p.bits[k]); was < 0 && c.ah > 0 || was >= 0 && (c.ah == 0 || was != c.ah) {
				return fmt.Errorf("JPEG: scan %d has coefficient %d from bit %d to %d, it is at %d (-1: not begun)", c.number, k, c.ah, c.al, was)
			}
		}
		p.advance(c)
	}
	return nil
}

// progressivePart decodes what the scan has of a block with Huffman codes.
func (c *scan) progressivePart(p *scanComponent, b *[blockSize]int16) bool {
	switch first, dc := c.ah == 0, c.ss == 0; {
	case dc && first:
		return c.firstDC(p, b)
	case dc:
		return c.refineDC(b)
	case first:
		return c.firstAC(p, b)
	default:
		return c.refineAC(p, b)
	}
}

// firstDC reads the upper bits of a DC coefficient.
func (c *scan) firstDC(p *scanComponent, b *[blockSize]int16) bool {
	r := &c.bits
	r.need()
	size := r.code(p.dc)
	if size < 0 {
		return false
	}
	if size > 0 {
		p.pred += extend(r.acc, size)
		r.drop(size)
	}
	b[0] = int16(p.pred << c.al)
	return true
}

// refineDC reads one more bit of a DC coefficient.
func (c *scan) refineDC(b *[blockSize]int16) bool {
	c.bits.need()
	b[0] |= int16(c.bits.bits(1) << c.al)
	return true
}

// firstAC reads the upper bits of AC coefficients.
func (c *scan) firstAC(p *scanComponent, b *[blockSize]int16) bool {
	if c.eobRun > 0 {
		c.eobRun--
		return true
	}
	r := &c.bits
	for k := c.ss; k <= c.se; k++ {
		r.need()
		sym := r.code(p.ac)
		if sym < 0 {
			return false
		}
		run, size := sym>>4, sym&15
		switch {
		case size > 0:
			v := int16(extend(r.acc, size) << c.al)
			r.drop(size)
			if k += run; k > c.se && !r.over() {
				return false
			}
			b[zigzag[min(k, blockSize-1)]] = v
		case run == 15:
			k += 15
		default:
			c.eobRun = 1<<run + int(r.bits(run)) - 1
			return true
		}
	}
	return true
}

// refineAC reads one more bit of AC coefficients, and those that begin with it.
func (c *scan) refineAC(p *scanComponent, b *[blockSize]int16) bool {
	r := &c.bits
	plus, minus := int16(1)<<c.al, int16(-1)<<c.al
	k := c.ss
	if c.eobRun == 0 {
		for ; k <= c.se; k++ {
			r.need()
			sym := r.code(p.ac)
			if sym < 0 || sym&15 > 1 && !r.over() {
				return false
			}
			run, value := sym>>4, int16(0)
			if sym&15 > 0 {
				value = minus
				if r.bits(1) == 1 {
					value = plus
				}
			} else if run < 15 {
				c.eobRun = 1<<run + int(r.bits(run))
				break
			}
			// The run counts coefficients that are still zero; the others
			// between them have a bit each.
			if k = c.correct(b, k, run); value != 0 {
				if k > c.se && !r.over() {
					return false
				}
				b[zigzag[min(k, blockSize-1)]] = value
			}
		}
	}
	if c.eobRun > 0 {
		c.correct(b, k, blockSize)
		c.eobRun--
	}
	return true
}

// correct reads a bit for each coefficient from k on that is not zero, until it
// has passed over run zeros and meets another. It returns the index of that one,
// or one beyond the scan's last.
func (c *scan) correct(b *[blockSize]int16, k, run int) int {
	r := &c.bits
	plus, minus := int16(1)<<c.al, int16(-1)<<c.al
	for ; k <= c.se; k++ {
		v := &b[zigzag[k&63]]
		if *v == 0 {
			if run == 0 {
				break
			}
			run--
			continue
		}
		r.need()
		if r.bits(1) == 1 {
			if *v > 0 {
				*v += plus
			} else {
				*v += minus
			}
		}
	}
	return k
}
