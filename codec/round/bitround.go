// Package round has the codecs "bitround" and "numcodecs.quantize", which make
// numbers less exact so that they compress better: one to so many binary
// digits, the other to so many decimal ones. What was rounded stays so: decoding
// changes no value.
package round

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/nd"
)

// The names of BitRound.
const (
	BitRoundName          = "bitround"
	NumcodecsBitRoundName = "numcodecs.bitround"
)

// BitRound is the codec "bitround", also called "numcodecs.bitround". It keeps
// the upper bits of the significand of floats, and of integers the bits from
// the highest one on that is set.
//
// Floats are rounded by their bits as numcodecs does it: infinities stay, but a
// NaN whose kept bits are all ones becomes zero. Integers are rounded as zarrs
// does it, by the bits of two's complement, and one that would need another bit
// is cut instead. A sign is a bit like others: 127 in int8 becomes -128.
type BitRound struct {
	// KeepBits is how many bits are kept. More than a type has is all.
	KeepBits int

	name string
}

type bitRoundConfig struct {
	KeepBits *int `json:"keepbits"`
}

// ParseBitRound reads the configuration.
func ParseBitRound(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	var c bitRoundConfig
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	if c.KeepBits == nil {
		return nil, fmt.Errorf("configuration lacks keepbits")
	}
	// numcodecs can drop the whole significand; the specification forbids it.
	least := 1
	if name == NumcodecsBitRoundName {
		least = 0
	}
	if *c.KeepBits < least {
		return nil, fmt.Errorf("keepbits is %d: must be at least %d", *c.KeepBits, least)
	}
	return BitRound{*c.KeepBits, name}, nil
}

// Name is the name under which the codec was parsed.
func (c BitRound) Name() string {
	if c.name == "" {
		return BitRoundName
	}
	return c.name
}

// MarshalJSON gives the entry for metadata.
func (c BitRound) MarshalJSON() ([]byte, error) {
	return codec.MarshalEntry(c.Name(), bitRoundConfig{&c.KeepBits})
}

// significands are the bits of the significands of floats, and of the parts of
// complex numbers, the highest one left out.
var significands = map[string]int{"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}

// BindArray fits the codec to chunks.
func (c BitRound) BindArray(in codec.Spec) (codec.ArrayFilter, error) {
	f := &bitFilter{filter: filter{out: in}, keep: c.KeepBits}
	width, drop := in.Type.Size(), 0
	switch in.Type.Kind() {
	case dtype.Float, dtype.Complex:
		format, _ := dtype.FormatOf(in.Type)
		significand := significands[format.Name()]
		if significand == 0 {
			return nil, fmt.Errorf("cannot round %s", in.Type.Name())
		}
		width, drop = in.Type.Units()[0].Width, max(significand-c.KeepBits, 0)
		f.most = significand
	case dtype.Int, dtype.Uint, dtype.Time, dtype.Duration:
		if in.Type.Units()[0].Bits < 8 {
			return nil, fmt.Errorf("cannot round %s", in.Type.Name())
		}
		if c.KeepBits == 0 {
			return nil, fmt.Errorf("keepbits is 0: nothing would be left of %s", in.Type.Name())
		}
		drop, f.most = -1, in.Type.Units()[0].Bits
	default:
		return nil, fmt.Errorf("cannot round %s", in.Type.Name())
	}
	switch width {
	case 1:
		f.round = bitKernel[uint8](drop, c.KeepBits)
	case 2:
		f.round = bitKernel[uint16](drop, c.KeepBits)
	case 4:
		f.round = bitKernel[uint32](drop, c.KeepBits)
	default:
		f.round = bitKernel[uint64](drop, c.KeepBits)
	}
	f.out.Fill = make([]byte, len(in.Fill))
	f.round(f.out.Fill, in.Fill)
	return f, nil
}

// filter is what both codecs have: a box needs the same box.
type filter struct{ out codec.Spec }

// Out is what flows on.
func (f *filter) Out() codec.Spec { return f.out }

// Needs is b.
func (f *filter) Needs(b nd.Box) nd.Box { return b }

// bitFilter is a bound BitRound.
type bitFilter struct {
	filter
	round numeric.Kernel
	keep  int // bits; more than there are is all
	most  int // bits that there are
}

// Traits says how much is kept.
func (f *bitFilter) Traits() codec.Traits {
	if f.keep >= f.most {
		return codec.Traits{}
	}
	return codec.Traits{Lossy: []string{fmt.Sprintf("%d of %d bits are kept", f.keep, f.most)}}
}

// Encode rounds.
func (f *bitFilter) Encode(_ *codec.Chunk, dst, src nd.View) error {
	return numeric.Runs(dst, src, func(d, s []byte) error {
		f.round(d, s)
		return nil
	})
}

// Decode copies.
func (f *bitFilter) Decode(_ *codec.Chunk, dst nd.View, _ nd.Box, src nd.View) error {
	nd.Copy(dst, src)
	return nil
}
