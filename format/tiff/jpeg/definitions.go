package jpeg

import (
	"encoding/binary"
	"fmt"
)

// quantDef is a quantisation table as a stream defines it.
type quantDef struct {
	set bool
	v   [blockSize]uint16 // in the order of the block
}

// conditioning is how arithmetic coding classifies values.
type conditioning struct {
	dcLow, dcHigh, acLow [16]uint8
}

// defaultConditioning holds at the beginning of every image.
func defaultConditioning() (c conditioning) {
	for i := range c.dcHigh {
		c.dcHigh[i], c.acLow[i] = 1, 5
	}
	return c
}

// tables takes a segment that defines tables, and reports whether it is one.
func (d *Decoder) tables(s segment) (bool, error) {
	switch s.marker {
	case markerDQT:
		return true, d.defineQuant(s)
	case markerDHT:
		return true, d.defineHuffman(s)
	case markerDAC:
		return true, d.defineConditioning(s)
	case markerDRI:
		if len(s.body) != 2 {
			return true, s.bad("restart interval")
		}
		d.interval = int(binary.BigEndian.Uint16(s.body))
		return true, nil
	}
	return false, nil
}

// defineQuant reads quantisation tables.
func (d *Decoder) defineQuant(s segment) error {
	for b := s.body; len(b) > 0; {
		wide, id := b[0]>>4, b[0]&15
		b = b[1:]
		if wide > 1 || id > 3 {
			return fmt.Errorf("JPEG: quantisation table at byte %d has number %d and precision %d, 0 to 3 and 0 or 1 are possible", s.offset, id, wide)
		}
		size := blockSize << wide
		if len(b) < size {
			return s.bad("quantisation table")
		}
		q := &d.quant[id]
		for k, z := range zigzag {
			if wide == 0 {
				q.v[z] = uint16(b[k])
			} else {
				q.v[z] = binary.BigEndian.Uint16(b[2*k:])
			}
		}
		q.set = true
		b = b[size:]
	}
	return nil
}

// defineHuffman reads Huffman tables.
func (d *Decoder) defineHuffman(s segment) error {
	for b := s.body; len(b) > 0; {
		if len(b) < 17 {
			return s.bad("Huffman table")
		}
		class, id := b[0]>>4, b[0]&15
		if class > 1 || id > 3 {
			return fmt.Errorf("JPEG: Huffman table at byte %d has number %d and class %d, 0 to 3 and 0 or 1 are possible", s.offset, id, class)
		}
		n := 0
		for _, c := range b[1:17] {
			n += int(c)
		}
		if n > 256 || 17+n > len(b) {
			return s.bad(fmt.Sprintf("Huffman table of %d codes", n))
		}
		d.huff[class][id].define(b[1:17], b[17:17+n])
		b = b[17+n:]
	}
	return nil
}

// defineConditioning reads the conditioning of arithmetic coding.
func (d *Decoder) defineConditioning(s segment) error {
	if len(s.body)%2 != 0 {
		return s.bad("arithmetic conditioning")
	}
	for b := s.body; len(b) > 0; b = b[2:] {
		class, id, v := b[0]>>4, b[0]&15, b[1]
		switch {
		case class == 0 && v&15 <= v>>4:
			d.cond.dcLow[id], d.cond.dcHigh[id] = v&15, v>>4
		case class == 1 && (v >= 1 && v < blockSize || s.padded):
			d.cond.acLow[id] = v
		default:
			return fmt.Errorf("JPEG: arithmetic conditioning at byte %d has class %d and value 0x%02x", s.offset, class, v)
		}
	}
	return nil
}
