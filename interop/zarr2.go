package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/format/zarr2"
)

// document2 is an array of Zarr v2: text is JSON of the members of .zarray.
// What is empty is as writers have it who are told nothing.
type document2 struct {
	name                string
	dtype, fill         string
	order, separator    string
	filters, compressor string
	shape, chunks       []int
	values, attributes  string
	empty               bool
	asIs                bool // the document is put there as it is, not by Omnizarr
}

// text is the .zarray.
func (d document2) text() string {
	or := func(s, other string) string {
		if s == "" {
			return other
		}
		return s
	}
	ints := func(n []int) string {
		text, _ := json.Marshal(n) // numbers have a spelling
		return string(text)
	}
	separator := ""
	if d.separator != "" {
		separator = `,"dimension_separator":"` + d.separator + `"`
	}
	return fmt.Sprintf(`{"zarr_format":2,"shape":%s,"chunks":%s,"dtype":%s,"fill_value":%s,"order":"%s","filters":%s,"compressor":%s%s}`,
		ints(d.shape), ints(d.chunks), d.dtype, or(d.fill, "0"), or(d.order, "C"), or(d.filters, "null"), or(d.compressor, "null"), separator)
}

// spec says the same in the terms of Zarr v3, in which Omnizarr is told to make
// the array.
func (d document2) spec() spec {
	if d.shape == nil {
		d.shape, d.chunks = []int{7, 10}, []int{4, 4}
	}
	text := d.text()
	m, err := zarr2.ParseArray([]byte(text), nil)
	if err != nil {
		panic(fmt.Sprintf("case %s: %v in %s", d.name, err, text))
	}
	v3, err := m.Marshal()
	if err != nil {
		panic(fmt.Sprintf("case %s: %v", d.name, err))
	}
	var members struct {
		DataType json.RawMessage `json:"data_type"`
		Fill     json.RawMessage `json:"fill_value"`
		Codecs   json.RawMessage `json:"codecs"`
		Keys     json.RawMessage `json:"chunk_key_encoding"`
	}
	if err := json.Unmarshal(v3, &members); err != nil {
		panic(fmt.Sprintf("case %s: %v", d.name, err))
	}
	s := spec{
		name: d.name, typ: string(members.DataType), fill: string(members.Fill), shape: d.shape, chunks: d.chunks,
		keys: string(members.Keys), codecs: string(members.Codecs), attributes: d.attributes, empty: d.empty, values: d.values,
	}
	if d.asIs {
		s.zarray = text
	}
	return s
}

// specs2 is the whole matrix of Zarr v2, by name.
func specs2() []spec {
	var out []spec
	for _, d := range slices.Concat(typeCases2(), codecCases2(), fillCases2(), shapeCases2(), nodeCases2()) {
		out = append(out, d.spec())
	}
	slices.SortFunc(out, func(a, b spec) int { return strings.Compare(a.name, b.name) })
	return out
}

// dataTypes2 are NumPy's types with a fill value, by name; @ stands for the
// byte order.
var dataTypes2 = []typeCase{
	{"bool", `"|b1"`, `true`}, {"i1", `"|i1"`, `-2`}, {"u1", `"|u1"`, `3`},
	{"i2", `"@i2"`, `-2`}, {"i4", `"@i4"`, `-2`}, {"i8", `"@i8"`, `-2`}, {"u2", `"@u2"`, `3`}, {"u4", `"@u4"`, `3`}, {"u8", `"@u8"`, `3`},
	{"f2", `"@f2"`, `1.5`}, {"f4", `"@f4"`, `"NaN"`}, {"f8", `"@f8"`, `"-Infinity"`},
	{"c8", `"@c8"`, `[1.5,"NaN"]`}, {"c16", `"@c16"`, `[0.5,-1.0]`},
	{"M8-ns", `"@M8[ns]"`, `-9223372036854775808`}, {"M8-D", `"@M8[D]"`, `5`}, {"M8-Y", `"@M8[Y]"`, `5`}, {"M8-10us", `"@M8[10us]"`, `5`},
	{"m8-s", `"@m8[s]"`, `-5`}, {"m8-25ms", `"@m8[25ms]"`, `5`},
	{"S1", `"|S1"`, `"YQ=="`}, {"S7", `"|S7"`, `"YWJjAAAAAA=="`}, {"U1", `"@U1"`, `"ü"`}, {"U5", `"@U5"`, `"grün"`},
	{"V1", `"|V1"`, `"AQ=="`}, {"V5", `"|V5"`, `"AQIDBAU="`},
	{"struct", `[["a","@u2"],["b","@f8"],["c","|i1"]]`, `"AQABAgMEBQYHCP8="`},
	{"struct-text", `[["t","@U2"],["s","|S3"],["k","|b1"]]`, `"AAAAAAAAAABhYmMB"`},
	{"struct-nested", `[["p",[["x","@f4"],["y","@f4"]]],["t","@M8[s]"]]`, `"AAAAAAAAAAABAAAAAAAAAQ=="`},
	{"struct-subarray", `[["m","@i2",[2,3]],["s","|u1"]]`, `"AQACAAMABAAFAAYABw=="`},
	{"struct-nested-subarray", `[["q",[["x","@i2"],["y","|u1"]],[2]],["k","|b1"]]`, `"AQACAwAEAQ=="`},
}

