package inflate

import "encoding/binary"

// decoder is a stream that is being read, and what is kept of it while there is
// no room for more.
type decoder struct {
	src, dst []byte
	ip, op   int // where to read and write next

	// Bits that were read from before ip: bn of them are still to be used, the
	// lowest of bb first. What stands above them is 0, or the bits at ip that
	// reading on will put there again.
	bb uint64
	bn uint

	state state
	final bool // this block is the last
	rest  int  // of a stored block

	// What is left of a match that the room cut off.
	length, distance int

	lit *litTable
	off *offTable

	own struct {
		lit litTable
		off offTable
	}
	pre  [1 << maxPre]entry
	lens [numLits + numOffs]uint8 // of codes; those of literals also while symbols are read
	code code
	pairing
}

type state uint8

const (
	betweenBlocks state = iota
	inStored
	inSymbols
)

func (d *decoder) reset(src []byte) {
	d.src, d.dst = src, nil
	d.ip, d.op, d.bb, d.bn = 0, 0, 0, 0
	d.state, d.final = betweenBlocks, false
	d.length = 0
}

// used is how many bytes were begun.
func (d *decoder) used() int { return d.ip - int(d.bn>>3) }

// run decodes until the stream ends, or dst is full and more follows. dst is
// what an earlier run filled, and more room.
func (d *decoder) run(dst []byte) error {
	d.dst = dst
	for {
		var err error
		switch d.state {
		case betweenBlocks:
			if d.final {
				return nil
			}
			err = d.block()
		case inStored:
			err = d.stored()
		case inSymbols:
			if err = d.match(); err == nil {
				err = d.symbols()
			}
		}
		if err != nil {
			return err
		}
	}
}

// symbols decodes symbols to the end of the block.
func (d *decoder) symbols() error {
	if err := d.fast(); err != nil || d.state != inSymbols {
		return err
	}
	return d.careful()
}

// refill makes bn at least 56, or as much as there is.
func (d *decoder) refill() {
	if d.ip <= len(d.src)-8 {
		d.bb |= binary.LittleEndian.Uint64(d.src[d.ip:]) << (d.bn & 63)
		d.ip += int(63-d.bn) >> 3
		d.bn |= 56
		return
	}
	for ; d.bn < 56 && d.ip < len(d.src); d.ip++ {
		d.bb |= uint64(d.src[d.ip]) << d.bn
		d.bn += 8
	}
}

// take uses n bits, which must be there.
func (d *decoder) take(n uint) {
	d.bb >>= n & 63
	d.bn -= n
}

// stored copies as much of a stored block as there is room for.
func (d *decoder) stored() error {
	n := min(d.rest, len(d.dst)-d.op, len(d.src)-d.ip)
	copy(d.dst[d.op:], d.src[d.ip:d.ip+n])
	d.op += n
	d.ip += n
	d.rest -= n
	switch {
	case d.rest == 0:
		d.state = betweenBlocks
		return nil
	case d.ip == len(d.src):
		return d.truncated("a stored block")
	}
	return ErrFull
}
