package round_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/codec/round"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/nd"
)

func registry() *codec.Registry {
	r := basic.Registry()
	r.Register(round.ParseBitRound, round.BitRoundName, round.NumcodecsBitRoundName)
	r.Register(round.ParseQuantize, round.QuantizeName)
	return r
}

const little = `{"name":"bytes","configuration":{"endian":"little"}}`

// Only what keeps every bit can pass: what is lost on the way is checked below.
func TestRoundingNothingPassesTheSuite(t *testing.T) {
	shard := `{"name":"sharding_indexed","configuration":{"chunk_shape":[3,2],"codecs":[` + little + `],"index_codecs":[` + little + `]}}`
	for _, c := range []codectest.Case{
		{Codecs: `[{"name":"bitround","configuration":{"keepbits":23}},` + little + `]`, Type: "float32", Shape: []int{5, 6}, Fill: "1.5"},
		{Codecs: `[{"name":"numcodecs.bitround","configuration":{"keepbits":60}},` + little + `]`, Type: "float64", Shape: []int{4, 3, 20}},
		{Codecs: `[{"name":"bitround","configuration":{"keepbits":8}},"bytes"]`, Type: "uint8", Shape: []int{60}},
		{Codecs: `[{"name":"bitround","configuration":{"keepbits":16}},` + shard + `]`, Type: "int16", Shape: []int{6, 4}, Fill: "-3"},
		{Codecs: `[{"name":"bitround","configuration":{"keepbits":10}},` + little + `]`, Type: "complex_float16", Shape: []int{2, 7}},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

// The vectors were made by numcodecs 0.17.1 with NumPy 2.5.4.
func TestWhatNumcodecsMade(t *testing.T) { codectest.Golden(t, "testdata/numcodecs.json.gz") }

// encode rounds numbers of a type that are given as words.
func encode[T uint8 | uint16 | uint32 | uint64](t testing.TB, name, config, typ string, words ...T) []T {
	t.Helper()
	k := dtype.MustParse(typ)
	raw := make([]byte, binary.Size(words))
	if _, err := binary.Encode(raw, binary.LittleEndian, words); err != nil {
		t.Fatal(err)
	}
	n := len(raw) / k.Size()
	f, err := codectest.Bind(name, config, codec.Spec{Type: k, Shape: []int{n}, Fill: make([]byte, k.Size())})
	if err != nil {
		t.Fatal(err)
	}
	dst := nd.Make(k.Size(), n)
	if err := f.Encode(nil, dst, nd.Of(raw, k.Size(), n)); err != nil {
		t.Fatal(err)
	}
	out := make([]T, len(words))
	if _, err := binary.Decode(dst.Data, binary.LittleEndian, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func compare[T comparable](t *testing.T, got, want []T) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("number %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// The tables of the specification, whose data zarrs made.
func TestSampleData(t *testing.T) {
	compare(t, encode(t, "bitround", `{"keepbits":3}`, "uint8", []uint8{0, 1, 10, 11, 100, 123, 200, 208, 209, 255}...),
		[]uint8{0, 1, 10, 12, 96, 128, 192, 192, 224, 224})
	bits := func(list ...float32) (out []uint32) {
		for _, x := range list {
			out = append(out, math.Float32bits(x))
		}
		return out
	}
	inf := float32(math.Inf(1))
	compare(t, encode(t, "bitround", `{"keepbits":3}`, "float32", append(bits(0, 0.1, 1.2, 12.3, 123.4, 1234.5, inf, -inf), 0x7fc00000)...),
		append(bits(0, 0.1015625, 1.25, 12, 120, 1280, inf, -inf), 0x7fc00000))
}

// Numbers of zarrs' own tests, and integers with a sign, which it rounds by their
// bits.
func TestIntegersAreRoundedFromTheirHighestBit(t *testing.T) {
	compare(t, encode(t, "bitround", `{"keepbits":3}`, "uint32", []uint32{0, 1024, 1280, 1664, 1685, 123145182, 4294967295}...),
		[]uint32{0, 1024, 1280, 1536, 1792, 117440512, 3758096384})
	compare(t, encode(t, "bitround", `{"keepbits":2}`, "int8", []uint8{0x80, 0xff, 0xa0, 0xe0, 5, 0x7f}...),
		[]uint8{0x80, 0xc0, 0x80, 0xc0, 4, 0x80})
	compare(t, encode(t, "bitround", `{"keepbits":1}`, `{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}`, []uint64{3, 1000, 0x8000000000000001}...),
		[]uint64{4, 1024, 0x8000000000000000})
}

func TestPartsOfComplexNumbersAreRounded(t *testing.T) {
	compare(t, encode(t, "bitround", `{"keepbits":3}`, "complex64", []uint32{0x3f99999a, 0x414ccccd, 0xbf99999a, 0}...),
		[]uint32{0x3fa00000, 0x41500000, 0xbfa00000, 0})
	compare(t, encode(t, "bitround", `{"keepbits":3}`, "bfloat16", []uint16{0x3f9a, 0xbf9a, 0x7f80, 0x7fc0}...),
		[]uint16{0x3fa0, 0xbfa0, 0x7f80, 0x7fc0})
}

// A rounded number is never further away than half of the last bit that is kept,
// and is not changed by rounding again.
func TestRoundingIsToTheNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keep := rapid.IntRange(1, 52).Draw(t, "keepbits")
		x := rapid.Float64Range(-1e300, 1e300).Draw(t, "x")
		f, err := codectest.Bind("bitround", fmt.Sprintf(`{"keepbits":%d}`, keep), codec.Spec{Type: dtype.MustParse("float64"), Shape: []int{1}, Fill: make([]byte, 8)})
		if err != nil {
			t.Fatal(err)
		}
		once, twice := nd.Make(8, 1), nd.Make(8, 1)
		src := nd.Of(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)), 8, 1)
		if f.Encode(nil, once, src) != nil || f.Encode(nil, twice, once) != nil {
			t.Fatal("cannot round")
		}
		got := math.Float64frombits(binary.LittleEndian.Uint64(once.Data))
		if string(once.Data) != string(twice.Data) {
			t.Errorf("%v became %v and then something else", x, got)
		}
		_, exp := math.Frexp(x)
		if exp = max(exp, -1021); math.Abs(got-x) > math.Ldexp(1, exp-keep-2) {
			t.Errorf("%v became %v with %d bits", x, got, keep)
		}
	})
}

