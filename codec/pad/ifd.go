package pad

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// The tags of TIFF that headers use.
const (
	tagImageWidth      = 256
	tagImageLength     = 257
	tagBitsPerSample   = 258
	tagCompression     = 259
	tagPhotometric     = 262
	tagStripOffsets    = 273
	tagSamplesPerPixel = 277
	tagRowsPerStrip    = 278
	tagStripByteCounts = 279
	tagPlanarConfig    = 284
	tagTileWidth       = 322
	tagTileLength      = 323
	tagTileOffsets     = 324
	tagTileByteCounts  = 325
	tagExtraSamples    = 338
	tagSampleFormat    = 339
)

// The types of values, and their bytes.
const (
	typeShort = 3
	typeLong  = 4
	typeLong8 = 16
)

func typeSize(t uint16) int {
	switch t {
	case typeShort:
		return 2
	case typeLong:
		return 4
	case typeLong8:
		return 8
	}
	return 0
}

// field is a tag and its values.
type field struct {
	tag, typ uint16
	values   []uint64
}

// ifd is the head of a TIFF file: its header and its only directory.
type ifd struct {
	bigEndian bool // MM, not II
	big       bool // BigTIFF
	fields    map[uint16]field
}

func (d *ifd) order() interface {
	binary.ByteOrder
	binary.AppendByteOrder
} {
	if d.bigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// set gives a tag its values; a type that is there already stays.
func (d *ifd) set(tag, typ uint16, values ...uint64) {
	if old, ok := d.fields[tag]; ok {
		typ = old.typ
	}
	d.fields[tag] = field{tag, typ, values}
}

// get is the only value of a tag, or what stands for it if it is absent.
func (d *ifd) get(tag uint16, absent uint64) uint64 {
	if f, ok := d.fields[tag]; ok && len(f.values) > 0 {
		return f.values[0]
	}
	return absent
}

// append appends the header, the directory and the values that do not fit into
// it.
func (d *ifd) append(dst []byte) ([]byte, error) {
	at, order := len(dst), d.order()
	number := func(dst []byte, size int, v uint64) []byte {
		switch size {
		case 2:
			return order.AppendUint16(dst, uint16(v))
		case 4:
			return order.AppendUint32(dst, uint32(v))
		}
		return order.AppendUint64(dst, v)
	}
	mark := "II"
	if d.bigEndian {
		mark = "MM"
	}
	dst = append(dst, mark...)
	word, count, magic := 4, 2, []uint64{42}
	if d.big {
		word, count, magic = 8, 8, []uint64{43, 8, 0}
	}
	for _, v := range magic {
		dst = number(dst, 2, v)
	}
	first := 4 + word
	if d.big {
		first = 16
	}
	dst = number(dst, word, uint64(first))
	dst = number(dst, count, uint64(len(d.fields)))
	behind := first + count + len(d.fields)*(4+2*word) + word
	var rest []byte
	for _, f := range d.sorted() {
		size := typeSize(f.typ)
		most := uint64(math.MaxUint64)
		if size < 8 {
			most = 1<<(8*size) - 1
		}
		dst = number(dst, 2, uint64(f.tag))
		dst = number(dst, 2, uint64(f.typ))
		dst = number(dst, word, uint64(len(f.values)))
		start := len(dst)
		values := &dst
		if size*len(f.values) > word {
			dst = number(dst, word, uint64(behind+len(rest)))
			values = &rest
		}
		for _, v := range f.values {
			if v > most {
				return nil, fmt.Errorf("TIFF tag %d: %d does not fit into %d bytes", f.tag, v, size)
			}
			*values = number(*values, size, v)
		}
		for len(dst) < start+word {
			dst = append(dst, 0)
		}
	}
	dst = number(dst, word, 0) // no directory follows
	if len(dst)-at != behind {
		return nil, errors.New("TIFF directory has another size than computed")
	}
	return append(dst, rest...), nil
}

func (d *ifd) sorted() []field {
	out := make([]field, 0, len(d.fields))
	for _, f := range d.fields {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b field) int { return cmp.Compare(a.tag, b.tag) })
	return out
}

// parseIFD reads a header; ok is false for what is none, or has fields of types
// that append does not write.
func parseIFD(b []byte) (d *ifd, ok bool) {
	if len(b) < 8 {
		return nil, false
	}
	d = &ifd{fields: map[uint16]field{}}
	switch string(b[:2]) {
	case "II":
	case "MM":
		d.bigEndian = true
	default:
		return nil, false
	}
	order := d.order()
	word, count := 4, 2
	switch order.Uint16(b[2:]) {
	case 42:
	case 43:
		d.big, word, count = true, 8, 8
		if len(b) < 16 || order.Uint16(b[4:]) != 8 {
			return nil, false
		}
	default:
		return nil, false
	}
	number := func(at uint64, size int) uint64 {
		if size == 0 || at > uint64(len(b)) || uint64(size) > uint64(len(b))-at {
			ok = false
			return 0
		}
		switch size {
		case 2:
			return uint64(order.Uint16(b[at:]))
		case 4:
			return uint64(order.Uint32(b[at:]))
		}
		return order.Uint64(b[at:])
	}
	ok = true
	at := number(uint64(word), word) // of the directory: 4 in TIFF, 8 in BigTIFF
	n := number(at, count)
	at += uint64(count)
	for i := uint64(0); ok && i < n; i++ {
		f := field{tag: uint16(number(at, 2)), typ: uint16(number(at+2, 2))}
		size, k := typeSize(f.typ), number(at+4, word)
		from := at + 4 + uint64(word)
		if size == 0 || k > uint64(len(b)) {
			return nil, false
		}
		if uint64(size)*k > uint64(word) {
			from = number(from, word)
		}
		for j := range k {
			f.values = append(f.values, number(from+j*uint64(size), size))
		}
		d.fields[f.tag] = f
		at += 4 + 2*uint64(word)
	}
	return d, ok
}
