package blosc

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// config has the members of both spellings. What may be absent or null is read by
// itself.
type config struct {
	TypeSize  json.RawMessage `json:"typesize,omitempty"`
	CName     *string         `json:"cname,omitempty"`
	CLevel    *int            `json:"clevel,omitempty"`
	Shuffle   json.RawMessage `json:"shuffle,omitempty"`
	BlockSize *int            `json:"blocksize,omitempty"`
}

var shuffleNames = map[string]Shuffle{"noshuffle": None, "shuffle": Bytes, "bitshuffle": Bits}

// Parse reads the configuration of "blosc". Members that are absent are as in
// zarr-python: Zstandard at level 5, shuffled by the size of the array's elements.
func Parse(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	var r config
	if err := codec.ParseConfig(raw, &r); err != nil {
		return nil, err
	}
	c := Codec{Compressor: "zstd", Level: 5, Shuffle: Auto, name: name}
	if err := c.read(r); err != nil {
		return nil, err
	}
	if given(r.Shuffle) {
		var text string
		if err := strictjson.Unmarshal(r.Shuffle, &text); err != nil {
			return nil, fmt.Errorf("shuffle is %s: must be noshuffle, shuffle or bitshuffle", r.Shuffle)
		}
		var ok bool
		if c.Shuffle, ok = shuffleNames[text]; !ok {
			return nil, fmt.Errorf("shuffle is %q: must be noshuffle, shuffle or bitshuffle", text)
		}
	}
	// Without a shuffle the size means nothing, and some write 0.
	if given(r.TypeSize) && c.TypeSize == 0 && c.Shuffle != None {
		return nil, fmt.Errorf("typesize is 0: must be positive")
	}
	return c, c.check()
}

// ParseNumcodecs reads the configuration of "numcodecs.blosc". Members that are
// absent are as in numcodecs: LZ4 at level 5, bytes shuffled.
func ParseNumcodecs(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	var r struct {
		TypeSize  json.RawMessage `json:"typesize"`
		CName     *string         `json:"cname"`
		CLevel    *int            `json:"clevel"`
		Shuffle   json.RawMessage `json:"shuffle"`
		BlockSize *int            `json:"blocksize"`
		NThreads  json.RawMessage `json:"nthreads"` // of Java writers; says nothing of the bytes
	}
	if err := codec.ParseConfig(raw, &r); err != nil {
		return nil, err
	}
	c := Codec{Compressor: "lz4", Level: 5, Shuffle: Bytes, name: name}
	if err := c.read(config{r.TypeSize, r.CName, r.CLevel, r.Shuffle, r.BlockSize}); err != nil {
		return nil, err
	}
	if given(r.Shuffle) {
		if err := strictjson.Unmarshal(r.Shuffle, &c.Shuffle); err != nil {
			return nil, fmt.Errorf("shuffle is %s: must be from -1 to 2", r.Shuffle)
		}
	}
	if given(r.TypeSize) && c.TypeSize == 0 {
		return nil, fmt.Errorf("typesize is 0: must be positive")
	}
	return c, c.check()
}

// read sets the members that both spellings write alike.
func (c *Codec) read(r config) error {
	if r.CName != nil {
		c.Compressor = *r.CName
	}
	if r.CLevel != nil {
		c.Level = *r.CLevel
	}
	if r.BlockSize != nil {
		c.BlockSize = *r.BlockSize
	}
	if given(r.TypeSize) {
		if err := strictjson.Unmarshal(r.TypeSize, &c.TypeSize); err != nil {
			return fmt.Errorf("typesize is %s: must be a number", r.TypeSize)
		}
	}
	return nil
}

// given reports whether a member is there and not null.
func given(raw json.RawMessage) bool { return raw != nil && !strictjson.IsNull(raw) }

// MarshalJSON gives the entry for metadata. A size that is that of the elements is
// left out, and so is a shuffle that depends on it.
func (c Codec) MarshalJSON() ([]byte, error) {
	out := config{CName: &c.Compressor, CLevel: &c.Level, BlockSize: &c.BlockSize}
	if c.TypeSize > 0 {
		out.TypeSize = marshal(c.TypeSize)
	}
	if c.Name() != "blosc" {
		out.Shuffle = marshal(c.Shuffle)
		return codec.MarshalEntry(c.Name(), out)
	}
	for name, s := range shuffleNames {
		if s == c.Shuffle {
			out.Shuffle = marshal(name)
		}
	}
	return codec.MarshalEntry(c.Name(), out)
}

// marshal spells a number or a plain name.
func marshal(v any) json.RawMessage {
	out, _ := json.Marshal(v)
	return out
}
