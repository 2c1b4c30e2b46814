package scale_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/codec/scale"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/nd"
)

func registry() *codec.Registry {
	r := basic.Registry()
	r.Register(scale.ParseFixed, scale.FixedName)
	r.Register(scale.ParseOffset, scale.OffsetName)
	return r
}

const little = `{"name":"bytes","configuration":{"endian":"little"}}`

// Only what loses nothing can pass, for which numbers wrap around or stay.
func TestWhatLosesNothingPassesTheSuite(t *testing.T) {
	shard := `{"name":"sharding_indexed","configuration":{"chunk_shape":[3,2],"codecs":[` + little + `],"index_codecs":[` + little + `]}}`
	fixed := func(config, rest string) string {
		return `[{"name":"numcodecs.fixedscaleoffset","configuration":` + config + `},` + rest + `]`
	}
	for _, c := range []codectest.Case{
		{Codecs: fixed(`{"offset":7,"scale":1,"dtype":"|u1","astype":"<i2"}`, little), Type: "uint8", Shape: []int{5, 20}, Fill: "9"},
		{Codecs: fixed(`{"offset":-100,"scale":1,"dtype":"<i2","astype":"<i4"}`, shard), Type: "int16", Shape: []int{6, 4}, Fill: "-3"},
		{Codecs: fixed(`{"offset":0,"scale":4.0,"dtype":"<i4","astype":"<i8"}`, little), Type: "int32", Shape: []int{3, 4, 5}},
		{Codecs: fixed(`{"offset":0.5,"scale":2,"dtype":"<u4","astype":"<f8"}`, little), Type: "uint32", Shape: []int{30}},
		{Codecs: `["scale_offset",` + little + `]`, Type: "int64", Shape: []int{3, 17}, Fill: "4"},
		{Codecs: `[{"name":"scale_offset","configuration":{"scale":1}},` + shard + `]`, Type: "uint16", Shape: []int{6, 4}, Fill: "4"},
		{Codecs: `[{"name":"scale_offset","configuration":{"offset":0}},"bytes"]`, Type: "int4", Shape: []int{40}},
		{Codecs: `["scale_offset","bytes"]`, Type: "float8_e8m0fnu", Shape: []int{20}, Fill: "1.0"},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

// The vectors were made by numcodecs 0.17.1 with NumPy 2.5.4, and by zarr-python
// 3.4.2.
func TestWhatNumcodecsMade(t *testing.T)  { codectest.Golden(t, "testdata/numcodecs.json.gz") }
func TestWhatZarrPythonMade(t *testing.T) { codectest.Golden(t, "testdata/scale_offset.json.gz") }

// in is numbers of a type from JSON.
func in(t testing.TB, typ dtype.Type, list string) nd.View {
	t.Helper()
	var items []json.RawMessage
	if err := json.Unmarshal([]byte(list), &items); err != nil {
		t.Fatal(err)
	}
	var raw []byte
	for _, item := range items {
		elem, err := typ.ParseFill(item, nil)
		if err != nil {
			t.Fatal(err)
		}
		raw = append(raw, elem...)
	}
	return nd.Of(raw, typ.Size(), len(items))
}

func out(t testing.TB, typ dtype.Type, v nd.View) string {
	t.Helper()
	text := []byte("[")
	v.Each(func(elem []byte) {
		if len(text) > 1 {
			text = append(text, ',')
		}
		var err error
		if text, err = typ.AppendValue(text, elem, nd.Blobs{}); err != nil {
			t.Fatal(err)
		}
	})
	return string(append(text, ']'))
}

// Every type of the specification, there and back, and what it does not have.
func TestArithmeticIsThatOfTheType(t *testing.T) {
	for _, c := range []struct{ typ, config, decoded, encoded string }{
		{"uint16", `{"offset":1000}`, `[1000,1255,65535]`, `[0,255,64535]`},
		{"uint16", `{"offset":1000}`, `[999]`, ``},
		{"int2", `{"offset":1,"scale":-1}`, `[1,0]`, `[0,1]`},
		{"int2", `{"offset":1,"scale":-1}`, `[-1]`, ``},
		{"int2", `{"offset":1}`, `[1,0,-1]`, `[0,-1,-2]`},
		{"int4", `{"offset":-2,"scale":3}`, `[-2,0,-4]`, `[0,6,-6]`},
		{"int4", `{"offset":-2,"scale":3}`, `[1]`, ``},
		{"uint4", `{"offset":2,"scale":3}`, `[2,7]`, `[0,15]`},
		{"uint4", `{"offset":2,"scale":3}`, `[8]`, ``},
		{"int8", `{"offset":-1,"scale":-1}`, `[126,-128]`, `[-127,127]`},
		// -128 could be, but 128, of which it is the negative, cannot.
		{"int8", `{"offset":-1,"scale":-1}`, `[127]`, ``},
		{"int64", `{"offset":-9223372036854775808,"scale":2}`, `[-9223372036854775808,-4611686018427387905]`, `[0,9223372036854775806]`},
		{"int64", `{"offset":-9223372036854775808,"scale":2}`, `[-4611686018427387904]`, ``},
		{"uint64", `{"offset":1,"scale":3}`, `[1,6148914691236517206]`, `[0,18446744073709551615]`},
		{"uint64", `{"offset":1,"scale":3}`, `[6148914691236517207]`, ``},
		{"float32", `{"offset":5,"scale":0.5}`, `[5,7,-3,"Infinity"]`, `[0,1,-4,"Infinity"]`},
		{"float32", `{"offset":"0x40a00000","scale":0.5}`, `[7]`, `[1]`},
		{"float64", `{"offset":-10,"scale":0.5}`, `["NaN",10]`, `["NaN",10]`},
		{"float16", `{"offset":2048,"scale":2}`, `[2048,4096]`, `[0,4096]`},
		{"bfloat16", `{"offset":1,"scale":2}`, `[1,3,"-Infinity"]`, `[0,4,"-Infinity"]`},
		{"float8_e4m3", `{"offset":1,"scale":2}`, `[1,3,"NaN"]`, `[0,4,"NaN"]`},
		{"float8_e4m3fnuz", `{"scale":2}`, `[120]`, `[240]`},
		{"float8_e4m3fnuz", `{"scale":2}`, `[240]`, ``},
		{"float4_e2m1fn", `{"offset":1,"scale":2}`, `[1,3]`, `[0,4]`},
		{"float4_e2m1fn", `{"offset":-1,"scale":2}`, `[6]`, ``},
		{"float6_e2m3fn", `{"offset":1}`, `[1,3]`, `[0,2]`},
		{"float8_e8m0fnu", `{"scale":4.0}`, `[1,2]`, `[4,8]`},
		{"float8_e8m0fnu", `{"offset":1.0}`, `[1]`, ``},
	} {
		typ := dtype.MustParse(c.typ)
		src := in(t, typ, c.decoded)
		n := src.Len()
		fill := src.Data[:typ.Size()]
		f, err := codectest.Bind("scale_offset", c.config, codec.Spec{Type: typ, Shape: []int{n}, Fill: fill})
		if c.encoded == "" {
			if err == nil || !strings.Contains(err.Error(), "fill value: (x - offset) * scale is no "+c.typ) || !errors.Is(err, codec.ErrData) {
				t.Errorf("%s %s of %s: got %v", c.typ, c.config, c.decoded, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %s of %s: %v", c.typ, c.config, c.decoded, err)
			continue
		}
		enc, dec := nd.Make(typ.Size(), n), nd.Make(typ.Size(), n)
		if err := f.Encode(nil, enc, src); err != nil {
			t.Errorf("%s %s of %s: %v", c.typ, c.config, c.decoded, err)
			continue
		}
		if got, want := out(t, typ, enc), out(t, typ, in(t, typ, c.encoded)); got != want {
			t.Errorf("%s %s of %s: encoded %s, want %s", c.typ, c.config, c.decoded, got, want)
		}
		if err := f.Decode(nil, dec, nd.Whole([]int{n}), enc); err != nil {
			t.Errorf("%s %s: %v", c.typ, c.config, err)
		}
		if got, want := out(t, typ, dec), out(t, typ, src); got != want {
			t.Errorf("%s %s: %s came back as %s", c.typ, c.config, want, got)
		}
		if string(f.Out().Fill) != string(enc.Data[:typ.Size()]) {
			t.Errorf("%s %s: fill value %x, want %x", c.typ, c.config, f.Out().Fill, enc.Data[:typ.Size()])
		}
	}
}

func TestStoredNumbersThatCannotBe(t *testing.T) {
	for _, c := range []struct{ typ, config, encoded string }{
		{"int16", `{"scale":3}`, `[3,4]`},              // no multiple
		{"int8", `{"offset":100}`, `[27,28]`},          // too large
		{"int8", `{"scale":-1}`, `[-128]`},             // has no negative
		{"uint8", `{"offset":200,"scale":2}`, `[112]`}, // too large
		{"uint64", `{"offset":1}`, `[18446744073709551615]`},
	} {
		typ := dtype.MustParse(c.typ)
		src := in(t, typ, c.encoded)
		fill := in(t, typ, `[100]`)
		if c.typ == "uint8" {
			fill = in(t, typ, `[200]`)
		}
		if c.typ == "int8" || c.typ == "int16" {
			fill = in(t, typ, `[0]`)
		}
		f, err := codectest.Bind("scale_offset", c.config, codec.Spec{Type: typ, Shape: src.Shape, Fill: fill.Data})
		if err != nil {
			t.Fatal(err)
		}
		err = f.Decode(nil, nd.Make(typ.Size(), src.Shape...), nd.Whole(src.Shape), src)
		if !errors.Is(err, codec.ErrData) || !strings.Contains(err.Error(), "x / scale + offset is no "+c.typ) {
			t.Errorf("%s %s of %s: got %v", c.typ, c.config, c.encoded, err)
		}
	}
}

// The limits that are computed once say the same as exact arithmetic on every
// number.
func TestIntegersAreExactOrAnError(t *testing.T) {
	typ := dtype.MustParse("int16")
	all := limits16
	rapid.Check(t, func(t *rapid.T) {
		offset, factor := rapid.Int16().Draw(t, "offset"), rapid.Int16().Draw(t, "scale")
		if factor == 0 {
			return
		}
		config := fmt.Sprintf(`{"offset":%d,"scale":%d}`, offset, factor)
		fill := binary.LittleEndian.AppendUint16(nil, uint16(offset))
		f, err := codectest.Bind("scale_offset", config, codec.Spec{Type: typ, Shape: []int{1}, Fill: fill})
		if err != nil {
			t.Fatal(err)
		}
		x := rapid.OneOf(rapid.Int16(), rapid.Map(rapid.Int16Range(-40, 40), func(d int16) int16 { return offset + d })).Draw(t, "x")
		src, dst := nd.Of(binary.LittleEndian.AppendUint16(nil, uint16(x)), 2, 1), nd.Make(2, 1)
		diff := int64(x) - int64(offset)
		product := diff * int64(factor)
		err = f.Encode(nil, dst, src)
		if got := int64(int16(binary.LittleEndian.Uint16(dst.Data))); (err == nil) != (all(diff) && all(product)) || err == nil && got != product {
			t.Fatalf("%s of %d: got %d, %v", config, x, got, err)
		}
		err = f.Decode(nil, dst, nd.Whole([]int{1}), src)
		q := int64(x) / int64(factor)
		fits := q*int64(factor) == int64(x) && all(q) && all(q+int64(offset))
		if got := int64(int16(binary.LittleEndian.Uint16(dst.Data))); (err == nil) != fits || err == nil && got != q+int64(offset) {
			t.Fatalf("%s of stored %d: got %d, %v", config, x, got, err)
		}
	})
}

func limits16(n int64) bool { return n >= math.MinInt16 && n <= math.MaxInt16 }

func TestLongIntegersAreExactOrAnError(t *testing.T) {
	typ := dtype.MustParse("uint64")
	rapid.Check(t, func(t *rapid.T) {
		offset := rapid.Uint64().Draw(t, "offset")
		factor := rapid.OneOf(rapid.Uint64Range(1, 9), rapid.Uint64Min(1)).Draw(t, "scale")
		f, err := codectest.Bind("scale_offset", fmt.Sprintf(`{"offset":%d,"scale":%d}`, offset, factor),
			codec.Spec{Type: typ, Shape: []int{1}, Fill: binary.LittleEndian.AppendUint64(nil, offset)})
		if err != nil {
			t.Fatal(err)
		}
		x := rapid.OneOf(rapid.Uint64(), rapid.Map(rapid.Uint64Range(0, 40), func(d uint64) uint64 { return offset + d })).Draw(t, "x")
		want := new(big.Int).SetUint64(x)
		want.Mul(want.Sub(want, new(big.Int).SetUint64(offset)), new(big.Int).SetUint64(factor))
		dst := nd.Make(8, 1)
		err = f.Encode(nil, dst, nd.Of(binary.LittleEndian.AppendUint64(nil, x), 8, 1))
		got := binary.LittleEndian.Uint64(dst.Data)
		if (err == nil) != (want.Sign() >= 0 && want.IsUint64()) || err == nil && got != want.Uint64() {
			t.Fatalf("(%d - %d) * %d: got %d, %v", x, offset, factor, got, err)
		}
	})
}

// Older versions of NumPy took a wider type here: what they wrote is read.
func TestOffsetsThatDoNotFitAreReadOnly(t *testing.T) {
	typ := dtype.MustParse("int8")
	f, err := codectest.Bind(scale.FixedName, `{"offset":1000,"scale":1,"dtype":"|i1","astype":"<i2"}`, codec.Spec{Type: typ, Shape: []int{1}, Fill: []byte{0}})
	if err != nil {
		t.Fatal(err)
	}
	dst := nd.Make(1, 1)
	if err := f.Decode(nil, dst, nd.Whole([]int{1}), nd.Of([]byte{0x1d, 0xfc}, 2, 1)); err != nil || dst.Data[0] != 5 {
		t.Errorf("got %d, %v", dst.Data[0], err)
	}
	if err := f.Encode(nil, nd.Make(2, 1), dst); err == nil || !strings.Contains(err.Error(), "offset 1000 is no int8") {
		t.Errorf("got %v", err)
	}
}

// As zarr-python reads and writes shards behind the filter.
func TestTheFillValueIsCastAndNotScaled(t *testing.T) {
	typ := dtype.MustParse("float32")
	f, err := codectest.Bind(scale.FixedName, `{"offset":10,"scale":0.1,"dtype":"float32","astype":"uint8"}`,
		codec.Spec{Type: typ, Shape: []int{1}, Fill: in(t, typ, `[100]`).Data})
	if err != nil {
		t.Fatal(err)
	}
	if out := f.Out(); out.Type.Name() != "uint8" || out.Fill[0] != 100 {
		t.Errorf("%s, fill value %v", out.Type.Name(), out.Fill)
	}
}

func TestConfigurationsAreRefused(t *testing.T) {
	for _, c := range []struct{ name, config, typ, want string }{
		{"scale_offset", `{"offset":null}`, "int32", "offset must not be null"},
		{"scale_offset", `{"scale":0}`, "int32", "scale is 0"},
		{"scale_offset", `{"scale":0.0}`, "float32", "scale is 0"},
		{"scale_offset", `{"scale":0.5}`, "int32", "scale: "},
		{"scale_offset", `{"offset":256}`, "uint8", "offset: "},
		{"scale_offset", `{"offset":-1}`, "uint8", "offset: "},
		{"scale_offset", `{"offset":"a"}`, "float32", "offset: "},
		{"scale_offset", `{"astype":"u1"}`, "float32", `unknown member "astype"`},
		{"scale_offset", `{}`, "bool", "cannot scale bool"},
		{"scale_offset", `{}`, "complex64", "cannot scale complex64"},
		{"scale_offset", `{}`, "string", "cannot scale string"},
		{scale.FixedName, `{"scale":1}`, "float32", "lacks offset"},
		{scale.FixedName, `{"offset":1}`, "float32", "lacks scale"},
		{scale.FixedName, `{"offset":"1","scale":1}`, "float32", "must be a number"},
		{scale.FixedName, `{"offset":null,"scale":1}`, "float32", "must be a number"},
		{scale.FixedName, `{"offset":1e999,"scale":1}`, "float32", "offset 1e999 is no number"},
		{scale.FixedName, `{"offset":1,"scale":1,"dtype":"<f8"}`, "float32", "dtype is float64, but the elements are float32"},
		{scale.FixedName, `{"offset":1,"scale":1,"astype":"|b1"}`, "float32", "astype: cannot scale bool"},
		{scale.FixedName, `{"offset":1,"scale":1}`, "bfloat16", "cannot scale bfloat16"},
		{scale.FixedName, `{"offset":1,"scale":1}`, "complex64", "cannot scale complex64"},
	} {
		codectest.Refused(t, c.name, c.config, c.typ, c.want)
	}
}

func TestMetadata(t *testing.T) {
	for entry, want := range map[string]string{
		`{"name":"scale_offset"}`:                                                                        "",
		`{"name":"scale_offset","configuration":{}}`:                                                     `{"name":"scale_offset"}`,
		`{"name":"scale_offset","configuration":{"offset":5}}`:                                           "",
		`{"name":"scale_offset","configuration":{"offset":"NaN","scale":0.10}}`:                          "",
		`{"name":"numcodecs.fixedscaleoffset","configuration":{"offset":-20,"scale":10.0,"dtype":"f4"}}`: `{"name":"numcodecs.fixedscaleoffset","configuration":{"offset":-20,"scale":10.0,"dtype":"\u003cf4","astype":"\u003cf4"}}`,
	} {
		list, err := registry().ParseList(json.RawMessage("[" + entry + `,"bytes"]`))
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = entry
		}
		if got, err := json.Marshal(list.Codecs()[0]); err != nil || string(got) != want {
			t.Errorf("%s became %s, %v", entry, got, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(uint8(0), []byte("numbers of any bits whatever they are"))
	f.Add(uint8(9), []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	cases := []struct{ name, config, typ string }{
		{"scale_offset", `{"offset":1,"scale":3}`, "int64"}, {"scale_offset", `{"offset":1,"scale":3}`, "uint8"},
		{"scale_offset", `{"offset":1,"scale":0.1}`, "float16"}, {"scale_offset", `{"offset":1,"scale":2}`, "float8_e5m2"},
		{scale.FixedName, `{"offset":1,"scale":0,"astype":"<u4"}`, "int8"}, {scale.FixedName, `{"offset":1,"scale":3.5,"astype":"<f2"}`, "uint64"},
	}
	fuzzlong.Fuzz(f, func(t *testing.T, kind uint8, data []byte) {
		c := cases[int(kind)%len(cases)]
		typ := dtype.MustParse(c.typ)
		fill := in(t, typ, `[1]`).Data
		one, err := codectest.Bind(c.name, c.config, codec.Spec{Type: typ, Shape: []int{1}, Fill: fill})
		if err != nil {
			t.Fatal(err)
		}
		size := one.Out().Type.Size()
		n := len(data) / size
		dst := nd.Make(typ.Size(), n)
		if one.Decode(nil, dst, nd.Whole([]int{n}), nd.Of(data[:n*size], size, n)) != nil || c.name != "scale_offset" || typ.Kind() == dtype.Float {
			return
		}
		// Integers that could be decoded are encoded to what they were.
		again := nd.Make(size, n)
		if err := one.Encode(nil, again, dst); err != nil || string(again.Data) != string(data[:n*size]) {
			t.Fatalf("%x became %x, %v", data, again.Data, err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for _, c := range []struct{ name, config, typ string }{
		{scale.FixedName, `{"offset":-20,"scale":10,"astype":"<i2"}`, "float32"},
		{scale.FixedName, `{"offset":-20,"scale":10,"astype":"<i2"}`, "float64"},
		{"scale_offset", `{"offset":10,"scale":2}`, "float32"},
		{"scale_offset", `{"offset":10}`, "uint16"},
		{"scale_offset", `{"offset":10,"scale":3}`, "int32"},
	} {
		b.Run(c.name+c.typ+c.config, func(b *testing.B) {
			typ, shape := dtype.MustParse(c.typ), []int{256, 1024}
			f, err := codectest.Bind(c.name, c.config, codec.Spec{Type: typ, Shape: shape, Fill: in(b, typ, `[10]`).Data})
			if err != nil {
				b.Fatal(err)
			}
			src, dst := nd.Make(f.Out().Type.Size(), shape...), nd.Make(typ.Size(), shape...)
			b.SetBytes(int64(len(dst.Data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := f.Decode(nil, dst, nd.Whole(shape), src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func Example() {
	list, err := registry().ParseList(json.RawMessage(`[{"name": "scale_offset", "configuration": {"offset": 100, "scale": 2}}, "bytes"]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, err := list.Bind(codec.Spec{Type: dtype.MustParse("uint8"), Shape: []int{3}, Fill: []byte{100}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	out, err := bound.Encode(context.Background(), ck, nil, nd.Of([]byte{100, 105, 150}, 1, 3))
	fmt.Println(out, err)
	_, err = bound.Encode(context.Background(), ck, nil, nd.Of([]byte{100, 105, 99}, 1, 3))
	fmt.Println(err)
	// Output:
	// [0 10 100] <nil>
	// codec scale_offset: (x - offset) * scale is no uint8 for x = 99
}