func TestTheFillValueIsRounded(t *testing.T) {
	for name, config := range map[string]string{
		"bitround":           `{"keepbits":3}`,
		"numcodecs.quantize": `{"digits":0,"dtype":"<f4"}`,
	} {
		fill := binary.LittleEndian.AppendUint32(nil, math.Float32bits(1.2))
		f, err := codectest.Bind(name, config, codec.Spec{Type: dtype.MustParse("float32"), Shape: []int{1}, Fill: fill})
		if err != nil {
			t.Fatal(err)
		}
		want := nd.Make(4, 1)
		if err := f.Encode(nil, want, nd.Of(fill, 4, 1)); err != nil || string(f.Out().Fill) != string(want.Data) {
			t.Errorf("%s: fill value %x, want %x, %v", name, f.Out().Fill, want.Data, err)
		}
	}
}

func TestConfigurationsAreRefused(t *testing.T) {
	for _, c := range []struct{ name, config, typ, want string }{
		{"bitround", `{}`, "float32", "lacks keepbits"},
		{"bitround", `{"keepbits":0}`, "float32", "at least 1"},
		{"bitround", `{"keepbits":-1}`, "float32", "at least 1"},
		{"numcodecs.bitround", `{"keepbits":-1}`, "float32", "at least 0"},
		{"numcodecs.bitround", `{"keepbits":0}`, "int8", "nothing would be left"},
		{"bitround", `{"keepbits":2.5}`, "float32", "must be an integer, not 2.5"},
		{"bitround", `{"keepbits":3}`, "bool", "cannot round bool"},
		{"bitround", `{"keepbits":3}`, "int4", "cannot round int4"},
		{"bitround", `{"keepbits":3}`, "float8_e4m3", "cannot round float8_e4m3"},
		{"bitround", `{"keepbits":3}`, "string", "cannot round string"},
		{"bitround", `{"keepbits":3,"x":1}`, "float32", `unknown member "x"`},
		{"numcodecs.quantize", `{"dtype":"<f4"}`, "float32", "lacks digits"},
		{"numcodecs.quantize", `{"digits":308}`, "float64", "from -308 to 307"},
		{"numcodecs.quantize", `{"digits":1,"dtype":"<i4"}`, "int32", "dtype: int32 is no float"},
		{"numcodecs.quantize", `{"digits":1,"astype":"<i4"}`, "float32", "astype: int32 is no float"},
		{"numcodecs.quantize", `{"digits":1,"dtype":"<f4"}`, "float64", "dtype is float32, but the elements are float64"},
		{"numcodecs.quantize", `{"digits":1}`, "bfloat16", "cannot round bfloat16"},
	} {
		codectest.Refused(t, c.name, c.config, c.typ, c.want)
	}
}

