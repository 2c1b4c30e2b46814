// Package scale has the codecs "scale_offset" and "numcodecs.fixedscaleoffset",
// which subtract an offset from numbers and multiply them by a scale. The first
// keeps the type and computes by its rules, so that integers are exact or an
// error; the second rounds to whole numbers and stores those in another type,
// by NumPy's rules, where integers wrap around.
package scale

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// FixedName is the name of Fixed.
const FixedName = "numcodecs.fixedscaleoffset"

// Fixed is the codec "numcodecs.fixedscaleoffset".
type Fixed struct {
	// Offset and Scale are numbers as JSON spells them: whether there is a point
	// in one decides if NumPy computes with integers or with floats.
	Offset, Scale json.Number
	// Type is the type of the elements, nil for that which they have.
	Type dtype.Type
	// Stored is the type that is stored, nil for that of the elements.
	Stored dtype.Type

	config fixedConfig
}

type fixedConfig struct {
	Offset json.RawMessage `json:"offset"`
	Scale  json.RawMessage `json:"scale"`
	DType  json.RawMessage `json:"dtype,omitempty"`
	AsType json.RawMessage `json:"astype,omitempty"`
}

// ParseFixed reads the configuration.
func ParseFixed(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	var k Fixed
	c := &k.config
	err := codec.ParseConfig(raw, c)
	if err != nil {
		return nil, err
	}
	if k.Offset, err = parseNumber("offset", c.Offset); err != nil {
		return nil, err
	}
	if k.Scale, err = parseNumber("scale", c.Scale); err != nil {
		return nil, err
	}
	if k.Type, c.DType, err = parseType("dtype", c.DType); err != nil {
		return nil, err
	}
	if k.Stored, c.AsType, err = parseType("astype", c.AsType); err != nil {
		return nil, err
	}
	if c.AsType == nil {
		c.AsType, k.Stored = c.DType, k.Type
	}
	return k, nil
}

// parseNumber reads a number that must be there.
func parseNumber(member string, raw json.RawMessage) (json.Number, error) {
	if raw == nil {
		return "", fmt.Errorf("configuration lacks %s", member)
	}
	var n json.Number
	if raw[0] == '"' || strictjson.IsNull(raw) || json.Unmarshal(raw, &n) != nil {
		return "", fmt.Errorf("%s is %s: must be a number", member, strictjson.Quote(string(raw)))
	}
	return n, nil
}

// parseType reads a type that may be missing or null.
func parseType(member string, raw json.RawMessage) (dtype.Type, json.RawMessage, error) {
	if raw == nil || strictjson.IsNull(raw) {
		return nil, nil, nil
	}
	raw = numeric.Spelling(raw)
	t, _, err := dtype.ParseNumpy(raw)
	if err == nil && numeric.Named(t.Name()) == numeric.None {
		err = fmt.Errorf("cannot scale %s", t.Name())
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", member, err)
	}
	return t, raw, nil
}

// Name is "numcodecs.fixedscaleoffset".
func (Fixed) Name() string { return FixedName }

// MarshalJSON gives the entry for metadata.
func (c Fixed) MarshalJSON() ([]byte, error) { return codec.MarshalEntry(FixedName, c.config) }

// BindArray fits the codec to chunks.
func (c Fixed) BindArray(in codec.Spec) (codec.ArrayFilter, error) {
	t := numeric.Named(in.Type.Name())
	if t == numeric.None {
		return nil, fmt.Errorf("cannot scale %s", in.Type.Name())
	}
	if c.Type != nil && !dtype.Equal(c.Type, in.Type) {
		return nil, fmt.Errorf("dtype is %s, but the elements are %s", c.Type.Name(), in.Type.Name())
	}
	f := &fixedFilter{out: in}
	stored := t
	if c.Stored != nil {
		f.out.Type, stored = c.Stored, numeric.Named(c.Stored.Name())
	}
	offset, scale, err := c.values()
	if err != nil {
		return nil, err
	}
	f.decode = decodePipe(t, stored, offset, scale)
	// numcodecs does not scale the fill value: where a shard behind the filter has
	// no inner chunk, its elements are stored as this one, cast to their type.
	f.out.Fill = make([]byte, f.out.Type.Size())
	if cast := numeric.Cast(stored, t); cast != nil {
		cast(f.out.Fill, in.Fill)
	} else {
		copy(f.out.Fill, in.Fill)
	}
	// What cannot be encoded can still be read: older versions of NumPy wrote it.
	f.encode, f.refused = encodePipe(stored, t, offset, scale)
	return f, nil
}

func (c Fixed) values() (offset, scale number, err error) {
	if offset, err = newNumber(c.Offset); err != nil {
		return offset, scale, fmt.Errorf("offset %w", err)
	}
	if scale, err = newNumber(c.Scale); err != nil {
		return offset, scale, fmt.Errorf("scale %w", err)
	}
	return offset, scale, nil
}

// Traits says what is lost.
func (f *fixedFilter) Traits() codec.Traits {
	return codec.Traits{Lossy: []string{"scaled numbers are rounded to whole ones of type " + f.out.Type.Name()}}
}

// fixedFilter is a bound Fixed.
type fixedFilter struct {
	out            codec.Spec
	encode, decode *numeric.Pipe
	refused        error // why there is no encode
}

// Out is numbers of the stored type.
func (f *fixedFilter) Out() codec.Spec { return f.out }

// Needs is b.
func (f *fixedFilter) Needs(b nd.Box) nd.Box { return b }

// Encode scales.
func (f *fixedFilter) Encode(_ *codec.Chunk, dst, src nd.View) error {
	if f.refused != nil {
		return f.refused
	}
	return numeric.Runs(dst, src, func(d, s []byte) error {
		f.encode.Run(d, s)
		return nil
	})
}

// Decode scales back.
func (f *fixedFilter) Decode(_ *codec.Chunk, dst nd.View, _ nd.Box, src nd.View) error {
	return numeric.Runs(dst, src, func(d, s []byte) error {
		f.decode.Run(d, s)
		return nil
	})
}
