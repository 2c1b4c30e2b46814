package lzma

import (
	"encoding/binary"
	"math"

	"github.com/omnizarr/zarr/codec"
)

// aloneHeader is how long the header of .lzma is: properties, the size of the
// dictionary, and that of the data.
const aloneHeader = 1 + 4 + 8

// alone reads a whole .lzma.
func (d *decoder) alone() error {
	if len(d.src) < aloneHeader {
		return codec.Bad("%d bytes are too few for a header", len(d.src))
	}
	props, err := parseProperties(d.src[0])
	if err != nil {
		return err
	}
	end, how := d.max, atMarker
	if size := binary.LittleEndian.Uint64(d.src[5:]); size != math.MaxUint64 {
		if size > uint64(d.max-d.start) {
			return d.ck.Over(int(min(size, math.MaxInt)), d.max-d.start)
		}
		end, how = d.start+int(size), atEither
	}
	d.src = d.src[aloneHeader:]
	return d.lzma1(props, end, how)
}

// raw reads a stream without a container.
func (d *decoder) raw(c chain) error {
	at := len(d.out)
	var err error
	if c.lzma1 {
		err = d.lzma1(c.props, d.max, atMarker)
	} else if err = d.lzma2(); err == nil {
		err = d.nothingLeft()
	}
	if err == nil {
		undoDeltas(d.out[at:], c.deltas)
	}
	return err
}

// lzma1 reads a stream that is all of src.
func (d *decoder) lzma1(p properties, end int, how ending) error {
	if err := d.rc.init(d.src); err != nil {
		return err
	}
	d.base = len(d.out)
	d.model.reset(p)
	if err := d.decode(end, how); err != nil {
		return err
	}
	d.src = d.src[d.rc.at:]
	return d.nothingLeft()
}

func (d *decoder) nothingLeft() error {
	if len(d.src) > 0 {
		return codec.Bad("%d bytes follow the data", len(d.src))
	}
	return nil
}

func parseProperties(b byte) (properties, error) {
	if b >= 9*5*5 {
		return properties{}, codec.Bad("properties are %d: must be below %d", b, 9*5*5)
	}
	p := properties{lc: int(b % 9), lp: int(b / 9 % 5), pb: int(b / 45)}
	if err := p.check(); err != nil {
		return p, codec.Bad("%v", err)
	}
	return p, nil
}

// What the first byte of a chunk of LZMA2 says. From packed on its low bits are
// bits of the size.
const (
	endOfChunks = 0
	copyReset   = 1 // bytes as they are, for a new dictionary
	copyOnly    = 2
	packed      = 0x80
	newState    = 0xa0
	newProps    = 0xc0
	newDict     = 0xe0
)

// lzma2 reads chunks up to the one that ends them, and takes them off src.
func (d *decoder) lzma2() error {
	needDict, needProps := true, true
	for {
		if len(d.src) == 0 {
			return codec.Bad("ends without saying so, after %d bytes", len(d.out)-d.start)
		}
		control := d.src[0]
		if control == endOfChunks {
			d.src = d.src[1:]
			return nil
		}
		if control == copyReset || control >= newDict {
			needDict, needProps = false, true
			d.base = len(d.out)
		}
		if needDict {
			return codec.Bad("the first chunk begins with %#x and starts no dictionary", control)
		}
		var err error
		switch {
		case control >= packed:
			err = d.packedChunk(control, &needProps)
		case control <= copyOnly:
			err = d.copiedChunk()
		default:
			err = codec.Bad("a chunk begins with %#x", control)
		}
		if err != nil {
			return err
		}
	}
}

func (d *decoder) copiedChunk() error {
	const header = 3
	if len(d.src) < header {
		return codec.Bad("ends within the header of a chunk")
	}
	n := int(binary.BigEndian.Uint16(d.src[1:])) + 1
	d.src = d.src[header:]
	if n > len(d.src) {
		return codec.Bad("a chunk has %d bytes, only %d are left", n, len(d.src))
	}
	if n > d.max-len(d.out) {
		return d.tooMuch()
	}
	d.out, d.src = append(d.out, d.src[:n]...), d.src[n:]
	return nil
}

func (d *decoder) packedChunk(control byte, needProps *bool) error {
	header := 5
	if control >= newProps {
		header++
	}
	if len(d.src) < header {
		return codec.Bad("ends within the header of a chunk")
	}
	size := int(control&0x1f)<<16 + int(binary.BigEndian.Uint16(d.src[1:])) + 1
	n := int(binary.BigEndian.Uint16(d.src[3:])) + 1
	switch {
	case control >= newProps:
		p, err := parseProperties(d.src[5])
		if err != nil {
			return err
		}
		d.model.reset(p)
		*needProps = false
	case *needProps:
		return codec.Bad("a chunk begins with %#x before there are properties", control)
	case control >= newState:
		d.model.reset(d.model.props)
	}
	d.src = d.src[header:]
	if n > len(d.src) {
		return codec.Bad("a chunk has %d bytes, only %d are left", n, len(d.src))
	}
	if size > d.max-len(d.out) {
		return d.tooMuch()
	}
	if err := d.rc.init(d.src[:n]); err != nil {
		return err
	}
	if err := d.decode(len(d.out)+size, atSize); err != nil {
		return err
	}
	if d.rc.at != n {
		return codec.Bad("a chunk of %d bytes ends after %d", n, d.rc.at)
	}
	d.src = d.src[n:]
	return nil
}

// undoDeltas adds to every byte the one that is so far before it, for the last
// distance first.
func undoDeltas(data []byte, dists []int) {
	for k := len(dists) - 1; k >= 0; k-- {
		dist := dists[k]
		for i := dist; i < len(data); i++ {
			data[i] += data[i-dist]
		}
	}
}

// applyDeltas replaces every byte by what it differs from the one that is so far
// before it.
func applyDeltas(data []byte, dists []int) {
	for _, dist := range dists {
		for i := len(data) - 1; i >= dist; i-- {
			data[i] -= data[i-dist]
		}
	}
}
