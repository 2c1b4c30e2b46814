package dtype

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/nd"
)

// fillCase is a type, the spellings of fill values that it has with the memory
// they give in hexadecimal, and the spellings that are refused.
type fillCase struct {
	typ     string
	values  map[string]string
	refused []string
}

var fillCases = []fillCase{
	{"bool", map[string]string{"true": "01", "false": "00", " true\n": "01", "0": "00"},
		[]string{"1", "00", `"true"`, "null", "True", ""}},
	{"int2", map[string]string{"-2": "fe", "1": "01", "-1": "ff"}, []string{"2", "-3"}},
	{"int4", map[string]string{"-8": "f8", "7": "07"}, []string{"8", "-9"}},
	{"uint2", map[string]string{"3": "03"}, []string{"4", "-1"}},
	{"uint4", map[string]string{"15": "0f"}, []string{"16"}},
	{"int8", map[string]string{"-128": "80", "127": "7f", "-0": "00"}, []string{"128", "-129"}},
	{"uint8", map[string]string{"255": "ff", "0": "00", "-0": "00"},
		[]string{"256", "-1", "1.0", "1e2", "0.5", `"NaN"`, `"1"`, "null", "true", "[1]", "01", "+1", "0x10", "1 2", "{}"}},
	{"int16", map[string]string{"-2": "feff"}, []string{"32768"}},
	{"uint16", map[string]string{"258": "0201"}, []string{"65536", "-1"}},
	{"int32", map[string]string{"-2147483648": "00000080"}, []string{"2147483648"}},
	{"int64", map[string]string{"-9223372036854775808": "0000000000000080", "9223372036854775807": "ffffffffffffff7f"},
		[]string{"9223372036854775808", "1e18"}},
	{"uint64", map[string]string{"18446744073709551615": "ffffffffffffffff", "9007199254740993": "0100000000002000"},
		[]string{"18446744073709551616"}},
	{"float32", map[string]string{
		"1": "0000803f", "1.5": "0000c03f", "-0.0": "00000080", "-0": "00000080", "1e2": "0000c842",
		`"NaN"`: "0000c07f", `"Infinity"`: "0000807f", `"-Infinity"`: "000080ff",
		`"0x7fc00001"`: "0100c07f", `"0xFFC00000"`: "0000c0ff", `"0x7fa00000"`: "0000a07f", `"0x3f800000"`: "0000803f",
		// Rounded to nearest even, also just beyond halfway, and to infinity.
		"16777217": "0000804b", "16777217.0000000000000000001": "0100804b", "1e39": "0000807f", "-1e400": "000080ff"},
		[]string{`"0x7fc0"`, `"0x7fc000000"`, `"nan"`, `"NAN"`, `"inf"`, `"+Infinity"`, `"0X7fc00000"`, `"7fc00000"`,
			`"0x7fc0000g"`, `"0x+fc00000"`, `"0x7fc0_001"`, "NaN", "null", "true", "[1]", `"1.5"`, ".5", "1.", `""`, `"0b1"`}},
	{"float64", map[string]string{
		"0.1": "9a9999999999b93f", `"0x7ff8000000000001"`: "010000000000f87f", `"NaN"`: "000000000000f87f",
		"1e400": "000000000000f07f", "4.9e-324": "0100000000000000", "1e-400": "0000000000000000"},
		[]string{`"0x7ff80000"`}},
	{"float16", map[string]string{
		`"NaN"`: "007e", `"Infinity"`: "007c", "65504": "ff7b", "65520": "007c", `"0x7e01"`: "017e",
		// Halfway between two float16: even; a trace above or below: not even,
		// although a float64 cannot tell the difference.
		"2049": "0068", "2049.00000000000000000000001": "0168", "2050.99999999999999999999999": "0168"},
		[]string{`"0x7e"`}},
	{"bfloat16", map[string]string{`"NaN"`: "c07f", `"0x7fc1"`: "c17f", "1": "803f", `"0x0000"`: "0000"}, []string{`"0x7fc00000"`}},
	{"float4_e2m1fn", map[string]string{"6": "07", "-0.5": "09", `"0x0f"`: "0f", "0.0": "00", "6.9": "07"},
		[]string{`"NaN"`, `"Infinity"`, "7", "1e9", `"0x10"`, `"0xf"`}},
	{"float6_e2m3fn", map[string]string{"7.5": "1f", `"0x3f"`: "3f"}, []string{`"NaN"`, `"-Infinity"`, `"0x40"`, "8"}},
	{"float6_e3m2fn", map[string]string{"28": "1f"}, []string{`"NaN"`}},
	{"float8_e3m4", map[string]string{`"NaN"`: "78", `"Infinity"`: "70", `"0x71"`: "71"}, []string{`"0x7"`}},
	{"float8_e4m3", map[string]string{`"NaN"`: "7c", "240": "77", "1e9": "78"}, nil},
	{"float8_e4m3fn", map[string]string{`"NaN"`: "7f", `"0xff"`: "ff", "448": "7e"}, []string{`"Infinity"`, "465"}},
	{"float8_e4m3b11fnuz", map[string]string{`"NaN"`: "80", "30": "7f", "-0.0": "00"}, []string{`"Infinity"`, "1e9"}},
	{"float8_e4m3fnuz", map[string]string{`"NaN"`: "80", "240": "7f"}, []string{`"Infinity"`}},
	{"float8_e5m2", map[string]string{`"NaN"`: "7e", `"-Infinity"`: "fc"}, nil},
	{"float8_e5m2fnuz", map[string]string{`"NaN"`: "80"}, []string{`"Infinity"`}},
	{"float8_e8m0fnu", map[string]string{`"NaN"`: "ff", `"0xFF"`: "ff", "1": "7f", "2.0": "80", `"0x00"`: "00"},
		[]string{"0.0", "-1", `"Infinity"`}},
	{"complex64", map[string]string{"[1, 2]": "0000803f00000040", `["-Infinity", "NaN"]`: "000080ff0000c07f",
		`["0x7fc00001", -0.0]`: "0100c07f00000080"},
		[]string{"1", "[1]", "[1, 2, 3]", `"NaN"`, "[1, null]", `[1, "nan"]`, "{}", "null", "[[1],2]"}},
	{"complex128", map[string]string{"[0.0, 1]": "0000000000000000000000000000f03f"}, nil},
	{"complex_float16", map[string]string{`[1, "NaN"]`: "003c007e"}, nil},
	{"complex_bfloat16", map[string]string{"[1, 0]": "803f0000"}, nil},
	{"complex_float32", map[string]string{"[1, 0]": "0000803f00000000"}, nil},
	{"complex_float64", map[string]string{"[0, 0]": "00000000000000000000000000000000"}, nil},
	{"complex_float4_e2m1fn", map[string]string{"[6, -6]": "070f"}, []string{`["NaN", 0]`}},
	{"complex_float8_e8m0fnu", map[string]string{`[1, "NaN"]`: "7fff"}, nil},
	{"r16", map[string]string{"[1, 255]": "01ff", `"Af8="`: "01ff"},
		[]string{"[1]", "[1,2,3]", "[1,256]", "[1,-1]", "[1,1.0]", "[1,null]", `"AQ=="`, `"Af9="`, `"Af8"`, `"A?8="`, "257", "null", `[1,"2"]`}},
	{`{"name":"raw_bytes","configuration":{"length_bytes":6}}`, map[string]string{`"AAAAAAAA"`: "000000000000", "[0,1,2,3,4,5]": "000102030405"},
		[]string{`""`, `"AAAA"`, `"AAAAAAAAAAAA"`}},
	{`{"name":"null_terminated_bytes","configuration":{"length_bytes":4}}`, map[string]string{`""`: "00000000", `"YWI="`: "61620000", `"AAE="`: "00010000"},
		[]string{`"YWJjZGU="`, "1"}},
	{`{"name":"fixed_length_utf32","configuration":{"length_bytes":8}}`,
		map[string]string{`""`: "0000000000000000", `"h"`: "6800000000000000", `"\ud83d\ude00é"`: "00f60100e9000000", `"\\\u0001"`: "5c00000001000000"},
		[]string{`"abc"`, "1", "null", `"\ud83d"`, `"\ude00"`, `"\ud83d\u0041"`, "\"\xff\"", `["a"]`}},
	{`{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}`,
		map[string]string{`"NaT"`: "0000000000000080", "-9223372036854775808": "0000000000000080", "-1": "ffffffffffffffff"},
		[]string{`"2020-01-01"`, `"nat"`, "1.0", "9223372036854775808", "null", `"1"`}},
	{`{"name":"numpy.timedelta64","configuration":{"unit":"generic","scale_factor":7}}`,
		map[string]string{`"NaT"`: "0000000000000080", "10": "0a00000000000000"}, []string{"1e1"}},
	{structXY, map[string]string{`{"x": 1, "y": -1}`: "0000803fff", `{"y": -1, "x": "NaN"}`: "0000c07fff", `"AACAP/8="`: "0000803fff"},
		[]string{`{"x": 1}`, `{"x": 1, "y": 1, "z": 1}`, `{"x": 1, "x": 1, "y": 1}`, `{"x": 1, "y": 128}`, "[1, 1]", `"AACAPw=="`, "null", "{", `{"x":null,"y":1}`}},
	{`{"name":"struct","configuration":{"fields":[{"name":"p","data_type":` + structXY + `},{"name":"b","data_type":"bool"}]}}`,
		map[string]string{`{"p": {"x": 1, "y": -1}, "b": true}`: "0000803fff01", `{"p": "AACAP/8=", "b": true}`: "0000803fff01", `"AACAP/8B"`: "0000803fff01"},
		[]string{`{"p": 1, "b": true}`, `"AACAP/8C"`}},
}