func TestMetadata(t *testing.T) {
	for entry, want := range map[string]string{
		`{"name":"bitround","configuration":{"keepbits":3}}`:                                         "",
		`{"name":"numcodecs.bitround","configuration":{"keepbits":0}}`:                               "",
		`{"name":"numcodecs.quantize","configuration":{"digits":2}}`:                                 "",
		`{"name":"numcodecs.quantize","configuration":{"digits":2,"dtype":"float32","astype":null}}`: `{"name":"numcodecs.quantize","configuration":{"digits":2,"dtype":"<f4","astype":"<f4"}}`,
		`{"name":"numcodecs.quantize","configuration":{"digits":-1,"dtype":">f8","astype":"<f4"}}`:   "",
		`{"name":"numcodecs.quantize","configuration":{"digits":2,"dtype":"<f8"}}`:                   `{"name":"numcodecs.quantize","configuration":{"digits":2,"dtype":"<f8","astype":"<f8"}}`,
	} {
		list, err := registry().ParseList(json.RawMessage("[" + entry + `,"bytes"]`))
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = entry
		}
		raw, err := json.Marshal(list.Codecs()[0])
		var got, wanted any
		if err != nil || json.Unmarshal(raw, &got) != nil || json.Unmarshal([]byte(want), &wanted) != nil || fmt.Sprint(got) != fmt.Sprint(wanted) {
			t.Errorf("%s became %s, %v", entry, raw, err)
		}
	}
}

func FuzzEncode(f *testing.F) {
	f.Add(uint8(3), []byte("numbers of any bits whatever they are"))
	f.Add(uint8(200), []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	types := []string{"float32", "float64", "float16", "bfloat16", "uint8", "int64", "complex64"}
	fuzzlong.Fuzz(f, func(t *testing.T, kind uint8, data []byte) {
		typ := dtype.MustParse(types[int(kind)%len(types)])
		n := len(data) / typ.Size()
		in := codec.Spec{Type: typ, Shape: []int{n}, Fill: make([]byte, typ.Size())}
		filter, err := codectest.Bind("bitround", fmt.Sprintf(`{"keepbits":%d}`, 1+kind/7), in)
		if err != nil {
			t.Fatal(err)
		}
		if err := filter.Encode(nil, nd.Make(typ.Size(), n), nd.Of(data[:n*typ.Size()], typ.Size(), n)); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	for _, c := range []struct{ name, config, typ string }{
		{"bitround", `{"keepbits":7}`, "float32"}, {"bitround", `{"keepbits":7}`, "uint16"},
		{"numcodecs.quantize", `{"digits":2}`, "float32"}, {"numcodecs.quantize", `{"digits":2}`, "float16"},
	} {
		b.Run(c.name+c.typ, func(b *testing.B) {
			typ, shape := dtype.MustParse(c.typ), []int{256, 1024}
			f, err := codectest.Bind(c.name, c.config, codec.Spec{Type: typ, Shape: shape, Fill: make([]byte, typ.Size())})
			if err != nil {
				b.Fatal(err)
			}
			src, dst := nd.Make(typ.Size(), shape...), nd.Make(typ.Size(), shape...)
			for i := range src.Data {
				src.Data[i] = byte(i * 37 % 61)
			}
			b.SetBytes(int64(len(src.Data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := f.Encode(nil, dst, src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func Example() {
	r := registry()
	r.Register(round.ParseBitRound, round.BitRoundName)
	list, err := r.ParseList(json.RawMessage(`[{"name": "bitround", "configuration": {"keepbits": 3}}, "bytes"]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, err := list.Bind(codec.Spec{Type: dtype.MustParse("uint8"), Shape: []int{4}, Fill: []byte{0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	out, err := bound.Encode(context.Background(), ck, nil, nd.Of([]byte{10, 11, 123, 209}, 1, 4))
	fmt.Println(out, err)
	// Output: [10 12 128 224] <nil>
}
