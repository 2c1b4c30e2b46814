package cast

import (
	"bytes"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// BindArray fits the codec to chunks.
func (c Codec) BindArray(in codec.Spec) (codec.ArrayFilter, error) {
	if !isReal(in.Type) {
		return nil, fmt.Errorf("cannot cast %s, only integers and floats", in.Type.Name())
	}
	encode, err := c.caster(in.Type, c.DataType, c.Encode)
	if err != nil {
		return nil, fmt.Errorf("scalar_map.encode: %w", err)
	}
	decode, err := c.caster(c.DataType, in.Type, c.Decode)
	if err != nil {
		return nil, fmt.Errorf("scalar_map.decode: %w", err)
	}
	out := codec.Spec{Type: c.DataType, Shape: in.Shape}
	if out.Fill, err = encode.one(in.Fill); err != nil {
		return nil, fmt.Errorf("fill value: %w", err)
	}
	back, err := decode.one(out.Fill)
	if err != nil {
		return nil, fmt.Errorf("encoded fill value: %w", err)
	}
	if !same(in.Type, back, in.Fill) {
		return nil, fmt.Errorf("fill value %s comes back as %s", show(in.Type, in.Fill), show(in.Type, back))
	}
	return &filter{out: out, encode: encode, decode: decode, lossy: c.loses(in.Type)}, nil
}

// caster makes one direction of the codec.
func (c Codec) caster(from, to dtype.Type, pairs []Pair) (*caster, error) {
	out := &caster{from: from, to: to, load: loader(from), store: storer(to.Size())}
	t := newTarget(to, c.Rounding, c.OutOfRange)
	switch class := classOf(from); {
	case class == isFloat && t.format == nil:
		out.convert = t.floatToInt()
	case class == isFloat:
		out.convert = t.floatToFloat()
	case t.format == nil && class == isUint64:
		out.convert = t.uintToInt
	case t.format == nil:
		out.convert = t.intToInt
	default:
		out.convert = t.intToFloat(class == isUint64)
	}
	var err error
	out.special, err = newSpecials(from, to, pairs)
	return out, err
}

// loses reports whether what is stored may be another number: where it is neither
// always the same nor else an error.
func (c Codec) loses(from dtype.Type) bool {
	whole := from.Kind() != dtype.Float && c.DataType.Kind() != dtype.Float
	return !dtype.Holds(c.DataType, from) && !(whole && c.OutOfRange == Fail && len(c.Encode) == 0)
}

// losses says what a cast loses.
func losses(from, to dtype.Type) codec.Traits {
	return codec.Traits{Lossy: []string{fmt.Sprintf("%s is stored as %s", from.Name(), to.Name())}}
}

// filter is a bound codec.
type filter struct {
	out            codec.Spec
	encode, decode *caster
	lossy          bool
}

// Traits says whether numbers change.
func (f *filter) Traits() codec.Traits {
	if !f.lossy {
		return codec.Traits{}
	}
	return losses(f.encode.from, f.encode.to)
}

// Out is the same shape in the other type.
func (f *filter) Out() codec.Spec { return f.out }

// Needs is the same box.
func (f *filter) Needs(b nd.Box) nd.Box { return b }

// Encode casts a chunk.
func (f *filter) Encode(_ *codec.Chunk, dst, src nd.View) error { return f.encode.run(dst, src) }

// Decode casts a box back.
func (f *filter) Decode(_ *codec.Chunk, dst nd.View, _ nd.Box, src nd.View) error {
	if err := f.decode.run(dst, src); err != nil {
		return codec.Bad("%v", err)
	}
	return nil
}

// same reports whether two elements are equal numbers, or both NaN.
func same(t dtype.Type, a, b []byte) bool {
	if f, ok := dtype.FormatOf(t); ok && t.Kind() == dtype.Float {
		x, y := f.Decode(number(a)), f.Decode(number(b))
		return x == y || math.IsNaN(x) && math.IsNaN(y)
	}
	return bytes.Equal(a, b)
}

// show spells an element for an error.
func show(t dtype.Type, elem []byte) string {
	text, err := t.AppendValue(nil, elem, nil)
	if err != nil {
		return fmt.Sprintf("%x", elem)
	}
	return string(text)
}

// number reads a little-endian number of up to eight bytes.
func number(b []byte) uint64 {
	var n uint64
	for i, x := range b {
		n |= uint64(x) << (8 * i)
	}
	return n
}
