package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

// numcodec is a configuration of a codec of numcodecs, by the id that Zarr v2
// has for it. The peers read the same table.
type numcodec struct {
	Name    string          `json:"name"`
	Codec   json.RawMessage `json:"codec"`
	DTypes  []string        `json:"dtypes"`  // of NumPy
	Values  string          `json:"values"`  // that come back as they were; see values
	Buffers string          `json:"buffers"` // of buffers, where they may change: other values
	Exact   bool            `json:"exact"`   // every encoder must make the same bytes
	From    int             `json:"from"`    // the fewest elements
	Arrays  *bool           `json:"arrays"`  // false: for buffers only
}

//go:embed codecs.json
var numcodecsTable []byte

func numcodecs() []numcodec {
	var out []numcodec
	if err := json.Unmarshal(numcodecsTable, &out); err != nil {
		panic(fmt.Sprintf("codecs.json: %v", err))
	}
	return out
}

// forArrays are those that arrays are written with.
func forArrays() []numcodec {
	var out []numcodec
	for _, c := range numcodecs() {
		if c.Arrays == nil || *c.Arrays {
			out = append(out, c)
		}
	}
	return out
}

func (c numcodec) id() string {
	var x struct{ ID string }
	if err := json.Unmarshal(c.Codec, &x); err != nil {
		panic(err)
	}
	return x.ID
}

// compresses reports whether it stands where Zarr v2 has the compressor.
func (c numcodec) compresses() bool {
	switch c.id() {
	case "zlib", "gzip", "bz2", "zstd", "lz4", "lzma", "blosc", "zfpy", "pcodec":
		return true
	}
	return false
}

// members gives filters and compressor of a .zarray.
func (c numcodec) members() (filters, compressor string) {
	if c.compresses() {
		return "null", string(c.Codec)
	}
	return "[" + string(c.Codec) + "]", "null"
}

// typeLabel is a NumPy type in the name of a case.
func typeLabel(dtype string) string {
	return strings.NewReplacer("<", "little-", ">", "big-", "|", "", "[", "-", "]", "").Replace(dtype)
}
