package shard_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

const (
	le      = `{"name":"bytes","configuration":{"endian":"little"}}`
	be      = `{"name":"bytes","configuration":{"endian":"big"}}`
	checked = le + `,"crc32c"`
)

// sharded spells a shard of inner chunks.
func sharded(inner, codecs, index, where string) string {
	return fmt.Sprintf(`{"name":"sharding_indexed","configuration":{"chunk_shape":%s,"codecs":[%s],"index_codecs":[%s],"index_location":%q}}`,
		inner, codecs, index, where)
}

func TestShardPassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: "[" + sharded("[2,3]", `"bytes"`, checked, "end") + "]", Type: "uint8", Shape: []int{6, 6}, Fill: "9"},
		{Codecs: "[" + sharded("[2,3]", `"bytes"`, checked, "start") + "]", Type: "uint8", Shape: []int{6, 6}, Fill: "9"},
		{Codecs: "[" + sharded("[2,2,2]", be+`,{"name":"zstd"}`, be, "start") + "]", Type: "int32", Shape: []int{4, 4, 4}},
		{Codecs: "[" + sharded("[4]", le+`,"gzip","crc32c"`, le, "end") + "]", Type: "float32", Shape: []int{32}, Fill: `"NaN"`},
		{Codecs: "[" + sharded("[4,4]", sharded("[2,2]", le, checked, "start"), checked, "end") + "]", Type: "uint16", Shape: []int{8, 8}, Fill: "3"},
		{Codecs: "[" + sharded("[4,4]", sharded("[2,2]", sharded("[1,2]", le+`,"zstd"`, le, "end"), checked, "start")+`,"gzip"`, checked, "end") + `,"crc32c"]`, Type: "uint16", Shape: []int{8, 8}},
		{Codecs: `[{"name":"transpose","configuration":{"order":[1,0]}},` + sharded("[3,2]", `{"name":"transpose","configuration":{"order":[1,0]}},`+le, checked, "end") + "]", Type: "int64", Shape: []int{4, 6}},
		{Codecs: "[" + sharded("[2,2]", `"vlen-utf8","zstd"`, checked, "end") + "]", Type: "string", Shape: []int{4, 4}, Fill: `"gap"`},
		{Codecs: "[" + sharded("[2]", `"vlen-bytes","crc32c"`, checked, "start") + "]", Type: "bytes", Shape: []int{8}},
		{Codecs: "[" + sharded("[4]", sharded("[2]", `"vlen-utf8"`, checked, "start"), checked, "end") + "]", Type: "string", Shape: []int{8}, Fill: `"☃"`},
		{Codecs: "[" + sharded("[6,6]", `"bytes"`, checked, "end") + `,"gzip"]`, Type: "bool", Shape: []int{6, 6}, Fill: "true"},
		{Codecs: "[" + sharded("[]", le, checked, "end") + "]", Type: "int16", Shape: nil, Fill: "4"},
		{Codecs: "[" + sharded("[1,4]", `"bytes"`, `{"name":"transpose","configuration":{"order":[2,0,1]}},`+checked, "end") + "]", Type: "uint8", Shape: []int{3, 8}},
	} {
		c.Registry = std.Registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func bind(codecs, typ string, shape ...int) (*codec.Bound, error) {
	chain, err := std.Registry().ParseList(json.RawMessage(codecs))
	if err != nil {
		return nil, err
	}
	dt := dtype.MustParse(typ)
	return chain.Bind(codec.Spec{Type: dt, Shape: shape, Fill: make([]byte, dt.Size()), Heap: &nd.Heap{}})
}

func limits() *codec.Chunk { return &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}} }

