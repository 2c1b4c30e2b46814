package packbits_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/codec/packbits"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
)

func registry() *codec.Registry {
	r := basic.Registry()
	r.Register(packbits.Parse, "packbits")
	r.Register(packbits.ParseNumcodecs, "numcodecs.packbits")
	return r
}

func bind(codecs, typ string, shape ...int) (*codec.Bound, error) {
	chain, err := registry().ParseList(json.RawMessage(codecs))
	if err != nil {
		return nil, err
	}
	dt, err := dtype.Lookup(typ)
	if err != nil {
		return nil, err
	}
	return chain.Bind(codec.Spec{Type: dt, Shape: shape, Fill: make([]byte, dt.Size())})
}

func packed(config string) string {
	return fmt.Sprintf(`[{"name":"packbits","configuration":%s}]`, config)
}

func limits() *codec.Chunk { return &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 24}} }

// vector is an entry of the vectors that were made by another implementation.
type vector struct {
	Name          string
	Type          string `json:"dtype"`
	Configuration json.RawMessage
	Count         int
	Input         string
	Encoded       string
	Decoded       string
	Text          string
	Expect        string
	Reason        string
	Zarrs         any
	Numcodecs     *struct{ Encoded string }
}

type vectors struct{ Vectors, Invalid, Decode []vector }

