package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/dtype"
)

// spec is an array to be written: text is JSON of the members of zarr.json.
type spec struct {
	name          string
	typ, fill     string
	shape, chunks []int
	grid, keys    string
	codecs        string
	names         []string
	attributes    string
	empty         bool   // write nothing
	bits          []int  // the first and the last that the codecs store of a component; nil: all
	values        string // which ones, see values
	lossy         bool   // values change; what Omnizarr reads back counts
	zarray        string // of Zarr v2: the document as another writer left it
}

// specs is the whole matrix, by name.
func specs() []spec {
	out := slices.Concat(typeCases(), fillCases(), shapeCases(), keyCases(), gridCases(), nodeCases(), packCases(), extensionCases())
	slices.SortFunc(out, func(a, b spec) int { return strings.Compare(a.name, b.name) })
	return out
}

// serializer is a chain of the array -> bytes codec alone.
func serializer(typ, endian string) string {
	switch typ {
	case `"string"`:
		return `[{"name":"vlen-utf8"}]`
	case `"bytes"`, `"variable_length_bytes"`:
		return `[{"name":"vlen-bytes"}]`
	}
	if !hasEndian(typ) {
		return `[{"name":"bytes"}]`
	}
	return `[{"name":"bytes","configuration":{"endian":"` + endian + `"}}]`
}

func hasEndian(typ string) bool {
	return slices.ContainsFunc(dtype.MustParse(typ).Units(), func(u dtype.Unit) bool { return u.Width > 1 })
}

const (
	gzip     = `{"name":"gzip","configuration":{"level":5}}`
	zstd     = `{"name":"zstd","configuration":{"level":3,"checksum":false}}`
	zstdSum  = `{"name":"zstd","configuration":{"level":1,"checksum":true}}`
	crc32c   = `{"name":"crc32c"}`
	swapAxes = `{"name":"transpose","configuration":{"order":[1,0]}}`

	indexLittle = `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}]`
	indexBig    = `[{"name":"bytes","configuration":{"endian":"big"}}]`
)

// after adds codecs to a chain.
func after(chain string, codecs ...string) string {
	return chain[:len(chain)-1] + "," + strings.Join(codecs, ",") + "]"
}

// before puts a codec in front of a chain.
func before(codec, chain string) string { return "[" + codec + "," + chain[1:] }

func shard(inner, chain, index, location string) string {
	return fmt.Sprintf(`[{"name":"sharding_indexed","configuration":{"chunk_shape":%s,"codecs":%s,"index_codecs":%s,"index_location":"%s"}}]`,
		inner, chain, index, location)
}

// chains are the codecs for chunks of 4 × 4 elements of a type, by name.
func chains(typ string) map[string]string {
	e := serializer(typ, "little")
	big := serializer(typ, "big")
	out := map[string]string{
		"plain":             e,
		"transpose":         before(swapAxes, e),
		"gzip":              after(e, gzip),
		"zstd":              after(e, zstd),
		"zstd-checksum":     after(e, zstdSum),
		"crc32c":            after(e, crc32c),
		"zstd-crc32c":       after(e, zstd, crc32c),
		"shard":             shard("[2,2]", after(e, zstd), indexLittle, "end"),
		"shard-start":       shard("[2,2]", after(e, zstd), indexLittle, "start"),
		"shard-gzip":        shard("[2,2]", after(e, gzip, crc32c), indexLittle, "end"),
		"shard-transpose":   shard("[2,4]", before(swapAxes, after(big, zstd)), indexLittle, "end"),
		"shard-index-big":   shard("[4,2]", e, indexBig, "end"),
		"shard-nested":      shard("[4,2]", shard("[2,2]", after(e, zstd), indexLittle, "end"), indexLittle, "end"),
		"shard-nested-both": shard("[2,4]", shard("[2,1]", after(e, gzip), indexBig, "start"), indexLittle, "start"),
		"transpose-shard":   before(swapAxes, shard("[2,4]", after(e, zstd), indexLittle, "end")),
		"shard-zstd":        after(shard("[2,2]", e, indexLittle, "end"), zstd),
	}
	if big != e {
		out["big"] = big
		out["big-transpose-zstd"] = before(swapAxes, after(big, zstd))
	}
	return out
}

// typeCases are all data types times all codecs: arrays of 7 × 10 with chunks
// of 4 × 4, one of which is missing.
func typeCases() []spec {
	var out []spec
	for _, t := range dataTypes() {
		for name, codecs := range chains(t.json) {
			out = append(out, spec{
				name: "type/" + t.name + "/" + name, typ: t.json, fill: t.fill,
				shape: []int{7, 10}, chunks: []int{4, 4}, codecs: codecs,
			})
		}
	}
	return out
}