func TestConfigurations(t *testing.T) {
	config := func(s string) string { return `[{"name":"sharding_indexed","configuration":` + s + `}]` }
	for codecs, want := range map[string]string{
		config(`{"chunk_shape":[2,2],"codecs":["bytes"],"index_codecs":[` + le + `]}`): "",
		"[" + sharded("[1,1]", `"bytes"`, checked, "start") + "]":                      "",
		config(`{"codecs":["bytes"],"index_codecs":[` + le + `]}`):                     "configuration lacks chunk_shape",
		config(`{"chunk_shape":[2,2],"index_codecs":[` + le + `]}`):                    "configuration lacks codecs",
		config(`{"chunk_shape":[2,2],"codecs":["bytes"]}`):                             "configuration lacks index_codecs",
		"[" + sharded("[2,2]", `"bytes"`, checked, "middle") + "]":                     `index_location is "middle"`,
		"[" + sharded("[0,2]", `"bytes"`, checked, "end") + "]":                        "lengths must be positive",
		"[" + sharded("[-2,2]", `"bytes"`, checked, "end") + "]":                       "lengths must be positive",
		"[" + sharded("[2.5,2]", `"bytes"`, checked, "end") + "]":                      "must be an integer, not 2.5",
		"[" + sharded("[2]", `"bytes"`, checked, "end") + "]":                          "has 1 axes, the shard has 2",
		"[" + sharded("[3,2]", `"bytes"`, checked, "end") + "]":                        "do not divide a shard",
		"[" + sharded("[2,2]", `"gzip"`, checked, "end") + "]":                         "no codec before it turns arrays into bytes",
		"[" + sharded("[2,2]", ``, checked, "end") + "]":                               "no codec in the list turns arrays into bytes",
		"[" + sharded("[2,2]", `"bytes"`, `"bytes"`, "end") + "]":                      "index_codecs: codec bytes: configuration lacks endian",
		"[" + sharded("[2,2]", `"bytes"`, le+`,"gzip"`, "end") + "]":                   "the size of the index must not depend on its content",
		"[" + sharded("[2,2]", `"bytes"`, `"vlen-utf8"`, "end") + "]":                  "cannot write uint64",
		"[" + sharded("[2,2]", `"brotli"`, checked, "end") + "]":                       "codec brotli: unknown codec",
		"[" + sharded("[2,2]", `"bytes"`, checked+`,"brotli"`, "end") + "]":            "codec brotli: unknown codec",
	} {
		_, err := bind(codecs, "uint8", 4, 4)
		if want == "" && err != nil {
			t.Errorf("%s: %v", codecs, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "codec sharding_indexed")) {
			t.Errorf("%s: got %v, want %s", codecs, err, want)
		}
	}
	if _, err := bind("["+sharded("[1,1]", `"bytes"`, checked, "end")+"]", "uint8", 1<<40, 1<<40); err == nil {
		t.Error("a shard with 2^80 inner chunks was bound")
	}
}

func u64(numbers ...uint64) []byte {
	var b []byte
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b
}

const gone = 1<<64 - 1

// A shard of four bytes in inner chunks of two, the first of them missing.
func TestInnerChunksThatHoldTheFillValueAreMissing(t *testing.T) {
	for where, want := range map[string]string{
		"end":   "\x01\x02" + string(u64(gone, gone, 0, 2)),
		"start": string(u64(gone, gone, 32, 2)) + "\x01\x02",
	} {
		b, err := bind("["+sharded("[2]", `"bytes"`, le, where)+"]", "uint8", 4)
		if err != nil {
			t.Fatal(err)
		}
		out, err := b.Encode(context.Background(), limits(), nil, nd.Of([]byte{0, 0, 1, 2}, 1, 4))
		if err != nil || string(out) != want {
			t.Errorf("index at the %s: got %q, %v, want %q", where, out, err, want)
		}
	}
}

