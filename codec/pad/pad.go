// Package pad is the codecs "pad" and "offset": a fixed number of bytes in front
// of the data, or behind it.
//
// Reading skips those bytes: whole chunks are cut and ranges are shifted, so a
// part of a chunk costs what it costs without the padding. Writing puts down
// zeros, the literal of the configuration, or what a function computes for the
// very chunk; see Func. The formats "tiff" and "n5" are such functions: they
// make every chunk a file that other programs open. See Format.
package pad

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// Location is where the padding stands.
type Location string

// The two locations.
const (
	Start Location = "start" // in front of the data
	End   Location = "end"   // behind it
)

// MaxSize is the largest number of bytes that a configuration may ask for: what
// every reader of JSON takes for the same integer.
const MaxSize = 1<<53 - 1

// Codec is a parsed entry.
type Codec struct {
	Location Location
	NBytes   int    // of the padding
	Literal  []byte // the padding; nil stands for zeros

	offset bool // the entry is called offset, not pad
	fill   Func
}

const offsetName = "offset"

// Parse reads the configuration of "pad" or "offset".
func Parse(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	return parse(name, raw)
}

func parse(name string, raw json.RawMessage) (c Codec, err error) {
	if name == offsetName {
		var config struct {
			Offset json.RawMessage `json:"offset"`
			Prefix json.RawMessage `json:"prefix"`
		}
		if err := codec.ParseConfig(raw, &config); err != nil {
			return c, err
		}
		c = Codec{Location: Start, offset: true}
		return c, c.set("offset", config.Offset, "prefix", config.Prefix)
	}
	var config struct {
		Location json.RawMessage `json:"location"`
		NBytes   json.RawMessage `json:"nbytes"`
		Padding  json.RawMessage `json:"padding"`
	}
	if err := codec.ParseConfig(raw, &config); err != nil {
		return c, err
	}
	if config.Location == nil {
		return c, errors.New("configuration lacks location")
	}
	where, err := strictjson.String(config.Location)
	if err != nil {
		return c, strictjson.At("configuration.location", err)
	}
	c.Location = Location(where)
	if c.Location != Start && c.Location != End {
		return c, fmt.Errorf("location is %s: must be \"start\" or \"end\"", strictjson.Quote(where))
	}
	return c, c.set("nbytes", config.NBytes, "padding", config.Padding)
}

// set takes the two members that both codecs have under other names.
func (c *Codec) set(sizeName string, size json.RawMessage, literalName string, literal json.RawMessage) error {
	if size == nil {
		return fmt.Errorf("configuration lacks %s", sizeName)
	}
	n, err := strictjson.Int(size)
	if err != nil {
		return strictjson.At("configuration."+sizeName, err)
	}
	if n < 0 || n > MaxSize || int64(int(n)) != n {
		return fmt.Errorf("%s is %d: must be from 0 to %d", sizeName, n, int64(MaxSize))
	}
	c.NBytes = int(n)
	if literal == nil {
		return nil
	}
	text, err := strictjson.String(literal)
	if err != nil {
		return strictjson.At("configuration."+literalName, err)
	}
	// Each literal has one spelling only, so that what is written again says the same.
	if c.Literal, err = strictjson.Base64(text); err != nil {
		return fmt.Errorf("%s is not base64: %v", literalName, err)
	}
	if len(c.Literal) != c.NBytes {
		return fmt.Errorf("%s has %d bytes: must have as many as %s says, %d", literalName, len(c.Literal), sizeName, c.NBytes)
	}
	return nil
}

// Name is "pad" or "offset".
func (c Codec) Name() string {
	if c.offset {
		return offsetName
	}
	return "pad"
}

// MarshalJSON gives the entry for metadata. A function that computes the padding
// leaves no trace in it: the entry is what any reader understands.
func (c Codec) MarshalJSON() ([]byte, error) {
	var literal *string
	if c.Literal != nil {
		text := base64.StdEncoding.EncodeToString(c.Literal)
		literal = &text
	}
	if c.offset {
		return codec.MarshalEntry(c.Name(), struct {
			Offset int     `json:"offset"`
			Prefix *string `json:"prefix,omitempty"`
		}{c.NBytes, literal})
	}
	return codec.MarshalEntry(c.Name(), struct {
		Location Location `json:"location"`
		NBytes   int      `json:"nbytes"`
		Padding  *string  `json:"padding,omitempty"`
	}{c.Location, c.NBytes, literal})
}
