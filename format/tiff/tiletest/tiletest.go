// Package tiletest holds tiles of real TIFF files and broken ones, for tests and as
// the corpus of fuzz targets.
package tiletest

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
)

// Tile is a tile as it stands in a file.
type Tile struct {
	Name          string
	Configuration json.RawMessage // of the codec tiff-tile
	Compression   int             // as in the configuration
	Data          []byte
	// SHA256 is of what libtiff decodes it to, and Rows how many rows of it are
	// stored, 0 for all. Broken tiles have neither.
	SHA256 string
	Rows   int
	// Expect says what a broken tile must lead to, MustMention what the error has
	// to match, MaxAlloc how many megabytes it may take.
	Expect      string
	MustMention []string
	MaxAlloc    int
}

//go:embed testdata/tiles.zip
var tiles []byte

//go:embed testdata/bad.zip
var broken []byte

// Tiles gives tiles of files that libtiff 4.5.0, GDAL 3.6.2 and tifffile 2026.10.15
// wrote, one or more of each kind. The sums are of what libtiff with libjpeg-turbo
// 2.1.5 decodes them to.
func Tiles() []Tile { return read(tiles) }

// Broken gives tiles that are no tiles.
func Broken() []Tile { return read(broken) }

// Compressed gives the bytes of the tiles, also of broken ones, that have one of
// some compressions.
func Compressed(compressions ...int) [][]byte {
	var out [][]byte
	for _, t := range append(Tiles(), Broken()...) {
		for _, c := range compressions {
			if t.Compression == c {
				out = append(out, t.Data)
			}
		}
	}
	return out
}

// read unpacks an archive, which is part of the program: one that cannot be read
// is a mistake of whoever made it.
func read(archive []byte) []Tile {
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		panic(fmt.Sprintf("tiletest: %v", err))
	}
	file := func(name string) []byte {
		f, err := z.Open(name)
		if err != nil {
			panic(fmt.Sprintf("tiletest: %v", err))
		}
		defer f.Close()
		b, err := io.ReadAll(f)
		if err != nil {
			panic(fmt.Sprintf("tiletest: %s: %v", name, err))
		}
		return b
	}
	var index struct {
		Cases []struct {
			Name          string
			Configuration json.RawMessage
			Data          string
			SHA256        string
			Rows          int
			Expect        string
			MustMention   []string `json:"must_mention"`
			MaxAlloc      int      `json:"max_alloc_mb"`
		}
	}
	if err := json.Unmarshal(file("index.json"), &index); err != nil {
		panic(fmt.Sprintf("tiletest: %v", err))
	}
	out := make([]Tile, 0, len(index.Cases))
	for _, c := range index.Cases {
		var config struct{ Compression int }
		if err := json.Unmarshal(c.Configuration, &config); err != nil {
			panic(fmt.Sprintf("tiletest: %s: %v", c.Name, err))
		}
		out = append(out, Tile{c.Name, c.Configuration, config.Compression, file(c.Data), c.SHA256, c.Rows, c.Expect, c.MustMention, c.MaxAlloc})
	}
	return out
}