// shapeCases are arrays of other ranks, and without elements.
func shapeCases() []spec {
	var out []spec
	add := func(name string, shape, chunks []int, codecs string) {
		out = append(out, spec{name: "shape/" + name, typ: `"uint16"`, fill: "3", shape: shape, chunks: chunks, codecs: codecs})
	}
	for _, typ := range []string{`"uint16"`, `"string"`} {
		kind := strings.Trim(typ, `"`)
		e := serializer(typ, "little")
		for name, codecs := range map[string]string{
			"plain": e, "zstd": after(e, zstd), "transpose": before(`{"name":"transpose","configuration":{"order":[]}}`, e),
			"shard": shard("[]", e, indexLittle, "end"),
		} {
			out = append(out, spec{name: "shape/0d-" + kind + "/" + name, typ: typ, fill: fillOf(typ), shape: []int{}, chunks: []int{}, codecs: codecs})
		}
		out = append(out, spec{name: "shape/0d-" + kind + "/missing", typ: typ, fill: fillOf(typ), shape: []int{}, chunks: []int{}, codecs: e, empty: true})
	}
	u := serializer(`"uint16"`, "little")
	add("1d", []int{11}, []int{4}, u)
	add("1d-one-chunk", []int{5}, []int{100}, u)
	add("1d-ones", []int{5}, []int{1}, u)
	add("zero", []int{0}, []int{4}, u)
	add("zero-first", []int{0, 5}, []int{4, 4}, u)
	add("zero-last", []int{5, 0}, []int{4, 1}, u)
	add("zero-shard", []int{0, 8}, []int{4, 4}, shard("[2,2]", u, indexLittle, "end"))
	add("3d-transpose", []int{5, 6, 7}, []int{3, 4, 5}, before(`{"name":"transpose","configuration":{"order":[2,0,1]}}`, u))
	add("3d-shard-transpose", []int{9, 8, 7}, []int{4, 6, 4},
		shard("[2,3,4]", before(`{"name":"transpose","configuration":{"order":[1,2,0]}}`, after(u, zstd)), indexLittle, "end"))
	add("3d-shard-partly-empty", []int{20, 20, 20}, []int{16, 16, 16}, shard("[4,4,4]", after(u, zstd), indexLittle, "end"))
	add("5d", []int{2, 3, 4, 3, 2}, []int{1, 2, 3, 2, 2}, after(u, gzip))
	add("large", []int{300, 200}, []int{128, 100}, after(u, zstdSum))
	return out
}

func fillOf(typ string) string {
	if typ == `"string"` {
		return `"none"`
	}
	return "3"
}

// keyCases are the key encodings.
func keyCases() []spec {
	var out []spec
	u := serializer(`"uint16"`, "little")
	for _, encoding := range []string{"default", "v2"} {
		for name, sep := range map[string]string{"slash": "/", "dot": "."} {
			keys := fmt.Sprintf(`{"name":"%s","configuration":{"separator":"%s"}}`, encoding, sep)
			for rank, codecs := range []string{u, u, shard("[2,2]", u, indexLittle, "end")} {
				out = append(out, spec{
					name: fmt.Sprintf("keys/%s-%s/%dd", encoding, name, rank), typ: `"uint16"`, fill: "3", keys: keys,
					shape: []int{5, 26}[:rank], chunks: []int{2, 2}[:rank], codecs: codecs,
				})
			}
		}
	}
	return out
}

// gridCases are rectilinear grids.
func gridCases() []spec {
	var out []spec
	u := serializer(`"uint16"`, "little")
	add := func(name, shapes string, shape []int, codecs string) {
		out = append(out, spec{
			name: "grid/rectilinear/" + name, typ: `"uint16"`, fill: "3", shape: shape, codecs: codecs,
			grid: `{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":` + shapes + `}}`,
		})
	}
	add("lists", `[[2,3,2],[1,4,5]]`, []int{7, 10}, u)
	add("runs", `[[[2,3],1],[[5,2]]]`, []int{7, 10}, after(u, zstd))
	add("step", `[3,[4,6]]`, []int{7, 10}, after(u, gzip))
	add("over", `[[4,4],[6,6]]`, []int{7, 10}, u)
	add("shard", `[[2,4,2],[[4,2],2]]`, []int{8, 10}, shard("[2,2]", after(u, zstd), indexLittle, "end"))
	add("transpose", `[[2,5],[3,7]]`, []int{7, 10}, before(swapAxes, u))
	return out
}

// nodeCases are what stands beside the data: attributes, names, odd paths.
func nodeCases() []spec {
	u := serializer(`"uint16"`, "little")
	one := func(name string) spec {
		return spec{name: name, typ: `"uint16"`, fill: "3", shape: []int{3, 4}, chunks: []int{2, 2}, codecs: u}
	}
	attrs := one("node/attributes")
	attrs.attributes = `{"unit":"µm","scale":[1.0,0.25,1e-9],"big":9007199254740991,"nested":{"a":[null,true,{"b":"数据"}]},"":"empty name","text":"line\nquote\" \\ \u0001"}`
	names := one("node/dimension-names")
	names.names = []string{"y", "x"}
	partly := one("node/dimension-names-partly")
	partly.names = []string{"", "x"}
	return []spec{attrs, names, partly,
		one("node/with space"), one("node/grün-数据"), one("node/deep/er/and/deeper"), one("node/100%+&=@~"), one("node/c")}
}
