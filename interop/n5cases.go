package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/n5"
)

// n5Case is an array of N5 to be written, or a group if it has no type.
type n5Case struct {
	spec
	reversed, padded bool
	zero             bool // store nothing but zeros, in blocks that are there
}

// options are those of the nodes that such a case is written through.
func (c n5Case) options() []zarr.Option {
	var out []zarr.Option
	if c.reversed {
		out = append(out, zarr.With(n5.Reversed))
	}
	if c.padded {
		out = append(out, zarr.With(n5.PadEdges))
	}
	if c.zero {
		out = append(out, zarr.KeepEmpty())
	}
	return out
}

var n5Types = []string{"uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64"}

// n5Compressions are the codecs of compressions, by name. Blosc has all of its
// compressors and shuffles.
func n5Compressions() map[string]string {
	out := map[string]string{
		"raw":       "",
		"gzip":      gzip,
		"gzip-zlib": `{"name":"numcodecs.zlib","configuration":{"level":1}}`,
		"bzip2":     `{"name":"numcodecs.bz2","configuration":{"level":2}}`,
		"xz":        `{"name":"numcodecs.lzma","configuration":{"preset":1}}`,
		"zstd":      zstd,
		"lz4":       `{"name":"omnizarr.lz4_block","configuration":{"block_size":1024}}`,
	}
	for _, cname := range []string{"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"} {
		for _, shuffle := range []string{"noshuffle", "shuffle", "bitshuffle"} {
			out["blosc-"+cname+"-"+shuffle] = fmt.Sprintf(`{"name":"blosc","configuration":{"cname":"%s","clevel":5,"shuffle":"%s","blocksize":0}}`, cname, shuffle)
		}
	}
	return out
}

// n5Blocks are the shapes of blocks by rank, all of them large enough for Blosc to
// compress, and n5Edges those of arrays.
var n5Blocks = [][]int{{160}, {16, 12}, {8, 6, 5}, {6, 5, 4, 3}}

var n5Edges = []struct {
	name   string
	shapes [][]int
	padded bool
}{
	{"whole", [][]int{{320}, {32, 24}, {16, 6, 10}, {12, 5, 4, 6}}, false},
	{"cut", [][]int{{200}, {20, 17}, {11, 4, 6}, {8, 4, 3, 5}}, false},
	{"padded", [][]int{{200}, {20, 17}, {11, 4, 6}, {8, 4, 3, 5}}, true},
}

// n5Chain is the codecs of an array, which N5 makes its own of.
func n5Chain(typ, compressor string) string {
	chain := serializer(`"`+typ+`"`, "little")
	if compressor == "" {
		return chain
	}
	return after(chain, compressor)
}

// n5Matrix is every one of some types, every compression, rank and edge, in the order
// of N5, and some of them reversed. Blosc, which has so many of them, has one rank.
func n5Matrix(types []string) []n5Case {
	var out []n5Case
	for _, typ := range types {
		for compression, codec := range n5Compressions() {
			for i, blocks := range n5Blocks {
				if strings.HasPrefix(compression, "blosc-") && i+1 != 3 {
					continue
				}
				for _, edge := range n5Edges {
					c := n5Case{padded: edge.padded, spec: spec{
						name: fmt.Sprintf("type/%s/%s/%dd-%s", typ, compression, i+1, edge.name), typ: `"` + typ + `"`, fill: "0",
						shape: edge.shapes[i], chunks: blocks, codecs: n5Chain(typ, codec),
					}}
					out = append(out, c)
					if slices.Contains([]string{"raw", "zstd"}, compression) {
						c.name, c.reversed = "reversed/"+c.name, true
						c.shape, c.chunks = slices.Clone(c.shape), slices.Clone(c.chunks)
						slices.Reverse(c.shape)
						slices.Reverse(c.chunks)
						out = append(out, c)
					}
				}
			}
		}
	}
	return out
}

// n5Others are arrays and groups that have something besides.
func n5Others() []n5Case {
	one := func(name string) n5Case {
		return n5Case{spec: spec{name: name, typ: `"uint16"`, fill: "0", shape: []int{7, 6, 4}, chunks: []int{5, 4, 3}, codecs: n5Chain("uint16", zstd)}}
	}
	empty, zero, large, ones, long := one("blocks/none"), one("blocks/zeros"), one("blocks/large"), one("blocks/of-one"), one("blocks/one")
	empty.empty = true
	zero.zero, zero.values = true, "zeros"
	large.shape, large.chunks = []int{150, 70, 30}, []int{64, 64, 16}
	ones.chunks = []int{1, 1, 1}
	long.chunks = []int{100, 100, 100}
	length := one("blocks/length-zero")
	length.shape, length.codecs = []int{0, 6, 4}, n5Chain("uint16", "")
	plain := one("attributes/plain")
	plain.attributes = `{"unit":"µm","scale":[1.0,0.25,1e-9],"big":9007199254740991,"nested":{"a":[null,true,{"b":"数据"}]},"text":"line\nquote\" \\"}`
	axes := one("attributes/axes")
	axes.names = []string{"x", "y", "z"}
	turned := one("attributes/axes-reversed")
	turned.names, turned.reversed = []string{"z", "y", "x"}, true
	units := one("attributes/units")
	units.names, units.attributes = []string{"x", "y", "z"}, `{"axes":["x","y","z"],"units":["nm","nm","um"],"resolution":[4.0,4.0,0.5],"pixelResolution":{"unit":"nm","dimensions":[4.0,4.0,500.0]}}`
	clash := one("attributes/clashing")
	clash.attributes = `{"dataType":"mine","units":"nm","n5":[1],"plain":true}`
	text := n5Case{spec: spec{name: "kind/string", typ: `"string"`, fill: `""`, shape: []int{7, 6}, chunks: []int{5, 4}, codecs: after(serializer(`"string"`, ""), zstd), values: "labels"}}
	object := n5Case{spec: spec{name: "kind/object", typ: `"variable_length_bytes"`, fill: `""`, shape: []int{3, 2}, chunks: []int{1, 1}, codecs: serializer(`"variable_length_bytes"`, ""), values: "binary"}}
	return []n5Case{
		empty, zero, large, ones, long, length, plain, axes, turned, units, clash, text, object,
		one("node/with space"), one("node/grün-数据"), one("node/deep/er/and/deeper"), one("node/100%+&=@~"), one("node/12"),
		{spec: spec{name: "group/plain"}},
		{spec: spec{name: "group/attributes", attributes: `{"a":[1,{"b":null}],"ü":"x"}`}},
	}
}
