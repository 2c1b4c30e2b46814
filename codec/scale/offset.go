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

// OffsetName is the name of Offset.
const OffsetName = "scale_offset"

// Offset is the codec "scale_offset": it stores (x - offset) * scale in the type
// of x, by the rules of that type. A result that an integer type does not have,
// also on the way to another, is an error; floats round, and those that have
// infinities may become infinite.
type Offset struct {
	// Offset and Scale are spelled like fill values of the array's type; nil
	// stands for zero and one.
	Offset, Scale json.RawMessage
}

type offsetConfig struct {
	Offset json.RawMessage `json:"offset,omitempty"`
	Scale  json.RawMessage `json:"scale,omitempty"`
}

// ParseOffset reads the configuration.
func ParseOffset(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	var c offsetConfig
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	if c.Offset != nil && strictjson.IsNull(c.Offset) {
		return nil, fmt.Errorf("configuration: offset must not be null")
	}
	if c.Scale != nil && strictjson.IsNull(c.Scale) {
		return nil, fmt.Errorf("configuration: scale must not be null")
	}
	return Offset(c), nil
}

// Name is "scale_offset".
func (Offset) Name() string { return OffsetName }

// MarshalJSON gives the entry for metadata. What is not given does not depend on
// the program that reads it, but its spelling does on the type: it is left out.
func (c Offset) MarshalJSON() ([]byte, error) {
	if c.Offset == nil && c.Scale == nil {
		return codec.MarshalEntry(OffsetName, nil)
	}
	return codec.MarshalEntry(OffsetName, offsetConfig(c))
}

// BindArray fits the codec to chunks. The fill value is encoded as elements are.
func (c Offset) BindArray(in codec.Spec) (codec.ArrayFilter, error) {
	switch in.Type.Kind() {
	case dtype.Int, dtype.Uint, dtype.Float:
	default:
		return nil, fmt.Errorf("cannot scale %s, only integers and floats", in.Type.Name())
	}
	f := &offsetFilter{out: in, rounds: in.Type.Kind() == dtype.Float && (c.Offset != nil || c.Scale != nil)}
	offset, err := c.parse(in.Type, "offset", c.Offset)
	if err != nil {
		return nil, err
	}
	scale, err := c.parse(in.Type, "scale", c.Scale)
	if err != nil {
		return nil, err
	}
	if f.encode, f.decode, err = kernelsFor(in.Type, offset, scale); err != nil {
		return nil, err
	}
	f.out.Fill = make([]byte, len(in.Fill))
	if f.encode(f.out.Fill, in.Fill) >= 0 {
		return nil, fmt.Errorf("fill value: %w", f.unfit(in.Fill, "(x - offset) * scale"))
	}
	return f, nil
}

// parse reads a number of type t; nil stays nil.
func (c Offset) parse(t dtype.Type, member string, raw json.RawMessage) ([]byte, error) {
	if raw == nil {
		return nil, nil
	}
	elem, err := t.ParseFill(raw, &nd.Heap{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", member, err)
	}
	return elem, nil
}

// checked is a kernel that returns the number of the first element of src whose
// result the type does not have, -1 if there is none.
type checked func(dst, src []byte) int

// offsetFilter is a bound Offset.
type offsetFilter struct {
	out            codec.Spec
	encode, decode checked
	rounds         bool // what integers become is exact
}

// Traits says what is lost.
func (f *offsetFilter) Traits() codec.Traits {
	if !f.rounds {
		return codec.Traits{}
	}
	return codec.Traits{Lossy: []string{"floats are rounded when they are scaled"}}
}

// Out is numbers of the same type.
func (f *offsetFilter) Out() codec.Spec { return f.out }

// Needs is b.
func (f *offsetFilter) Needs(b nd.Box) nd.Box { return b }

// Encode scales.
func (f *offsetFilter) Encode(_ *codec.Chunk, dst, src nd.View) error {
	return numeric.Runs(dst, src, func(d, s []byte) error {
		if i := f.encode(d, s); i >= 0 {
			return f.unfit(s[i*src.Size:], "(x - offset) * scale")
		}
		return nil
	})
}

// Decode scales back.
func (f *offsetFilter) Decode(_ *codec.Chunk, dst nd.View, _ nd.Box, src nd.View) error {
	return numeric.Runs(dst, src, func(d, s []byte) error {
		if i := f.decode(d, s); i >= 0 {
			return f.unfit(s[i*src.Size:], "x / scale + offset")
		}
		return nil
	})
}

func (f *offsetFilter) unfit(elem []byte, formula string) error {
	x, err := f.out.Type.AppendValue(nil, elem[:f.out.Type.Size()], nd.Blobs{})
	if err != nil {
		return err
	}
	return codec.Bad("%s is no %s for x = %s", formula, f.out.Type.Name(), x)
}
