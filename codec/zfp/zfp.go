// Package zfp holds the codecs "zfp" and "numcodecs.zfpy", which compress arrays
// of numbers of one to four dimensions, with a loss that the mode bounds or with
// none.
//
// The codec "zfp" writes blocks only, numcodecs puts a header before them. Both
// hold 32- and 64-bit integers and floats; smaller integers are made larger, and
// unsigned ones must not have the highest of 32 or 64 bits set.
package zfp

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/zfp"
)

// Mode says what bounds the loss, or the size.
type Mode string

// The modes of the codec "zfp".
const (
	Reversible     Mode = "reversible"
	FixedAccuracy  Mode = "fixed_accuracy"
	FixedPrecision Mode = "fixed_precision"
	FixedRate      Mode = "fixed_rate"
	Expert         Mode = "expert"
)

// Codec is a parsed entry of the codec "zfp". Only the members of its mode count.
type Codec struct {
	Mode      Mode
	Tolerance float64 // FixedAccuracy: the largest difference to the original
	Precision int     // FixedPrecision: the number of bit planes that are kept, 0 for all
	Rate      float64 // FixedRate: bits of a value
	// Expert: what the other modes set, per block of 4 values along each axis.
	MinBits, MaxBits, MaxPrec, MinExp int
	// Header puts a header before the blocks, as early versions of zarrs could;
	// nil leaves the member out of the metadata.
	Header *bool

	name string
}

type config struct {
	Mode        *string  `json:"mode,omitempty"`
	Tolerance   *float64 `json:"tolerance,omitempty"`
	Precision   *int     `json:"precision,omitempty"`
	Rate        *float64 `json:"rate,omitempty"`
	MinBits     *int     `json:"minbits,omitempty"`
	MaxBits     *int     `json:"maxbits,omitempty"`
	MaxPrec     *int     `json:"maxprec,omitempty"`
	MinExp      *int     `json:"minexp,omitempty"`
	WriteHeader *bool    `json:"write_header,omitempty"`
}

// members lists the members that modes have, and whether each is there.
func (c *config) members() []member {
	return []member{
		{"tolerance", FixedAccuracy, c.Tolerance != nil},
		{"precision", FixedPrecision, c.Precision != nil},
		{"rate", FixedRate, c.Rate != nil},
		{"minbits", Expert, c.MinBits != nil},
		{"maxbits", Expert, c.MaxBits != nil},
		{"maxprec", Expert, c.MaxPrec != nil},
		{"minexp", Expert, c.MinExp != nil},
	}
}

type member struct {
	name  string
	mode  Mode
	given bool
}

// Parse reads the configuration of "zfp".
func Parse(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	var c config
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	if c.Mode == nil {
		return nil, fmt.Errorf("configuration lacks mode")
	}
	out := Codec{Mode: Mode(*c.Mode), Header: c.WriteHeader, name: name}
	if err := out.checkMode(); err != nil {
		return nil, err
	}
	for _, m := range c.members() {
		if m.given && m.mode != out.Mode {
			return nil, fmt.Errorf("configuration has %s, which mode %s does not use", m.name, out.Mode)
		}
		if !m.given && m.mode == out.Mode {
			return nil, fmt.Errorf("configuration lacks %s, which mode %s needs", m.name, out.Mode)
		}
	}
	switch out.Mode {
	case FixedAccuracy:
		out.Tolerance = *c.Tolerance
	case FixedPrecision:
		out.Precision = *c.Precision
	case FixedRate:
		out.Rate = *c.Rate
	case Expert:
		out.MinBits, out.MaxBits, out.MaxPrec, out.MinExp = *c.MinBits, *c.MaxBits, *c.MaxPrec, *c.MinExp
	}
	return out, out.check()
}

func (c Codec) checkMode() error {
	switch c.Mode {
	case Reversible, FixedAccuracy, FixedPrecision, FixedRate, Expert:
		return nil
	}
	return fmt.Errorf("mode is %q: must be reversible, fixed_accuracy, fixed_precision, fixed_rate or expert", string(c.Mode))
}

// check reports values that no chunk can be written with.
func (c Codec) check() error {
	if err := c.checkMode(); err != nil {
		return err
	}
	switch c.Mode {
	case FixedAccuracy:
		if c.Tolerance < 0 {
			return fmt.Errorf("tolerance is %g: must not be negative", c.Tolerance)
		}
	case FixedPrecision:
		if c.Precision < 0 || int64(c.Precision) > math.MaxUint32 {
			return fmt.Errorf("precision is %d: must be from 0 to %d", c.Precision, uint32(math.MaxUint32))
		}
	case FixedRate:
		if !(c.Rate > 0) {
			return fmt.Errorf("rate is %g: must be positive", c.Rate)
		}
	case Expert:
		if int64(c.MaxBits) > math.MaxUint32 || c.MinExp < math.MinInt32 || c.MinExp > math.MaxInt32 {
			return fmt.Errorf("maxbits %d or minexp %d is out of range", c.MaxBits, c.MinExp)
		}
		return c.expert().Check()
	}
	return nil
}

func (c Codec) expert() zfp.Params {
	return zfp.Params{MinBits: c.MinBits, MaxBits: c.MaxBits, MaxPrec: c.MaxPrec, MinExp: c.MinExp}
}

// Name is "zfp", or what the codec was called in the metadata.
func (c Codec) Name() string {
	if c.name == "" {
		return "zfp"
	}
	return c.name
}

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	mode := string(c.Mode)
	out := config{Mode: &mode, WriteHeader: c.Header}
	switch c.Mode {
	case FixedAccuracy:
		out.Tolerance = &c.Tolerance
	case FixedPrecision:
		out.Precision = &c.Precision
	case FixedRate:
		out.Rate = &c.Rate
	case Expert:
		out.MinBits, out.MaxBits, out.MaxPrec, out.MinExp = &c.MinBits, &c.MaxBits, &c.MaxPrec, &c.MinExp
	}
	return codec.MarshalEntry(c.Name(), out)
}

// params are the parameters for values of a type in blocks of so many dimensions.
func (c Codec) params(t zfp.Type, dims int) (zfp.Params, error) {
	switch c.Mode {
	case FixedAccuracy:
		if t == zfp.Int32 || t == zfp.Int64 {
			return zfp.Params{}, fmt.Errorf("mode fixed_accuracy is for floats, not for integers")
		}
		return zfp.FixedAccuracy(c.Tolerance), nil
	case FixedPrecision:
		return zfp.FixedPrecision(min(c.Precision, 64)), nil
	case FixedRate:
		return zfp.FixedRate(c.Rate, t, dims)
	case Expert:
		return c.expert(), nil
	}
	return zfp.Reversible(), nil
}

// BindSerializer fits the codec to chunks.
func (c Codec) BindSerializer(in codec.Spec) (codec.Serializer, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	s, err := newSerializer(in)
	if err != nil {
		return nil, err
	}
	if s.params, err = c.params(s.elem.Type, len(s.shape)); err != nil {
		return nil, err
	}
	s.header = c.Header != nil && *c.Header
	if c.Mode == FixedRate && !s.header && len(s.shape) != 3 {
		// zarrs computes the size of blocks as if all were of three
		// dimensions. A rate that is then too large is none that it wrote.
		if p, err := zfp.FixedRate(c.Rate, s.elem.Type, 3); err == nil {
			s.other = &p
		}
	}
	return s, s.measure()
}
