package tifftile

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/format/tiff/tile"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// config is the configuration as metadata spells it. The first ten members are
// those of the codec's text, in its order; the others are written only where they
// say something.
type config struct {
	Compression     *int            `json:"compression"`
	BitsPerSample   *int            `json:"bits_per_sample"`
	SamplesPerPixel *int            `json:"samples_per_pixel"`
	Photometric     *int            `json:"photometric"`
	PlanarConfig    *int            `json:"planar_config"`
	Predictor       *int            `json:"predictor"`
	TileWidth       *int            `json:"tile_width"`
	TileHeight      *int            `json:"tile_height"`
	SampleFormat    *int            `json:"sample_format"`
	JPEGTables      json.RawMessage `json:"jpeg_tables"`

	ByteOrder   *string `json:"byte_order,omitempty"`
	FillOrder   *int    `json:"fill_order,omitempty"`
	PackedBits  *int    `json:"packed_bits,omitempty"`
	Level       *int    `json:"level,omitempty"`
	Quality     *int    `json:"quality,omitempty"`
	Subsampling *[]int  `json:"subsampling,omitempty"`
}

// Parse reads the configuration; what is absent has the defaults of the codec's
// text. A compression that TIFF has and this module has not is codec.ErrUnknown.
func Parse(_ *codec.Registry, _ string, raw json.RawMessage) (codec.Codec, error) {
	var c config
	if err := codec.ParseConfig(raw, &c); err != nil {
		return nil, err
	}
	or := func(p *int, otherwise int) int {
		if p == nil {
			return otherwise
		}
		return *p
	}
	k := &Codec{layout: tile.Layout{
		Compression: or(c.Compression, tile.None), BitsPerSample: or(c.BitsPerSample, 8), Samples: or(c.SamplesPerPixel, 1),
		Photometric: or(c.Photometric, 1), Planar: or(c.PlanarConfig, 1), Predictor: or(c.Predictor, 1),
		Width: or(c.TileWidth, 256), Height: or(c.TileHeight, 256), SampleFormat: or(c.SampleFormat, 1), Packed: or(c.PackedBits, 0),
	}, encoding: tile.Encoding{Level: or(c.Level, 0), Quality: or(c.Quality, 0)}}
	if c.FillOrder != nil {
		if *c.FillOrder != 1 && *c.FillOrder != 2 {
			return nil, fmt.Errorf("fill_order is %d: must be 1 or 2", *c.FillOrder)
		}
		k.layout.Backwards = *c.FillOrder == 2
	}
	if c.PackedBits != nil && *c.PackedBits < 1 {
		return nil, fmt.Errorf("packed_bits is %d: must be 1 or more", *c.PackedBits)
	}
	if err := k.parseTables(c.JPEGTables); err != nil {
		return nil, err
	}
	if c.ByteOrder != nil {
		switch *c.ByteOrder {
		case "little":
		case "big":
			k.layout.BigEndian = true
		default:
			return nil, fmt.Errorf("byte_order is %q: must be \"little\" or \"big\"", *c.ByteOrder)
		}
	}
	if c.Subsampling != nil {
		if len(*c.Subsampling) != 2 {
			return nil, fmt.Errorf("subsampling is %v: must be two numbers", *c.Subsampling)
		}
		k.encoding.Subsampling = [2]int(*c.Subsampling)
	}
	return k, k.check()
}

// check checks what New and Parse are given.
func (c *Codec) check() error {
	if err := c.layout.Check(); err != nil {
		return err
	}
	if err := c.layout.Supported(); err != nil {
		return unsupported{err}
	}
	return c.encoding.Check(&c.layout)
}

// unsupported is what a tile may be and this module does not read. To those who
// open arrays it is like an unknown codec: the array opens for its metadata.
type unsupported struct{ error }

// Is tells that the error counts as codec.ErrUnknown.
func (unsupported) Is(target error) bool { return target == codec.ErrUnknown }

// Unwrap returns what is not supported.
func (u unsupported) Unwrap() error { return u.error }

// prefix stands before the tables in the example of the codec's text.
const prefix = "base64:"

func (c *Codec) parseTables(raw json.RawMessage) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var err error
	if c.tables, err = strictjson.String(raw); err != nil {
		return strictjson.At("configuration.jpeg_tables", err)
	}
	text := strings.TrimPrefix(c.tables, prefix)
	tables, err := strictjson.Base64(text)
	if err != nil {
		return fmt.Errorf("jpeg_tables is not base64: %w", err)
	}
	c.layout.JPEGTables = tables
	return nil
}

// MarshalJSON gives the entry for metadata.
func (c *Codec) MarshalJSON() ([]byte, error) {
	l := &c.layout
	out := config{
		Compression: &l.Compression, BitsPerSample: &l.BitsPerSample, SamplesPerPixel: &l.Samples, Photometric: &l.Photometric,
		PlanarConfig: &l.Planar, Predictor: &l.Predictor, TileWidth: &l.Width, TileHeight: &l.Height, SampleFormat: &l.SampleFormat,
		JPEGTables: json.RawMessage("null"),
	}
	if len(l.JPEGTables) > 0 {
		text, err := json.Marshal(c.tables)
		if err != nil {
			return nil, err
		}
		out.JPEGTables = text
	}
	if l.BigEndian {
		big := "big"
		out.ByteOrder = &big
	}
	if l.Backwards {
		two := 2
		out.FillOrder = &two
	}
	some := func(n *int) *int {
		if *n == 0 {
			return nil
		}
		return n
	}
	out.PackedBits, out.Level, out.Quality = some(&l.Packed), some(&c.encoding.Level), some(&c.encoding.Quality)
	if s := c.encoding.Subsampling; s != [2]int{} {
		list := s[:]
		out.Subsampling = &list
	}
	return codec.MarshalEntry(Name, out)
}
