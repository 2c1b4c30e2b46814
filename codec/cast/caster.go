package cast

import (
	"fmt"
	"math"
	"math/bits"
	"sync"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/nd"
)

// class is what the 64 bits of a widened element are.
type class uint8

const (
	isInt64  class = iota // two's complement
	isUint64              // unsigned: only uint64 needs it
	isFloat               // of a float64
)

func classOf(t dtype.Type) class {
	switch {
	case t.Kind() == dtype.Float:
		return isFloat
	case t.Kind() == dtype.Uint && t.Size() == 8:
		return isUint64
	}
	return isInt64
}

// caster converts elements of one type to another.
type caster struct {
	from, to dtype.Type
	load     func(block []uint64, src []byte)
	// convert replaces widened elements by the bits of the target's. It stops
	// before one that has no counterpart and returns how many it did.
	convert func(block []uint64) int
	store   func(dst []byte, block []uint64)
	special *specials // nil: none
}

const blockLen = 256

var blocks = sync.Pool{New: func() any { return new([blockLen]uint64) }}

// one converts a single element.
func (c *caster) one(elem []byte) ([]byte, error) {
	out := make([]byte, c.to.Size())
	return out, c.run(nd.Of(out, len(out)), nd.Of(elem, len(elem)))
}

// run converts all elements of src.
func (c *caster) run(dst, src nd.View) error {
	mem := blocks.Get().(*[blockLen]uint64)
	defer blocks.Put(mem)
	return numeric.Runs(dst, src, func(d, s []byte) error {
		for len(s) > 0 {
			block := mem[:min(len(s)/src.Size, blockLen)]
			in, out := len(block)*src.Size, len(block)*dst.Size
			c.load(block, s[:in])
			if k := c.block(block); k < len(block) {
				elem := s[k*src.Size : (k+1)*src.Size]
				return fmt.Errorf("%s has nothing for %s", c.to.Name(), show(c.from, elem))
			}
			c.store(d[:out], block)
			d, s = d[out:], s[in:]
		}
		return nil
	})
}

// block converts widened elements and returns how many it could.
func (c *caster) block(block []uint64) int {
	for at := 0; ; {
		hit, out := len(block), uint64(0)
		if c.special != nil {
			var k int
			k, out = c.special.next(block[at:])
			hit = at + k
		}
		if k := c.convert(block[at:hit]); at+k < hit || hit == len(block) {
			return at + k
		}
		block[hit] = out
		at = hit + 1
	}
}

// loader widens elements of a real type.
func loader(t dtype.Type) func(block []uint64, src []byte) {
	if t.Kind() == dtype.Float {
		return floatLoader(t)
	}
	signed := t.Kind() == dtype.Int
	switch {
	case t.Size() == 1 && signed:
		return load[int8]
	case t.Size() == 1:
		return load[uint8]
	case t.Size() == 2 && signed:
		return load[int16]
	case t.Size() == 2:
		return load[uint16]
	case t.Size() == 4 && signed:
		return load[int32]
	case t.Size() == 4:
		return load[uint32]
	}
	return load[uint64]
}

func load[T numeric.Integer](block []uint64, src []byte) {
	for i, x := range numeric.Slice[T](src) {
		block[i] = uint64(x)
	}
}

// floatLoader widens floats to float64, exactly.
func floatLoader(t dtype.Type) func(block []uint64, src []byte) {
	format, _ := dtype.FormatOf(t)
	switch format.Name() {
	case "float64":
		return load[uint64]
	case "float32":
		return func(block []uint64, src []byte) {
			for i, b := range numeric.Slice[uint32](src) {
				block[i] = widen32(b)
			}
		}
	case "bfloat16":
		return func(block []uint64, src []byte) {
			for i, b := range numeric.Slice[uint16](src) {
				block[i] = widen32(uint32(b) << 16)
			}
		}
	case "float16":
		return func(block []uint64, src []byte) {
			for i, x := range numeric.Slice[numeric.Half](src) {
				block[i] = math.Float64bits(x.Float64())
			}
		}
	}
	var table [256]uint64 // all others have one byte
	for b := range table {
		table[b] = widen(format, uint64(b)&(1<<format.Bits()-1))
	}
	return func(block []uint64, src []byte) {
		for i, x := range src {
			block[i] = table[x]
		}
	}
}

// widen32 gives the float64 of a float32. The processor would change some NaN.
func widen32(b uint32) uint64 {
	if b&0x7f800000 == 0x7f800000 {
		return uint64(b)>>31<<63 | 0x7ff<<52 | uint64(b)&0x7fffff<<29
	}
	return math.Float64bits(float64(math.Float32frombits(b)))
}

// widen gives the float64 of a pattern, with the payload of a NaN.
func widen(f *dtype.Format, pattern uint64) uint64 {
	if m := mantissa(f); m > 0 && f.IsNaN(pattern) {
		return pattern>>(f.Bits()-1)<<63 | 0x7ff<<52 | pattern&(1<<m-1)<<(52-m)
	}
	return math.Float64bits(f.Decode(pattern))
}

// mantissa is how many bits the payload of a NaN has; 0 for formats with just
// one NaN, or none. The NaN of metadata has the topmost of them set.
func mantissa(f *dtype.Format) int {
	if !f.HasInf() {
		return 0
	}
	nan, _ := f.NaN()
	return bits.TrailingZeros64(nan) + 1
}

// storer writes the low bytes of every element of a block.
func storer(size int) func(dst []byte, block []uint64) {
	switch size {
	case 1:
		return store[uint8]
	case 2:
		return store[uint16]
	case 4:
		return store[uint32]
	}
	return store[uint64]
}

func store[T numeric.Integer](dst []byte, block []uint64) {
	d := numeric.Slice[T](dst)[:len(block)]
	for i, x := range block {
		d[i] = T(x)
	}
}
