package gdeflate

import (
	"encoding/binary"
	"sync"
)

// Decode fills dst with the page at the start of src, which must hold exactly as
// much, and returns how many bytes of src it took.
func Decode(dst, src []byte) (int, error) {
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	d.dst, d.src, d.at = dst, src, 0
	err := d.page()
	n := len(src) - len(d.src)
	d.dst, d.src = nil, nil
	if err != nil {
		return 0, err
	}
	return n, nil
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

type decoder struct {
	src []byte // words that are in no lane yet
	dst []byte
	at  int // how much of dst is known, except for copies to be made

	bits [lanes]uint64
	have [lanes]uint // bits in them; at least 32 whenever it is the lane's turn

	copies [lanes]match // of which the distance is still to come

	litLen, offset, pre table
	hasFixed            bool // litLen and offset are those of fixed blocks
	lens                [maxLitLen + numOffsets]uint8
}

// match is where bytes are to be copied to.
type match struct{ at, length int }

func (d *decoder) page() error {
	if len(d.src) < MinEncoded {
		return damaged("%d bytes are too few for a page, which has at least %d", len(d.src), MinEncoded)
	}
	for i := range d.bits {
		d.bits[i] = uint64(binary.LittleEndian.Uint32(d.src[wordBytes*i:]))
		d.have[i] = wordBits
	}
	d.src = d.src[MinEncoded:]
	for {
		final := d.take(0, 1)
		kind := d.take(0, 2)
		if err := d.refill(0); err != nil {
			return err
		}
		if err := d.block(kind); err != nil {
			return err
		}
		if final != 0 {
			break
		}
	}
	if d.at != len(d.dst) {
		return damaged("page holds %d bytes, not %d", d.at, len(d.dst))
	}
	return nil
}

func (d *decoder) block(kind uint32) error {
	switch kind {
	case stored:
		return d.stored()
	case fixed:
		if !d.hasFixed {
			if err := d.litLen.build(fixedLitLen[:], litLenMeans[:]); err != nil {
				return err
			}
			if err := d.offset.build(fixedOffsets[:], offsetMeans[:]); err != nil {
				return err
			}
			d.hasFixed = true
		}
	case dynamic:
		d.hasFixed = false
		if err := d.codes(); err != nil {
			return err
		}
	default:
		return damaged("block of the unknown type %d", kind)
	}
	return d.symbols()
}

// take removes n bits from a lane.
func (d *decoder) take(lane, n uint) uint32 {
	v := uint32(d.bits[lane] & (1<<n - 1))
	d.bits[lane] >>= n
	d.have[lane] -= n
	return v
}

// refill gives a lane another word if it needs one.
func (d *decoder) refill(lane uint) error {
	if d.have[lane] >= wordBits {
		return nil
	}
	if len(d.src) < wordBytes {
		return errShort(d.at)
	}
	d.bits[lane] |= uint64(binary.LittleEndian.Uint32(d.src)) << d.have[lane]
	d.have[lane] += wordBits
	d.src = d.src[wordBytes:]
	return nil
}

func errShort(at int) error { return damaged("page ends after %d bytes without saying so", at) }

func (d *decoder) stored() error {
	n := int(d.take(0, 16))
	if n > len(d.dst)-d.at {
		return damaged("stored block of %d bytes where %d are left", n, len(d.dst)-d.at)
	}
	for i := range n {
		lane := uint(i) % lanes
		d.dst[d.at] = byte(d.take(lane, 8))
		d.at++
		if err := d.refill(lane); err != nil {
			return err
		}
	}
	return d.refill(0) // of a block without bytes
}

// codes reads the codes of a dynamic block.
func (d *decoder) codes() error {
	litLens := int(d.take(0, 5)) + 257
	offsets := int(d.take(0, 5)) + 1
	pres := int(d.take(0, 4)) + 4
	if err := d.refill(0); err != nil {
		return err
	}
	var pre [numPre]uint8
	for i, s := range preOrder[:pres] {
		pre[s] = uint8(d.take(uint(i), 3))
		if err := d.refill(uint(i)); err != nil {
			return err
		}
	}
	if err := d.pre.build(pre[:], preMeans[:]); err != nil {
		return err
	}
	lens := d.lens[:litLens+offsets]
	for i, lane := 0, uint(0); i < len(lens); lane = (lane + 1) % lanes {
		e := d.pre.find(d.bits[lane])
		if e == 0 {
			return damaged("length %d of a code is itself an unknown code", i)
		}
		d.take(lane, e.bits())
		s := e.base()
		if s < repeatLast {
			lens[i] = uint8(s)
			i++
		} else {
			n := int(preNumbers[s].base + d.take(lane, uint(preNumbers[s].extra)))
			var v uint8
			if s == repeatLast {
				if i == 0 {
					return damaged("no length of a code before the one that is repeated")
				}
				v = lens[i-1]
			}
			if n > len(lens)-i {
				return damaged("%d lengths of codes where %d are left", n, len(lens)-i)
			}
			for k := range lens[i : i+n] {
				lens[i+k] = v
			}
			i += n
		}
		if err := d.refill(lane); err != nil {
			return err
		}
	}
	if err := d.litLen.build(lens[:litLens], litLenMeans[:]); err != nil {
		return err
	}
	return d.offset.build(lens[litLens:], offsetMeans[:])
}

// symbols reads what a block holds, once its codes are known. It is the loop in
// which the time is spent.
func (d *decoder) symbols() error {
	dst, src, at := d.dst, d.src, d.at
	lane, pending := uint(0), uint32(0) // a bit for each lane that waits for a distance
	for {
		lane %= lanes
		word, have := d.bits[lane], d.have[lane]
		if pending>>lane&1 != 0 {
			pending &^= 1 << lane
			used, err := d.copy(lane, word)
			if err != nil {
				return err
			}
			word >>= used
			have -= used
		} else {
			e := d.litLen.fast[word%(1<<fastBits)]
			if e == 0 {
				if e = d.litLen.slow(word); e == 0 {
					return damaged("unknown code after %d bytes", at)
				}
			}
			word >>= e & entryBits
			have -= e.bits()
			switch {
			case e&isLiteral != 0:
				if at >= len(dst) {
					return damaged("page holds more than %d bytes", len(dst))
				}
				dst[at] = byte(e >> baseShift)
				at++
			case e&isEnd != 0:
				d.bits[lane], d.have[lane] = word, have
				d.src, d.at = src, at
				return d.rest(lane, pending)
			default:
				length := int(e.base() + uint32(word&(1<<e.extra()-1)))
				word >>= e.extra()
				have -= e.extra()
				if length > len(dst)-at {
					return damaged("page holds more than %d bytes", len(dst))
				}
				d.copies[lane] = match{at, length}
				pending |= 1 << lane
				at += length
			}
		}
		if have < wordBits {
			if len(src) < wordBytes {
				return errShort(at)
			}
			word |= uint64(binary.LittleEndian.Uint32(src)) << have
			have += wordBits
			src = src[wordBytes:]
		}
		d.bits[lane], d.have[lane] = word, have
		lane++
	}
}

// rest makes the copies that are left when a block has ended in a lane.
func (d *decoder) rest(lane uint, pending uint32) error {
	for range lanes {
		if pending>>lane&1 != 0 {
			used, err := d.copy(lane, d.bits[lane])
			if err != nil {
				return err
			}
			d.bits[lane] >>= used
			d.have[lane] -= used
		}
		if err := d.refill(lane); err != nil {
			return err
		}
		lane = (lane + 1) % lanes
	}
	return nil
}

// copy makes the copy that waits in a lane for the distance in word, and returns
// how many bits that took.
func (d *decoder) copy(lane uint, word uint64) (uint, error) {
	m := d.copies[lane]
	e := d.offset.find(word)
	if e == 0 {
		return 0, damaged("unknown distance at %d", m.at)
	}
	distance := int(e.base()) + int(word>>e.bits()&(1<<e.extra()-1))
	if distance > m.at {
		return 0, damaged("match at %d refers to %d bytes before", m.at, distance)
	}
	repeat(d.dst[m.at-distance:m.at+m.length], distance)
	return e.bits() + e.extra(), nil
}

// repeat sets what is behind the first n bytes of b to those bytes, over and over.
// Nothing behind b is touched: it may be known already.
func repeat(b []byte, n int) {
	from, to := b, b[n:]
	switch length := len(to); {
	case n >= 8 && length >= 8 && length <= 16:
		binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(from))
		binary.LittleEndian.PutUint64(to[length-8:], binary.LittleEndian.Uint64(from[length-8:]))
	case length < 16:
		for i := range to {
			to[i] = from[i]
		}
	default:
		// What was copied is copied again, twice as much each time.
		for k := copy(to, from[:n]); k < len(to); {
			k += copy(to[k:], to[:k])
		}
	}
}
