// Package deflate is the codecs "gzip" and "zlib", also spelled
// "numcodecs.gzip" and "numcodecs.zlib": Deflate in the frames of RFC 1952 and
// RFC 1950.
//
// The two differ in a few bytes before and behind the compressed data, so they
// share everything else.
package deflate

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/omnizarr/zarr/codec"
)

// Format is the frame around the compressed data.
type Format uint8

// The frames.
const (
	Gzip Format = iota
	Zlib
)

// Codec is a parsed entry.
type Codec struct {
	// Level is from 0 (stored) to 9 (smallest). -1 is zlib's own choice, which
	// is 6.
	Level  int
	Format Format

	name string
}

type config struct {
	Level *int `json:"level"`
}

// The levels that are used where metadata gives none.
const (
	DefaultLevel          = 5 // for "gzip"
	NumcodecsDefaultLevel = 1 // for every other name
)

const numcodecs = "numcodecs."

// Parse reads the configuration; an absent one means the default level.
func Parse(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	var c config
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	out := Codec{Level: NumcodecsDefaultLevel, name: name}
	if strings.TrimPrefix(name, numcodecs) == "zlib" {
		out.Format = Zlib
	}
	// Only numcodecs hands -1 on to zlib: the specification of "gzip" has no
	// such level.
	least := -1
	if name == "gzip" {
		out.Level, least = DefaultLevel, 0
	}
	if c.Level != nil {
		out.Level = *c.Level
	}
	if out.Level < least || out.Level > 9 {
		return nil, fmt.Errorf("level is %d: must be from %d to 9", out.Level, least)
	}
	return out, nil
}

// Name is what the entry was called; "gzip" or "numcodecs.zlib" if there was
// none.
func (c Codec) Name() string {
	switch {
	case c.name != "":
		return c.name
	case c.Format == Gzip:
		return "gzip"
	default:
		return numcodecs + "zlib"
	}
}

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	return codec.MarshalEntry(c.Name(), config{&c.Level})
}

// BindBytes fits the codec to what comes in.
func (c Codec) BindBytes(_ codec.Spec, in codec.Size) (codec.BytesFilter, error) {
	f := &filter{level: c.Level, format: c.Format}
	if f.level < 0 {
		f.level = 6
	}
	if in.Known && in.N < math.MaxInt/2 {
		f.size = codec.AtMost(in.N + in.N/8 + 1<<16)
	}
	return f, nil
}
