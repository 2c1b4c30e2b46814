package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/codec/tifftile"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/tiff/jpeg"
	"github.com/omnizarr/zarr/format/tiff/tile"
	"github.com/omnizarr/zarr/nd"
)

// tileEntry is a tile that the codec tiff-tile made, in a file of its own.
type tileEntry struct {
	entry
	Configuration json.RawMessage `json:"configuration"`
	// Subsampling of chroma is no part of the configuration for decoding, but a
	// tag of the file.
	Subsampling [2]int `json:"subsampling"`
}

// sampleFormats are the types that TIFF has samples of, and their formats.
var sampleFormats = []struct {
	typ    string
	format int
}{
	{"uint8", 1}, {"uint16", 1}, {"uint32", 1}, {"uint64", 1}, {"int8", 2}, {"int16", 2}, {"int32", 2}, {"int64", 2},
	{"float16", 3}, {"float32", 3}, {"float64", 3}, {"complex64", 6}, {"complex128", 6},
}

var tileCompressions = []struct {
	name   string
	number int
}{
	{"none", tile.None}, {"lzw", tile.LZW}, {"deflate", tile.Deflate}, {"packbits", tile.PackBits}, {"old-deflate", tile.OldDeflate},
	{"lzma", tile.LZMA}, {"zstd", tile.Zstd},
}

// writeTiles writes tiles of every type, compression, predictor and layout.
func writeTiles(ctx context.Context, dir string) error {
	var out []tileEntry
	add := func(name string, l tile.Layout, e tile.Encoding) error {
		x, err := writeTile(ctx, dir, name, l, e)
		if err != nil {
			return fmt.Errorf("tile %s: %w", name, err)
		}
		out = append(out, x)
		return nil
	}
	if err := errors.Join(losslessTiles(add), packedTiles(add), jpegTiles(add)); err != nil {
		return err
	}
	text, err := json.MarshalIndent(map[string]any{"cases": out}, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(manifestIn(dir), append(text, '\n'), 0o666)
}

// writeTileArrays writes arrays with the codec tiff-tile behind the codec bytes,
// as the program has it that the codec comes from.
func writeTileArrays(ctx context.Context, dir string) error {
	root, err := zarr.CreateGroup(ctx, dir)
	if err != nil {
		return err
	}
	defer root.Close()
	var all []spec
	for _, c := range []struct {
		name, typ, config string
		samples           int
	}{
		{"none", "uint8", `"compression":1`, 1},
		{"lzw-rgb", "uint8", `"compression":5,"predictor":2,"samples_per_pixel":3,"photometric":2`, 3},
		{"deflate", "uint16", `"compression":8,"predictor":2,"bits_per_sample":16`, 1},
		{"old-deflate", "int32", `"compression":32946,"predictor":2,"bits_per_sample":32,"sample_format":2`, 1},
		{"packbits", "int16", `"compression":32773,"bits_per_sample":16,"sample_format":2,"samples_per_pixel":2`, 2},
		{"floats", "float32", `"compression":8,"predictor":3,"bits_per_sample":32,"sample_format":3`, 1},
		{"doubles", "float64", `"compression":5,"predictor":3,"bits_per_sample":64,"sample_format":3`, 1},
		{"jpeg", "uint8", `"compression":7,"samples_per_pixel":3,"photometric":6`, 3},
	} {
		entry := fmt.Sprintf(`{"name":%q,"configuration":{%s,"tile_width":48,"tile_height":32}}`, tifftile.Name, c.config)
		all = append(all, spec{name: c.name, typ: `"` + c.typ + `"`, fill: "0", shape: []int{c.samples, 75, 110}, chunks: []int{c.samples, 32, 48},
			codecs: after(serializer(`"`+c.typ+`"`, "little"), entry), values: "small", lossy: c.name == "jpeg"})
	}
	m, err := writeAll(ctx, root, all)
	if err != nil {
		return err
	}
	return m.save(manifestIn(dir))
}

type addTile func(name string, l tile.Layout, e tile.Encoding) error

func losslessTiles(add addTile) (err error) {
	for _, s := range sampleFormats {
		t := dtype.MustParse(s.typ)
		for _, c := range tileCompressions {
			for predictor := 1; predictor <= 3; predictor++ {
				if !predicts(c.number, predictor, t) {
					continue
				}
				for _, samples := range []int{1, 3, 5} {
					for _, big := range []bool{false, true} {
						l := tile.Layout{Compression: c.number, BitsPerSample: 8 * t.Size(), Samples: samples, Photometric: 1, Planar: 1,
							Predictor: predictor, Width: 48, Height: 32, SampleFormat: s.format, BigEndian: big}
						name := fmt.Sprintf("%s/%s-p%d/%d-%s", s.typ, c.name, predictor, samples, order(big))
						err = errors.Join(err, add(name, l, tile.Encoding{}))
					}
				}
			}
		}
	}
	return err
}

// predicts says which predictors go with a type and a compression.
func predicts(compression, predictor int, t dtype.Type) bool {
	switch {
	case predictor == 1:
		return true
	case compression == tile.None || compression == tile.PackBits:
		return false
	case predictor == 2:
		return t.Kind() != dtype.Complex
	}
	return t.Kind() == dtype.Float
}

func order(big bool) string {
	if big {
		return "big"
	}
	return "little"
}

// packedTiles have samples that are not whole bytes.
func packedTiles(add addTile) (err error) {
	for _, c := range tileCompressions {
		for _, p := range []struct{ bits, packed int }{{1, 0}, {8, 2}, {8, 4}, {16, 10}, {16, 12}, {32, 24}} {
			for _, samples := range []int{1, 3} {
				l := tile.Layout{Compression: c.number, BitsPerSample: p.bits, Packed: p.packed, Samples: samples, Photometric: 1, Planar: 1,
					Predictor: 1, Width: 48, Height: 32, SampleFormat: 1}
				err = errors.Join(err, add(fmt.Sprintf("packed/%s/%d-of-%d/%d", c.name, max(p.packed, 1), p.bits, samples), l, tile.Encoding{}))
			}
		}
	}
	return err
}

// jpegTiles are of grey and colour, with and without tables of their own.
func jpegTiles(add addTile) (err error) {
	for _, quality := range []int{10, 75, 100} {
		for _, tables := range []bool{false, true} {
			for _, k := range []struct {
				name                 string
				samples, photometric int
				subsampling          [2]int
			}{
				{"grey", 1, 1, [2]int{}}, {"rgb", 3, 2, [2]int{}}, {"cmyk", 4, 5, [2]int{}},
				{"ycbcr444", 3, 6, [2]int{1, 1}}, {"ycbcr422", 3, 6, [2]int{2, 1}}, {"ycbcr420", 3, 6, [2]int{2, 2}},
				{"ycbcr440", 3, 6, [2]int{1, 2}}, {"ycbcr411", 3, 6, [2]int{4, 1}},
			} {
				l := tile.Layout{Compression: tile.JPEG, BitsPerSample: 8, Samples: k.samples, Photometric: k.photometric, Planar: 1,
					Predictor: 1, Width: 64, Height: 48, SampleFormat: 1}
				name := fmt.Sprintf("jpeg/%s/q%d", k.name, quality)
				if tables {
					name += "-tables"
					l.JPEGTables = jpeg.AppendTables(nil, k.samples, jpeg.EncodeOptions{Quality: quality, Subsampling: k.subsampling, RGB: k.photometric == 6})
				}
				err = errors.Join(err, add(name, l, tile.Encoding{Quality: quality, Subsampling: k.subsampling}))
			}
		}
	}
	return err
}

// writeTile encodes values that the name decides, and decodes them again: what
// comes out is what others must find.
func writeTile(ctx context.Context, dir, name string, l tile.Layout, e tile.Encoding) (tileEntry, error) {
	var x tileEntry
	typ, err := l.DataType()
	if err != nil {
		return x, err
	}
	c, err := tifftile.New(l, e)
	if err != nil {
		return x, err
	}
	text, err := c.MarshalJSON()
	if err != nil {
		return x, err
	}
	chain, err := std.Registry().ParseList(json.RawMessage(fmt.Sprintf("[%s]", text)))
	if err != nil {
		return x, err
	}
	t := dtype.MustParse(typ)
	shape := []int{l.Samples, l.Height, l.Width}
	bound, err := chain.Bind(codec.Spec{Type: t, Shape: shape, Fill: make([]byte, t.Size())})
	if err != nil {
		return x, err
	}
	source, back := picture(t, shape, name, &l), nd.Make(t.Size(), shape...)
	chunk := &codec.Chunk{Limits: &codec.Limits{}}
	encoded, err := bound.Encode(ctx, chunk, nil, source)
	if err != nil {
		return x, err
	}
	if err := bound.Decode(ctx, chunk, &codec.Memory{Bytes: encoded}, nd.Whole(shape), back); err != nil {
		return x, err
	}
	if err := alike(source, back, &l, e); err != nil {
		return x, err
	}
	var config struct {
		Configuration json.RawMessage
	}
	if err := json.Unmarshal(text, &config); err != nil {
		return x, err
	}
	x.entry = entry{Name: name, Path: name + ".tile", Type: typ, Shape: shape, SHA256: digest(t, back)}
	x.Configuration, x.Subsampling = config.Configuration, e.Subsampling
	path := filepath.Join(dir, x.Path)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return x, err
	}
	return x, os.WriteFile(path, encoded, 0o666)
}

