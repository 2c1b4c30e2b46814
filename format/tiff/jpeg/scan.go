package jpeg

import "fmt"

// scan is a scan being decoded.
type scan struct {
	n              int // components
	comp           [4]scanComponent
	ss, se, ah, al int // which coefficients, and which of their bits
	number         int // 1 is the first

	unitsX, unitsY int // units of the scan
	unitRows       int // rows of the image that a row of units covers

	in       *input
	segment  []byte // the entropy-coded segment, without stuffing
	left     int    // units until the next restart, -1: there is none
	restarts int
	lost     bool // a restart was due and the data was at its end
	good     int  // last row of units of the image, as libjpeg counts them, that has data
	bits     bitReader
	eobRun   int // blocks that end without a code
	arith    arithDecoder
	block    [blockSize]int16
}

// scanComponent is a component of a scan.
type scanComponent struct {
	*channel
	td, ta  int // numbers of the tables
	dc, ac  *huffTable
	pred    int32 // DC coefficient of the block before
	context int   // of arithmetic coding: what kind of difference was the last
}

// readScan reads a scan, and reports whether it was the whole image.
func (d *Decoder) readScan(s segment, number int) (whole bool, err error) {
	f, c := &d.frame, &d.scan
	c.in, c.number = &d.in, number
	if err := c.parse(f, s); err != nil {
		return false, err
	}
	d.in.scans = true
	for i := range c.n {
		if err := d.latch(&c.comp[i]); err != nil {
			return false, err
		}
	}
	if err := d.scanTables(); err != nil {
		return false, err
	}
	whole = c.n == f.n && !f.progressive
	if whole && number > 1 {
		return false, fmt.Errorf("JPEG: scan %d at byte %d has all components, which other scans had before", number, s.offset)
	}
	if !whole {
		if err := d.allocateCoefficients(); err != nil {
			return false, err
		}
	}
	c.left = -1
	c.restarts, c.lost, c.good = 0, false, f.mcusY
	if d.interval > 0 {
		c.left = d.interval
	}
	c.nextSegment(f.arithmetic)
	if whole {
		return true, d.decodeWhole()
	}
	if err := c.progress(f.progressive); err != nil {
		return false, err
	}
	return false, d.decodeUnits()
}

// parse reads the scan's header.
func (c *scan) parse(f *frame, s segment) error {
	b := s.body
	if len(b) < 1 || len(b) != 4+2*int(b[0]) {
		return s.bad("scan header")
	}
	c.n = int(b[0])
	if c.n < 1 || c.n > f.n {
		return fmt.Errorf("JPEG: scan at byte %d has %d components, the image has %d", s.offset, c.n, f.n)
	}
	blocks := 0
	var used [4]bool
	for i := range c.n {
		id := b[1+2*i]
		j := 0
		for j < f.n && (used[j] || f.comp[j].id != id) {
			j++
		}
		if j == f.n {
			return fmt.Errorf("JPEG: scan at byte %d has component %d, which the image has not", s.offset, id)
		}
		used[j] = true
		c.comp[i] = scanComponent{channel: &f.comp[j], td: int(b[2+2*i] >> 4), ta: int(b[2+2*i] & 15)}
		blocks += f.comp[j].h * f.comp[j].v
	}
	b = b[1+2*c.n:]
	c.ss, c.se, c.ah, c.al = int(b[0]), int(b[1]), int(b[2]>>4), int(b[2]&15)
	if !f.progressive {
		c.ss, c.se, c.ah, c.al = 0, blockSize-1, 0, 0
	}
	if c.n > 1 {
		if blocks > maxBlocks {
			return fmt.Errorf("JPEG: scan at byte %d has units of %d blocks, %d are possible", s.offset, blocks, maxBlocks)
		}
		c.unitsX, c.unitsY, c.unitRows = f.mcusX, f.mcusY, 8*f.vmax
		return nil
	}
	p := c.comp[0].channel
	c.unitsX, c.unitsY, c.unitRows = p.bw, p.bh, 8*f.vmax/p.v
	return nil
}

// latch keeps the quantisation table of a component when its first scan begins:
// later definitions do not count.
func (d *Decoder) latch(c *scanComponent) error {
	if c.hasQ {
		return nil
	}
	q := &d.quant[c.tq]
	if !q.set {
		return fmt.Errorf("JPEG: quantisation table %d %w", c.tq, ErrNoTable)
	}
	c.quant, c.hasQ = q.v, true
	return nil
}

// scanTables gets the scan's tables ready.
func (d *Decoder) scanTables() error {
	c := &d.scan
	if d.frame.arithmetic {
		c.arith.cond = &d.cond
		return nil // there are sixteen bins of each kind, as many as a header can name
	}
	for i := range c.n {
		p := &c.comp[i]
		if p.td > 3 || p.ta > 3 {
			return fmt.Errorf("JPEG: scan %d wants Huffman tables %d and %d, 0 to 3 are possible", c.number, p.td, p.ta)
		}
		if !d.frame.progressive {
			d.standard(p.td)
			d.standard(p.ta)
		}
		var err error
		if c.ss == 0 && c.ah == 0 {
			if p.dc, err = d.huff[0][p.td].ready(0, p.td); err != nil {
				return err
			}
		}
		if c.se > 0 {
			if p.ac, err = d.huff[1][p.ta].ready(1, p.ta); err != nil {
				return err
			}
		}
	}
	return nil
}

// standard defines the tables of Annex K where a sequential stream leaves out
// its Huffman tables, as frames of Motion JPEG do.
func (d *Decoder) standard(id int) {
	if id > 1 {
		return
	}
	if s := &d.huff[0][id]; !s.set {
		s.define(dcSpec[id].counts[:], dcSpec[id].symbols)
	}
	if s := &d.huff[1][id]; !s.set {
		s.define(acSpec[id].counts[:], acSpec[id].symbols)
	}
}

// nextSegment begins an entropy-coded segment, at the scan's begin and after
// each restart marker.
func (c *scan) nextSegment(arithmetic bool) {
	var n int
	c.segment, n = unstuff(c.segment[:0], c.in.src[c.in.pos:])
	c.in.pos += n
	for i := range c.n {
		c.comp[i].pred = 0
		c.comp[i].context = 0
	}
	c.eobRun = 0
	if arithmetic {
		c.arith.reset(c.segment[:len(c.segment)-padding], c.lost || c.in.pos == len(c.in.src))
		for i := range c.n {
			clear(c.arith.dc[c.comp[i].td][:])
			clear(c.arith.ac[c.comp[i].ta][:])
		}
	} else {
		c.bits.reset(c.segment)
	}
}

// short reports whether more data was wanted than there is.
func (c *scan) short(arithmetic bool) bool {
	if arithmetic {
		return c.arith.short
	}
	return c.bits.over()
}

// ends reports whether the image ends behind the segment.
func (c *scan) ends() bool {
	next := c.in.src[c.in.pos:]
	return len(next) < 2 || next[1] == markerEOI
}

// restart is called before every unit: it takes the restart marker, if one is due.
// At the end of the data another segment begins as well, an empty one.
func (c *scan) restart(arithmetic bool, interval int) error {
	if c.left != 0 {
		c.left--
		return nil
	}
	src, p := c.in.src, c.in.pos
	want := byte(markerRST0 + c.restarts&7)
	if c.ends() {
		c.lost = true
	} else if src[p+1] != want {
		return fmt.Errorf("marker 0x%02x at byte %d where restart marker 0x%02x is due", src[p+1], p, want)
	} else {
		c.in.pos += 2
	}
	c.restarts++
	c.left = interval - 1
	c.nextSegment(arithmetic)
	return nil
}
