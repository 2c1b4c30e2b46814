// Package lzma is the codec "numcodecs.lzma", also spelled "lzma": the
// containers .xz and .lzma, and streams of LZMA and LZMA2 without one.
//
// Data is decoded straight into the caller's memory, which is also the
// dictionary: the size of dictionary that a header asks for costs nothing.
package lzma

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// Format is the container, in the numbers of Python.
type Format int

// The containers.
const (
	XZ    Format = 1
	Alone Format = 2 // .lzma, the old one
	Raw   Format = 3 // none: metadata has the filters
)

// Codec is a parsed entry. The zero value is not a valid one: Parse makes them.
type Codec struct {
	format  Format
	check   int
	preset  json.RawMessage
	filters json.RawMessage
	chain   chain

	name string
}

type config struct {
	Format  *Format         `json:"format"`
	Check   *int            `json:"check"`
	Preset  json.RawMessage `json:"preset"`
	Filters json.RawMessage `json:"filters"`
}

// The checks of .xz, which are also the numbers in its header.
const (
	checkDefault = -1
	checkNone    = 0
	checkCRC32   = 1
	checkCRC64   = 4
	checkSHA256  = 10
)

var null = json.RawMessage("null")

// Parse reads the configuration. What it leaves out is as numcodecs has it: .xz
// with a CRC-64, compressed by preset 6.
func Parse(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	var c config
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	out := Codec{format: XZ, check: checkDefault, preset: null, filters: null, name: name}
	if c.Format != nil {
		out.format = *c.Format
	}
	if out.format < XZ || out.format > Raw {
		return nil, fmt.Errorf("format is %d: must be 1 (xz), 2 (alone) or 3 (raw)", out.format)
	}
	if c.Check != nil {
		out.check = *c.Check
	}
	switch out.check {
	case checkDefault, checkNone:
	case checkCRC32, checkCRC64, checkSHA256:
		if out.format != XZ {
			return nil, fmt.Errorf("check is %d: only format 1 (xz) has checks", out.check)
		}
	default:
		return nil, fmt.Errorf("check is %d: must be -1, 0 (none), 1 (CRC-32), 4 (CRC-64) or 10 (SHA-256)", out.check)
	}
	hasPreset := c.Preset != nil && !strictjson.IsNull(c.Preset)
	hasFilters := c.Filters != nil && !strictjson.IsNull(c.Filters)
	switch {
	case hasPreset && hasFilters:
		return nil, fmt.Errorf("preset and filters must not both be given")
	case hasPreset:
		out.preset = c.Preset
	case hasFilters:
		out.filters = c.Filters
	}
	var err error
	out.chain, err = out.parseChain()
	return out, err
}

// Name is "numcodecs.lzma", or what the entry was called.
func (c Codec) Name() string {
	if c.name == "" {
		return "numcodecs.lzma"
	}
	return c.name
}

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) {
	return codec.MarshalEntry(c.Name(), config{&c.format, &c.check, c.preset, c.filters})
}

// BindBytes fits the codec to what comes in.
func (c Codec) BindBytes(_ codec.Spec, in codec.Size) (codec.BytesFilter, error) {
	if c.format == 0 {
		return nil, fmt.Errorf("codec was not made by Parse")
	}
	f := &filter{format: c.format, check: c.check, chain: c.chain}
	if f.check == checkDefault {
		f.check = checkCRC64
	}
	if in.Known && in.N < math.MaxInt/2 {
		f.size = codec.AtMost(in.N + in.N/8 + 1<<16)
	}
	return f, nil
}

type filter struct {
	format Format
	check  int
	chain  chain
	size   codec.Size
}

func (f *filter) Size() codec.Size { return f.size }

func (f *filter) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	d := decoders.Get().(*decoder)
	defer d.free()
	limit = min(limit, math.MaxInt-len(dst))
	d.ck, d.out, d.start, d.max, d.src = ck, dst, len(dst), len(dst)+limit, src
	var err error
	switch f.format {
	case XZ:
		err = d.xz()
	case Alone:
		err = d.alone()
	default:
		err = d.raw(f.chain)
	}
	if err != nil {
		return nil, err
	}
	return d.out, nil
}
