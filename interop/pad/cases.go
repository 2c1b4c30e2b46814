package main

import (
	"encoding/json"
	"fmt"

	"github.com/omnizarr/zarr/codec/pad"
)

var tiffTypes = []string{"bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64",
	"float16", "float32", "float64", "complex64", "complex128"}

// layouts are the shapes of chunks and how they become images.
var layouts = []struct {
	name          string
	shape, chunks []int
	order         []int
	options       pad.TIFFOptions
}{
	{"2-d", []int{50, 70}, []int{32, 48}, nil, pad.TIFFOptions{}},
	{"odd", []int{13, 29}, []int{7, 11}, nil, pad.TIFFOptions{}},
	{"1-d", []int{29}, []int{11}, nil, pad.TIFFOptions{}},
	{"rgb", []int{20, 31, 3}, []int{16, 16, 3}, nil, pad.TIFFOptions{}},
	{"four-samples", []int{20, 31, 4}, []int{16, 16, 4}, nil, pad.TIFFOptions{}},
	{"volume", []int{7, 20, 31}, []int{5, 16, 16}, nil, pad.TIFFOptions{}},
	{"stacked", []int{7, 20, 31}, []int{5, 16, 16}, nil, pad.TIFFOptions{Samples: pad.Stacked}},
	{"samples", []int{9, 10, 7}, []int{8, 9, 7}, nil, pad.TIFFOptions{Samples: pad.Interleaved}},
	{"4-d", []int{2, 3, 20, 31}, []int{2, 2, 16, 16}, nil, pad.TIFFOptions{}},
	{"transposed", []int{50, 70}, []int{32, 48}, []int{1, 0}, pad.TIFFOptions{}},
	{"tiles", []int{50, 70}, []int{32, 48}, nil, pad.TIFFOptions{Tiles: true}},
	{"tiles-of-bands", []int{7, 20, 31}, []int{5, 16, 32}, nil, pad.TIFFOptions{Tiles: true}},
	{"big", []int{50, 70}, []int{32, 48}, nil, pad.TIFFOptions{Big: true}},
	{"big-bands", []int{7, 20, 31}, []int{5, 16, 16}, nil, pad.TIFFOptions{Big: true, Tiles: true}},
}

// tiffArrays are arrays whose chunks are TIFF files: every data type, layout and
// compression, in both byte orders.
func tiffArrays() []*array {
	var out []*array
	for _, typ := range tiffTypes {
		for _, l := range layouts {
			for _, compressor := range []string{"", "zlib", "zstd", "imagecodecs_lzw"} {
				for _, endian := range []string{"little", "big"} {
					a := &array{Format: "tiff", Type: typ, Shape: l.shape, Chunks: l.chunks, Order: l.order, format: pad.TIFF(l.options)}
					a.Codecs = chain(l.order, endian, compressor)
					name := compressor
					if name == "" {
						name = "raw"
					}
					a.Name = fmt.Sprintf("%s-%s-%s-%s", typ, l.name, name, endian)
					a.Path = "tiff/" + a.Name
					out = append(out, a)
				}
			}
		}
	}
	return out
}

// n5Arrays are arrays that are N5 datasets.
func n5Arrays() []*array {
	var out []*array
	add := func(name, typ, compressor string, shape, chunks []int, grid string) {
		a := &array{Name: name, Path: "n5/" + name, Format: "n5", Type: typ, Shape: shape, Chunks: chunks, format: pad.N5()}
		a.Codecs = chain(nil, "little", compressor)
		if grid != "" {
			a.Grid = json.RawMessage(grid)
		}
		out = append(out, a)
	}
	for _, typ := range []string{"uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64"} {
		for _, compressor := range []string{"", "gzip", "zlib", "zstd"} {
			name := typ + "-" + compressor
			if compressor == "" {
				name = typ + "-raw"
			}
			add(name+"-1-d", typ, compressor, []int{29}, []int{11}, "")
			add(name+"-2-d", typ, compressor, []int{11, 7}, []int{4, 3}, "")
			add(name+"-4-d", typ, compressor, []int{3, 5, 7, 6}, []int{2, 3, 4, 5}, "")
			add(name+"-short-edge", typ, compressor, []int{11, 7}, []int{4, 3},
				`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[4,4,3],[3,3,1]]}}`)
		}
	}
	return out
}
