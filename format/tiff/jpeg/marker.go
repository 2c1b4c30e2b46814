package jpeg

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// The markers that matter here: the second byte after 0xff.
const (
	markerSOF0 = 0xc0
	markerDHT  = 0xc4
	markerJPG  = 0xc8
	markerDAC  = 0xcc
	markerRST0 = 0xd0
	markerRST7 = 0xd7
	markerSOI  = 0xd8
	markerEOI  = 0xd9
	markerSOS  = 0xda
	markerDQT  = 0xdb
	markerDRI  = 0xdd
	markerTEM  = 0x01
)

// isFrame reports whether the marker begins a frame header (SOF0 to SOF15).
func isFrame(m byte) bool {
	return m >= markerSOF0 && m <= 0xcf && m != markerDHT && m != markerJPG && m != markerDAC
}

// input is a stream being read segment by segment.
type input struct {
	src   []byte
	pos   int
	scans bool // one was read: the data may end anywhere
}

// segment is a marker with its parameters.
type segment struct {
	marker byte
	offset int // of the marker in the stream
	body   []byte
	padded bool // the data ends in it
}

// begin opens a stream, which must start with a start-of-image marker.
func begin(src []byte) (input, error) {
	if len(src) < 2 || src[0] != 0xff || src[1] != markerSOI {
		return input{}, fmt.Errorf("JPEG: stream of %d bytes does not begin with a start-of-image marker", len(src))
	}
	return input{src: src, pos: 2}, nil
}

// next gives the next segment. At the end of the data there is an end-of-image
// marker, whether it is written or not: scans find out themselves what they miss.
func (in *input) next() (segment, error) {
	for {
		i := bytes.IndexByte(in.src[in.pos:], 0xff)
		if i < 0 {
			in.pos = len(in.src)
			return segment{marker: markerEOI, offset: in.pos}, nil
		}
		p := in.pos + i
		for p < len(in.src) && in.src[p] == 0xff {
			p++
		}
		if p == len(in.src) {
			in.pos = p
			return segment{marker: markerEOI, offset: p}, nil
		}
		m := in.src[p]
		in.pos = p + 1
		s := segment{marker: m, offset: p - 1}
		switch {
		case m == 0 || m == markerTEM || m >= markerRST0 && m <= markerRST7:
			continue // left over from a scan, or without a meaning here
		case m == markerSOI:
			return s, fmt.Errorf("JPEG: second start-of-image marker at byte %d", s.offset)
		case m == markerEOI:
			return s, nil
		}
		rest := in.src[in.pos:]
		goesOn := in.scans || m == markerSOS
		if len(rest) < 2 && goesOn {
			rest, s.padded = in.pad(2), true
		}
		if len(rest) < 2 {
			return s, fmt.Errorf("JPEG: data ends in the segment 0x%02x at byte %d", m, s.offset)
		}
		n := int(binary.BigEndian.Uint16(rest))
		if n > len(rest) && goesOn {
			rest, s.padded = in.pad(n), true
		}
		if n < 2 || n > len(rest) {
			return s, fmt.Errorf("JPEG: segment 0x%02x at byte %d has a length of %d, %d bytes are left", m, s.offset, n, len(rest))
		}
		s.body = rest[2:n]
		in.pos += n
		return s, nil
	}
}

// pad gives at least n bytes, of which those behind the end of the data are
// end-of-image markers: libtiff hands them out one after the other, whatever
// libjpeg is reading.
func (in *input) pad(n int) []byte {
	src := slices.Clone(in.src)
	for len(src)-in.pos < n {
		src = append(src, 0xff, markerEOI)
	}
	in.src = src
	return src[in.pos:]
}

// bad says that the segment's length does not fit its content.
func (s segment) bad(what string) error {
	return fmt.Errorf("JPEG: %s at byte %d is cut short or too long (%d bytes)", what, s.offset, len(s.body))
}