const structXY = `{"name":"struct","configuration":{"fields":[{"name":"x","data_type":"float32"},{"name":"y","data_type":"int8"}]}}`

func TestFillValues(t *testing.T) {
	for _, c := range fillCases {
		typ := MustParse(c.typ)
		for raw, want := range c.values {
			elem, err := typ.ParseFill(json.RawMessage(raw), nil)
			if err != nil {
				t.Errorf("%s: %v", typ.Name(), err)
			} else if got := hex.EncodeToString(elem); got != want {
				t.Errorf("%s: fill value %s is %s, want %s", typ.Name(), raw, got, want)
			} else {
				checkRoundTrip(t, typ, elem)
			}
		}
		for _, raw := range append(c.refused, "null", "", "nul", "[", `{"a":1}`, "\"\x00\"") {
			elem, err := typ.ParseFill(json.RawMessage(raw), nil)
			if err == nil {
				t.Errorf("%s: fill value %s is accepted as %x", typ.Name(), raw, elem)
			} else if s := err.Error(); strings.ContainsAny(s, "\n\x00") || len(s) > 300 || !strings.Contains(s, typ.Name()) && typ.Kind() != Struct {
				t.Errorf("%s: unreadable error %q", typ.Name(), s)
			}
		}
	}
}

// checkRoundTrip writes an element as a fill value and reads it again.
func checkRoundTrip(t interface {
	Helper()
	Errorf(string, ...any)
}, typ Type, elem []byte) {
	t.Helper()
	spelled, err := typ.AppendFill([]byte("before"), elem, nil)
	if err != nil {
		t.Errorf("%s: %x: %v", typ.Name(), elem, err)
		return
	}
	spelled = spelled[len("before"):]
	if !json.Valid(spelled) {
		t.Errorf("%s: %x is spelled %s, which is no JSON", typ.Name(), elem, spelled)
	}
	back, err := typ.ParseFill(spelled, nil)
	if err != nil || string(back) != string(elem) {
		t.Errorf("%s: %x is spelled %s and read as %x: %v", typ.Name(), elem, spelled, back, err)
	}
}

