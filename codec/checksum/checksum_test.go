package checksum_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/checksum"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/codec/zstd"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
)

var names = []string{"crc32c", "crc32", "adler32", "fletcher32", "jenkins_lookup3"}

func registry() *codec.Registry {
	r := basic.Registry()
	r.Register(zstd.Parse, "zstd")
	for _, n := range names {
		r.Register(checksum.Parse, n, "numcodecs."+n)
	}
	return r
}

func TestChecksumsPassTheSuite(t *testing.T) {
	const little = `{"name":"bytes","configuration":{"endian":"little"}}`
	for _, c := range []codectest.Case{
		{Codecs: `["bytes","crc32c"]`, Type: "uint8", Shape: []int{20, 30}, Fill: "9"},
		{Codecs: `["bytes","crc32c","crc32c"]`, Type: "int8", Shape: []int{5}},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"big"}},"crc32c","gzip"]`, Type: "int32", Shape: []int{3, 4, 5}},
		{Codecs: `[` + little + `,"zstd","crc32c"]`, Type: "int32", Shape: []int{3, 4, 5}},
		{Codecs: `["vlen-utf8","crc32c"]`, Type: "string", Shape: []int{4, 5}},
		{Codecs: `["vlen-bytes","crc32c","crc32c"]`, Type: "bytes", Shape: []int{4, 5}, Fill: `"AAEC"`},
		{Codecs: `[` + little + `,"numcodecs.crc32"]`, Type: "int32", Shape: []int{3, 4, 5}},
		{Codecs: `[` + little + `,{"name":"numcodecs.crc32","configuration":{"location":"end"}}]`, Type: "float64", Shape: []int{7, 3}},
		{Codecs: `["bytes","numcodecs.adler32","numcodecs.fletcher32"]`, Type: "uint8", Shape: []int{3, 3}},
		{Codecs: `["vlen-utf8","numcodecs.adler32","zstd","numcodecs.jenkins_lookup3"]`, Type: "string", Shape: []int{4, 5}},
		{Codecs: `[` + little + `,{"name":"numcodecs.crc32c","configuration":{"location":"start"}},{"name":"jenkins_lookup3","configuration":{"initval":7}}]`, Type: "int16", Shape: []int{11}},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func TestConfigurations(t *testing.T) {
	for entry, want := range map[[2]string]string{
		{"crc32c", ``}:                                          `{"name":"crc32c"}`,
		{"crc32c", `{}`}:                                        `{"name":"crc32c"}`,
		{"crc32c", `{"location":"end"}`}:                        `unknown member "location"`,
		{"crc32c", `[]`}:                                        "configuration: must be an object",
		{"crc32c", `7`}:                                         "configuration: must be an object",
		{"numcodecs.crc32c", ``}:                                `{"name":"numcodecs.crc32c","configuration":{}}`,
		{"numcodecs.crc32c", `{"location":"end"}`}:              `{"name":"numcodecs.crc32c","configuration":{"location":"end"}}`,
		{"numcodecs.crc32c", `{"location":"start"}`}:            `{"name":"numcodecs.crc32c","configuration":{"location":"start"}}`,
		{"numcodecs.crc32", ``}:                                 `{"name":"numcodecs.crc32","configuration":{}}`,
		{"crc32", `{"location":"end"}`}:                         `{"name":"crc32","configuration":{"location":"end"}}`,
		{"numcodecs.crc32", `{"location":"middle"}`}:            `location is "middle": must be start or end`,
		{"numcodecs.crc32", `{"location":""}`}:                  `location is "": must be start or end`,
		{"numcodecs.crc32", `{"location":null}`}:                `location: must not be null`,
		{"numcodecs.adler32", `{"location":"start"}`}:           `{"name":"numcodecs.adler32","configuration":{"location":"start"}}`,
		{"adler32", ``}:                                         `{"name":"adler32","configuration":{}}`,
		{"numcodecs.fletcher32", ``}:                            `{"name":"numcodecs.fletcher32","configuration":{}}`,
		{"fletcher32", `{}`}:                                    `{"name":"fletcher32","configuration":{}}`,
		{"numcodecs.fletcher32", `{"location":"end"}`}:          `unknown member "location"`,
		{"jenkins_lookup3", ``}:                                 `{"name":"jenkins_lookup3","configuration":{"initval":0,"prefix":null}}`,
		{"numcodecs.jenkins_lookup3", `{"initval":4294967295}`}: `{"name":"numcodecs.jenkins_lookup3","configuration":{"initval":4294967295,"prefix":null}}`,
		{"numcodecs.jenkins_lookup3", `{"prefix":null}`}:        `{"name":"numcodecs.jenkins_lookup3","configuration":{"initval":0,"prefix":null}}`,
		{"numcodecs.jenkins_lookup3", `{"prefix":"FADB"}`}:      `prefix must be null`,
		{"numcodecs.jenkins_lookup3", `{"initval":-1}`}:         `-1 is out of range`,
		{"numcodecs.jenkins_lookup3", `{"initval":4294967296}`}: `4294967296 is out of range`,
		{"numcodecs.jenkins_lookup3", `{"initval":null}`}:       `initval: must not be null`,
		{"numcodecs.jenkins_lookup3", `{"location":"end"}`}:     `unknown member "location"`,
	} {
		c, err := registry().Parse(codec.Entry{Name: entry[0], Config: json.RawMessage(entry[1])})
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %s", entry, err, want)
			}
			continue
		}
		if text, err := c.MarshalJSON(); err != nil || string(text) != want {
			t.Errorf("%s: became %s, %v, want %s", entry, text, err, want)
		}
	}
	if _, err := checksum.Parse(nil, "md5", nil); err == nil {
		t.Error("md5 is known")
	}
}

func TestCodecsHaveNames(t *testing.T) {
	for c, want := range map[checksum.Codec]string{
		{}:                              `{"name":"crc32c"}`,
		{Start: true}:                   `{"name":"numcodecs.crc32c","configuration":{"location":"start"}}`,
		{Kind: checksum.CRC32}:          `{"name":"numcodecs.crc32","configuration":{"location":"end"}}`,
		{Kind: checksum.Fletcher32}:     `{"name":"numcodecs.fletcher32","configuration":{}}`,
		{Kind: checksum.JenkinsLookup3}: `{"name":"numcodecs.jenkins_lookup3","configuration":{"initval":0,"prefix":null}}`,
	} {
		if text, err := c.MarshalJSON(); err != nil || string(text) != want {
			t.Errorf("%+v: got %s, %v", c, text, err)
		}
	}
	if s := checksum.Kind(99).String(); s != "Kind(99)" {
		t.Error(s)
	}
}

func filter(t testing.TB, c checksum.Codec) codec.BytesFilter {
	t.Helper()
	f, err := c.BindBytes(codec.Spec{}, codec.Size{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The check value of CRC-32C in the catalogues, and the vectors of RFC 3720.
func TestCRC32CIsThatOfTheStandard(t *testing.T) {
	for in, want := range map[string][]byte{
		"123456789":                            {0x83, 0x92, 0x06, 0xe3},
		string(make([]byte, 32)):               {0xaa, 0x36, 0x91, 0x8a},
		string(bytes.Repeat([]byte{0xff}, 32)): {0x43, 0xab, 0xa8, 0x62},
		"":                                     {0, 0, 0, 0},
	} {
		out, err := filter(t, checksum.Codec{}).Encode(nil, []byte("pre"), []byte(in))
		if err != nil || string(out) != "pre"+in+string(want) {
			t.Errorf("%q: got %x, %v, want %x", in, out[3+len(in):], err, want)
		}
	}
}

// What numcodecs 0.17.1 writes for sequence(n): crc32c, crc32, adler32,
// fletcher32, jenkins_lookup3, and that with the seed 0xfedcba98.
var vectors = []struct {
	n    int
	sums [6]uint32
}{
	{1, [6]uint32{0x527d5351, 0xd202ef8d, 0x00010001, 0x00000000, 0x8ba9414b, 0x6bce779d}},
	{2, [6]uint32{0x36fbe0cd, 0x46b4d6e6, 0x00060005, 0x00040004, 0xe514805c, 0x3509bf12}},
	{3, [6]uint32{0xccdb86ca, 0xf19d3ce4, 0x001c0016, 0x11081104, 0x3b70dca3, 0x12903d46}},
	{11, [6]uint32{0x7888b456, 0x49d91051, 0x10040401, 0x98386e95, 0xa5dec50b, 0xadf8e053}},
	{12, [6]uint32{0x5a2ab852, 0xaf4ca82c, 0x14e304df, 0x99166f73, 0xccfbe566, 0x079b858e}},
	{13, [6]uint32{0x5803c2b3, 0xc8777758, 0x19fa0517, 0x408aa773, 0xa53b0c59, 0x08fa9efb}},
	{24, [6]uint32{0x31c971dd, 0xaddcb7e7, 0x734a0a5d, 0xe099174f, 0xf4bf1ad6, 0x28c35ef5}},
	{25, [6]uint32{0x42125d4f, 0x0914faec, 0x7e740b2a, 0xc4e9e44f, 0x0108818e, 0x7ff7aa29}},
	{720, [6]uint32{0x2b207baf, 0xfa92285d, 0x2f676c18, 0xe1092352, 0x0f16ee4b, 0x9faa38bd}},
	{721, [6]uint32{0xd98ac793, 0x452aa42d, 0x9bd56c6e, 0x5a5c7952, 0xe8754c0a, 0x12ebf98c}},
	{5001, [6]uint32{0x106b4a33, 0xb4c3b08c, 0xf6e0c08b, 0xbc769a32, 0xe75a6b9f, 0x0cb9b130}},
}

func sequence(n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte((i*i*31 + i*7) >> 3)
	}
	return out
}

func TestSumsAreThoseOfNumcodecs(t *testing.T) {
	for _, v := range vectors {
		data := sequence(v.n)
		for i, c := range []checksum.Codec{
			{Kind: checksum.CRC32C}, {Kind: checksum.CRC32, Start: true}, {Kind: checksum.Adler32, Start: true}, {Kind: checksum.Fletcher32},
			{Kind: checksum.JenkinsLookup3}, {Kind: checksum.JenkinsLookup3, Seed: 0xfedcba98},
		} {
			sum := binary.LittleEndian.AppendUint32(nil, v.sums[i])
			want := append(bytes.Clone(data), sum...)
			if c.Start {
				want = append(sum, data...)
			}
			out, err := filter(t, c).Encode(nil, nil, data)
			if err != nil || !bytes.Equal(out, want) {
				t.Errorf("%s of %d bytes: got %x, %v, want %x", c.Kind, v.n, out, err, want)
			}
			if back, err := filter(t, c).Decode(nil, nil, want, v.n); err != nil || !bytes.Equal(back, data) {
				t.Errorf("%s of %d bytes: %v", c.Kind, v.n, err)
			}
		}
	}
}

// HDF5 adds words one by one, and reduces the sums after every 360 of them.
func fletcherByWord(data []byte) uint32 {
	var a, b uint32
	for i := 0; i < len(data); i += 2 {
		w := uint32(data[i]) << 8
		if i+1 < len(data) {
			w |= uint32(data[i+1])
		}
		a += w
		b += a
		if i%720 == 718 || i+2 >= len(data) {
			a, b = a&0xffff+a>>16, b&0xffff+b>>16
		}
	}
	return (b&0xffff+b>>16)<<16 | (a&0xffff + a>>16)
}

func TestFletcherIsThatOfHDF5(t *testing.T) {
	f := filter(t, checksum.Codec{Kind: checksum.Fletcher32})
	for n := 0; n < thorough.Of(1<<20, 5<<20); n += 1 + n/3 {
		for name, data := range map[string][]byte{"zeros": make([]byte, n), "ones": bytes.Repeat([]byte{0xff}, n), "numbers": sequence(n)} {
			out, err := f.Encode(nil, nil, data)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := binary.LittleEndian.Uint32(out[n:]), fletcherByWord(data); got != want {
				t.Errorf("%d %s: %08x, want %08x", n, name, got, want)
			}
		}
	}
}

func TestEveryChangedBitIsNoticed(t *testing.T) {
	for kind := checksum.CRC32C; kind <= checksum.JenkinsLookup3; kind++ {
		for _, start := range []bool{false, true} {
			f := filter(t, checksum.Codec{Kind: kind, Start: start})
			good, err := f.Encode(nil, nil, []byte("data"))
			if err != nil {
				t.Fatal(err)
			}
			for i := range 8 * len(good) {
				bad := bytes.Clone(good)
				bad[i/8] ^= 1 << (i % 8)
				if _, err := f.Decode(nil, nil, bad, 100); err == nil || !strings.Contains(err.Error(), "checksum is") {
					t.Errorf("%s, bit %d: %v", kind, i, err)
				}
			}
			for n := range 4 {
				if _, err := f.Decode(nil, nil, good[:n], 100); err == nil || !strings.Contains(err.Error(), "too few") {
					t.Errorf("%s, %d bytes: %v", kind, n, err)
				}
			}
			if _, err := f.Decode(nil, nil, good, 3); err == nil {
				t.Errorf("%s: limit ignored", kind)
			}
		}
	}
}

func TestDataIsCutAndNotCopied(t *testing.T) {
	for _, start := range []bool{false, true} {
		f := filter(t, checksum.Codec{Start: start})
		enc, err := f.Encode(nil, nil, []byte("data"))
		if err != nil {
			t.Fatal(err)
		}
		out, err := f.(codec.Slicer).Slice(nil, enc)
		if err != nil || string(out) != "data" {
			t.Fatal(out, err)
		}
		if at := bytes.Index(enc, out); &enc[at] != &out[0] {
			t.Error("copied")
		}
		_ = append(out, 0xff, 0xff)
		if _, err := f.Decode(nil, nil, enc, 4); err != nil {
			t.Error("appending to the data overwrites the checksum")
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("123456789\x83\x92\x06\xe3"))
	f.Add([]byte{0, 0, 0, 0})
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		for kind := checksum.CRC32C; kind <= checksum.JenkinsLookup3; kind++ {
			c := filter(t, checksum.Codec{Kind: kind, Start: len(data)%2 == 0})
			out, err := c.Decode(nil, []byte("pre"), data, 1<<10)
			if err == nil && (len(out) != 3+len(data)-4 || len(out) > 3+1<<10) {
				t.Errorf("%d bytes of %d", len(out), len(data))
			}
			enc, err := c.Encode(nil, nil, data)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := c.Decode(nil, nil, enc, len(data)); err != nil || !bytes.Equal(back, data) {
				t.Errorf("%d bytes became %d, %v", len(data), len(back), err)
			}
		}
	})
}

func BenchmarkSlice(b *testing.B) {
	for kind := checksum.CRC32C; kind <= checksum.JenkinsLookup3; kind++ {
		b.Run(kind.String(), func(b *testing.B) {
			f := filter(b, checksum.Codec{Kind: kind})
			enc, err := f.Encode(nil, nil, sequence(1<<20))
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(1 << 20)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.(codec.Slicer).Slice(nil, enc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ExampleCodec() {
	chain, err := registry().ParseList(json.RawMessage(`["bytes", "crc32c"]`))
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
