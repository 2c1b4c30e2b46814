package endian_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

const (
	little = `[{"name":"bytes","configuration":{"endian":"little"}}]`
	big    = `[{"name":"bytes","configuration":{"endian":"big"}}]`
	plain  = `["bytes"]`
	point  = `{"name":"struct","configuration":{"fields":[["a","uint8"],["b","int32"],["c","complex64"],["d","r24"]]}}`
)

func TestBytesPassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: plain, Type: "uint8", Shape: []int{5, 6, 7}, Fill: "9"},
		{Codecs: plain, Type: "bool", Shape: []int{33}, Fill: "true"},
		{Codecs: plain, Type: "int4", Shape: []int{4, 5}, Fill: "-3"},
		{Codecs: plain, Type: "r24", Shape: []int{3, 4}, Fill: "[1,2,3]"},
		{Codecs: plain, Type: "float8_e4m3", Shape: []int{7}},
		{Codecs: little, Type: "uint16", Shape: []int{9, 11}, Fill: "513"},
		{Codecs: big, Type: "uint16", Shape: []int{9, 11}, Fill: "513"},
		{Codecs: big, Type: "float32", Shape: []int{3, 1, 5}, Fill: `"NaN"`},
		{Codecs: little, Type: "float64", Shape: []int{2, 2, 2, 2}},
		{Codecs: big, Type: "int64", Shape: []int{1}},
		{Codecs: big, Type: "complex128", Shape: []int{3, 3}},
		{Codecs: big, Type: point, Shape: []int{3, 4}},
		{Codecs: little, Type: point, Shape: []int{5}},
		{Codecs: big, Type: `{"name":"fixed_length_utf32","configuration":{"length_bytes":12}}`, Shape: []int{4}},
		{Codecs: big, Type: "complex_float16", Shape: []int{6}},
		{Codecs: little, Type: "int32", Shape: nil, Fill: "4"},
		{Codecs: little, Type: "uint32", Shape: []int{40, 70, 30}},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func bind(t testing.TB, codecs, typ string, shape ...int) (*codec.Bound, error) {
	t.Helper()
	chain, err := registry().ParseList(json.RawMessage(codecs))
	if err != nil {
		return nil, err
	}
	dt := dtype.MustParse(typ)
	return chain.Bind(codec.Spec{Type: dt, Shape: shape, Fill: make([]byte, dt.Size())})
}

func limits() *codec.Chunk { return &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}} }

func TestNumbersHaveTheOrderThatEndianSays(t *testing.T) {
	for _, c := range []struct{ codecs, typ, in, want string }{
		{little, "uint16", "\x01\x02\x03\x04", "\x01\x02\x03\x04"},
		{big, "uint16", "\x01\x02\x03\x04", "\x02\x01\x04\x03"},
		{big, "uint32", "\x01\x02\x03\x04\x05\x06\x07\x08", "\x04\x03\x02\x01\x08\x07\x06\x05"},
		{big, "float64", "\x01\x02\x03\x04\x05\x06\x07\x08ABCDEFGH", "\x08\x07\x06\x05\x04\x03\x02\x01HGFEDCBA"},
		{big, "complex64", "abcdABCDefghEFGH", "dcbaDCBAhgfeHGFE"},
		{big, "uint8", "ab", "ab"},
		{big, `{"name":"struct","configuration":{"fields":[["a","uint8"],["b","int32"]]}}`, "xabcdyABCD", "xdcbayDCBA"},
	} {
		b, err := bind(t, c.codecs, c.typ, 2)
		if err != nil {
			t.Fatal(err)
		}
		src := nd.Of([]byte(c.in), len(c.in)/2, 2)
		out, err := b.Encode(context.Background(), limits(), nil, src)
		if err != nil || string(out) != c.want {
			t.Errorf("%s %s: got %q, %v, want %q", c.codecs, c.typ, out, err, c.want)
		}
	}
}