func load(t testing.TB) vectors {
	t.Helper()
	v, err := read()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// read is done once for all tests, none of which changes what it gives.
var read = sync.OnceValues(func() (v vectors, err error) {
	file, err := os.Open("testdata/packbits.json.gz")
	if err != nil {
		return v, err
	}
	defer file.Close()
	in, err := gzip.NewReader(file)
	if err != nil {
		return v, err
	}
	err = json.NewDecoder(in).Decode(&v)
	return v, err
})

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decode(b *codec.Bound, src codec.Source, n int) ([]byte, error) {
	dst := nd.Make(b.Spec().Type.Size(), n)
	err := b.Decode(context.Background(), limits(), src, nd.Whole([]int{n}), dst)
	return dst.Data, err
}

func TestVectors(t *testing.T) {
	all := load(t).Vectors
	if len(all) < 5000 {
		t.Fatalf("only %d vectors", len(all))
	}
	short, peers := 0, 0
	for i, v := range all {
		if i%thorough.Least(16, 3, 1) != 0 {
			continue
		}
		name := fmt.Sprintf("%s %s %d", v.Type, v.Configuration, v.Count)
		b, err := bind(packed(string(v.Configuration)), v.Type, v.Count)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		size := b.Spec().Type.Size()
		input, encoded := unhex(t, v.Input), unhex(t, v.Encoded)
		out, err := b.Encode(context.Background(), limits(), nil, nd.Of(input, size, v.Count))
		if err != nil || hex.EncodeToString(out) != v.Encoded {
			t.Errorf("%s: encoded %x, %v, want %s", name, out, err, v.Encoded)
		}
		for _, src := range []codec.Source{&codec.Memory{Bytes: encoded}, &codectest.Source{Data: encoded}} {
			if got, err := decode(b, src, v.Count); err != nil || hex.EncodeToString(got) != v.Decoded {
				t.Errorf("%s: decoded %x, %v, want %s", name, got, err, v.Decoded)
			}
		}
		if !b.Size().Exact {
			short++
			testWithoutPaddingByte(t, name, b, encoded, v)
		}
		if v.Numcodecs != nil {
			peers++
			testNumcodecsVector(t, input, v)
		}
	}
	if short == 0 || peers == 0 {
		t.Errorf("%d vectors whose padding byte zarrs leaves out, %d of numcodecs", short, peers)
	}
}

// zarrs leaves the padding byte out where elements are whole bytes.
func testWithoutPaddingByte(t *testing.T, name string, b *codec.Bound, encoded []byte, v vector) {
	data := encoded[1:]
	if strings.Contains(string(v.Configuration), "last_byte") {
		data = encoded[:len(encoded)-1]
	}
	for _, src := range []codec.Source{&codec.Memory{Bytes: data}, &codectest.Source{Data: data}} {
		if got, err := decode(b, src, v.Count); err != nil || hex.EncodeToString(got) != v.Decoded {
			t.Errorf("%s without padding byte: decoded %x, %v, want %s", name, got, err, v.Decoded)
		}
	}
}

// The same truth values, as numcodecs packed them.
func testNumcodecsVector(t *testing.T, input []byte, v vector) {
	b, err := bind(`["numcodecs.packbits","bytes"]`, "bool", v.Count)
	if err != nil {
		t.Fatal(err)
	}
	out, err := b.Encode(context.Background(), limits(), nil, nd.Of(input, 1, v.Count))
	if err != nil || hex.EncodeToString(out) != v.Numcodecs.Encoded {
		t.Errorf("numcodecs packs %x as %s, we as %x, %v", input, v.Numcodecs.Encoded, out, err)
	}
	got, err := decode(b, &codec.Memory{Bytes: unhex(t, v.Numcodecs.Encoded)}, v.Count)
	if err != nil || hex.EncodeToString(got) != v.Decoded {
		t.Errorf("%s of numcodecs became %x, %v", v.Numcodecs.Encoded, got, err)
	}
}

// accepted are the configurations that the vectors call invalid where the text
// is silent or contradicts its schema, and that we take.
var accepted = map[string]string{
	`bool {"padding_encoding":null}`:         "null is none, as it is the default of the other members",
	`bool {"padding_encoding":"start_byte"}`: "name of the registered schema",
	`int16 {"start_bit":1,"end_bit":3}`:      "names of the registered schema",
	`float16 {}`:                             "bits of the little-endian form, as of the listed types",
	`complex_float16 {}`:                     "likewise",
	`float8_e4m3 {}`:                         "likewise",
	`complex64 {}`:                           "likewise",
	`complex128 {}`:                          "likewise",
}

func TestInvalidConfigurationsAreRefused(t *testing.T) {
	left := len(accepted)
	for _, v := range load(t).Invalid {
		var config bytes.Buffer
		if err := json.Compact(&config, v.Configuration); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%s %s", v.Type, &config)
		_, err := bind(packed(string(v.Configuration)), v.Type, 4)
		if accepted[name] != "" {
			left--
			if v.Text == "stated" || err != nil {
				t.Errorf("%s is %s by the text, and should be accepted: %v", name, v.Text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "codec packbits: ") {
			t.Errorf("%s: got %v, want an error because %s", name, err, v.Reason)
		}
	}
	if left != 0 {
		t.Errorf("%d of the accepted configurations are not among the vectors", left)
	}
}

func TestEveryFaultHasItsOwnMessage(t *testing.T) {
	for _, c := range []struct{ typ, config, want string }{
		{"int16", `{"first_bit":5,"last_bit":4}`, "last_bit 4 is less than first_bit 5"},
		{"int16", `{"first_bit":16}`, "first_bit is 16, outside the bits 0 to 15 of int16"},
		{"int16", `{"start_bit":5,"end_bit":4}`, "end_bit 4 is less than start_bit 5"},
		{"int16", `{"start_bit":16}`, "start_bit is 16, outside the bits 0 to 15 of int16"},
		{"int4", `{"end_bit":4}`, "end_bit is 4, outside the bits 0 to 3 of int4"},
		{"int4", `{"start_bit":2,"padding_encoding":"end_byte","end_bit":1.5}`, "configuration.end_bit: must be an integer, not 1.5"},
		{"int4", `{"last_bit":4}`, "last_bit is 4, outside the bits 0 to 3 of int4"},
		{"complex64", `{"last_bit":32}`, "last_bit is 32, outside the bits 0 to 31 of complex64"},
		{"int16", `{"last_bit":1099511627776}`, "last_bit is 1099511627776, outside the bits"},
		{"int16", `{"last_bit":99999999999999999999}`, "last_bit: 99999999999999999999 does not fit 64 bits"},
		{"int16", `{"first_bit":-1}`, "first_bit is -1: not the number of a bit"},
		{"int16", `{"first_bit":1.5}`, "first_bit: must be an integer, not 1.5"},
		{"int16", `{"first_bit":1.0}`, "first_bit: must be an integer, not 1.0"},
		{"int16", `{"first_bit":"1"}`, "first_bit: must be an integer, not a string"},
		{"int16", `{"first_bit":true}`, "first_bit: must be an integer"},
		{"bool", `{"padding_encoding":"middle"}`, `padding_encoding is "middle": must be "none", "first_byte" or "last_byte"`},
		{"bool", `{"padding_encoding":1}`, "padding_encoding: must be a string, not"},
		{"bool", `{"extra":1}`, `unknown member "extra"`},
		{"bool", `{"first_bit":0,"first_bit":0}`, "first_bit"},
		{"bool", `[]`, "configuration: must be an object"},
		{"int16", `{"first_bit":1,"end_bit":2}`, "first_bit and end_bit are names of two versions of the codec and must not be mixed"},
		{"int16", `{"padding_encoding":"start_byte","last_bit":2}`, "last_bit and start_byte are names of two versions"},
		{"int16", `{"padding_encoding":"last_byte","start_bit":2}`, "last_byte and start_bit are names of two versions"},
		{"string", `{}`, "cannot pack string, only bool, integers, floats and complex numbers"},
		{"r16", `{}`, "cannot pack r16"},
		{`{"name":"struct","configuration":{"fields":[["a","uint8"],["b","uint8"]]}}`, `{}`, "cannot pack struct"},
		{`{"name":"fixed_length_utf32","configuration":{"length_bytes":4}}`, `{}`, "cannot pack fixed_length_utf32"},
	} {
		_, err := bind(packed(c.config), c.typ, 4)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: got %v, want %s", c.typ, c.config, err, c.want)
		}
	}
	if _, err := bind(packed(`{}`), "int64", 1<<30, 1<<30); err == nil || !strings.Contains(err.Error(), "more bits than can be counted") {
		t.Errorf("got %v", err)
	}
	bad := packbits.Codec{Padding: 7}
	if _, err := bad.BindSerializer(codec.Spec{Type: dtype.MustParse("bool")}); err == nil {
		t.Error("a padding encoding that does not exist was taken")
	}
}

func TestDecodeCases(t *testing.T) {
	cases := load(t).Decode
	for _, v := range cases {
		b, err := bind(packed(string(v.Configuration)), v.Type, v.Count)
		if err != nil {
			t.Fatal(err)
		}
		for _, src := range []codec.Source{&codec.Memory{Bytes: unhex(t, v.Encoded)}, &codectest.Source{Data: unhex(t, v.Encoded)}} {
			got, err := decode(b, src, v.Count)
			switch {
			case v.Name == "padding bits set to one": // they are ignored
				if err != nil || hex.EncodeToString(got) != "01000101000101000101" {
					t.Errorf("%s: got %x, %v", v.Name, got, err)
				}
			case v.Expect != "error":
				t.Errorf("%s: unknown expectation %q", v.Name, v.Expect)
			case !errors.Is(err, codec.ErrData):
				t.Errorf("%s: got %v", v.Name, err)
			}
		}
	}
	if len(cases) < 9 {
		t.Errorf("only %d cases", len(cases))
	}
}

func TestPaddingBytesThatDoNotFitAreNamed(t *testing.T) {
	for _, c := range []struct{ codecs, data, want string }{
		{packed(`{"padding_encoding":"first_byte"}`), "056d03", "first_byte says that 5 bits are padding, but shape and type leave 6"},
		{packed(`{"padding_encoding":"last_byte"}`), "6d03ff", "last_byte says that 255 bits are padding, but at most 7 can be"},
		{packed(`{"padding_encoding":"last_byte"}`), "6d0300ff", "chunk is longer than the 3 bytes"},
		{packed(`{"padding_encoding":"last_byte"}`), "6d03", "got 2 bytes, want 3"},
		{`["numcodecs.packbits","bytes"]`, "056d03", "first_byte says that 5 bits are padding, but shape and type leave 6"},
		{`["numcodecs.packbits","bytes"]`, "086d03", "first_byte says that 8 bits are padding, but at most 7 can be"},
		{`["numcodecs.packbits","bytes"]`, "066d", "got 2 bytes, want 3"},
	} {
		b, err := bind(c.codecs, "bool", 10)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decode(b, &codectest.Source{Data: unhex(t, c.data)}, 10); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.data, err, c.want)
		}
	}
}