const (
	zlib2  = `{"id":"zlib","level":1}`
	blosc2 = `{"id":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}`
	zstd2  = `{"id":"zstd","level":1}`
)

// typeCases2 are all data types in both byte orders, stored in both orders with
// and without a compressor.
func typeCases2() []document2 {
	var out []document2
	for _, t := range dataTypes2 {
		for name, order := range map[string]string{"little": "<", "big": ">"} {
			d := document2{dtype: strings.ReplaceAll(t.json, "@", order), fill: t.fill}
			if d.dtype == t.json {
				if name == "big" {
					continue
				}
				name = "byte"
			}
			prefix := "type/" + t.name + "/" + name
			plain, zlib, blosc := d, d, d
			plain.name = prefix + "-plain"
			zlib.name, zlib.order, zlib.compressor = prefix+"-fortran-zlib", "F", zlib2
			blosc.name, blosc.separator, blosc.compressor = prefix+"-slash-blosc", "/", blosc2
			out = append(out, plain, zlib, blosc)
		}
	}
	mixed := document2{name: "type/struct-mixed/plain", dtype: `[["a","<u2"],["b",">f8"],["c","|i1"]]`, fill: `"AQABAgMEBQYHCP8="`}
	fortran := mixed
	fortran.name, fortran.order, fortran.compressor = "type/struct-mixed/fortran-zstd", "F", zstd2
	return append(out, mixed, fortran)
}

// codecCases2 are the codecs of codecs.json, and some one behind the other.
func codecCases2() []document2 {
	var out []document2
	for _, c := range forArrays() {
		for _, t := range c.DTypes {
			filters, compressor := c.members()
			d := document2{
				name: "codec/" + c.Name + "/" + typeLabel(t), dtype: `"` + t + `"`, fill: fill2(t, c.Values),
				filters: filters, compressor: compressor, values: c.Values,
			}
			out = append(out, d)
			if !c.compresses() {
				d.name, d.compressor, d.order = d.name+"-zlib", zlib2, "F"
				out = append(out, d)
			}
		}
	}
	for name, d := range map[string]document2{
		"delta-shuffle-blosc": {dtype: `"<i4"`, compressor: blosc2,
			filters: `[{"id":"delta","dtype":"<i4","astype":"<i4"},{"id":"shuffle","elementsize":4}]`},
		"fixedscaleoffset-delta-bz2": {dtype: `"<f8"`, compressor: `{"id":"bz2","level":1}`, values: "quarters",
			filters: `[{"id":"fixedscaleoffset","scale":4,"offset":0,"dtype":"<f8","astype":"<i2"},{"id":"delta","dtype":"<i2","astype":"<i2"}]`},
		"packbits-delta": {dtype: `"|b1"`, fill: "false",
			filters: `[{"id":"packbits"},{"id":"delta","dtype":"|u1","astype":"|u1"}]`},
		"shuffle-crc32-zlib": {dtype: `"<u2"`, compressor: zlib2,
			filters: `[{"id":"shuffle","elementsize":2},{"id":"crc32"}]`},
		"vlen-utf8-zstd": {dtype: `"|O"`, fill: `"none"`, compressor: zstd2, filters: `[{"id":"vlen-utf8"}]`, values: "words"},
		"zlib-base64":    {dtype: `"<i4"`, filters: `[{"id":"zlib","level":1},{"id":"base64"}]`, asIs: true},
	} {
		d.name = "codecs/" + name
		out = append(out, d)
	}
	return out
}

// fill2 is a fill value that filters give back as it was.
func fill2(dtype, values string) string {
	switch {
	case values == "json" || values == "lists":
		return "null"
	case dtype == "|O" || strings.Contains(dtype, "U"):
		return `""`
	case strings.Contains(dtype, "V"):
		return `"AAAA"`
	case strings.Contains(dtype, "b"):
		return "false"
	case strings.Contains(dtype, "c"):
		return "[0.0,0.0]"
	}
	return "0"
}

