// Package cast holds the codecs that store numbers as numbers of another type:
// "cast_value", whose text says exactly what becomes of a value that the other
// type does not have, and "numcodecs.astype", which casts as NumPy does.
//
// Both work in blocks of a few hundred elements: they are widened to 64 bits
// (an integer, or a float64, which holds every other float exactly), converted
// there, and written in the width of the target. A mode is chosen when a codec
// is bound, so that no element asks again.
//
// # What the text of cast_value leaves open
//
//   - Rounding is that of IEEE 754, into the finite numbers of the target, and
//     comes before the range: 70000 towards zero is 65504 in float16, and is in
//     range. To the nearest it is beyond the range.
//   - Infinity becomes an integer, or a float of a type without infinities,
//     only by scalar_map: "clamp" is for numbers.
//   - "wrap" says nothing about floats. Where decoding goes to a float type, a
//     number beyond its range is an error, as it is without out_of_range.
//   - A key of scalar_map matches equal numbers, so 0 matches -0 too. "NaN"
//     matches every NaN, and a NaN that is spelled by its bits only those. The
//     text's own example spells infinity "+Infinity"; that is read too.
//   - A fill value survives if it comes back as an equal number or another NaN.
//   - The payload of a NaN is kept where it fits, so that a float that was
//     widened comes back bit by bit.
package cast

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// Rounding says which of two neighbours stands for a number between them.
type Rounding string

// The roundings of cast_value.
const (
	NearestEven     Rounding = "nearest-even"
	TowardsZero     Rounding = "towards-zero"
	TowardsPositive Rounding = "towards-positive"
	TowardsNegative Rounding = "towards-negative"
	NearestAway     Rounding = "nearest-away"
)

var roundings = []Rounding{NearestEven, TowardsZero, TowardsPositive, TowardsNegative, NearestAway}

// Range says what becomes of a number beyond the range of the target.
type Range string

// The rules of cast_value for numbers that are too large.
const (
	Fail  Range = "" // they are an error
	Clamp Range = "clamp"
	Wrap  Range = "wrap"
)

// Pair is an entry of a scalar_map: In becomes Out. Both are spelled as fill
// values of their types.
type Pair struct {
	In, Out json.RawMessage
}

// Codec is a parsed entry of "cast_value".
type Codec struct {
	DataType       dtype.Type // of the encoded elements
	Rounding       Rounding
	OutOfRange     Range
	Encode, Decode []Pair // scalar_map; nil where it says nothing
}

type config struct {
	DataType   json.RawMessage `json:"data_type"`
	Rounding   *Rounding       `json:"rounding,omitempty"`
	OutOfRange *Range          `json:"out_of_range,omitempty"`
	ScalarMap  json.RawMessage `json:"scalar_map,omitempty"`
}

type scalarMap struct {
	Encode []Pair `json:"encode,omitempty"`
	Decode []Pair `json:"decode,omitempty"`
}

// UnmarshalJSON reads an array of two.
func (p *Pair) UnmarshalJSON(raw []byte) error {
	var both []json.RawMessage
	if err := strictjson.Unmarshal(raw, &both); err != nil || len(both) != 2 {
		return fmt.Errorf("an entry of scalar_map must be an array of two values")
	}
	p.In, p.Out = both[0], both[1]
	return nil
}

// MarshalJSON gives an array of two.
func (p Pair) MarshalJSON() ([]byte, error) { return json.Marshal([]json.RawMessage{p.In, p.Out}) }

// Parse reads the configuration of "cast_value".
func Parse(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	var c config
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	if c.DataType == nil {
		return nil, fmt.Errorf("configuration lacks data_type")
	}
	out := Codec{Rounding: NearestEven}
	var err error
	if out.DataType, err = dtype.Parse(c.DataType); err != nil {
		return nil, fmt.Errorf("data_type: %w", err)
	}
	if !isReal(out.DataType) {
		return nil, fmt.Errorf("cannot cast to %s, only to integers and floats", out.DataType.Name())
	}
	if c.Rounding != nil {
		if out.Rounding = *c.Rounding; !slices.Contains(roundings, out.Rounding) {
			return nil, fmt.Errorf("rounding is %q: must be one of %q", out.Rounding, roundings)
		}
	}
	if c.OutOfRange != nil {
		if out.OutOfRange = *c.OutOfRange; out.OutOfRange != Clamp && out.OutOfRange != Wrap {
			return nil, fmt.Errorf("out_of_range is %q: must be %q or %q", out.OutOfRange, Clamp, Wrap)
		}
	}
	if out.OutOfRange == Wrap && out.DataType.Kind() == dtype.Float {
		return nil, fmt.Errorf("out_of_range is %q, which %s cannot do: only integers wrap", Wrap, out.DataType.Name())
	}
	if c.ScalarMap != nil {
		var m scalarMap
		if string(c.ScalarMap) == "null" {
			return nil, fmt.Errorf("scalar_map must be an object")
		}
		if err := codec.ParseConfig(c.ScalarMap, &m); err != nil {
			return nil, fmt.Errorf("scalar_map: %w", err)
		}
		out.Encode, out.Decode = m.Encode, m.Decode
	}
	return out, nil
}

// isReal reports whether a type models real numbers.
func isReal(t dtype.Type) bool {
	switch t.Kind() {
	case dtype.Int, dtype.Uint, dtype.Float:
		return true
	}
	return false
}

// Name is "cast_value".
func (Codec) Name() string { return "cast_value" }

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	typ, err := c.DataType.MarshalJSON()
	if err != nil {
		return nil, err
	}
	conf := config{DataType: typ, Rounding: &c.Rounding}
	if c.OutOfRange != Fail {
		conf.OutOfRange = &c.OutOfRange
	}
	if c.Encode != nil || c.Decode != nil {
		if conf.ScalarMap, err = json.Marshal(scalarMap{c.Encode, c.Decode}); err != nil {
			return nil, err
		}
	}
	return codec.MarshalEntry("cast_value", conf)
}
