package inflate

import (
	"encoding/binary"
	"sync"
)

// block reads what stands before the data of a block.
func (d *decoder) block() error {
	d.refill()
	if d.bn < 3 {
		return d.truncated("the header of a block")
	}
	d.final = d.bb&1 != 0
	kind := d.bb >> 1 & 3
	d.take(3)
	switch kind {
	case 0:
		return d.storedHeader()
	case 1:
		f := fixed()
		d.lit, d.off = &f.lit, &f.off
	case 2:
		if err := d.dynamicHeader(); err != nil {
			return err
		}
	default:
		return d.corrupt("block of kind 3")
	}
	d.state = inSymbols
	return nil
}

func (d *decoder) storedHeader() error {
	d.ip -= int(d.bn >> 3)
	d.bb, d.bn = 0, 0
	if len(d.src)-d.ip < 4 {
		return d.truncated("the header of a stored block")
	}
	n, inverse := binary.LittleEndian.Uint16(d.src[d.ip:]), binary.LittleEndian.Uint16(d.src[d.ip+2:])
	if n != ^inverse {
		return d.corrupt("length %04x of a stored block, which is also given as %04x", n, ^inverse)
	}
	d.ip += 4
	d.rest, d.state = int(n), inStored
	return nil
}

// fixed makes the tables of blocks that do not bring codes of their own.
var fixed = sync.OnceValue(func() *fixedTables {
	f := new(fixedTables)
	for s := range f.lens {
		switch {
		case s < 144:
			f.lens[s] = 8
		case s < 256:
			f.lens[s] = 9
		case s < 280:
			f.lens[s] = 7
		case s < numFixedLits:
			f.lens[s] = 8
		default:
			f.lens[s] = 5
		}
	}
	var c code
	lits := f.lens[:numFixedLits]
	c.set(lits)
	c.fill(f.lit[:], litBits, litMeans[:], litPerBit)
	c.foldExtra(&f.lit, lits)
	c.set(f.lens[numFixedLits:])
	c.fill(f.off[:], offBits, offMeans[:], offPerBit)
	return f
})

type fixedTables struct {
	lens [numFixedLits + numFixedOffs]uint8
	lit  litTable
	off  offTable
}

// dynamicHeader reads the codes of a block and makes tables of them.
func (d *decoder) dynamicHeader() error {
	const within = "the codes of a block"
	d.refill()
	if d.bn < 14 {
		return d.truncated(within)
	}
	lits, offs, pres := int(d.bb&31)+257, int(d.bb>>5&31)+1, int(d.bb>>10&15)+4
	if lits > numLits || offs > numOffs {
		return d.corrupt("codes for %d literals and lengths and %d distances", lits, offs)
	}
	d.take(14)
	var preLens [numPre]uint8
	for _, s := range preOrder[:pres] {
		if d.bn < 3 {
			if d.refill(); d.bn < 3 {
				return d.truncated(within)
			}
		}
		preLens[s] = uint8(d.bb & 7)
		d.take(3)
	}
	if err := d.setCode(preLens[:], "lengths of codes"); err != nil {
		return err
	}
	d.code.fill(d.pre[:], maxPre, preMeans[:], litPerBit)
	if err := d.readLens(lits + offs); err != nil {
		return err
	}
	if d.lens[endOfBlock] == 0 {
		return d.corrupt("no code for the end of a block")
	}
	// The lengths for literals stay where they are: careful needs them.
	if err := d.setCode(d.lens[lits:lits+offs], "distances"); err != nil {
		return err
	}
	d.off = &d.own.off
	d.code.fill(d.off[:], offBits, offMeans[:], offPerBit)
	if err := d.setCode(d.lens[:lits], "literals and lengths"); err != nil {
		return err
	}
	d.lit = &d.own.lit
	d.code.fill(d.lit[:], litBits, litMeans[:], litPerBit)
	d.code.foldExtra(d.lit, d.lens[:lits])
	if d.code.worthPairs(d.lens[:endOfBlock], len(d.dst)-d.op) {
		d.code.fusePairs(d.lit, &d.pairing)
	}
	return nil
}

func (d *decoder) setCode(lens []uint8, of string) error {
	switch d.code.set(lens) {
	case codeOver:
		return d.corrupt("more codes for %s than there can be", of)
	case codeGaps:
		return d.corrupt("codes for %s that leave some without a meaning", of)
	}
	return nil
}

// readLens reads the lengths of n codes.
func (d *decoder) readLens(n int) error {
	for i := 0; i < n; {
		if d.bn < maxPre+7 {
			d.refill()
		}
		e := d.pre[d.bb&(1<<maxPre-1)]
		if e.takes() > d.bn {
			return d.truncated("the codes of a block")
		}
		if e&isSpecial != 0 {
			return d.corrupt("code without a meaning among the lengths of codes")
		}
		d.take(e.takes())
		s := uint8(e >> lowShift)
		if s < repeatLast {
			d.lens[i] = s
			i++
			continue
		}
		var value uint8
		r := repeats[s-repeatLast]
		if s == repeatLast {
			if i == 0 {
				return d.corrupt("repeats the length of a code before the first")
			}
			value = d.lens[i-1]
		}
		if r.extra > d.bn {
			return d.truncated("the codes of a block")
		}
		times := r.least + int(d.bb&(1<<r.extra-1))
		d.take(r.extra)
		if times > n-i {
			return d.corrupt("%d lengths of codes where %d are left", times, n-i)
		}
		for range times {
			d.lens[i] = value
			i++
		}
	}
	return nil
}

// Symbols from repeatLast on repeat the last length of a code, or 0.
const repeatLast = 16

var repeats = [numPre - repeatLast]struct {
	least int
	extra uint
}{{3, 2}, {3, 3}, {11, 7}}