// fillSpellings2 are further fill values by type. Null says that missing
// elements may be anything: most readers give zero.
var fillSpellings2 = map[string][]string{
	`"|b1"`:     {`null`, `0`, `1`, `false`},
	`"<i4"`:     {`null`, `-2147483648`, `5.0`},
	`"<i8"`:     {`null`, `-9223372036854775808`, `9223372036854775807`},
	`"<u8"`:     {`18446744073709551615`},
	`"<f2"`:     {`"NaN"`, `65504.0`},
	`"<f4"`:     {`null`, `"Infinity"`, `"-Infinity"`, `0.1`, `7`, `-0.0`},
	`"<f8"`:     {`null`, `"NaN"`, `0.1`, `5e-324`, `1e300`},
	`">f8"`:     {`null`, `0.1`},
	`"<c8"`:     {`null`, `["NaN","NaN"]`, `["Infinity",0.0]`},
	`"<c16"`:    {`[0.1,-0.1]`},
	`"<M8[s]"`:  {`null`, `-9223372036854775808`, `0`},
	`"<m8[ns]"`: {`null`, `-9223372036854775808`, `0`},
	`"|S3"`:     {`null`, `""`, `"YWI="`, `"/wAB"`},
	`"<U3"`:     {`null`, `""`, `"ab"`, `"数据🦉"`},
	`"|V4"`:     {`null`, `"AQIDBA=="`},

	`[["a","<u2"],["b",">f8"]]`: {`null`, `"AQA/8AAAAAAAAA=="`},
}

// fillCases2 are arrays without chunks: what a reader gives is the fill value.
func fillCases2() []document2 {
	var out []document2
	for _, t := range slices.Sorted(maps.Keys(fillSpellings2)) {
		for i, fill := range fillSpellings2[t] {
			name := typeLabel(strings.Trim(t, `"`))
			if strings.HasPrefix(t, "[") {
				name = "struct"
			}
			spelling := strconv.Itoa(i)
			if fill == "null" {
				spelling = fill
			}
			out = append(out, document2{
				name: "fill/" + name + "/" + spelling, dtype: t, fill: fill,
				shape: []int{2, 3}, chunks: []int{2, 2}, empty: true, asIs: true,
			})
		}
	}
	return out
}

// shapeCases2 are arrays of other ranks, without elements, and with both
// separators.
func shapeCases2() []document2 {
	var out []document2
	add := func(name string, shape, chunks []int, d document2) {
		d.name, d.dtype, d.fill, d.shape, d.chunks = "shape/"+name, `"<u2"`, "3", shape, chunks
		out = append(out, d)
	}
	add("0d", []int{}, []int{}, document2{})
	add("0d-zlib-fortran", []int{}, []int{}, document2{compressor: zlib2, order: "F"})
	add("0d-missing", []int{}, []int{}, document2{empty: true})
	add("1d", []int{11}, []int{4}, document2{order: "F"})
	add("1d-one-chunk", []int{5}, []int{100}, document2{compressor: blosc2})
	add("zero", []int{0}, []int{4}, document2{})
	add("zero-first", []int{0, 5}, []int{4, 4}, document2{compressor: zlib2})
	add("zero-last", []int{5, 0}, []int{4, 1}, document2{})
	for _, separator := range []string{".", "/"} {
		kind := map[string]string{".": "dot", "/": "slash"}[separator]
		add("3d-"+kind, []int{5, 6, 7}, []int{3, 4, 5}, document2{separator: separator})
		add("3d-fortran-"+kind, []int{5, 6, 7}, []int{3, 4, 5}, document2{separator: separator, order: "F", compressor: zlib2})
		add("5d-"+kind, []int{2, 3, 4, 3, 2}, []int{1, 2, 3, 2, 2}, document2{separator: separator, order: "F"})
	}
	add("4d", []int{3, 4, 3, 2}, []int{2, 2, 3, 2}, document2{compressor: blosc2})
	add("no-separator", []int{5, 6}, []int{2, 2}, document2{asIs: true})
	add("large", []int{300, 200}, []int{128, 100}, document2{compressor: blosc2})
	return out
}

// nodeCases2 are what stands beside the data.
func nodeCases2() []document2 {
	one := func(name, attributes string) document2 {
		return document2{
			name: "node/" + name, dtype: `"<u2"`, fill: "3", shape: []int{3, 4}, chunks: []int{2, 2}, compressor: zlib2, attributes: attributes,
		}
	}
	return []document2{
		one("attributes", `{"unit":"µm","scale":[1.0,0.25,1e-9],"big":9007199254740991,"nested":{"a":[null,true,{"b":"数据"}]},"text":"line\nquote\" \\ \u0001"}`),
		one("dimension-names", `{"_ARRAY_DIMENSIONS":["y","x"],"units":"m"}`),
		one("not-numbers", `{"a":NaN,"b":Infinity,"c":-Infinity}`),
		one("with space", ""), one("grün-数据", ""), one("deep/er/and/deeper", ""),
	}
}
