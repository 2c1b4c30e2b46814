package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/dtype"
)

// extensionCases are arrays of Zarr v3 with the codecs of numcodecs under their
// names there, and with the other codecs that not every reader has.
func extensionCases() []spec {
	var out []spec
	for _, c := range forArrays() {
		for _, t := range c.DTypes {
			if s, ok := c.spec3(t); ok {
				out = append(out, s)
				s.name, s.codecs = s.name+"-shard", shard("[2,2]", s.codecs, indexLittle, "end")
				out = append(out, s)
			}
		}
	}
	return slices.Concat(out, bloscCases(), arrayCases(), zfpCases(), vlenCases())
}

// withoutName3 are the ids that have no name in Zarr v3, or one that needs no
// prefix.
var withoutName3 = []string{"base64", "categorize", "json2", "msgpack2", "pickle", "vlen-array", "vlen-utf8", "vlen-bytes"}

// spec3 is an array with the codec. Types of Zarr v3 have no byte order.
func (c numcodec) spec3(code string) (spec, bool) {
	if slices.Contains(withoutName3, c.id()) || code[0] == '>' || strings.Contains(string(c.Codec), `">`) {
		return spec{}, false
	}
	t, _, err := dtype.ParseNumpy(json.RawMessage(`"` + code + `"`))
	if err != nil {
		panic(err)
	}
	text, err := t.MarshalJSON()
	if err != nil {
		panic(err)
	}
	typ := string(text)
	var config map[string]json.RawMessage
	if err := json.Unmarshal(c.Codec, &config); err != nil {
		panic(err)
	}
	delete(config, "id")
	members, _ := json.Marshal(config) // of JSON
	entry := fmt.Sprintf(`{"name":"numcodecs.%s","configuration":%s}`, c.id(), members)
	bytes := serializer(typ, "little")
	codecs := after(bytes, entry)
	switch c.id() {
	case "astype", "delta", "fixedscaleoffset", "quantize", "bitround", "packbits":
		if c.id() == "packbits" || strings.Contains(string(c.Codec), `|u1`) {
			bytes = `[{"name":"bytes"}]`
		}
		codecs = before(entry, bytes)
	case "zfpy", "pcodec":
		codecs = "[" + entry + "]"
	}
	return spec{
		name: "numcodecs/" + c.Name + "/" + t.Name(), typ: typ, fill: fill2(code, c.Values), shape: []int{7, 10}, chunks: []int{4, 4},
		codecs: codecs, values: c.Values,
	}, true
}

