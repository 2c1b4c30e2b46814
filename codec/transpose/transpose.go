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
	Order codec.Order
}

type config struct {
	Order *codec.Order `json:"order"`
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
	axes := c.Order.Axes
	seen := make([]bool, len(axes))
	for _, k := range axes {
		if k < 0 || k >= len(axes) || seen[k] {
			return nil, fmt.Errorf("order %v is no permutation of the axes", axes)
		}
		seen[k] = true
	}
	return Codec{*c.Order}, nil
}

// Name is "transpose".
func (Codec) Name() string { return "transpose" }

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	return codec.MarshalEntry("transpose", config{&c.Order})
}

// Complete spells out the order of an array that is made: few readers know "C" and
// "F".
func (c Codec) Complete(in codec.Spec) (codec.Codec, error) {
	return Codec{codec.Order{Axes: c.Order.Of(len(in.Shape))}}, nil
}

// BindArray fits the codec to chunks.
func (c Codec) BindArray(in codec.Spec) (codec.ArrayFilter, error) {
	axes := c.Order.Of(len(in.Shape))
	if len(axes) != len(in.Shape) {
		return nil, fmt.Errorf("order %v has %d axes, the array has %d", axes, len(axes), len(in.Shape))
	}
	f := &filter{axes, in}
	f.out.Shape = f.pick(in.Shape)
	return f, nil
}

type filter struct {
	axes []int
	out  codec.Spec
}

func (f *filter) pick(v []int) []int {
	out := make([]int, len(v))
	for i, k := range f.axes {
		out[i] = v[k]
	}
	return out
}

func (f *filter) Out() codec.Spec { return f.out }

func (f *filter) View(v nd.View) nd.View { return v.Permute(f.axes) }

func (f *filter) Box(b nd.Box) nd.Box {
	return nd.Box{Start: f.pick(b.Start), Shape: f.pick(b.Shape)}
}