func TestMetadataHasTheNamesOfTheText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`"packbits"`, `{"padding_encoding":"none"}`},
		{`{"name":"packbits","configuration":{"padding_encoding":null,"first_bit":null,"last_bit":null}}`, `{"padding_encoding":"none"}`},
		{`{"name":"packbits","configuration":{"padding_encoding":"start_byte","start_bit":1,"end_bit":3}}`, `{"padding_encoding":"first_byte","first_bit":1,"last_bit":3}`},
		{`{"name":"packbits","configuration":{"padding_encoding":"end_byte","start_bit":0}}`, `{"padding_encoding":"last_byte","first_bit":0}`},
		{`{"name":"packbits","configuration":{"padding_encoding":"none","end_bit":2}}`, `{"padding_encoding":"none","last_bit":2}`},
	} {
		chain, err := registry().ParseList(json.RawMessage("[" + c.in + "]"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(chain)
		if want := packed(c.want); err != nil || string(got) != want {
			t.Errorf("%s became %s, %v, want %s", c.in, got, err, want)
		}
	}
	chain, err := registry().ParseList(json.RawMessage(`["numcodecs.packbits","bytes"]`))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := json.Marshal(chain); string(got) != `[{"name":"numcodecs.packbits","configuration":{}},{"name":"bytes"}]` {
		t.Errorf("got %s", got)
	}
}
