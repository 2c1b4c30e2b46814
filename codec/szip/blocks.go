package szip

import (
	"encoding/binary"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/bitreader"
)

// decoder reads the samples of one chunk.
type decoder struct {
	*filter
	in   bitreader.Reader
	id   int    // how many bits tell how a block is coded
	max  uint64 // the largest sample
	last uint64 // the sample before
	at   int    // samples of this line, and what fills it up
	long int    // how many that are
	out  placer
}

// decode fills dst with samples. What fills up lines is left out.
func (f *filter) decode(dst, src []byte) error {
	d := decoder{filter: f, in: bitreader.New(src), id: 3, max: 1<<f.bits - 1, out: newPlacer(f, dst)}
	switch {
	case f.bits > 16:
		d.id = 5
	case f.bits > 8:
		d.id = 4
	}
	d.long = (f.line + f.block - 1) / f.block * f.block
	for d.out.left() {
		if err := d.next(); err != nil {
			return err
		}
		if d.in.Short() {
			return codec.Bad("szip ends before the data do")
		}
	}
	return nil
}

// next decodes a block, or several without anything in them.
func (d *decoder) next() error {
	if d.at == d.long {
		d.at = 0
	}
	first := 0 // 1 where a block begins with a sample as it is
	if d.predict && d.at == 0 {
		first = 1
	}
	switch id := int(d.in.Bits(d.id)); id {
	case 0:
		pairs := d.in.Bits(1) == 1
		if first == 1 {
			d.start()
		}
		if pairs {
			return d.pairs(first)
		}
		return d.zeros(first)
	case 1<<d.id - 1:
		for i := range d.block {
			if i < first {
				d.start()
			} else {
				d.add(d.in.Bits(d.bits))
			}
		}
		return nil
	default:
		if first == 1 {
			d.start()
		}
		return d.split(first, id-1)
	}
}

// start takes a sample as it is, which those behind it are differences to.
func (d *decoder) start() {
	d.last = d.in.Bits(d.bits)
	d.emit(d.last)
}

// split reads numbers whose low bits stand behind what is left of all of them, which
// is told by runs of zeros.
func (d *decoder) split(first, low int) error {
	var high [maxBlock]uint64
	for i := first; i < d.block; i++ {
		high[i] = uint64(d.in.Zeros())
		if high[i] > d.max>>low {
			if d.in.Short() {
				return nil // which is what is told
			}
			return codec.Bad("szip has a sample of more than %d bits", d.bits)
		}
	}
	for i := first; i < d.block; i++ {
		d.add(high[i]<<low | d.in.Bits(low))
	}
	return nil
}

// maxPair is the largest number that stands for two.
const maxPair = 90

// pairs reads numbers by twos: all pairs are counted by their sums, and those of one
// sum by the second.
func (d *decoder) pairs(first int) error {
	for i := first; i < d.block; i++ {
		m := d.in.Zeros()
		if m > maxPair {
			if d.in.Short() {
				return nil
			}
			return codec.Bad("szip has the pair %d: there are no more than %d", m, maxPair)
		}
		sum, before := 0, 0
		for before+sum+1 <= m {
			sum++
			before += sum
		}
		one, two := uint64(sum-m+before), uint64(m-before)
		if one > d.max || two > d.max {
			return codec.Bad("szip has a sample of more than %d bits", d.bits)
		}
		if i%2 == 0 {
			d.add(one)
			i++
		}
		d.add(two)
	}
	return nil
}

// toEnd tells that there is nothing up to the end of a segment of 64 blocks.
const (
	toEnd   = 5
	segment = 64
)

// zeros reads how many blocks have only zeros.
func (d *decoder) zeros(first int) error {
	blocks := d.in.Zeros() + 1
	done := d.at / d.block
	all := d.long / d.block
	switch {
	case blocks == toEnd:
		blocks = min(all-done, segment-done%segment)
	case blocks > toEnd:
		blocks--
	}
	if blocks > all-done {
		if d.in.Short() {
			return nil
		}
		return codec.Bad("szip has %d blocks of zeros, with %d left of a line", blocks, all-done)
	}
	for range blocks*d.block - first {
		d.add(0)
	}
	return nil
}

// add takes a number: a sample, or what it differs by from the one before. Even ones
// are differences up and odd ones down, as long as there are samples in both
// directions; behind them, numbers are how far the sample is from the nearer end.
func (d *decoder) add(x uint64) {
	if d.predict {
		room := min(d.last, d.max-d.last)
		switch {
		case x > 2*room && room == d.last:
			d.last = x
		case x > 2*room:
			d.last = d.max - x
		case x%2 == 0:
			d.last += x / 2
		default:
			d.last -= (x + 1) / 2
		}
		x = d.last
	}
	d.emit(x)
}

// emit hands on a sample of the line.
func (d *decoder) emit(x uint64) {
	if d.at < d.line {
		d.out.put(x)
	}
	d.at++
}

// placer stores samples where they belong.
type placer struct {
	dst          []byte
	at, step     int // of the next sample, and from one to the next
	plane, bytes int
	big          bool
}

func newPlacer(f *filter, dst []byte) placer {
	return placer{dst: dst, step: f.planes * f.bytes, bytes: f.bytes, big: f.big}
}

func (p *placer) left() bool { return p.at < len(p.dst) }

// put stores a sample; behind the last one there are none.
func (p *placer) put(x uint64) {
	if p.at >= len(p.dst) {
		return
	}
	b := p.dst[p.at:]
	switch {
	case p.bytes == 1:
		b[0] = byte(x)
	case p.bytes == 2 && p.big:
		binary.BigEndian.PutUint16(b, uint16(x))
	case p.bytes == 2:
		binary.LittleEndian.PutUint16(b, uint16(x))
	case p.big:
		binary.BigEndian.PutUint32(b, uint32(x))
	default:
		binary.LittleEndian.PutUint32(b, uint32(x))
	}
	p.at += p.step
	if p.at >= len(p.dst) && p.plane+1 < p.step/p.bytes {
		p.plane++ // the next byte of every number
		p.at = p.plane
	}
}
