// Package conditional is the codec "conditional": a list of bytes-to-bytes
// codecs, each of which is applied to a chunk or not. A header of one bit per
// codec before the bytes of the chunk says which were.
//
// What a chunk gets is decided when it is written, by a Rule that belongs to the
// program and is not part of the metadata. Without one, a chunk gets every
// codec that makes it smaller, in the order of the list, and those that leave it
// as large if one behind them makes use of that, as compression does of a
// shuffle. So a stored chunk is never larger than its bytes and the header.
//
// # What the text leaves open
//
//   - The codec is of kind bytes to bytes, and so are all codecs of its list. The
//     text only muses about other kinds: they are refused.
//   - Bit i is bit i%8 of byte i/8, the least significant being bit 0.
//   - An empty list is allowed. Its header has no bits and no bytes.
//   - Reserved bits that are set are an error: such a chunk was written with
//     codecs that the metadata does not name.
//   - A core codec must skip everything until it is told what to do. Never does
//     that; a program that names no rule leaves the choice to this package.
//   - The text tries every codec on the bytes that come in, though the second gets
//     what the first made of them. Here a codec is tried on what it would get,
//     and what came out is used rather than computed again. Trials are made when
//     a rule asks for them, so there is no flag.
//   - In the text an equal length is not smaller, which would always leave out a
//     shuffle.
package conditional

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// Question is what a Rule decides.
type Question struct {
	Chunk []int       // its place in the grid; nil where that is not known
	Index int         // of the codec in the list
	Codec codec.Codec // which is to be applied or not
	Data  []byte      // what it would get
	// Trial gives what the codec makes of Data. It is valid until the rule
	// returns.
	Trial func() ([]byte, error)
}

// Rule decides whether a codec is applied. It is asked for the codecs of a list
// in order, by several goroutines for different chunks.
type Rule func(q Question) (apply bool, err error)

// Always applies every codec.
func Always(Question) (bool, error) { return true, nil }

// Never applies none: chunks are written as fast as can be, and may be rewritten
// with another rule later.
func Never(Question) (bool, error) { return false, nil }

// Codec is a parsed entry.
type Codec struct {
	Codecs     []codec.BytesToBytes
	HeaderBits int
	Rule       Rule // nil: those that make the chunk smaller
}

type config struct {
	Codecs     json.RawMessage `json:"codecs"`
	HeaderBits *int            `json:"header_bits,omitempty"`
}

// maxHeaderBits bounds the header, which every chunk has.
const maxHeaderBits = 1 << 16

// Parse reads the configuration. The codec has no rule.
func Parse(r *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	return Parser(nil)(r, name, raw)
}

// Parser returns a Parse that gives the codec a rule, for the registry of those
// who want another one.
func Parser(rule Rule) codec.Parser {
	return func(r *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
		var conf config
		if err := codec.ParseConfig(raw, &conf); err != nil {
			return nil, err
		}
		if conf.Codecs == nil {
			return nil, fmt.Errorf("configuration lacks codecs")
		}
		list, err := parseList(r, conf.Codecs)
		if err != nil {
			return nil, strictjson.At("codecs", err)
		}
		out := Codec{Codecs: list, HeaderBits: (len(list) + 7) / 8 * 8, Rule: rule}
		if conf.HeaderBits != nil {
			out.HeaderBits = *conf.HeaderBits
		}
		return out, out.check()
	}
}

func (c Codec) check() error {
	switch n := c.HeaderBits; {
	case n%8 != 0:
		return fmt.Errorf("header_bits is %d: must be a multiple of 8", n)
	case n < len(c.Codecs):
		return fmt.Errorf("header_bits is %d, for %d codecs", n, len(c.Codecs))
	case n > maxHeaderBits:
		return fmt.Errorf("header_bits is %d, at most %d are supported", n, maxHeaderBits)
	}
	return nil
}

// parseList reads a list of codecs of bytes. A chain wants a serializer before
// these, so each is read by itself.
func parseList(r *codec.Registry, raw json.RawMessage) ([]codec.BytesToBytes, error) {
	list := []codec.BytesToBytes{}
	err := strictjson.Each(raw, func(_ int, elem json.RawMessage) error {
		e, err := strictjson.ParseNamed(elem)
		if err != nil {
			return err
		}
		c, err := r.Parse(codec.Entry{Name: e.Name, Config: e.Configuration})
		if err != nil {
			return err
		}
		filter, ok := c.(codec.BytesToBytes)
		if !ok {
			return fmt.Errorf("codec %s does not turn bytes into bytes", c.Name())
		}
		list = append(list, filter)
		return nil
	})
	return list, err
}

// Name is "conditional".
func (Codec) Name() string { return "conditional" }

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	list := make([]codec.Codec, len(c.Codecs))
	for i, k := range c.Codecs {
		list[i] = k
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	return codec.MarshalEntry("conditional", config{raw, &c.HeaderBits})
}
