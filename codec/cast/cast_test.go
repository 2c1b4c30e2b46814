package cast_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/cast"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/codec/zstd"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/nd"
)

func registry() *codec.Registry {
	r := basic.Registry()
	r.Register(zstd.Parse, "zstd")
	r.Register(cast.Parse, "cast_value")
	r.Register(cast.ParseAsType, "numcodecs.astype")
	return r
}

const little = `{"name":"bytes","configuration":{"endian":"little"}}`

func castTo(typ, more string) string {
	return `{"name":"cast_value","configuration":{"data_type":"` + typ + `"` + more + `}}`
}

func TestCastsPassTheSuite(t *testing.T) {
	shard := `{"name":"sharding_indexed","configuration":{"chunk_shape":[2,3],"codecs":[` + castTo("float32", "") + `,` + little +
		`],"index_codecs":[` + little + `,"crc32c"]}}`
	for _, c := range []codectest.Case{
		{Codecs: `[` + castTo("int32", "") + `,` + little + `]`, Type: "uint16", Shape: []int{5, 6}, Fill: "9"},
		{Codecs: `[` + castTo("float16", "") + `,` + little + `]`, Type: "int8", Shape: []int{3, 4, 5}, Fill: "-3"},
		{Codecs: `[` + castTo("float64", "") + `,` + little + `,"zstd"]`, Type: "float32", Shape: []int{300}, Fill: `"NaN"`},
		{Codecs: `[` + castTo("float32", `,"rounding":"towards-zero"`) + `,` + little + `]`, Type: "bfloat16", Shape: []int{7, 5}, Fill: "1.5"},
		{Codecs: `[` + castTo("float32", `,"rounding":"nearest-away"`) + `,` + little + `]`, Type: "float16", Shape: []int{7, 5}},
		{Codecs: `[` + castTo("float16", "") + `,` + little + `]`, Type: "float8_e3m4", Shape: []int{7, 5}},
		{Codecs: `[` + castTo("int16", "") + `,` + little + `]`, Type: "int4", Shape: []int{7, 5}, Fill: "-8"},
		{Codecs: `[` + castTo("int64", `,"out_of_range":"wrap"`) + `,` + little + `]`, Type: "uint64", Shape: []int{7, 5}, Fill: "18446744073709551615"},
		{Codecs: `[` + castTo("uint8", `,"scalar_map":{"encode":[[7,9],[9,7]],"decode":[[7,9],[9,7]]}`) + `,"bytes"]`, Type: "uint8", Shape: []int{40, 5}, Fill: "7"},
		{Codecs: `[` + castTo("float64", "") + `,` + shard + `]`, Type: "uint8", Shape: []int{4, 6}, Fill: "7"},
		{Codecs: `[{"name":"numcodecs.astype","configuration":{"encode_dtype":"<i4","decode_dtype":"<i2"}},` + little + `]`, Type: "int16", Shape: []int{5, 6}, Fill: "-1"},
		{Codecs: `[{"name":"numcodecs.astype","configuration":{"encode_dtype":">f8","decode_dtype":"|u1"}},` + little + `]`, Type: "uint8", Shape: []int{5, 6}},
		{Codecs: `[{"name":"numcodecs.astype","configuration":{"encode_dtype":"<c16","decode_dtype":"<i4"}},` + little + `]`, Type: "int32", Shape: []int{5, 6}},
		{Codecs: `[{"name":"numcodecs.astype","configuration":{"encode_dtype":"<i8"}},` + little + `]`, Type: "bool", Shape: []int{5, 6}},
		{Codecs: `[{"name":"numcodecs.astype","configuration":{"encode_dtype":"<u8","decode_dtype":"<i8"}},` + little + `]`,
			Type: `{"name":"numpy.datetime64","configuration":{"unit":"ns","scale_factor":1}}`, Shape: []int{5, 6}, Fill: `"NaT"`},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func TestRefusedConfigurations(t *testing.T) {
	for _, c := range []struct{ config, want string }{
		{`{}`, "lacks data_type"},
		{`{"data_type":"string"}`, "cannot cast to string"},
		{`{"data_type":"complex64"}`, "cannot cast to complex64"},
		{`{"data_type":"uint8","rounding":"up"}`, `rounding is "up"`},
		{`{"data_type":"uint8","rounding":null}`, "must not be null"},
		{`{"data_type":"uint8","out_of_range":"fail"}`, `out_of_range is "fail"`},
		{`{"data_type":"float32","out_of_range":"wrap"}`, "only integers wrap"},
		{`{"data_type":"uint8","more":1}`, "unknown member"},
		{`{"data_type":"uint8","scalar_map":{"both":[]}}`, "unknown member"},
		{`{"data_type":"uint8","scalar_map":null}`, "must be an object"},
		{`{"data_type":"uint8","scalar_map":{"encode":[[1,2,3]]}}`, "an array of two"},
	} {
		if _, err := cast.Parse(nil, "cast_value", json.RawMessage(c.config)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", c.config, err)
		}
	}
}

func bindError(t *testing.T, typ, fill, config string) error {
	t.Helper()
	c, err := cast.Parse(nil, "cast_value", json.RawMessage(config))
	if err != nil {
		t.Fatal(err)
	}
	in := dtype.MustParse(typ)
	elem, err := in.ParseFill(json.RawMessage(fill), &nd.Heap{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.(codec.ArrayToArray).BindArray(codec.Spec{Type: in, Shape: []int{2}, Fill: elem, Heap: &nd.Heap{}})
	return err
}

// "If the fill value cannot survive a round-trip cast, implementations MUST treat
// this as an error."
func TestTheFillValueMustSurvive(t *testing.T) {
	for _, c := range []struct{ typ, fill, config, want string }{
		{"float64", "2", `{"data_type":"uint8"}`, ""},
		{"float64", "-0.0", `{"data_type":"uint8"}`, ""},
		{"float32", `"0xffc00001"`, `{"data_type":"float8_e4m3fnuz"}`, ""},
		{"float64", "2.5", `{"data_type":"uint8"}`, "fill value 2.5 comes back as 2.0"},
		{"float64", "300", `{"data_type":"uint8"}`, "fill value: uint8 has nothing for 300.0"},
		{"float64", `"NaN"`, `{"data_type":"uint8","out_of_range":"clamp"}`, `fill value: uint8 has nothing for "NaN"`},
		{"float64", `"NaN"`, `{"data_type":"uint8","scalar_map":{"encode":[["NaN",0]]}}`, `fill value "NaN" comes back as 0.0`},
		{"float64", `"NaN"`, `{"data_type":"uint8","scalar_map":{"encode":[["NaN",0]],"decode":[[0,"NaN"]]}}`, ""},
		{"uint8", "0", `{"data_type":"float8_e8m0fnu"}`, "float8_e8m0fnu has nothing for 0"},
		{"uint8", "0", `{"data_type":"uint8","scalar_map":{"encode":[[0,300]]}}`, "scalar_map.encode: entry 0: fill value 300 for uint8"},
		{"uint8", "0", `{"data_type":"uint8","scalar_map":{"decode":[[0,0],["x",0]]}}`, "scalar_map.decode: entry 1"},
		{"string", `""`, `{"data_type":"uint8"}`, "cannot cast string"},
	} {
		err := bindError(t, c.typ, c.fill, c.config)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s %s, %s: got %v, want %q", c.typ, c.fill, c.config, err, c.want)
		}
	}
}

// encode gives the values that an array of values becomes, as JSON.
func encode(t *testing.T, typ, config string, values ...string) ([]string, error) {
	t.Helper()
	c, err := cast.Parse(nil, "cast_value", json.RawMessage(config))
	if err != nil {
		t.Fatal(err)
	}
	in, out := dtype.MustParse(typ), c.(cast.Codec).DataType
	src := nd.Make(in.Size(), len(values))
	for i, v := range values {
		elem, err := in.ParseFill(json.RawMessage(v), nil)
		if err != nil {
			t.Fatal(err)
		}
		copy(src.At(i), elem)
	}
	f, err := c.(codec.ArrayToArray).BindArray(codec.Spec{Type: in, Shape: src.Shape, Fill: make([]byte, in.Size())})
	if err != nil {
		t.Fatal(err)
	}
	dst := nd.Make(out.Size(), len(values))
	if err := f.(codec.Transform).Encode(nil, dst, src); err != nil {
		return nil, err
	}
	var got []string
	dst.Each(func(elem []byte) {
		text, _ := out.AppendValue(nil, elem, nil)
		got = append(got, string(text))
	})
	return got, nil
}

// The examples of the text.
func TestExamplesOfTheText(t *testing.T) {
	numpy := `{"data_type":"uint8","rounding":"towards-zero","out_of_range":"wrap","scalar_map":{"encode":[["NaN",0],["+Infinity",0],["-Infinity",0]]}}`
	for _, c := range []struct {
		typ, config string
		in, want    []string // no want: an error
	}{
		{"float64", `{"data_type":"int8"}`, []string{"128.0"}, nil},
		{"float64", `{"data_type":"int8","out_of_range":"clamp"}`, []string{"128.0"}, []string{"127"}},
		{"float64", `{"data_type":"int8","out_of_range":"wrap"}`, []string{"128.0"}, []string{"-128"}},
		{"int32", `{"data_type":"int16","out_of_range":"wrap"}`, []string{"32768", "32769", "-32769"}, []string{"-32768", "-32767", "32767"}},
		{"float64", numpy, []string{`"NaN"`, `"Infinity"`, `"-Infinity"`, "1.9", "-1.9", "300"}, []string{"0", "0", "0", "1", "255", "44"}},
		{"uint16", `{"data_type":"uint8"}`, []string{"0"}, []string{"0"}},
		{"float32", `{"data_type":"float16"}`, []string{"-0.0", `"NaN"`, `"-Infinity"`}, []string{"-0.0", `"NaN"`, `"-Infinity"`}},
		// "If the same input scalar is repeated, readers MUST use the first."
		{"uint8", `{"data_type":"uint8","scalar_map":{"encode":[[1,5],[1,6]]}}`, []string{"1", "2"}, []string{"5", "2"}},
		// The map comes before everything else.
		{"float64", `{"data_type":"int8","scalar_map":{"encode":[[300,3],[1.5,4],[0,9]],"decode":[[9,0]]}}`, []string{"300", "1.5", "-0.0", "2"}, []string{"3", "4", "9", "2"}},
		// Floats without infinity are clamped to their largest number.
		{"float32", `{"data_type":"float4_e2m1fn","out_of_range":"clamp"}`, []string{"6.9", "7", "-1e30"}, []string{"6.0", "6.0", "-6.0"}},
		{"float32", `{"data_type":"float4_e2m1fn"}`, []string{"7"}, nil},
		{"float32", `{"data_type":"float4_e2m1fn","out_of_range":"clamp"}`, []string{`"Infinity"`}, nil},
		{"float32", `{"data_type":"float8_e4m3","out_of_range":"clamp"}`, []string{"1000", "-1000"}, []string{`"Infinity"`, `"-Infinity"`}},
		// A type without zero and sign.
		{"float32", `{"data_type":"float8_e8m0fnu","out_of_range":"clamp"}`, []string{"0", "-5", "1e-44", "3.1"}, []string{"5.877471754111438e-39", "5.877471754111438e-39", "5.877471754111438e-39", "4.0"}},
		// What fits in the formats without -0 is 0.
		{"float32", `{"data_type":"float8_e5m2fnuz"}`, []string{"-0.0", "-1e-30"}, []string{"0.0", "0.0"}},
	} {
		got, err := encodeAny(t, c.typ, c.config, c.in)
		if c.want == nil && err == nil || c.want != nil && !slices.Equal(got, c.want) {
			t.Errorf("%s, %s: %v became %v, %v; want %v", c.typ, c.config, c.in, got, err, c.want)
		}
	}
}

// encodeAny is encode with a map for zero in types that lack it.
func encodeAny(t *testing.T, typ, config string, in []string) ([]string, error) {
	if !strings.Contains(config, "e8m0") {
		return encode(t, typ, config, in...)
	}
	return encode(t, typ, strings.TrimSuffix(config, "}")+`,"scalar_map":{"decode":[["0x00",0]]}}`, in...)
}

func TestManyEntriesOfAMap(t *testing.T) {
	var pairs []string
	for i := range 100 {
		pairs = append(pairs, fmt.Sprintf("[%d,%d]", i+100, i))
	}
	config := `{"data_type":"uint8","scalar_map":{"encode":[` + strings.Join(pairs, ",") + `]}}`
	got, err := encode(t, "int16", config, "100", "7", "199", "150")
	if err != nil || !slices.Equal(got, []string{"0", "7", "99", "50"}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestErrorsNameTheValue(t *testing.T) {
	values := slices.Repeat([]string{"5"}, 1000)
	values[777] = "-300"
	_, err := encode(t, "int16", `{"data_type":"uint8"}`, values...)
	if err == nil || err.Error() != "uint8 has nothing for -300" {
		t.Errorf("got %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0xf8, 0x7f}, uint8(0), uint8(1), uint8(2))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff}, uint8(3), uint8(7), uint8(9))
	types := []string{"int2", "int8", "uint8", "int32", "int64", "uint64", "float16", "bfloat16", "float32", "float64", "float8_e4m3fnuz", "float6_e2m3fn"}
	modes := []cast.Rounding{cast.NearestEven, cast.TowardsZero, cast.TowardsPositive, cast.TowardsNegative, cast.NearestAway}
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte, a, b, mode uint8) {
		from, to := dtype.MustParse(types[int(a)%len(types)]), dtype.MustParse(types[int(b)%len(types)])
		c := cast.Codec{DataType: to, Rounding: modes[int(mode)%len(modes)]}
		if mode >= 128 {
			c.OutOfRange = cast.Clamp
		}
		bound, err := c.BindArray(codec.Spec{Type: from, Shape: []int{1}, Fill: make([]byte, from.Size())})
		if err != nil {
			t.Fatal(err)
		}
		n := len(data) / to.Size()
		src := nd.Of(bytes.Clone(data[:n*to.Size()]), to.Size(), n)
		if mend, ok := to.(dtype.Canonicaliser); ok {
			_ = mend.Canonicalise(src)
		}
		mid, back := nd.Make(from.Size(), n), nd.Make(to.Size(), n)
		fl := bound.(codec.Transform)
		if err := fl.Decode(nil, mid, nd.Whole([]int{n}), src); err != nil {
			return
		}
		// What was decoded encodes, and decodes to the same again.
		if err := fl.Encode(nil, back, mid); err != nil {
			return // rounding may have gone beyond the range
		}
		again := nd.Make(from.Size(), n)
		if err := fl.Decode(nil, again, nd.Whole([]int{n}), back); err != nil {
			return
		}
		if c.OutOfRange == cast.Fail && c.Rounding == cast.NearestEven && to.Kind() == dtype.Int && from.Name() == "float64" && to.Size() < 8 && !bytes.Equal(back.Data, src.Data) {
			t.Errorf("%v became %v", src.Data, back.Data)
		}
	})
}

func BenchmarkCast(b *testing.B) {
	for _, c := range []struct{ from, to, more string }{
		{"float32", "int16", `,"out_of_range":"clamp"`},
		{"float32", "int16", `,"scalar_map":{"encode":[["NaN",-32768]]}`},
		{"float64", "float32", ""},
		{"float32", "float16", ""},
		{"int32", "int16", ""},
	} {
		b.Run(c.from+" "+c.to+c.more, func(b *testing.B) {
			k, err := cast.Parse(nil, "", json.RawMessage(`{"data_type":"`+c.to+`"`+c.more+`}`))
			if err != nil {
				b.Fatal(err)
			}
			in := dtype.MustParse(c.from)
			const n = 1 << 20
			f, err := k.(codec.ArrayToArray).BindArray(codec.Spec{Type: in, Shape: []int{n}, Fill: make([]byte, in.Size())})
			if err != nil {
				b.Fatal(err)
			}
			src, dst := nd.Make(in.Size(), n), nd.Make(f.Out().Type.Size(), n)
			b.SetBytes(int64(len(src.Data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := f.(codec.Transform).Encode(nil, dst, src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