func TestFillSpellings(t *testing.T) {
	for _, c := range []struct{ typ, raw, want string }{
		{"float32", `"0x7fc00000"`, `"NaN"`},
		{"float32", `"0x7fc00001"`, `"0x7fc00001"`},
		{"float32", `"0xffc00000"`, `"0xffc00000"`},
		{"float32", "-0.0", "-0.0"},
		{"float32", "1", "1.0"},
		{"float32", "0.1", "0.10000000149011612"},
		{"float64", "0.1", "0.1"},
		{"float64", "1e22", "1e+22"},
		{"float64", "1e-7", "1e-07"},
		{"float16", "-1e9", `"-Infinity"`},
		{"float8_e4m3fn", `"0xff"`, `"0xff"`},
		{"float8_e8m0fnu", `"0x7e"`, "0.5"},
		{"complex64", `[1,"0x7fc00001"]`, `[1.0, "0x7fc00001"]`},
		{"r16", `"Af8="`, "[1, 255]"},
		{`{"name":"raw_bytes","configuration":{"length_bytes":2}}`, "[1,255]", `"Af8="`},
		{`{"name":"null_terminated_bytes","configuration":{"length_bytes":9}}`, `"YWI="`, `"YWI="`},
		{`{"name":"fixed_length_utf32","configuration":{"length_bytes":16}}`, `"<\u00e9\n"`, `"<é\n"`},
		{`{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}`, "-9223372036854775808", `"NaT"`},
		{structXY, `"AACAP/8="`, `{"x": 1.0, "y": -1}`},
	} {
		typ := MustParse(c.typ)
		elem, err := typ.ParseFill(json.RawMessage(c.raw), nil)
		if err != nil {
			t.Errorf("%s: %v", typ.Name(), err)
			continue
		}
		if got, err := typ.AppendFill(nil, elem, nil); err != nil || string(got) != c.want {
			t.Errorf("%s: %s is written as %s, want %s: %v", typ.Name(), c.raw, got, c.want, err)
		}
	}
}

