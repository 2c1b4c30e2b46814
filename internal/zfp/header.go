package zfp

import (
	"fmt"
	"math"
)

// version is that of the format, in headers.
const version = 5

// Headers hold the parameters of the usual modes in 12 bits: numbers from 0 on
// are sizes of blocks, then come precisions, the reversible variant, and exponents.
// The last stands for parameters that are spelled out.
const (
	shortBits   = 12
	shortRates  = 2048
	shortExact  = shortRates + 128
	shortExps   = shortExact + 1
	shortLong   = 1<<shortBits - 1
	longExpBias = 16495
	// largestHeader is the number of bits of the largest header.
	largestHeader = 32 + 52 + 64
)

// Header is what stands in front of a stream that describes itself.
type Header struct {
	Type   Type
	Shape  []int // slowest axis first
	Params Params
	Bits   int // its length
}

// MaxHeader is the largest number of bytes by which a header lengthens a stream.
const MaxHeader = (largestHeader + 63) / 64 * 8

// ReadHeader reads the header at the start of data.
func ReadHeader(data []byte) (Header, error) {
	r := reader{data: data}
	if magic := r.get(24); magic != 'z'|'f'<<8|'p'<<16 {
		return Header{}, fmt.Errorf("data does not begin with a zfp header")
	}
	if v := r.get(8); v != version {
		return Header{}, fmt.Errorf("zfp format %d: only %d can be read", v, version)
	}
	h := Header{Type: Type(r.get(2) + 1)}
	dims := int(r.get(2)) + 1
	h.Shape = make([]int, dims)
	for i := dims - 1; i >= 0; i-- {
		n := r.get(48 / dims)
		if n >= math.MaxInt {
			return Header{}, fmt.Errorf("zfp header: an axis of length %d is too long", n+1)
		}
		h.Shape[i] = int(n) + 1
	}
	switch mode := int(r.get(shortBits)); {
	case mode < shortRates:
		h.Params = Params{mode + 1, mode + 1, mostPrec, leastExp}
	case mode < shortExact:
		h.Params = Params{leastBits, mostBits, mode - shortRates + 1, leastExp}
	case mode == shortExact:
		h.Params = Reversible()
	case mode < shortLong:
		h.Params = Params{leastBits, mostBits, mostPrec, mode - shortExps + leastExp}
	default:
		h.Params.MinBits = int(r.get(15)) + 1
		h.Params.MaxBits = int(r.get(15)) + 1
		h.Params.MaxPrec = int(r.get(7)) + 1
		h.Params.MinExp = int(r.get(15)) - longExpBias
	}
	if r.over() {
		return Header{}, fmt.Errorf("%d bytes are too few for a zfp header", len(data))
	}
	h.Bits = r.pos
	if err := h.Params.Check(); err != nil {
		return Header{}, fmt.Errorf("zfp header: %w", err)
	}
	return h, nil
}

// writeHeader writes the header of a stream.
func writeHeader(w *writer, t Type, shape []int, p Params) error {
	w.put('z'|'f'<<8|'p'<<16|version<<24, 32)
	w.put(uint64(t-1), 2)
	w.put(uint64(len(shape)-1), 2)
	room := 48 / len(shape)
	for i := len(shape) - 1; i >= 0; i-- {
		if uint64(shape[i]-1)>>uint(room) != 0 {
			return fmt.Errorf("an axis of length %d is too long for a zfp header, which has %d bits for each of %d", shape[i], room, len(shape))
		}
		w.put(uint64(shape[i]-1), uint(room))
	}
	mode := p.short()
	w.put(uint64(mode), shortBits)
	if mode == shortLong {
		w.put(uint64(min(max(1, p.MinBits), limitBits)-1), 15)
		w.put(uint64(min(max(1, p.MaxBits), limitBits)-1), 15)
		w.put(uint64(min(p.MaxPrec, 128)-1), 7)
		w.put(uint64(max(0, min(p.MinExp+longExpBias, 1<<15-1))), 15)
	}
	return nil
}

// short is the number that stands for p, shortLong if there is none.
func (p Params) short() int {
	free := p.MinBits <= leastBits && p.MaxBits >= mostBits
	all := p.MaxPrec >= mostPrec
	switch {
	case p == Params{leastBits, mostBits, mostPrec, leastExp}:
		return shortLong // the default of the library has no name
	case p.MinBits == p.MaxBits && 1 <= p.MaxBits && p.MaxBits <= shortRates && all && p.MinExp == leastExp:
		return p.MaxBits - 1
	case free && p.MinExp == leastExp:
		return shortRates + p.MaxPrec - 1
	case free && all && p.MinExp > leastExp && p.MinExp <= shortLong-1-shortExps+leastExp:
		return shortExps + p.MinExp - leastExp
	case free && all && p.reversible():
		return shortExact
	}
	return shortLong
}
