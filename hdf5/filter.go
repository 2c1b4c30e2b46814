package hdf5

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// The filters that are decoded here.
const (
	FilterDeflate    = 1
	FilterShuffle    = 2
	FilterFletcher32 = 3
)

// Filter is one step of a pipeline.
type Filter struct {
	ID       uint16
	Name     string
	Optional bool // it may have been left out of a chunk
	Values   []uint32
}

// filterNames are those that newer files leave out.
var filterNames = map[uint16]string{1: "deflate", 2: "shuffle", 3: "fletcher32", 4: "szip", 5: "nbit", 6: "scaleoffset"}

// Decoder undoes a filter. It may give as many as limit bytes, and may end
// there; what it gives may be src itself, changed.
type Decoder func(src []byte, values []uint32, limit int) ([]byte, error)

// parseFilters reads a filter pipeline message.
func parseFilters(c *cursor) []Filter {
	version := c.version(1, 2)
	n := c.u8()
	if n > 32 {
		c.fail("%d filters are more than 32", n)
	}
	if version == 1 {
		c.skip(6)
	}
	var all []Filter
	for range n {
		if c.err != nil {
			return nil
		}
		x := Filter{ID: uint16(c.u16())}
		name := 0
		if version == 1 || x.ID >= 256 {
			name = c.u16()
		}
		x.Optional = c.u16()&1 != 0
		values := c.u16()
		if version == 1 {
			name = (name + 7) &^ 7
		}
		if c.err == nil && name > c.left() {
			c.fail("the name of filter %d has %d bytes, with %d left", x.ID, name, c.left())
		}
		if x.Name = trimNull(c.take(name)); x.Name == "" {
			x.Name = filterNames[x.ID]
		}
		if c.err == nil && 4*values > c.left() {
			c.fail("filter %d has %d parameters, with %d bytes left", x.ID, values, c.left())
		}
		if c.err != nil {
			return nil
		}
		x.Values = make([]uint32, values)
		for i := range x.Values {
			x.Values[i] = c.u32()
		}
		if version == 1 && values%2 != 0 {
			c.skip(4)
		}
		all = append(all, x)
	}
	return all
}

// decode undoes filters, the last one first, but for those that the mask has a
// bit for. The result has size bytes.
func (f *File) decode(b []byte, filters []Filter, mask uint32, size int) ([]byte, error) {
	limit := size + size/8 + 4096 // what a filter in front may have added
	for i := len(filters) - 1; i >= 0; i-- {
		if mask&(1<<i) != 0 {
			continue
		}
		x := filters[i]
		d := f.o.Filters[x.ID]
		if d == nil {
			d = decoders[x.ID]
		}
		if d == nil {
			return nil, fmt.Errorf("filter %d (%s) is not known", x.ID, x.Name)
		}
		var err error
		if b, err = d(b, x.Values, limit); err != nil {
			return nil, fmt.Errorf("filter %d (%s): %w", x.ID, x.Name, err)
		}
	}
	if len(b) < size {
		return nil, fmt.Errorf("%d bytes are too short for a chunk of %d", len(b), size)
	}
	return b[:size], nil
}

var decoders = map[uint16]Decoder{
	FilterDeflate:    inflate,
	FilterShuffle:    unshuffle,
	FilterFletcher32: fletcher32,
}

// inflaters are readers that are used again: one takes more memory than most chunks.
var inflaters sync.Pool

func inflate(src []byte, _ []uint32, limit int) ([]byte, error) {
	r, ok := inflaters.Get().(io.Reader)
	var err error
	if ok {
		err = r.(zlib.Resetter).Reset(bytes.NewReader(src), nil)
	} else {
		r, err = zlib.NewReader(bytes.NewReader(src))
	}
	if err != nil {
		return nil, err
	}
	defer inflaters.Put(r)
	return io.ReadAll(io.LimitReader(r, int64(limit)))
}

// unshuffle brings the bytes of elements together again. What is left behind
// the last whole element was not moved.
func unshuffle(src []byte, values []uint32, _ int) ([]byte, error) {
	if len(values) == 0 {
		return nil, errors.New("the size of elements is missing")
	}
	size := int(values[0])
	if size <= 1 || size > len(src) {
		return src, nil
	}
	dst := make([]byte, len(src))
	n := len(src) / size
	for j := range size {
		for i, x := range src[j*n : (j+1)*n] {
			dst[i*size+j] = x
		}
	}
	copy(dst[n*size:], src[n*size:])
	return dst, nil
}

// fletcher32 compares the checksum at the end, which versions before 1.6.3
// stored with its bytes swapped.
func fletcher32(src []byte, _ []uint32, _ int) ([]byte, error) {
	if len(src) < 4 {
		return nil, fmt.Errorf("%d bytes are too short for a checksum", len(src))
	}
	b := src[:len(src)-4]
	stored := binary.LittleEndian.Uint32(src[len(b):])
	sum := sumFletcher32(b)
	swapped := sum&0x00ff00ff<<8 | sum>>8&0x00ff00ff
	if stored != sum && stored != swapped {
		return nil, fmt.Errorf("the checksum is %08x, and %08x by the bytes", stored, sum)
	}
	return b, nil
}

func sumFletcher32(b []byte) uint32 {
	var s1, s2 uint32
	for len(b) >= 2 {
		n := min(len(b)/2, 360)
		for i := range n {
			s1 += uint32(b[2*i])<<8 | uint32(b[2*i+1])
			s2 += s1
		}
		b = b[2*n:]
		s1 = s1&0xffff + s1>>16
		s2 = s2&0xffff + s2>>16
	}
	if len(b) == 1 {
		s1 += uint32(b[0]) << 8
		s2 += s1
		s1 = s1&0xffff + s1>>16
		s2 = s2&0xffff + s2>>16
	}
	s1 = s1&0xffff + s1>>16
	s2 = s2&0xffff + s2>>16
	return s2<<16 | s1
}