func TestVariableFill(t *testing.T) {
	for _, c := range []struct{ typ, raw, value, fill string }{
		{"string", `""`, "", `""`},
		{"string", "0", "0", `"0"`},
		{"string", "-12", "-12", `"-12"`},
		{"string", `"foo <é> \u0000"`, "foo <é> \x00", `"foo <é> \u0000"`},
		{"bytes", `"AQID"`, "\x01\x02\x03", `"AQID"`},
		{"bytes", "[1, 2, 3]", "\x01\x02\x03", `"AQID"`},
		{"bytes", "[]", "", `""`},
		{"variable_length_bytes", `""`, "", `""`},
	} {
		typ, h := MustParse(c.typ), new(nd.Heap)
		h.Add([]byte("something before"))
		elem, err := typ.ParseFill(json.RawMessage(c.raw), h)
		if err != nil || len(elem) != typ.Size() {
			t.Errorf("%s: %s is %x: %v", c.typ, c.raw, elem, err)
			continue
		}
		if got := h.Blobs().Value(elem); string(got) != c.value {
			t.Errorf("%s: %s is %q, want %q", c.typ, c.raw, got, c.value)
		}
		if got, err := typ.AppendFill(nil, elem, h.Blobs()); err != nil || string(got) != c.fill {
			t.Errorf("%s: %s is written as %s, want %s: %v", c.typ, c.raw, got, c.fill, err)
		}
	}
	for typ, refused := range map[string][]string{
		"string": {"1.5", "true", "1e3", "null", `["a"]`, `"\ud800"`, "\"\xff\""},
		"bytes":  {"1", "null", "[256]", `"a"`, "[true]", `{"a":1}`},
	} {
		for _, raw := range refused {
			if _, err := MustParse(typ).ParseFill(json.RawMessage(raw), new(nd.Heap)); err == nil {
				t.Errorf("%s: fill value %s is accepted", typ, raw)
			}
		}
		if _, err := MustParse(typ).ParseFill(json.RawMessage(`"AQID"`), nil); err == nil {
			t.Errorf("%s: fill value without a heap is accepted", typ)
		}
	}
}

func TestFillThatJSONCannotHold(t *testing.T) {
	h := new(nd.Heap)
	elem := make([]byte, nd.RefSize)
	nd.PutRef(elem, h.Add([]byte("a\xff")), 0, 2)
	if got, err := MustParse("string").AppendFill(nil, elem, h.Blobs()); err == nil {
		t.Errorf("invalid UTF-8 is written as %s", got)
	}
	utf32 := MustParse(`{"name":"fixed_length_utf32","configuration":{"length_bytes":4}}`)
	for _, elem := range []string{"\x00\xd8\x00\x00", "\x00\x00\x11\x00", "\xff\xff\xff\xff"} {
		if got, err := utf32.AppendFill(nil, []byte(elem), nil); err == nil {
			t.Errorf("%x is written as %s", elem, got)
		}
	}
	if got, err := MustParse("bool").AppendFill(nil, []byte{2}, nil); err == nil {
		t.Errorf("bool 2 is written as %s", got)
	}
}

func TestLongFillIsCutInErrors(t *testing.T) {
	for typ, raw := range map[string]string{
		"uint8":   strings.Repeat("9", 1<<20),
		"float32": strings.Repeat("9", 1<<20),
		"string":  "[" + strings.Repeat("1,", 1<<16) + "1]",
	} {
		if _, err := MustParse(typ).ParseFill(json.RawMessage(raw), nil); err == nil || len(err.Error()) > 300 {
			t.Errorf("%s: error of %d characters", typ, len(err.Error()))
		}
	}
}
