package levels

import (
	"encoding/binary"
	"math"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/cf"
)

// decoder tells what packed numbers mean, nil where numbers mean what is stored.
func (img *Image) decoder() *cf.Decoder {
	if d, ok := cf.Of(img.Levels[0].Array); ok && d.Kind() == cf.Numbers {
		return d
	}
	return nil
}

// Packed reports whether numbers are others than those that are stored, or may be missing,
// by the conventions of CF.
func (img *Image) Packed() bool { return img.decoder() != nil }

// Floats tells what elements mean, as they lie in memory, as many as dst holds: packed
// numbers are decoded, missing ones are NaN, complex ones their magnitude.
func (img *Image) Floats(dst []float64, elems []byte) {
	if d := img.decoder(); d != nil {
		d.Floats(dst, elems)
		return
	}
	t := img.Levels[0].DataType()
	size := t.Size()
	one := oneOf(t)
	for i := range dst {
		dst[i] = one(elems[i*size : i*size+size])
	}
}

// oneOf decodes an element of a type.
func oneOf(t dtype.Type) func(elem []byte) float64 {
	format, _ := dtype.FormatOf(t)
	switch t.Kind() {
	case dtype.Float:
		return func(e []byte) float64 { return format.Decode(bits(e)) }
	case dtype.Complex:
		return func(e []byte) float64 {
			return math.Hypot(format.Decode(bits(e[:len(e)/2])), format.Decode(bits(e[len(e)/2:])))
		}
	case dtype.Int:
		return func(e []byte) float64 { return float64(signed(e)) }
	}
	return func(e []byte) float64 { return float64(bits(e)) }
}

// bits are those of an element of up to eight bytes.
func bits(e []byte) uint64 {
	switch len(e) {
	case 1:
		return uint64(e[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(e))
	case 4:
		return uint64(binary.LittleEndian.Uint32(e))
	case 8:
		return binary.LittleEndian.Uint64(e)
	}
	var v uint64
	for i, b := range e {
		v |= uint64(b) << (8 * i)
	}
	return v
}

func signed(e []byte) int64 {
	shift := 64 - 8*len(e)
	return int64(bits(e)<<shift) >> shift
}
