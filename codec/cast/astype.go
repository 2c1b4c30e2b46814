package cast

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/nd"
)

// AsType is a parsed entry of "numcodecs.astype", which casts as NumPy does,
// and NumPy as C does: integers keep their low bits, floats lose their fraction
// or are rounded to the nearest float, ties to even, and everything but zero is
// true. Complex numbers lose their imaginary part. Times are the numbers of
// their steps.
//
// C leaves open what a float beyond the range of an integer becomes. Here it is
// what compiled C does on x86-64: conversions go to int32 (for integers of 8 and
// 16 bits too) or int64 (for uint32 too), and what does not fit there, infinity
// and NaN, becomes the lowest of these, of which narrower integers keep the low
// bits: zeros. In uint64 the high end of the range is served as well; numbers
// from 2^64 on become 0 there, and NaN and negative ones beyond the range 2^63.
// NumPy agrees except where its vector code for uint32 differs from its own
// scalar code.
type AsType struct {
	EncodeType dtype.Type
	DecodeType dtype.Type // nil: that of the array

	encodeBig, decodeBig bool // how they were spelled
}

type astypeConfig struct {
	EncodeType json.RawMessage `json:"encode_dtype"`
	DecodeType json.RawMessage `json:"decode_dtype,omitempty"`
}

// ParseAsType reads the configuration of "numcodecs.astype".
func ParseAsType(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	var conf astypeConfig
	if err := codec.ParseConfig(raw, &conf); err != nil {
		return nil, err
	}
	if conf.EncodeType == nil {
		return nil, fmt.Errorf("configuration lacks encode_dtype")
	}
	var c AsType
	var err error
	if c.EncodeType, c.encodeBig, err = dtype.ParseNumpy(numeric.Spelling(conf.EncodeType)); err != nil {
		return nil, fmt.Errorf("encode_dtype: %w", err)
	}
	if conf.DecodeType != nil && string(conf.DecodeType) != "null" {
		if c.DecodeType, c.decodeBig, err = dtype.ParseNumpy(numeric.Spelling(conf.DecodeType)); err != nil {
			return nil, fmt.Errorf("decode_dtype: %w", err)
		}
	}
	return c, nil
}

// Name is "numcodecs.astype".
func (AsType) Name() string { return "numcodecs.astype" }

// MarshalJSON gives the entry for metadata.
func (c AsType) MarshalJSON() ([]byte, error) {
	var conf astypeConfig
	var err error
	if conf.EncodeType, err = dtype.NumpyJSON(c.EncodeType, c.encodeBig); err != nil {
		return nil, err
	}
	if c.DecodeType != nil {
		if conf.DecodeType, err = dtype.NumpyJSON(c.DecodeType, c.decodeBig); err != nil {
			return nil, err
		}
	}
	return codec.MarshalEntry("numcodecs.astype", conf)
}

// BindArray fits the codec to chunks. Like numcodecs it takes the memory of the
// elements for decode_dtype, whatever the type of the array is.
func (c AsType) BindArray(in codec.Spec) (codec.ArrayFilter, error) {
	own := c.DecodeType
	if own == nil {
		own = in.Type
	}
	if own.Size() != in.Type.Size() || len(in.Type.Refs()) > 0 {
		return nil, fmt.Errorf("decode_dtype is %s, which %s cannot be taken for", own.Name(), in.Type.Name())
	}
	encode, err := newNumpy(own, c.EncodeType)
	if err != nil {
		return nil, err
	}
	decode, err := newNumpy(c.EncodeType, own)
	if err != nil {
		return nil, err
	}
	out := codec.Spec{Type: c.EncodeType, Shape: in.Shape, Fill: make([]byte, c.EncodeType.Size())}
	f := &numpyFilter{out: out, encode: encode, decode: decode}
	if !dtype.Holds(c.EncodeType, own) {
		f.traits = losses(own, c.EncodeType)
	}
	return f, encode.run(nil, nd.Of(out.Fill, len(out.Fill)), nd.Of(in.Fill, len(in.Fill)))
}

// numpyFilter is a bound AsType.
type numpyFilter struct {
	out            codec.Spec
	encode, decode *numpy
	traits         codec.Traits
}

// Traits says whether numbers change.
func (f *numpyFilter) Traits() codec.Traits { return f.traits }

// Out is the same shape in the other type.
func (f *numpyFilter) Out() codec.Spec { return f.out }

// Needs is the same box.
func (f *numpyFilter) Needs(b nd.Box) nd.Box { return b }

// Encode casts a chunk.
func (f *numpyFilter) Encode(ck *codec.Chunk, dst, src nd.View) error {
	return f.encode.run(ck, dst, src)
}

// Decode casts a box back.
func (f *numpyFilter) Decode(ck *codec.Chunk, dst nd.View, _ nd.Box, src nd.View) error {
	return f.decode.run(ck, dst, src)
}