// picture is what a tile shows: any patterns of bits, repeated here and there; for
// JPEG waves, which it is made for.
func picture(t dtype.Type, shape []int, name string, l *tile.Layout) nd.View {
	seed := fnv.New64a()
	seed.Write([]byte(name))
	v := random(t, shape, seed.Sum64())
	size, row := v.Size, shape[2]*v.Size
	for y := range len(v.Data) / row {
		line := v.Data[y*row:][:row]
		for x := range shape[2] {
			if l.Compression == tile.JPEG {
				line[x] = byte(128 + 60*math.Sin(float64(x)/9+float64(y)/31) + 50*math.Cos(float64(y)/7) + float64(line[x]&7))
			} else if x%7 > 2 {
				copy(line[x*size:][:size], line[(x-1)*size:])
			}
		}
	}
	if l.Packed > 0 {
		keepBits(t, v, 0, l.Packed-1)
	}
	return v
}

// alike checks that a tile came back as it was, or with JPEG's usual loss.
func alike(want, got nd.View, l *tile.Layout, e tile.Encoding) error {
	if l.Compression != tile.JPEG {
		if !bytes.Equal(want.Data, got.Data) {
			return errors.New("other values come back")
		}
		return nil
	}
	sum := 0.0
	for i, b := range want.Data {
		sum += math.Abs(float64(b) - float64(got.Data[i]))
	}
	if mean := sum / float64(len(want.Data)); mean > 6+float64(100-e.Quality)/8 {
		return fmt.Errorf("values differ by %.1f on average", mean)
	}
	return nil
}
