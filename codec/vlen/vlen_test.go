package vlen_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/codec/vlen"
	"github.com/omnizarr/zarr/codec/zstd"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/nd"
)

func registry() *codec.Registry {
	r := basic.Registry()
	r.Register(zstd.Parse, "zstd")
	r.Register(vlen.Parse, "vlen-utf8", "vlen-bytes", "numcodecs.vlen-utf8", "numcodecs.vlen-bytes", "zarrs.vlen_v2")
	r.Register(vlen.ParseArray, "vlen-array", "numcodecs.vlen-array")
	r.Register(vlen.ParseIndexed, "zarrs.vlen")
	return r
}

func TestVlenPassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: `["vlen-utf8"]`, Type: "string", Shape: []int{4, 5}},
		{Codecs: `["vlen-utf8"]`, Type: "string", Shape: []int{3}, Fill: `"nothing"`},
		{Codecs: `["vlen-utf8"]`, Type: "string", Shape: nil, Fill: `"☃"`},
		{Codecs: `["vlen-bytes"]`, Type: "bytes", Shape: []int{2, 3, 4}},
		{Codecs: `["vlen-bytes"]`, Type: "variable_length_bytes", Shape: []int{40}, Fill: `"AAEC"`},
		{Codecs: `["numcodecs.vlen-utf8"]`, Type: "string", Shape: []int{2, 3}},
		{Codecs: `["numcodecs.vlen-bytes"]`, Type: "bytes", Shape: []int{3}},
		{Codecs: `["zarrs.vlen_v2"]`, Type: "string", Shape: []int{2, 3}},
		{Codecs: `["zarrs.vlen_v2","gzip"]`, Type: "bytes", Shape: []int{5}},
		{Codecs: indexed(`["bytes"]`, "uint32", "end"), Type: "string", Shape: []int{4, 5}},
		{Codecs: indexed(`["bytes","gzip"]`, "uint64", "start"), Type: "bytes", Shape: []int{9}, Fill: `"AAEC"`},
		{Codecs: indexed(`["bytes","zstd","crc32c"]`, "uint32", "start"), Type: "string", Shape: nil, Fill: `"☃"`},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func bind(codecs, typ string, shape ...int) (*codec.Bound, error) {
	chain, err := registry().ParseList(json.RawMessage(codecs))
	if err != nil {
		return nil, err
	}
	dt := dtype.MustParse(typ)
	return chain.Bind(codec.Spec{Type: dt, Shape: shape, Fill: make([]byte, dt.Size()), Heap: &nd.Heap{}})
}

func limits() *codec.Chunk { return &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}} }

// texts is memory that refers to text.
func texts(values ...string) nd.View {
	v := nd.Make(nd.RefSize, len(values))
	v.Heap = &nd.Heap{}
	for i, s := range values {
		nd.PutRef(v.At(i), v.Heap.Add([]byte(s)), 0, len(s))
	}
	return v
}

const golden = "\x03\x00\x00\x00\x01\x00\x00\x00a\x00\x00\x00\x00\x03\x00\x00\x00\xe2\x98\x83"

func TestValuesStandBehindTheirLengths(t *testing.T) {
	b, err := bind(`["vlen-utf8"]`, "string", 3)
	if err != nil {
		t.Fatal(err)
	}
	out, err := b.Encode(context.Background(), limits(), nil, texts("a", "", "☃"))
	if err != nil || string(out) != golden {
		t.Errorf("got %q, %v", out, err)
	}
	dst := nd.Make(nd.RefSize, 3)
	dst.Heap = &nd.Heap{}
	if err := b.Decode(context.Background(), limits(), &codec.Memory{Bytes: out}, nd.Whole([]int{3}), dst); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"a", "", "☃"} {
		if got := string(dst.Heap.Blobs().Value(dst.At(i))); got != want {
			t.Errorf("value %d is %q", i, got)
		}
	}
}

func TestConfigurations(t *testing.T) {
	for _, c := range []struct{ codecs, typ, want string }{
		{`["vlen-utf8"]`, "string", ""},
		{`[{"name":"vlen-bytes","configuration":{}}]`, "bytes", ""},
		{`["vlen-utf8"]`, "bytes", "cannot write bytes"},
		{`["vlen-bytes"]`, "string", "cannot write string"},
		{`["vlen-utf8"]`, "int32", "cannot write int32"},
		{`[{"name":"vlen-utf8","configuration":{"order":"C"}}]`, "string", `unknown member "order"`},
	} {
		_, err := bind(c.codecs, c.typ, 3)
		if c.want == "" && err != nil {
			t.Errorf("%s: %v", c.codecs, err)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "codec vlen-")) {
			t.Errorf("%s: got %v, want %s", c.codecs, err, c.want)
		}
	}
	if _, err := bind(`["vlen-utf8"]`, "string", 1<<20, 1<<20); err == nil || !strings.Contains(err.Error(), "32 bits") {
		t.Errorf("got %v", err)
	}
}

