// Package scaleoffset is the codec "omnizarr.hdf5_scaleoffset", the filter 6 of HDF5:
// of every number the difference to the smallest one is stored, in as many bits as the
// largest needs. Numbers with a fraction are first rounded to some decimals. It is for
// reading only.
package scaleoffset

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/bitreader"
)

// Name is the name in metadata.
const Name = "omnizarr.hdf5_scaleoffset"

// Codec is a parsed entry.
type Codec struct {
	// Values are the parameters of the filter: the way of scaling, the factor, how
	// many elements a chunk has, their class, size, sign and byte order, whether there
	// is a fill value, and that value.
	Values []uint32
}

type config struct {
	Values []uint32 `json:"values"`
}

// Parse reads the configuration.
func Parse(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	var c config
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	out := Codec(c)
	_, err := out.bind()
	return out, err
}

// Name is "omnizarr.hdf5_scaleoffset".
func (Codec) Name() string { return Name }

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) { return codec.MarshalEntry(Name, config(c)) }

// BindBytes fits the codec to what comes in.
func (c Codec) BindBytes(_ codec.Spec, in codec.Size) (codec.BytesFilter, error) {
	f, err := c.bind()
	if err == nil && in.Known && in.N < math.MaxInt/2 {
		f.out = codec.AtMost(in.N + header + 8) // there is a byte more than bits need
	}
	return f, err
}

// The ways of scaling, and what the class, sign, order and fill value are told by.
const (
	byDecimals  = 0
	byExponents = 1
	ofIntegers  = 2
	header      = 21 // bytes in front of the bits
)

func (c Codec) bind() (*filter, error) {
	v := c.Values
	if len(v) < 8 {
		return nil, errors.New("values: scaleoffset has at least 8 parameters")
	}
	f := &filter{factor: int32(v[1]), count: uint64(v[2]), float: v[3] == 1, size: uint64(v[4]), big: v[6] == 1, filled: v[7] == 1}
	switch {
	case v[0] == byExponents:
		return nil, errors.New("values: scaleoffset by exponents was never made")
	case v[0] > ofIntegers:
		return nil, fmt.Errorf("values: scaleoffset has no way %d of scaling", v[0])
	case v[3] > 1 || v[5] > 1 || v[6] > 1 || v[7] > 1:
		return nil, fmt.Errorf("values: class %d, sign %d, order %d and fill %d of scaleoffset must be 0 or 1", v[3], v[5], v[6], v[7])
	case f.float != (v[0] == byDecimals):
		return nil, fmt.Errorf("values: scaleoffset of class %d is not by way %d", v[3], v[0])
	case f.float && f.size != 4 && f.size != 8:
		return nil, fmt.Errorf("values: scaleoffset has no numbers with a fraction of %d bytes", f.size)
	case f.size != 1 && f.size != 2 && f.size != 4 && f.size != 8:
		return nil, fmt.Errorf("values: scaleoffset has no integers of %d bytes", f.size)
	}
	f.width = 8 * int(f.size)
	f.plain = !f.float && int(f.factor) == f.width
	for i, x := range v[8:min(len(v), 10)] {
		f.fill |= uint64(x) << (32 * i)
	}
	return f, nil
}

// filter is the bound codec.
type filter struct {
	plain  bool  // all bits are kept, so that there is no header
	factor int32 // decimals
	count  uint64
	float  bool
	size   uint64 // of an element
	width  int    // of an element in bits
	big    bool
	filled bool
	fill   uint64
	out    codec.Size
}

func (f *filter) Size() codec.Size { return f.out }

// Encode is refused.
func (f *filter) Encode(*codec.Chunk, []byte, []byte) ([]byte, error) {
	return nil, errors.New("scaleoffset of HDF5 is only read")
}

func (f *filter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	if f.plain {
		if len(src) > limit {
			return nil, ck.Over(len(src), limit)
		}
		return append(dst, src...), nil
	}
	if len(src) < header {
		return nil, codec.Bad("%d bytes are too short for the header of scaleoffset", len(src))
	}
	bits, least := binary.LittleEndian.Uint32(src), uint64(0)
	for i := range min(int(src[4]), 8) {
		least |= uint64(src[5+i]) << (8 * i)
	}
	src = src[header:]
	n := f.count * f.size
	switch {
	case bits > uint32(f.width):
		return nil, codec.Bad("%d bits are more than an element of %d bytes has", bits, f.size)
	case n > uint64(limit):
		return nil, ck.Over(int(min(n, math.MaxInt)), limit)
	case f.count*uint64(bits) > 8*uint64(len(src)):
		return nil, codec.Bad("%d bytes are too short for %d elements of %d bits", len(src), f.count, bits)
	}
	dst, err := ck.Grow(dst, int(n))
	if err != nil {
		return nil, err
	}
	dst = dst[:len(dst)+int(n)]
	out := dst[len(dst)-int(n):]
	if int(bits) == f.width {
		f.whole(out, src)
	} else {
		f.unpack(out, src, int(bits), least)
	}
	return dst, nil
}

// whole copies numbers that are stored as they are, in the order of the machines that
// write them.
func (f *filter) whole(out, src []byte) {
	copy(out, src)
	if !f.big {
		return
	}
	for size := int(f.size); len(out) > 0; out = out[size:] {
		for i := range size / 2 {
			out[i], out[size-1-i] = out[size-1-i], out[i]
		}
	}
}

// unpack computes numbers from bits. If there is a fill value, it is stored as all ones.
func (f *filter) unpack(out, src []byte, bits int, least uint64) {
	ones := uint64(1)<<bits - 1
	scale := math.Pow(10, float64(f.factor))
	scale32, least32 := float32(scale), math.Float32frombits(uint32(least))
	least64 := math.Float64frombits(least)
	r := bitreader.New(src)
	for ; len(out) > 0; out = out[f.size:] {
		x := r.Bits(bits)
		switch {
		case f.filled && x == ones:
			x = f.fill
		case !f.float:
			x += least
		case f.size == 4:
			x = uint64(math.Float32bits(float32(int32(x))/scale32 + least32))
		default:
			x = math.Float64bits(float64(int64(x))/scale + least64)
		}
		put(out[:f.size], x, f.big)
	}
}

// put stores the low bytes of x.
func put(dst []byte, x uint64, big bool) {
	switch {
	case len(dst) == 1:
		dst[0] = byte(x)
	case len(dst) == 2 && big:
		binary.BigEndian.PutUint16(dst, uint16(x))
	case len(dst) == 2:
		binary.LittleEndian.PutUint16(dst, uint16(x))
	case len(dst) == 4 && big:
		binary.BigEndian.PutUint32(dst, uint32(x))
	case len(dst) == 4:
		binary.LittleEndian.PutUint32(dst, uint32(x))
	case big:
		binary.BigEndian.PutUint64(dst, x)
	default:
		binary.LittleEndian.PutUint64(dst, x)
	}
}
