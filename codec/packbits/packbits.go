// Package packbits is the codec "packbits": values of a fixed number of bits,
// one after the other without gaps, and "numcodecs.packbits", the older filter
// for truth values.
//
// They differ in the order of bits. "packbits" fills every byte from its
// least-significant bit up; "numcodecs.packbits" from its most-significant bit
// down, as numpy.packbits does unless told otherwise.
//
// A part of a chunk is read as just the bytes that hold its elements.
package packbits

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// Padding says where a chunk tells the number of bits that fill its last byte.
type Padding uint8

// The padding encodings.
const (
	None      Padding = iota // nowhere
	FirstByte                // in a byte before the packed ones
	LastByte                 // in a byte behind them
)

// String is the name in the metadata.
func (p Padding) String() string {
	switch p {
	case None:
		return "none"
	case FirstByte:
		return "first_byte"
	case LastByte:
		return "last_byte"
	}
	return fmt.Sprintf("padding encoding %d", uint8(p))
}

// Codec is a parsed entry. The zero value packs all bits that a type has and
// stores no padding byte.
type Codec struct {
	Padding Padding
	// FirstBit and LastBit are the lowest and the highest bit of a component
	// that are stored; nil stands for the lowest and the highest that it has.
	FirstBit, LastBit *int

	registered bool // the entry has the names of the registered schema
}

// Name is "packbits".
func (Codec) Name() string { return "packbits" }

// Parse reads the configuration. Besides the names of the specification's text
// it takes those of the schema that is registered with it: start_bit and
// end_bit, and start_byte and end_byte as padding encodings.
func Parse(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	if len(raw) == 0 {
		return Codec{}, nil
	}
	members, err := strictjson.Object(raw, strictjson.Options{})
	if err != nil {
		return nil, strictjson.At("configuration", err)
	}
	var c Codec
	var text, schema string // a name of the one kind and of the other
	for _, m := range members {
		switch m.Name {
		case "padding_encoding":
			c.Padding, err = parsePadding(m.Raw, &text, &schema)
		case "first_bit":
			text = m.Name
			c.FirstBit, err = parseBit(m)
		case "last_bit":
			text = m.Name
			c.LastBit, err = parseBit(m)
		case "start_bit":
			schema = m.Name
			c.FirstBit, err = parseBit(m)
		case "end_bit":
			schema = m.Name
			c.LastBit, err = parseBit(m)
		default:
			err = fmt.Errorf("unknown member %s", strictjson.Quote(m.Name))
		}
		if err != nil {
			return nil, strictjson.At("configuration", err)
		}
	}
	if text != "" && schema != "" {
		return nil, fmt.Errorf("configuration: %s and %s are names of two versions of the codec and must not be mixed", text, schema)
	}
	c.registered = schema != ""
	if c.FirstBit != nil && c.LastBit != nil && *c.LastBit < *c.FirstBit {
		return nil, fmt.Errorf("configuration: %w", c.reversed(*c.FirstBit, *c.LastBit))
	}
	return c, nil
}

// names are those of the first and the last bit in the entry.
func (c Codec) names() [2]string {
	if c.registered {
		return [2]string{"start_bit", "end_bit"}
	}
	return [2]string{"first_bit", "last_bit"}
}

// reversed is the error about a last bit before the first.
func (c Codec) reversed(first, last int) error {
	names := c.names()
	return fmt.Errorf("%s %d is less than %s %d", names[1], last, names[0], first)
}

func parsePadding(raw json.RawMessage, text, schema *string) (Padding, error) {
	if strictjson.IsNull(raw) {
		return None, nil
	}
	name, err := strictjson.String(raw)
	if err != nil {
		return None, strictjson.At("padding_encoding", err)
	}
	switch name {
	case "none":
		return None, nil
	case "first_byte":
		*text = name
		return FirstByte, nil
	case "last_byte":
		*text = name
		return LastByte, nil
	case "start_byte":
		*schema = name
		return FirstByte, nil
	case "end_byte":
		*schema = name
		return LastByte, nil
	}
	return None, fmt.Errorf("padding_encoding is %s: must be \"none\", \"first_byte\" or \"last_byte\"", strictjson.Excerpt(raw))
}

func parseBit(m strictjson.Member) (*int, error) {
	if strictjson.IsNull(m.Raw) {
		return nil, nil
	}
	n, err := strictjson.Int(m.Raw)
	if err != nil {
		return nil, strictjson.AtMember(m.Name, err)
	}
	if n < 0 || int64(int(n)) != n {
		return nil, fmt.Errorf("%s is %d: not the number of a bit", m.Name, n)
	}
	bit := int(n)
	return &bit, nil
}

// MarshalJSON gives the entry for metadata, in the names of the text.
func (c Codec) MarshalJSON() ([]byte, error) {
	return codec.MarshalEntry("packbits", struct {
		Padding  string `json:"padding_encoding"`
		FirstBit *int   `json:"first_bit,omitempty"`
		LastBit  *int   `json:"last_bit,omitempty"`
	}{c.Padding.String(), c.FirstBit, c.LastBit})
}

// packable are the types whose elements are one number or two of a kind.
var packable = []dtype.Kind{dtype.Bool, dtype.Int, dtype.Uint, dtype.Float, dtype.Complex, dtype.Time, dtype.Duration}

// BindSerializer fits the codec to chunks.
func (c Codec) BindSerializer(in codec.Spec) (codec.Serializer, error) {
	if c.Padding > LastByte {
		return nil, fmt.Errorf("%v does not exist", c.Padding)
	}
	if !slices.Contains(packable, in.Type.Kind()) || len(in.Type.Units()) != 1 {
		return nil, fmt.Errorf("cannot pack %s, only bool, integers, floats and complex numbers", in.Type.Name())
	}
	unit := in.Type.Units()[0]
	first, last, err := c.bits(in.Type.Name(), unit.Bits)
	if err != nil {
		return nil, err
	}
	bits := last - first + 1
	n, ok := nd.Bytes(in.Shape, unit.Count*bits)
	if _, fits := nd.Bytes(in.Shape, in.Type.Size()); !ok || !fits {
		return nil, fmt.Errorf("a chunk of shape %v has more bits than can be counted", in.Shape)
	}
	f := newField(unit.Width, first, bits, unit.Signed, in.Type.Kind() == dtype.Bool)
	s := newSerializer(in.Shape, in.Type.Size(), n, f, c.Padding)
	if f.full && c.Padding == None {
		return placer{s}, nil
	}
	return s, nil
}

// bits gives the first and the last bit that are stored of components of n
// bits.
func (c Codec) bits(name string, n int) (first, last int, err error) {
	last = n - 1
	names := c.names()
	for _, b := range []struct {
		name  string
		given *int
		value *int
	}{{names[0], c.FirstBit, &first}, {names[1], c.LastBit, &last}} {
		if b.given == nil {
			continue
		}
		if *b.value = *b.given; *b.value < 0 || *b.value >= n {
			return 0, 0, fmt.Errorf("%s is %d, outside the bits 0 to %d of %s", b.name, *b.value, n-1, name)
		}
	}
	if last < first {
		return 0, 0, c.reversed(first, last)
	}
	return first, last, nil
}
