package levels

import (
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
	if t.Kind() != dtype.Complex {
		dtype.Floats(t, dst, elems)
		return
	}
	format, _ := dtype.FormatOf(t)
	size := t.Size() / 2
	for i := range dst {
		re, im := elems[2*i*size:][:size], elems[(2*i+1)*size:][:size]
		dst[i] = math.Hypot(format.Decode(bits(re)), format.Decode(bits(im)))
	}
}

// bits are those of a float.
func bits(e []byte) (out uint64) {
	for i, b := range e {
		out |= uint64(b) << (8 * i)
	}
	return out
}
