package lzma

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// The filters of liblzma, by its numbers.
const (
	filterDelta = 3
	filterLZMA2 = 0x21
	filterLZMA1 = 0x4000000000000001
)

// branches are filters for programs. They are known by name only, since arrays
// are none.
var branches = map[uint64]string{
	4: "x86", 5: "PowerPC", 6: "IA-64", 7: "ARM", 8: "ARM-Thumb", 9: "SPARC", 10: "ARM64", 11: "RISC-V",
}

func unsupported(id uint64) error {
	if name, ok := branches[id]; ok {
		return fmt.Errorf("the branch filter for %s (%d) is not supported", name, id)
	}
	return fmt.Errorf("filter %d is not supported", id)
}

// chain is the filters that data goes through: deltas, then a compressor.
type chain struct {
	deltas []int // distances
	lzma1  bool  // else LZMA2
	props  properties
	dict   int // largest dictionary to write with
	depth  int // how many places to look at when writing
}

// properties say which bits predict which.
type properties struct{ lc, lp, pb int }

func (p properties) check() error {
	if p.lc < 0 || p.lp < 0 || p.lc+p.lp > 4 || p.pb < 0 || p.pb > 4 {
		return fmt.Errorf("lc %d, lp %d and pb %d are not possible: pb and lc+lp must be from 0 to 4", p.lc, p.lp, p.pb)
	}
	return nil
}

// code is the byte that stands for the properties.
func (p properties) code() byte { return byte((p.pb*5+p.lp)*9 + p.lc) }

// dictionaries of the presets 0 to 9.
var dictionaries = [10]int{256 << 10, 1 << 20, 2 << 20, 4 << 20, 4 << 20, 8 << 20, 8 << 20, 16 << 20, 32 << 20, 64 << 20}

const (
	minDict       = 4096
	defaultPreset = 6
	extreme       = 1 << 31 // a flag in presets: take more time
)

// usePreset sets what a preset stands for.
func (c *chain) usePreset(n int) error {
	n &^= extreme
	if n < 0 || n >= len(dictionaries) {
		return fmt.Errorf("preset is %d: must be from 0 to 9", n)
	}
	c.dict, c.depth, c.props = dictionaries[n], 4+4*n, properties{3, 0, 2}
	return nil
}

// parseChain makes sense of preset and filters.
func (c Codec) parseChain() (chain, error) {
	var filters []json.RawMessage
	if err := strictjson.Unmarshal(c.filters, &filters); err != nil {
		return chain{}, fmt.Errorf("filters must be an array or null")
	}
	if filters == nil {
		if c.format == Raw {
			return chain{}, fmt.Errorf("format 3 (raw) needs filters")
		}
		preset := defaultPreset
		if err := strictjson.Unmarshal(c.preset, &preset); err != nil {
			return chain{}, fmt.Errorf("preset must be a whole number or null")
		}
		out := chain{lzma1: c.format == Alone}
		return out, out.usePreset(preset)
	}
	var out chain
	if len(filters) < 1 || len(filters) > 4 {
		return out, fmt.Errorf("there are %d filters: must be from 1 to 4", len(filters))
	}
	for i, raw := range filters {
		if err := out.parseFilter(raw, i == len(filters)-1); err != nil {
			return out, fmt.Errorf("filters[%d]: %w", i, err)
		}
	}
	switch {
	case c.format == Alone && (!out.lzma1 || len(out.deltas) > 0):
		return out, fmt.Errorf("format 2 (alone) has LZMA1 as its only filter")
	case c.format == XZ && out.lzma1:
		return out, fmt.Errorf("format 1 (xz) has LZMA2 as its last filter, not LZMA1")
	}
	return out, nil
}

func (c *chain) parseFilter(raw json.RawMessage, last bool) error {
	var which struct {
		ID *uint64 `json:"id"`
	}
	if err := strictjson.Unmarshal(raw, &which); err != nil || which.ID == nil {
		return fmt.Errorf("must be an object with a number as id")
	}
	switch id := *which.ID; id {
	case filterDelta:
		if last {
			return fmt.Errorf("the last filter must be LZMA1 or LZMA2")
		}
		return c.parseDelta(raw)
	case filterLZMA1, filterLZMA2:
		if !last {
			return fmt.Errorf("only the last filter can be LZMA1 or LZMA2")
		}
		c.lzma1 = id == filterLZMA1
		return c.parseLZMA(raw)
	default:
		return unsupported(id)
	}
}

func (c *chain) parseDelta(raw json.RawMessage) error {
	var delta struct {
		ID   uint64 `json:"id"`
		Dist *int   `json:"dist"`
	}
	if err := codec.ParseConfig(raw, &delta); err != nil {
		return err
	}
	dist := 1
	if delta.Dist != nil {
		dist = *delta.Dist
	}
	if dist < 1 || dist > 256 {
		return fmt.Errorf("dist is %d: must be from 1 to 256", dist)
	}
	c.deltas = append(c.deltas, dist)
	return nil
}

func (c *chain) parseLZMA(raw json.RawMessage) error {
	preset := defaultPreset
	l := struct {
		ID       uint64  `json:"id"`
		Preset   *int    `json:"preset"`
		DictSize *uint32 `json:"dict_size"`
		LC       *int    `json:"lc"`
		LP       *int    `json:"lp"`
		PB       *int    `json:"pb"`
		// How hard to search makes no difference to what the bytes mean.
		Mode    int `json:"mode"`
		NiceLen int `json:"nice_len"`
		MF      int `json:"mf"`
		Depth   int `json:"depth"`
	}{Preset: &preset}
	if err := codec.ParseConfig(raw, &l); err != nil {
		return err
	}
	if err := c.usePreset(*l.Preset); err != nil {
		return err
	}
	if l.DictSize != nil {
		c.dict = int(*l.DictSize)
	}
	if c.dict < minDict {
		return fmt.Errorf("dict_size is %d: must be at least %d", c.dict, minDict)
	}
	for _, set := range []struct {
		to   *int
		from *int
	}{{&c.props.lc, l.LC}, {&c.props.lp, l.LP}, {&c.props.pb, l.PB}} {
		if set.from != nil {
			*set.to = *set.from
		}
	}
	return c.props.check()
}
