// Package pcodec is the codec "numcodecs.pcodec": numbers in the pco format,
// which finds structure in them (multiples, differences, distributions) and
// packs what is left close to its entropy.
//
// It takes integers and IEEE 754 floats of 8 to 64 bits, complex numbers as pairs
// of floats, and times and durations as 64-bit integers. What other
// implementations write is read whatever modes they chose; see internal/pco.
package pcodec

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/pco"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// Codec is a parsed entry. The zero value is not useful; see New.
type Codec struct {
	name   string
	config config
	order  int // of differences, if told; otherwise negative
}

// config has the members that numcodecs writes. Mode and differences only tell
// an encoder what to try: files say which were taken.
type config struct {
	Level int             `json:"level"`
	Mode  string          `json:"mode_spec"`
	Delta string          `json:"delta_spec"`
	Pages string          `json:"paging_spec"`
	Order json.RawMessage `json:"delta_encoding_order"`
	Page  int             `json:"equal_pages_up_to"`
}

// old has the members that zarrs wrote up to version 0.15, under other names of
// the codec.
type old struct {
	Level     int             `json:"level"`
	Mode      string          `json:"mode_spec"`
	Order     json.RawMessage `json:"delta_encoding_order"`
	IntMult   *bool           `json:"int_mult_spec"`
	FloatMult *bool           `json:"float_mult_spec"`
	Page      int             `json:"max_page_n"`
}

const (
	defaultName = "numcodecs.pcodec"
	equalPages  = "equal_pages_up_to"
	maxOrder    = 7
	maxLevel    = 12
)

func defaults() config {
	return config{Level: 8, Mode: "auto", Delta: "auto", Pages: equalPages, Order: json.RawMessage("null"), Page: 1 << 18}
}

// New is the codec with the settings that numcodecs takes unless told
// otherwise, and a level from 0, fast, to 12, small.
func New(level int) (Codec, error) {
	c := defaults()
	c.Level = level
	return newCodec(defaultName, c)
}

// Parse reads the configuration.
func Parse(_ *codec.Registry, name string, raw json.RawMessage) (codec.Codec, error) {
	c := defaults()
	if name != defaultName && isOld(raw) {
		o := old{Level: c.Level, Order: c.Order, Page: c.Page}
		if err := codec.ParseConfig(raw, &o); err != nil {
			return nil, err
		}
		if o.Page < 1 {
			return nil, fmt.Errorf("max_page_n is %d: must be at least 1", o.Page)
		}
		c.Level, c.Order, c.Page = o.Level, o.Order, o.Page
		if o.Mode != "" {
			c.Mode = o.Mode
		} else if o.IntMult != nil && o.FloatMult != nil && !*o.IntMult && !*o.FloatMult {
			c.Mode = "classic"
		}
		return newCodec(name, c)
	}
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	return newCodec(name, c)
}

// isOld reports whether a configuration has a member that only the old form
// has.
func isOld(raw json.RawMessage) bool {
	members, _ := strictjson.Object(raw, strictjson.Options{})
	for _, m := range members {
		switch m.Name {
		case "int_mult_spec", "float_mult_spec", "max_page_n":
			return true
		}
	}
	return false
}

func newCodec(name string, c config) (Codec, error) {
	out := Codec{name, c, -1}
	if c.Level < 0 || c.Level > maxLevel {
		return out, fmt.Errorf("level is %d: must be from 0 to %d", c.Level, maxLevel)
	}
	if c.Mode != "auto" && c.Mode != "classic" {
		return out, fmt.Errorf("mode_spec is %q: must be \"auto\" or \"classic\"", c.Mode)
	}
	if c.Pages != equalPages {
		return out, fmt.Errorf("paging_spec is %q: must be %q", c.Pages, equalPages)
	}
	if c.Page < 1 {
		return out, fmt.Errorf("equal_pages_up_to is %d: must be at least 1", c.Page)
	}
	if !strictjson.IsNull(c.Order) {
		if err := strictjson.Unmarshal(c.Order, &out.order); err != nil || out.order < 0 || out.order > maxOrder {
			return out, fmt.Errorf("delta_encoding_order is %s: must be null or from 0 to %d", c.Order, maxOrder)
		}
		if c.Delta != "auto" && c.Delta != "try_consecutive" {
			return out, fmt.Errorf("delta_encoding_order is %d, which does not go with a delta_spec of %q", out.order, c.Delta)
		}
	}
	switch c.Delta {
	case "auto", "try_consecutive", "try_lookback":
	case "no_op", "none":
		out.order = 0
	default:
		return out, fmt.Errorf("unknown delta_spec %q", c.Delta)
	}
	return out, nil
}

// Name is "numcodecs.pcodec", or what the entry was called.
func (c Codec) Name() string { return c.name }

// MarshalJSON gives the entry for metadata.
func (c Codec) MarshalJSON() ([]byte, error) { return codec.MarshalEntry(c.name, c.config) }

// BindSerializer fits the codec to chunks.
func (c Codec) BindSerializer(in codec.Spec) (codec.Serializer, error) {
	t, per := number(in.Type)
	if per == 0 {
		return nil, fmt.Errorf("cannot write %s", in.Type.Name())
	}
	size, ok := nd.Bytes(in.Shape, in.Type.Size())
	if !ok {
		return nil, fmt.Errorf("a chunk of shape %v has more bytes than can be counted", in.Shape)
	}
	o := pco.Options{
		Level: c.config.Level, Chunk: c.config.Page, Classic: c.config.Mode == "classic",
		Order: c.order, Lookback: c.config.Delta == "try_lookback",
	}
	s := &serializer{spec: in, number: t, size: size, options: o}
	// Others may write a little more than this package does, but nobody writes
	// much more than plain numbers.
	if size < math.MaxInt/256 {
		s.most = codec.AtMost(2*pco.MaxSize(size/t.Size(), t, o) + 1<<10)
	}
	return s, nil
}

// number tells as what numbers a type is written, and how many make an element;
// none if it cannot be written.
func number(t dtype.Type) (n pco.Type, per int) {
	switch t.Name() {
	case "uint8":
		return pco.U8, 1
	case "uint16":
		return pco.U16, 1
	case "uint32":
		return pco.U32, 1
	case "uint64":
		return pco.U64, 1
	case "int8":
		return pco.I8, 1
	case "int16":
		return pco.I16, 1
	case "int32":
		return pco.I32, 1
	case "int64":
		return pco.I64, 1
	case "float16":
		return pco.F16, 1
	case "float32":
		return pco.F32, 1
	case "float64":
		return pco.F64, 1
	case "complex_float16":
		return pco.F16, 2
	case "complex64", "complex_float32":
		return pco.F32, 2
	case "complex128", "complex_float64":
		return pco.F64, 2
	}
	if k := t.Kind(); (k == dtype.Time || k == dtype.Duration) && t.Size() == 8 {
		return pco.I64, 1
	}
	return 0, 0
}