func TestABadIndexIsRefused(t *testing.T) {
	for _, c := range []struct {
		where string
		index []byte
		want  string
	}{
		{"end", u64(0, 2, 2, 2), ""},
		{"end", u64(0, 2, 0, 2), ""},
		{"end", u64(gone, gone, gone, gone), ""},
		{"end", u64(gone, 2, 2, 2), "half missing"},
		{"end", u64(0, gone, 2, 2), "half missing"},
		{"end", u64(3, 2, 2, 2), "reaches past the 4 bytes"},
		{"end", u64(5, 2, 2, 2), "reaches past the 4 bytes"},
		{"end", u64(1<<63, 2, 2, 2), "cannot be an offset"},
		{"end", u64(0, 1<<62, 2, 2), "reaches past"},
		{"end", u64(gone-1, 4, 2, 2), "cannot be an offset"},
		{"end", u64(0, 4, 2, 2), "longer than the 2 bytes"},
		{"end", u64(0, 1, 2, 2), "got 1 bytes, want 2"},
		{"end", u64(0, 0, 2, 2), "got 0 bytes, want 2"},
		{"start", u64(32, 2, 34, 2), ""},
		{"start", u64(30, 2, 34, 2), "reaches into the index"},
		{"start", u64(35, 2, 34, 2), "reaches past"},
	} {
		b, err := bind("["+sharded("[2]", `"bytes"`, le, c.where)+"]", "uint8", 4)
		if err != nil {
			t.Fatal(err)
		}
		data := append([]byte("abcd"), c.index...)
		if c.where == "start" {
			data = append(c.index, "abcd"...)
		}
		for _, src := range []codec.Source{&codec.Memory{Bytes: data}, &codectest.Source{Data: data}, &codectest.Source{Data: data, IsNear: true}} {
			err := b.Decode(context.Background(), limits(), src, nd.Whole([]int{4}), nd.Make(1, 4))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v from %T: got %v, want %q", c.index, src, err, c.want)
			}
		}
		_, err = b.Update(context.Background(), limits(), nil, &codec.Memory{Bytes: data}, nd.Box{Start: []int{1}, Shape: []int{2}}, nd.Of([]byte{8, 9}, 1, 2))
		if c.want == "" && err != nil || c.want != "" && err == nil {
			t.Errorf("update of %v: %v", c.index, err)
		}
	}
}

func TestAHugeIndexIsNotBelieved(t *testing.T) {
	b, err := bind("["+sharded("[1]", `"bytes"`, checked, "end")+"]", "uint8", 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	box := nd.Box{Start: []int{0}, Shape: []int{1}}
	for _, src := range []codec.Source{&codec.Memory{Bytes: make([]byte, 100)}, &codectest.Source{Data: make([]byte, 100)}} {
		if err := b.Decode(context.Background(), limits(), src, box, nd.Make(1, 1)); err == nil || !strings.Contains(err.Error(), "index") {
			t.Errorf("got %v", err)
		}
	}
}

// A source without a size cannot show that a length is a lie.
func TestALengthWithoutBoundIsNotBelieved(t *testing.T) {
	b, err := bind("["+sharded("[2]", `"vlen-utf8"`, le, "start")+"]", "string", 2)
	if err != nil {
		t.Fatal(err)
	}
	src := &codectest.Source{Data: append(u64(16, 1<<60), 0, 0, 0, 0), Unsized: true}
	dst := nd.Make(nd.RefSize, 2)
	dst.Heap = &nd.Heap{}
	if err := b.Decode(context.Background(), limits(), src, nd.Whole([]int{2}), dst); !errors.Is(err, codec.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
}

// An index that is not read as it was written is refused when an array is made,
// and an array that has one already still opens.
func TestCodecsThatLoseBitsOfTheIndex(t *testing.T) {
	for index, lossy := range map[string]bool{
		checked:      false,
		`"packbits"`: false,
		`{"name":"transpose","configuration":{"order":"F"}},` + le:                                      false,
		`{"name":"numcodecs.delta","configuration":{"dtype":"<u8"}},` + le:                              false,
		`{"name":"packbits","configuration":{"last_bit":31}}`:                                           true,
		`{"name":"packbits","configuration":{"first_bit":1}}`:                                           true,
		`{"name":"numcodecs.delta","configuration":{"dtype":"<u8","astype":"<u4"}},` + le:               true,
		`{"name":"cast_value","configuration":{"data_type":"float64"}},` + le:                           true,
		`{"name":"numcodecs.astype","configuration":{"encode_dtype":"<f8","decode_dtype":"<u8"}},` + le: true,
	} {
		chain, err := std.Registry().ParseList(json.RawMessage("[" + sharded("[2,2]", `"bytes"`, index, "end") + "]"))
		if err != nil {
			t.Fatal(err)
		}
		spec := codec.Spec{Type: dtype.MustParse("uint8"), Shape: []int{4, 4}, Fill: []byte{0}}
		if _, err := chain.Bind(spec); err != nil {
			t.Errorf("%s: %v", index, err)
		}
		_, err = chain.Complete(spec)
		if !lossy && err != nil || lossy && (err == nil || !strings.Contains(err.Error(), "codec sharding_indexed: index_codecs: ")) {
			t.Errorf("%s: %v", index, err)
		}
	}
}