// bloscCases are arrays with the codec that all readers have.
func bloscCases() []spec {
	var out []spec
	for _, name := range []string{"lz4", "lz4hc", "zlib", "zstd", "blosclz"} {
		for _, shuffle := range []string{"noshuffle", "shuffle", "bitshuffle"} {
			for typ, size := range map[string]int{"uint8": 1, "uint16": 2, "float64": 8} {
				entry := fmt.Sprintf(`{"name":"blosc","configuration":{"cname":"%s","clevel":5,"shuffle":"%s","typesize":%d,"blocksize":0}}`, name, shuffle, size)
				chain := after(serializer(`"`+typ+`"`, "little"), entry)
				s := spec{
					name: "blosc/" + name + "-" + shuffle + "/" + typ, typ: `"` + typ + `"`, fill: "3", shape: []int{40, 30}, chunks: []int{16, 16},
					codecs: chain, values: "small",
				}
				out = append(out, s)
				if size == 2 {
					s.name, s.codecs = s.name+"-shard", shard("[8,4]", chain, indexLittle, "end")
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// arrayCases are arrays with codecs from arrays to arrays.
func arrayCases() []spec {
	var out []spec
	add := func(name, typ, values string, stored string, filters ...string) {
		codecs := serializer(`"`+stored+`"`, "little")
		for _, f := range slices.Backward(filters) {
			codecs = before(f, codecs)
		}
		s := spec{name: name + "/" + typ, typ: `"` + typ + `"`, fill: "0", shape: []int{7, 10}, chunks: []int{4, 4}, codecs: codecs, values: values}
		out = append(out, s)
		s.name, s.codecs = s.name+"-zstd", after(codecs, zstd)
		out = append(out, s)
		s.name, s.codecs = s.name+"-shard", shard("[2,2]", after(codecs, zstd), indexLittle, "end")
		out = append(out, s)
	}
	// A filter that would change the fill value, in front of shards of which inner
	// chunks are missing.
	out = append(out, spec{
		name: "filter-shard/fixedscaleoffset/float64", typ: `"float64"`, fill: "0", shape: []int{8, 8}, chunks: []int{4, 4}, values: "quarters",
		codecs: before(`{"name":"numcodecs.fixedscaleoffset","configuration":{"offset":100,"scale":4,"dtype":"<f8","astype":"<i2"}}`,
			shard("[2,2]", serializer(`"int16"`, "little"), indexLittle, "end")),
	})
	codec := func(name, config string) string { return `{"name":"` + name + `","configuration":{` + config + `}}` }
	for _, typ := range []string{"float16", "bfloat16", "float32", "float64", "int16", "int32", "uint64"} {
		add("bitround", typ, "small", typ, codec("bitround", `"keepbits":7`))
	}
	add("cast_value/narrow", "float64", "quarters", "float32", codec("cast_value", `"data_type":"float32"`))
	add("cast_value/to-int", "float64", "small", "int16", codec("cast_value", `"data_type":"int16","rounding":"towards-zero","out_of_range":"clamp"`))
	add("cast_value/wrap", "int64", "small", "uint8", codec("cast_value", `"data_type":"uint8","out_of_range":"wrap"`))
	add("cast_value/wide", "uint16", "any", "int32", codec("cast_value", `"data_type":"int32"`))
	add("scale_offset/float", "float64", "quarters", "float64", codec("scale_offset", `"offset":-8.0,"scale":4.0`))
	add("scale_offset/int", "int32", "small", "int32", codec("scale_offset", `"offset":10,"scale":3`))
	add("scale_offset/offset", "float32", "quarters", "float32", codec("scale_offset", `"offset":0.5`))
	add("scale_offset/cast", "float64", "quarters", "int16", codec("scale_offset", `"offset":-8.0,"scale":4.0`), codec("cast_value", `"data_type":"int16"`))
	add("reshape/flat", "uint16", "any", "uint16", codec("reshape", `"shape":[[0,1]]`))
	add("reshape/sizes", "uint16", "any", "uint16", codec("reshape", `"shape":[2,1,-1]`))
	add("reshape/dims", "float32", "any", "float32", codec("reshape", `"shape":[[0],1,[1]]`))
	mapped := spec{
		name: "cast_value/map/float64", typ: `"float64"`, fill: `"NaN"`, shape: []int{7, 10}, chunks: []int{4, 4}, values: "small",
		codecs: before(codec("cast_value", `"data_type":"int8","scalar_map":{"encode":[["NaN",-1]],"decode":[[-1,"NaN"]]}`), `[{"name":"bytes"}]`),
	}
	squeezed := spec{
		name: "zarrs.squeeze/uint16", typ: `"uint16"`, fill: "3", shape: []int{2, 7, 2, 10}, chunks: []int{1, 4, 1, 4},
		codecs: before(`{"name":"zarrs.squeeze"}`, serializer(`"uint16"`, "little")),
	}
	return append(out, mapped, squeezed)
}

// zfpCases are arrays with zfp in all modes; what is lost is lost before the
// digest is made.
func zfpCases() []spec {
	var out []spec
	for mode, config := range map[string]string{
		"reversible": `"mode":"reversible"`, "rate": `"mode":"fixed_rate","rate":12.5`, "precision": `"mode":"fixed_precision","precision":14`,
		"accuracy": `"mode":"fixed_accuracy","tolerance":0.05`, "expert": `"mode":"expert","minbits":1,"maxbits":200,"maxprec":20,"minexp":-10`,
	} {
		for _, typ := range []string{"float32", "float64", "int32", "int64", "uint32", "int16", "uint8"} {
			if mode == "accuracy" && typ[0] != 'f' {
				continue
			}
			values := "normal"
			if typ[0] == 'u' {
				values = "small"
			}
			codecs := `[{"name":"zfp","configuration":{` + config + `}}]`
			out = append(out, spec{
				name: "zfp/" + mode + "/" + typ, typ: `"` + typ + `"`, fill: "0", shape: []int{7, 10}, chunks: []int{4, 4}, codecs: codecs,
				values: values, lossy: true,
			}, spec{
				name: "zfp/" + mode + "-3d/" + typ, typ: `"` + typ + `"`, fill: "0", shape: []int{7, 5, 9}, chunks: []int{5, 5, 5}, codecs: codecs,
				values: values, lossy: true,
			})
		}
	}
	return out
}

// vlenCases are arrays of text with the codec of zarrs that keeps offsets apart.
func vlenCases() []spec {
	var out []spec
	for _, location := range []string{"start", "end"} {
		for _, size := range []string{"uint32", "uint64"} {
			codecs := fmt.Sprintf(`[{"name":"zarrs.vlen","configuration":{"data_codecs":[{"name":"bytes"},%s],"index_codecs":%s,"index_data_type":"%s","index_location":"%s"}}]`,
				gzip, after(serializer(`"uint32"`, "little"), zstd), size, location)
			for _, typ := range []string{"string", "bytes"} {
				fill := `"none"`
				if typ == "bytes" {
					fill = `"AQI="`
				}
				out = append(out, spec{
					name: "zarrs.vlen/" + location + "-" + size + "/" + typ, typ: `"` + typ + `"`, fill: fill, shape: []int{7, 10}, chunks: []int{4, 4}, codecs: codecs,
				})
			}
		}
	}
	return out
}
