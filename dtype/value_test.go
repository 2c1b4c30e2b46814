package dtype

import (
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/omnizarr/zarr/nd"
)

func TestValues(t *testing.T) {
	for _, c := range []struct{ typ, elem, want string }{
		{"bool", "01", "true"}, {"bool", "00", "false"},
		{"int2", "fe", "-2"}, {"uint2", "03", "3"}, {"int4", "f8", "-8"}, {"uint4", "0f", "15"},
		{"int8", "80", "-128"}, {"uint16", "0201", "258"}, {"int32", "ffffffff", "-1"},
		{"uint64", "ffffffffffffffff", "18446744073709551615"},
		{"float64", "9a9999999999b93f", "0.1"}, {"float64", "0000000000000080", "-0.0"},
		{"float64", "010000000000f8ff", `"NaN"`}, {"float64", "000000000000f0ff", `"-Infinity"`},
		{"float64", "ffffffffffffef7f", "1.7976931348623157e+308"}, {"float64", "0100000000000000", "5e-324"},
		{"float32", "cdcccc3d", "0.1"}, {"float32", "9a99993f", "1.2"}, {"float32", "ffff7f7f", "3.4028235e+38"}, {"float16", "662e", "0.1"}, {"bfloat16", "cd3d", "0.1"}, {"float32", "0000807f", `"Infinity"`},
		{"float16", "0080", "-0.0"}, {"float16", "0100", "6e-08"}, {"float16", "ff7b", "65500.0"}, {"complex64", "cdcccc3dcdcccc3d", "[0.1, 0.1]"}, {"bfloat16", "c27f", `"NaN"`},
		{"float4_e2m1fn", "0f", "-6.0"}, {"float8_e4m3fn", "7e", "448.0"}, {"float8_e8m0fnu", "00", "5.877471754111438e-39"},
		{"complex64", "0000803f0000c07f", `[1.0, "NaN"]`}, {"complex_float8_e5m2", "7cfc", `["Infinity", "-Infinity"]`},
		{"r24", "000102", `"AAEC"`},
		{`{"name":"null_terminated_bytes","configuration":{"length_bytes":4}}`, "61006200", `"YQBi"`},
		{`{"name":"fixed_length_utf32","configuration":{"length_bytes":20}}`, "2200000000d8000000000000ffffffff00000000", "\"\\\"\uFFFD\\u0000\uFFFD\""},
		{`{"name":"numpy.timedelta64","configuration":{"unit":"s","scale_factor":1}}`, "0000000000000080", `"NaT"`},
		{`{"name":"numpy.timedelta64","configuration":{"unit":"s","scale_factor":1}}`, "0100000000000080", "-9223372036854775807"},
		{structXY, "0000803fff", `{"x": 1.0, "y": -1}`},
	} {
		elem, err := hex.DecodeString(c.elem)
		if err != nil {
			t.Fatal(err)
		}
		typ := MustParse(c.typ)
		got, err := typ.AppendValue(nil, elem, nil)
		if err != nil || string(got) != c.want || !json.Valid(got) {
			t.Errorf("%s: %s is %s, want %s: %v", typ.Name(), c.elem, got, c.want, err)
		}
	}
}

func TestStringsAreAlwaysJSON(t *testing.T) {
	for _, c := range []struct{ s, want string }{
		{"", `""`}, {"plain", `"plain"`}, {`a"b\c`, `"a\"b\\c"`}, {"<&>'/", `"<&>'/"`},
		{"\n\r\t\b\x00\x1f\x7f", "\"\\n\\r\\t\\u0008\\u0000\\u001f\x7f\""},
		{"é\u2028😀", "\"é\u2028😀\""},
		{"a\xffb\xc3", "\"a\uFFFDb\uFFFD\""}, {"\xed\xa0\x80", "\"\uFFFD\uFFFD\uFFFD\""}, {"\uFFFD", "\"\uFFFD\""},
	} {
		if got := string(appendString(nil, c.s)); got != c.want || !json.Valid([]byte(got)) {
			t.Errorf("%q is %s, want %s", c.s, got, c.want)
		}
		if got := string(appendString(nil, []byte(c.s))); got != c.want {
			t.Errorf("bytes %q are %s, want %s", c.s, got, c.want)
		}
	}
}

// AppendValue is called for every element of an array.
func TestAppendValueDoesNotAllocate(t *testing.T) {
	h := new(nd.Heap)
	ref := make([]byte, nd.RefSize)
	text := []byte("some text, <é>\n\xff")
	nd.PutRef(ref, h.Add(text), 0, len(text))
	blobs := h.Blobs()
	names := []string{
		"bool", "int4", "uint64", "float32", "float64", "float8_e4m3", "complex128", "r64",
		`{"name":"null_terminated_bytes","configuration":{"length_bytes":9}}`,
		`{"name":"fixed_length_utf32","configuration":{"length_bytes":16}}`,
		`{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}`,
		structXY, "string", "bytes",
	}
	for _, name := range names {
		typ := MustParse(name)
		elem := make([]byte, typ.Size())
		for i := range elem {
			elem[i] = 1
		}
		if IsReference(typ) {
			elem = ref
		}
		dst := make([]byte, 0, 256)
		if n := testing.AllocsPerRun(100, func() {
			if _, err := typ.AppendValue(dst, elem, blobs); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", typ.Name(), n)
		}
	}
}
