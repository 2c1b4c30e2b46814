// Package transpose is the codec "transpose": it permutes the axes of a chunk.
//
// It copies nothing. The codec behind it sees the caller's memory through a
// permuted view, so an F-ordered chunk read into F-ordered memory is a straight
// copy.
package transpose

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/nd"
)

// Codec is a parsed entry.
type Codec struct {
	// Order says which axis of the array is axis i of the encoded one.
	Order []int
}

type config struct {
	Order []int `json:"order"`
}

// Parse reads the configuration.
func Parse(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	var c config
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	if c.Order == nil {
		return nil, fmt.Errorf("configuration lacks order")
	}
	seen := make([]bool, len(c.Order))
	for _, k := range c.Order {
		if k < 0 || k >= len(c.Order) || seen[k] {
			return nil, fmt.Errorf("order %v is no permutation of the axes", c.Order)
		}
		seen[k] = true
	}
	return Codec(c), nil
}

// Name is "transpose".
func (Codec) Name() string { return "transpose" }

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	return codec.MarshalEntry("transpose", config(c))
}

// BindArray fits the codec to chunks.
func (c Codec) BindArray(in codec.Spec) (codec.ArrayFilter, error) {
	if len(c.Order) != len(in.Shape) {
		return nil, fmt.Errorf("order %v has %d axes, the array has %d", c.Order, len(c.Order), len(in.Shape))
	}
	out := in
	out.Shape = c.pick(in.Shape)
	return &filter{c, out}, nil
}

func (c Codec) pick(v []int) []int {
	out := make([]int, len(v))
	for i, k := range c.Order {
		out[i] = v[k]
	}
	return out
}

type filter struct {
	codec Codec
	out   codec.Spec
}

func (f *filter) Out() codec.Spec { return f.out }

func (f *filter) View(v nd.View) nd.View { return v.Permute(f.codec.Order) }

func (f *filter) Box(b nd.Box) nd.Box {
	return nd.Box{Start: f.codec.pick(b.Start), Shape: f.codec.pick(b.Shape)}
}
