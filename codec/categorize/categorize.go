// Package categorize is the codec "numcodecs.categorize": text from a list of
// labels is stored as numbers, the first label as 1.
//
// The empty text becomes 0, and 0 becomes the empty text. So do numbers beyond the
// list. Any other text that is no label would be lost, which numcodecs does in
// silence: here writing it is an error. Only the fill value may be one. Of two equal
// labels the later one counts. In text of a fixed length labels that are too
// long are cut when decoded, and never found when encoded.
//
// Decoded text of any length refers to the labels, which are one blob for all
// elements.
package categorize

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/nd"
)

// Codec is a parsed entry.
type Codec struct {
	Labels []string
	// Type is fixed_length_utf32; nil stands for Python objects, which are text
	// of any length.
	Type dtype.Type
	// AsType is the integer type of the encoded elements.
	AsType dtype.Type

	typeBig, asTypeBig bool // how they were spelled
}

type config struct {
	Labels []string        `json:"labels"`
	Type   json.RawMessage `json:"dtype"`
	AsType json.RawMessage `json:"astype,omitempty"`
}

// object is how NumPy spells the type of Python objects.
const object = `"|O"`

// Parse reads the configuration.
func Parse(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	var conf config
	if err := codec.ParseConfig(raw, &conf); err != nil {
		return nil, err
	}
	switch {
	case conf.Labels == nil:
		return nil, fmt.Errorf("configuration lacks labels")
	case conf.Type == nil:
		return nil, fmt.Errorf("configuration lacks dtype")
	case conf.AsType == nil:
		conf.AsType = json.RawMessage(`"|u1"`)
	}
	c := Codec{Labels: conf.Labels}
	var err error
	if text := string(conf.Type); text != object && text != `"O"` && text != `"object"` {
		if c.Type, c.typeBig, err = dtype.ParseNumpy(conf.Type); err == nil && c.Type.Kind() != dtype.UTF32 {
			err = fmt.Errorf("%s is no type of text", c.Type.Name())
		}
		if err != nil {
			return nil, fmt.Errorf("dtype: %w", err)
		}
	}
	if c.AsType, c.asTypeBig, err = dtype.ParseNumpy(numeric.Spelling(conf.AsType)); err != nil {
		return nil, fmt.Errorf("astype: %w", err)
	}
	return c, c.check()
}

// check makes sure that there are as many numbers as labels.
func (c Codec) check() error {
	most := 0
	switch t := c.AsType; t.Kind() {
	case dtype.Int:
		most = math.MaxInt >> (64 - t.Units()[0].Bits)
	case dtype.Uint:
		most = math.MaxInt >> max(63-t.Units()[0].Bits, 0)
	default:
		return fmt.Errorf("astype is %s: must be an integer", t.Name())
	}
	if len(c.Labels) > most {
		return fmt.Errorf("%d labels, %s counts up to %d", len(c.Labels), c.AsType.Name(), most)
	}
	return nil
}

// Name is "numcodecs.categorize".
func (Codec) Name() string { return "numcodecs.categorize" }

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	conf := config{Labels: c.Labels, Type: json.RawMessage(object)}
	var err error
	if c.Type != nil {
		if conf.Type, err = dtype.NumpyJSON(c.Type, c.typeBig); err != nil {
			return nil, err
		}
	}
	if conf.AsType, err = dtype.NumpyJSON(c.AsType, c.asTypeBig); err != nil {
		return nil, err
	}
	return codec.MarshalEntry("numcodecs.categorize", conf)
}

// BindArray fits the codec to chunks.
func (c Codec) BindArray(in codec.Spec) (codec.ArrayFilter, error) {
	f := &filter{width: c.AsType.Size(), fixed: c.Type != nil}
	switch {
	case !f.fixed && in.Type.Kind() == dtype.String:
	case f.fixed && in.Type.Kind() == dtype.UTF32 && in.Type.Size() == c.Type.Size():
	default:
		return nil, fmt.Errorf("cannot categorize %s of %d bytes with these labels, which are for %s", in.Type.Name(), in.Type.Size(), c.want())
	}
	f.prepare(c.Labels, in.Type.Size())
	f.out = codec.Spec{Type: c.AsType, Shape: in.Shape, Fill: make([]byte, f.width)}
	fill := nd.Of(in.Fill, len(in.Fill))
	fill.Heap = in.Heap
	// An array can be read whose fill value is no label: that is 0 then.
	_ = f.Encode(nil, nd.Of(f.out.Fill, f.width), fill)
	return f, nil
}

func (c Codec) want() string {
	if c.Type == nil {
		return "string"
	}
	return fmt.Sprintf("%s of %d bytes", c.Type.Name(), c.Type.Size())
}
