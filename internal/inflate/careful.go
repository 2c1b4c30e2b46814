package inflate

// careful decodes symbols to the end of the block, or as far as there is room.
// It checks every step, which near the end of either buffer must be.
func (d *decoder) careful() error {
	const within = "the symbols of a block"
	for {
		// No symbol has more bits than 15+5+15+13.
		if d.bn < 48 {
			d.refill()
		}
		bb, bn := d.bb, d.bn // stay in d as long as the symbol has no room
		e := d.lit[bb&(1<<litBits-1)]
		if e&isLong != 0 && e.takes() <= bn {
			bb, bn = bb>>e.takes(), bn-e.takes()
			e = d.lit[uint64(e>>lowShift)+bb&(1<<e.extra()-1)]
		}
		if e.isPair() && (e.takes() > bn || e.count() > len(d.dst)-d.op) {
			e = d.single(e)
		}
		switch {
		case e.takes() > bn:
			return d.truncated(within)
		case e.count() > len(d.dst)-d.op:
			return ErrFull
		}
		bb, bn = bb>>e.takes(), bn-e.takes()
		for i := range e.count() {
			d.dst[d.op] = byte(e >> (lowShift + 8*i))
			d.op++
		}
		d.bb, d.bn = bb, bn
		if e&isLiteral != 0 {
			continue
		}
		length := int(e>>highShift) + minMatch
		if e&isSpecial != 0 {
			switch {
			case e&hasExtra == 0 && e == isEnd|e&takes:
				d.state = betweenBlocks
				return nil
			case e&hasExtra == 0:
				return d.corrupt(noLength)
			case e.extra() > bn:
				return d.truncated(within)
			}
			length += int(bb & (1<<e.extra() - 1))
			d.take(e.extra())
		}
		o := d.off[d.bb&(1<<offBits-1)]
		if o&isLong != 0 && o.takes() <= d.bn {
			d.take(o.takes())
			o = d.off[uint64(o>>lowShift)+d.bb&(1<<o.extra()-1)]
		}
		switch {
		case o.takes() > d.bn:
			return d.truncated(within)
		case o&isSpecial != 0:
			return d.corrupt(noDistance)
		}
		distance := int(o>>lowShift) + int(d.bb&(1<<o.takes()-1)>>o.extra())
		d.take(o.takes())
		if distance > d.op {
			return d.corrupt(tooFar, distance)
		}
		d.length, d.distance = length, distance
		if err := d.match(); err != nil {
			return err
		}
	}
}

// What can be wrong with symbols.
const (
	noLength   = "code without a meaning among those for literals and lengths"
	noDistance = "code without a meaning among those for distances"
	tooFar     = "repeats what is %d bytes back"
)

// match copies what is left of a match, as far as there is room.
func (d *decoder) match() error {
	n := min(d.length, len(d.dst)-d.op)
	d.length -= n
	for n > 0 {
		// What is copied lies before it at once, so that the next step may be
		// longer.
		k := copy(d.dst[d.op:d.op+n], d.dst[d.op-d.distance:d.op])
		d.op += k
		n -= k
	}
	if d.length > 0 {
		return ErrFull
	}
	return nil
}

// isPair says whether there is a literal with something behind it.
func (e entry) isPair() bool {
	return e.count() == 2 || e.count() == 1 && e&isLiteral == 0
}

// single is the literal that a pair begins with. There are no pairs in the table
// of the fixed codes, which are too long for that.
func (d *decoder) single(e entry) entry {
	first := byte(e >> lowShift)
	return litMeans[first] + entry(d.lens[first])
}
