package jpeg

import "fmt"

const (
	fastBits = 10 // codes with their values up to this length are found in one step
	lookBits = 9  // the same for codes alone
)

// Entries of huffTable.fast: the number of bits in the lower byte, above it how
// far the index of the coefficient advances, above that the value. With fastMore
// set the value follows in the stream, and its size stands in its place; size 0
// means that the code itself is longer than the table knows.
const (
	fastMore = 0x80
	fastEnd  = 128 // advance at the end of a block, more than any other
)

// huffDef is a Huffman table as it stands in a stream.
type huffDef struct {
	counts  [16]uint8
	symbols [256]uint8
}

// huffTable is a Huffman table made ready for decoding.
type huffTable struct {
	def    huffDef
	built  bool
	fast   [1 << fastBits]uint32
	look   [1 << lookBits]uint16 // length and symbol, 0 for longer codes
	limit  [18]uint32            // per length: the first 16 bits that are beyond codes up to this length
	offset [17]int32             // per length: symbol index minus code
}

// huffSlot is one of the places that streams define tables in. What was built
// stays when a stream defines the same table anew, as all tiles of a file do.
type huffSlot struct {
	set   bool
	def   huffDef
	table *huffTable
}

// define sets the slot's table.
func (s *huffSlot) define(counts, symbols []byte) {
	copy(s.def.counts[:], counts)
	clear(s.def.symbols[copy(s.def.symbols[:], symbols):])
	s.set = true
}

// ready gives the table for decoding. Class 0 is for DC, 1 for AC coefficients.
func (s *huffSlot) ready(class, id int) (*huffTable, error) {
	if !s.set {
		return nil, fmt.Errorf("JPEG: %s Huffman table %d %w", className(class), id, ErrNoTable)
	}
	if s.table == nil {
		s.table = new(huffTable)
	}
	if t := s.table; !t.built || t.def != s.def {
		t.built = false
		t.def = s.def
		if !t.build(class) {
			return nil, fmt.Errorf("JPEG: %s Huffman table %d is not a prefix code", className(class), id)
		}
		t.built = true
	}
	return s.table, nil
}

// className names the coefficients that a class of tables is for.
func className(class int) string {
	if class == 0 {
		return "DC"
	}
	return "AC"
}

// build works out the tables, and reports whether the definition is a code.
func (t *huffTable) build(class int) bool {
	for i := range t.fast {
		t.fast[i] = fastMore
	}
	clear(t.look[:])
	code, index := uint32(0), int32(0)
	for l := 1; l <= 16; l++ {
		t.offset[l] = index - int32(code)
		for range t.def.counts[l-1] {
			if code >= 1<<l {
				return false
			}
			sym := t.def.symbols[index]
			if class == 0 && sym > 15 {
				return false
			}
			if l <= lookBits {
				e := uint16(l)<<8 | uint16(sym)
				fill(t.look[code<<(lookBits-l):][:1<<(lookBits-l)], e)
			}
			if l <= fastBits {
				t.fill(t.fast[code<<(fastBits-l):][:1<<(fastBits-l)], l, sym, class)
			}
			code++
			index++
		}
		t.limit[l] = code << (16 - l)
		code <<= 1
	}
	t.limit[17] = 1 << 16
	return true
}

// fill enters a code of length l for everything that may follow it.
func (t *huffTable) fill(dst []uint32, l int, sym uint8, class int) {
	run, size := uint32(sym>>4), int(sym&15)
	advance := run + 1
	if class == 1 && size == 0 && run != 15 {
		advance = fastEnd
	}
	switch left := fastBits - l; {
	case size == 0:
		fill(dst, advance<<8|uint32(l))
	case size > left:
		fill(dst, uint32(size)<<16|advance<<8|fastMore|uint32(l+size))
	default:
		for i := range dst {
			v := extend(uint64(i)<<(64-left), size)
			dst[i] = uint32(uint16(v))<<16 | advance<<8 | uint32(l+size)
		}
	}
}

// fill sets all of dst to v.
func fill[T any](dst []T, v T) {
	for i := range dst {
		dst[i] = v
	}
}

// extend gives the value of the topmost size bits (1 to 16) of acc: those that
// begin with 0 are negative.
func extend(acc uint64, size int) int32 {
	negative := int32(int64(^acc) >> 63)
	return int32(acc>>(64-size&63)) + negative&(1-1<<size)
}
