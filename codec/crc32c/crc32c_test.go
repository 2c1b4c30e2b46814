package crc32c_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/crc32c"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

func TestCRC32CPassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: `["bytes","crc32c"]`, Type: "uint8", Shape: []int{20, 30}, Fill: "9"},
		{Codecs: `["bytes","crc32c","crc32c"]`, Type: "int8", Shape: []int{5}},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"big"}},"crc32c","gzip"]`, Type: "int32", Shape: []int{3, 4, 5}},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"little"}},"zstd","crc32c"]`, Type: "int32", Shape: []int{3, 4, 5}},
		{Codecs: `["vlen-utf8","crc32c"]`, Type: "string", Shape: []int{4, 5}},
		{Codecs: `["vlen-bytes","crc32c","crc32c"]`, Type: "bytes", Shape: []int{4, 5}, Fill: `"AAEC"`},
	} {
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func TestConfigurations(t *testing.T) {
	for config, want := range map[string]string{
		``:                   "",
		`{}`:                 "",
		`{"location":"end"}`: `unknown member "location"`,
		`[]`:                 "configuration must be an object",
		`7`:                  "configuration must be an object",
	} {
		_, err := std.Registry().Parse(codec.Entry{Name: "crc32c", Config: json.RawMessage(config)})
		if want == "" && err != nil {
			t.Errorf("%s: %v", config, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %s", config, err, want)
		}
	}
}

func filter(t testing.TB) codec.BytesFilter {
	t.Helper()
	f, err := crc32c.Codec{}.BindBytes(codec.Spec{}, codec.Size{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The check value of CRC-32C in the catalogues, and the vectors of RFC 3720.
func TestChecksumsAreThoseOfTheStandard(t *testing.T) {
	for in, want := range map[string][]byte{
		"123456789":                            {0x83, 0x92, 0x06, 0xe3},
		string(make([]byte, 32)):               {0xaa, 0x36, 0x91, 0x8a},
		string(bytes.Repeat([]byte{0xff}, 32)): {0x43, 0xab, 0xa8, 0x62},
		"":                                     {0, 0, 0, 0},
	} {
		out, err := filter(t).Encode(nil, []byte("pre"), []byte(in))
		if err != nil || string(out) != "pre"+in+string(want) {
			t.Errorf("%q: got %x, %v, want %x", in, out[3+len(in):], err, want)
		}
	}
}

func TestEveryChangedBitIsNoticed(t *testing.T) {
	good, err := filter(t).Encode(nil, nil, []byte("data"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 * len(good) {
		bad := bytes.Clone(good)
		bad[i/8] ^= 1 << (i % 8)
		if _, err := filter(t).Decode(nil, nil, bad, 100); err == nil || !strings.Contains(err.Error(), "checksum is") {
			t.Errorf("bit %d: %v", i, err)
		}
	}
	for n := range 4 {
		if _, err := filter(t).Decode(nil, nil, good[:n], 100); err == nil || !strings.Contains(err.Error(), "too few") {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if _, err := filter(t).Decode(nil, nil, good, 3); err == nil {
		t.Error("limit ignored")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("123456789\x83\x92\x06\xe3"))
	f.Add([]byte{0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		out, err := filter(t).Decode(nil, []byte("pre"), data, 1<<10)
		if err == nil && (len(out) != 3+len(data)-4 || len(out) > 3+1<<10) {
			t.Errorf("%d bytes of %d", len(out), len(data))
		}
		enc, err := filter(t).Encode(nil, nil, data)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := filter(t).Decode(nil, nil, enc, len(data)); err != nil || !bytes.Equal(back, data) {
			t.Errorf("%d bytes became %d, %v", len(data), len(back), err)
		}
	})
}

func ExampleCodec() {
	chain, err := std.Registry().ParseList(json.RawMessage(`["bytes", "crc32c"]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, err := chain.Bind(codec.Spec{Type: dtype.MustParse("uint8"), Shape: []int{9}, Fill: []byte{0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	out, err := bound.Encode(context.Background(), ck, nil, nd.Of([]byte("123456789"), 1, 9))
	fmt.Printf("%q %v\n", out, err)
	// Output: "123456789\x83\x92\x06\xe3" <nil>
}
