package plain

import (
	"encoding/json"
	"slices"

	"github.com/omnizarr/zarr/codec/endian"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// knownBytes are the codecs of bytes that all clients have, by the version of Zarr. Zlib is
// one in Zarr v2 alone; tensorstore and neuroglancer do not have it under a name of v3.
var knownBytes = map[int][]string{
	3: {"gzip", "zstd", "blosc", "crc32c"},
	2: {"gzip", "zstd", "blosc", "zlib", "numcodecs.zlib"},
}

// portable reports whether clients have all codecs of a list: what clients of text have
// counts for text, which tensorstore and neuroglancer do not read at all.
func portable(list []meta.Extension, version int) bool {
	for len(list) > 0 && list[0].Name == "transpose" {
		list = list[1:]
	}
	if len(list) == 0 {
		return false
	}
	switch list[0].Name {
	case "bytes", "vlen-utf8", "vlen-bytes":
	case endian.NumpyName:
		if version != 2 {
			return false
		}
	case "sharding_indexed":
		// neuroglancer has no codecs behind shards.
		return version == 3 && len(list) == 1 && portableShard(list[0].Configuration)
	default:
		return false
	}
	rest := list[1:]
	if version == 2 && len(rest) > 1 { // neuroglancer passes over filters
		return false
	}
	return !slices.ContainsFunc(rest, func(x meta.Extension) bool { return !portableBytes(x, version) })
}

func portableBytes(x meta.Extension, version int) bool {
	if !slices.Contains(knownBytes[version], x.Name) {
		return false
	}
	if x.Name == "blosc" {
		var config struct{ CName string }
		// Snappy is in few builds of Blosc.
		return strictjson.Unmarshal(x.Configuration, &config) == nil && config.CName != "snappy"
	}
	return true
}

// portableShard reports whether clients can read shards: zarrita wants the index at the end,
// and no shards in shards.
func portableShard(raw json.RawMessage) bool {
	var config struct {
		Codecs        json.RawMessage `json:"codecs"`
		IndexCodecs   json.RawMessage `json:"index_codecs"`
		IndexLocation string          `json:"index_location"`
	}
	if json.Unmarshal(raw, &config) != nil || config.IndexLocation != "" && config.IndexLocation != "end" {
		return false
	}
	inner, err := meta.ParseCodecs(config.Codecs)
	index, indexErr := meta.ParseCodecs(config.IndexCodecs)
	if err != nil || indexErr != nil || !portable(inner, 3) || slices.ContainsFunc(inner, func(x meta.Extension) bool { return x.Name == "sharding_indexed" }) {
		return false
	}
	return index[0].Name == "bytes" && !slices.ContainsFunc(index[1:], func(x meta.Extension) bool { return x.Name != "crc32c" })
}

// portableType is the type that elements are shown as.
func portableType(t dtype.Type, version int) dtype.Type {
	name := ""
	switch t.Kind() {
	case dtype.Int, dtype.Uint:
		if bits := t.Units(); len(bits) == 1 && bits[0].Width == 1 && t.Name() != "int8" && t.Name() != "uint8" {
			name = "int8"
			if t.Kind() == dtype.Uint {
				name = "uint8"
			}
		}
	case dtype.Float:
		if !slices.Contains([]string{"float16", "float32", "float64"}, t.Name()) {
			name = "float32"
		}
	case dtype.Complex:
		if !slices.Contains([]string{"complex64", "complex128", "complex_float32", "complex_float64"}, t.Name()) {
			name = "complex64"
		}
	case dtype.UTF32:
		if version == 3 {
			name = "string"
		}
	case dtype.Struct:
		if len(t.Refs()) > 0 || hasOther(t) {
			name = "string"
		}
	case dtype.Object, dtype.List, dtype.Optional, dtype.Subarray:
		name = "string"
	}
	if name == "" {
		return t
	}
	return dtype.MustParse(name)
}

// hasOther reports whether a struct has a field of a type that would be shown as another.
func hasOther(t dtype.Type) bool {
	return slices.ContainsFunc(dtype.Fields(t), func(f dtype.Field) bool {
		return f.Type.Kind() != dtype.UTF32 && f.Type.Kind() != dtype.Subarray && !dtype.Equal(portableType(f.Type, 3), f.Type)
	})
}