func TestConfigurations(t *testing.T) {
	for _, c := range []struct{ codecs, typ, want string }{
		{plain, "uint8", ""},
		{`[{"name":"bytes"}]`, "bool", ""},
		{`[{"name":"bytes","configuration":{}}]`, "int8", ""},
		{`[{"name":"endian","configuration":{"endian":"big"}}]`, "int32", ""},
		{big, "uint8", ""},
		{plain, "int32", "configuration lacks endian, which int32 needs"},
		{plain, point, "configuration lacks endian"},
		{`[{"name":"bytes","configuration":{"endian":"Big"}}]`, "int32", `endian is "Big": must be "little" or "big"`},
		{`[{"name":"bytes","configuration":{"endian":7}}]`, "int32", "must be a string, not a number"},
		{`[{"name":"bytes","configuration":{"endian":null}}]`, "int8", "endian: must not be null"},
		{`[{"name":"bytes","configuration":{"ENDIAN":"big"}}]`, "int32", `unknown member "ENDIAN"`},
		{`[{"name":"bytes","configuration":{"endian":"big","level":1}}]`, "int32", `unknown member "level"`},
		{`[{"name":"bytes","configuration":["big"]}]`, "int32", "configuration: must be an object"},
		{little, "string", "cannot write string, whose values have no fixed length"},
		{plain, "bytes", "cannot write bytes, whose values have no fixed length"},
	} {
		_, err := bind(t, c.codecs, c.typ, 3)
		if c.want == "" && err != nil {
			t.Errorf("%s for %s: %v", c.codecs, c.typ, err)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "codec bytes")) {
			t.Errorf("%s for %s: got %v, want %s", c.codecs, c.typ, err, c.want)
		}
	}
	if _, err := bind(t, little, "int64", 1<<40, 1<<40); err == nil || !strings.Contains(err.Error(), "more bytes than can be counted") {
		t.Errorf("got %v", err)
	}
}

func TestValuesThatDoNotExistAreRefused(t *testing.T) {
	b, err := bind(t, plain, "bool", 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []codec.Source{&codec.Memory{Bytes: []byte{0, 1, 7, 0}}, &codectest.Source{Data: []byte{0, 1, 7, 0}}} {
		for _, box := range []nd.Box{nd.Whole([]int{4}), {Start: []int{1}, Shape: []int{2}}} {
			err := b.Decode(context.Background(), limits(), src, box, nd.Make(1, box.Shape...))
			if err == nil || !strings.Contains(err.Error(), "value 7 for bool") {
				t.Errorf("got %v", err)
			}
		}
	}
}

// A part of a chunk costs the bytes that it has, and a little more.
func TestAPartIsReadAsJustItsRows(t *testing.T) {
	b, err := bind(t, plain, "uint8", 64, 1<<14)
	if err != nil {
		t.Fatal(err)
	}
	data := bytes.Repeat([]byte{1}, 64<<14)
	for _, c := range []struct {
		near            bool
		box             nd.Box
		requests, bytes int64
	}{
		{true, nd.Box{Start: []int{3, 0}, Shape: []int{1, 1 << 14}}, 1, 1 << 14},
		{true, nd.Box{Start: []int{3, 5}, Shape: []int{4, 10}}, 4, 40},
		{false, nd.Box{Start: []int{3, 5}, Shape: []int{4, 10}}, 1, 3<<14 + 10},
		{true, nd.Box{Start: []int{2, 0}, Shape: []int{8, 1 << 14}}, 1, 8 << 14},
	} {
		src := &codectest.Source{Data: data, IsNear: c.near}
		if err := b.Decode(context.Background(), limits(), src, c.box, nd.Make(1, c.box.Shape...)); err != nil {
			t.Fatal(err)
		}
		if src.Requests.Load() != c.requests || src.Bytes.Load() != c.bytes {
			t.Errorf("%v near %v: %d requests of %d bytes, want %d of %d", c.box, c.near, src.Requests.Load(), src.Bytes.Load(), c.requests, c.bytes)
		}
	}
}

func ExampleCodec() {
	chain, err := registry().ParseList(json.RawMessage(`[{"name": "bytes", "configuration": {"endian": "big"}}]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, err := chain.Bind(codec.Spec{Type: dtype.MustParse("uint16"), Shape: []int{2}, Fill: []byte{0, 0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	out, err := bound.Encode(context.Background(), ck, nil, nd.Of([]byte{1, 2, 3, 4}, 2, 2))
	fmt.Println(out, err)
	// Output: [2 1 4 3] <nil>
}
