package zfp

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/zfp"
)

// The modes of "numcodecs.zfpy", as the library numbers them.
const (
	numRate       = 2
	numPrecision  = 3
	numAccuracy   = 4
	numReversible = 5
)

// Numcodecs is a parsed entry of the codec "numcodecs.zfpy". The members that
// belong to another mode than its own are -1, and so may be that of its own: then
// nothing is lost.
type Numcodecs struct {
	Mode      int // 2 fixed rate, 3 fixed precision, 4 fixed accuracy, 5 reversible
	Tolerance float64
	Rate      float64
	Precision int

	name string
}

type numConfig struct {
	Mode      *int            `json:"mode,omitempty"`
	Kwargs    json.RawMessage `json:"compression_kwargs,omitempty"` // repeats the member of the mode
	Tolerance *float64        `json:"tolerance,omitempty"`
	Rate      *float64        `json:"rate,omitempty"`
	Precision *int            `json:"precision,omitempty"`
}

// ParseNumcodecs reads the configuration of "numcodecs.zfpy".
func ParseNumcodecs(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	var c numConfig
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	out := Numcodecs{Mode: numAccuracy, Tolerance: -1, Rate: -1, Precision: -1, name: name}
	if c.Mode != nil {
		out.Mode = *c.Mode
	}
	if err := out.check(); err != nil {
		return nil, err
	}
	var kwargs map[string]json.RawMessage
	if len(c.Kwargs) > 0 && json.Unmarshal(c.Kwargs, &kwargs) != nil {
		return nil, fmt.Errorf("compression_kwargs must be an object or null")
	}
	if c.Tolerance != nil {
		out.Tolerance = *c.Tolerance
	}
	if c.Rate != nil {
		out.Rate = *c.Rate
	}
	if c.Precision != nil {
		out.Precision = *c.Precision
	}
	return out, nil
}

func (c Numcodecs) check() error {
	if c.Mode < numRate || c.Mode > numReversible {
		return fmt.Errorf("mode is %d: must be 2 (fixed rate), 3 (fixed precision), 4 (fixed accuracy) or 5 (reversible)", c.Mode)
	}
	return nil
}

// Name is "numcodecs.zfpy", or what the codec was called in the metadata.
func (c Numcodecs) Name() string {
	if c.name == "" {
		return "numcodecs.zfpy"
	}
	return c.name
}

// MarshalJSON gives the entry for metadata, with the members that numcodecs
// writes.
func (c Numcodecs) MarshalJSON() ([]byte, error) {
	out := numConfig{Mode: &c.Mode, Tolerance: &c.Tolerance, Rate: &c.Rate, Precision: &c.Precision}
	var err error
	switch c.Mode {
	case numRate:
		out.Kwargs, err = json.Marshal(map[string]float64{"rate": c.Rate})
	case numPrecision:
		out.Kwargs, err = json.Marshal(map[string]int{"precision": c.Precision})
	case numAccuracy:
		out.Kwargs, err = json.Marshal(map[string]float64{"tolerance": c.Tolerance})
	}
	if err != nil {
		return nil, err
	}
	return codec.MarshalEntry(c.Name(), out)
}

// BindSerializer fits the codec to chunks. What is read follows the header of
// each chunk; the configuration is for writing.
func (c Numcodecs) BindSerializer(in codec.Spec) (codec.Serializer, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	s, err := newSerializer(in)
	if err != nil {
		return nil, err
	}
	s.header, s.native = true, true
	switch {
	case c.Mode == numRate && c.Rate >= 0:
		s.params, err = zfp.FixedRate(c.Rate, s.elem.Type, len(s.shape))
	case c.Mode == numPrecision && c.Precision >= 0:
		s.params = zfp.FixedPrecision(c.Precision)
	case c.Mode == numAccuracy && c.Tolerance >= 0:
		s.params = zfp.FixedAccuracy(c.Tolerance)
	default:
		s.params = zfp.Reversible()
	}
	if err != nil {
		return nil, err
	}
	return s, s.measure()
}