func u32(numbers ...uint32) []byte {
	var b []byte
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}

func TestDamageIsNamed(t *testing.T) {
	b, err := bind(`["vlen-utf8"]`, "string", 3)
	if err != nil {
		t.Fatal(err)
	}
	for want, data := range map[string][]byte{
		"0 bytes are too few for a count":          nil,
		"3 bytes are too few for a count":          {3, 0, 0},
		"holds 2 values, the chunk has 3":          u32(2, 0, 0),
		"holds 4294967295 values":                  u32(1<<32 - 1),
		"8 bytes are too few for 3 values":         u32(3, 0),
		"value 0 has 4294967295 bytes, 8 are left": u32(3, 1<<32-1, 0, 0),
		"value 2 has 1 bytes, 0 are left":          u32(3, 0, 0, 1),
		"data ends before value 2 of 3":            append(u32(3, 4, 0, 1), 'a', 'b', 'c'),
		"4 bytes follow the last value":            u32(3, 0, 0, 0, 0),
		"value 0 is not UTF-8":                     append(u32(3, 1), append([]byte{0xff}, u32(0, 0)...)...),
	} {
		for _, src := range []codec.Source{&codec.Memory{Bytes: data}, &codectest.Source{Data: data}} {
			for _, box := range []nd.Box{nd.Whole([]int{3}), {Start: []int{1}, Shape: []int{1}}} {
				dst := nd.Make(nd.RefSize, box.Shape...)
				dst.Heap = &nd.Heap{}
				err := b.Decode(context.Background(), limits(), src, box, dst)
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %s", err, want)
				}
			}
		}
	}
}

func TestTextThatIsNoUTF8IsNotWritten(t *testing.T) {
	b, err := bind(`["vlen-utf8"]`, "string", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Encode(context.Background(), limits(), nil, texts("\xff")); err == nil || !strings.Contains(err.Error(), "not UTF-8") {
		t.Errorf("got %v", err)
	}
}

func TestNothingIsAllocatedPerValue(t *testing.T) {
	const n = 10_000
	b, err := bind(`["vlen-utf8"]`, "string", n)
	if err != nil {
		t.Fatal(err)
	}
	data := binary.LittleEndian.AppendUint32(nil, n)
	for range n {
		data = append(data, 1, 0, 0, 0, 'x')
	}
	dst := nd.Make(nd.RefSize, n)
	got := testing.AllocsPerRun(5, func() {
		dst.Heap = &nd.Heap{}
		if err := b.Decode(context.Background(), limits(), &codec.Memory{Bytes: data}, nd.Whole([]int{n}), dst); err != nil {
			t.Fatal(err)
		}
	})
	if got > 12 {
		t.Errorf("%v allocations for %d values", got, n)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(golden))
	f.Add(u32(3, 1<<32-1, 0, 0))
	f.Add(u32(3, 0, 0, 0, 0))
	text, err := bind(`["vlen-utf8"]`, "string", 3)
	if err != nil {
		f.Fatal(err)
	}
	raw, err := bind(`["vlen-bytes"]`, "bytes", 3)
	if err != nil {
		f.Fatal(err)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		for _, b := range []*codec.Bound{text, raw} {
			dst := nd.Make(nd.RefSize, 3)
			dst.Heap = &nd.Heap{}
			if err := b.Decode(context.Background(), limits(), &codec.Memory{Bytes: data}, nd.Whole([]int{3}), dst); err != nil {
				continue
			}
			out, err := b.Encode(context.Background(), limits(), nil, dst)
			if err != nil || !bytes.Equal(out, data) {
				t.Errorf("%q became %q, %v", data, out, err)
			}
		}
	})
}

func Example() {
	chain, err := registry().ParseList(json.RawMessage(`["vlen-utf8"]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	text := dtype.MustParse("string")
	bound, err := chain.Bind(codec.Spec{Type: text, Shape: []int{2}, Fill: make([]byte, text.Size())})
	if err != nil {
		fmt.Println(err)
		return
	}
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	out, err := bound.Encode(context.Background(), ck, nil, texts("ab", "c"))
	fmt.Printf("%q %v\n", out, err)
	// Output: "\x02\x00\x00\x00\x02\x00\x00\x00ab\x01\x00\x00\x00c" <nil>
}
