// Package gdeflate is the codec "zarrs.gdeflate", also spelled
// "https://codec.zarrs.dev/bytes_to_bytes/gdeflate": pages of GDeflate behind a
// header that tells their sizes.
//
// GDeflate is a variant of Deflate that graphics processors decode fast. The
// header is that of zarrs: numbers of 64 bits, little-endian, that say how many
// bytes there are, how many pages they are cut into, and how long each encoded
// page is. Every page holds 64 KiB, except the last.
package gdeflate

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/gdeflate"
)

// Codec is a parsed entry.
type Codec struct {
	// Level is from 0 (stored) to 12 (smallest).
	Level int

	name string
}

type config struct {
	Level *int `json:"level"`
}

const defaultName = "zarrs.gdeflate"

// Parse reads the configuration, which must give the level.
func Parse(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	var c config
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	if c.Level == nil {
		return nil, fmt.Errorf("level is missing")
	}
	if err := checkLevel(*c.Level); err != nil {
		return nil, err
	}
	return Codec{*c.Level, name}, nil
}

func checkLevel(level int) error {
	if level < 0 || level > gdeflate.MaxLevel {
		return fmt.Errorf("level is %d: must be from 0 to %d", level, gdeflate.MaxLevel)
	}
	return nil
}

// Name is "zarrs.gdeflate", or what the entry was called.
func (c Codec) Name() string {
	if c.name == "" {
		return defaultName
	}
	return c.name
}

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	return codec.MarshalEntry(c.Name(), config{&c.Level})
}

// BindBytes fits the codec to what comes in.
func (c Codec) BindBytes(_ codec.Spec, in codec.Size) (codec.BytesFilter, error) {
	if err := checkLevel(c.Level); err != nil {
		return nil, err
	}
	f := &filter{level: c.Level}
	if in.Known && in.N < math.MaxInt/2 {
		// Other writers may cut a page into more blocks.
		f.size = codec.AtMost(headerLen(in.N) + in.N + numPages(in.N)<<10)
	}
	return f, nil
}

type filter struct {
	level int
	size  codec.Size
}

func (f *filter) Size() codec.Size { return f.size }
