package dtype

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
)

// What NumPy 2 and zarr-python 2 call types, and what they are in Zarr v3.
var numpyTypes = []struct {
	code, name string
	big        bool
}{
	{`"|b1"`, `"bool"`, false}, {`"|i1"`, `"int8"`, false}, {`"|u1"`, `"uint8"`, false},
	{`"<i2"`, `"int16"`, false}, {`">i2"`, `"int16"`, true}, {`"<u8"`, `"uint64"`, false}, {`">f2"`, `"float16"`, true},
	{`"<f4"`, `"float32"`, false}, {`">c16"`, `"complex128"`, true}, {`"<c8"`, `"complex64"`, false},
	{`"|S5"`, `{"name":"null_terminated_bytes","configuration":{"length_bytes":5}}`, false},
	{`"|V6"`, `{"name":"raw_bytes","configuration":{"length_bytes":6}}`, false},
	{`">U4"`, `{"name":"fixed_length_utf32","configuration":{"length_bytes":16}}`, true},
	{`"<M8[ns]"`, `{"name":"numpy.datetime64","configuration":{"unit":"ns","scale_factor":1}}`, false},
	{`">m8[10us]"`, `{"name":"numpy.timedelta64","configuration":{"unit":"us","scale_factor":10}}`, true},
	{`"<M8"`, `{"name":"numpy.datetime64","configuration":{"unit":"generic","scale_factor":1}}`, false},
	{`[["a", "<i4"], ["b", "|S3"]]`, `{"name":"struct","configuration":{"fields":[{"name":"a","data_type":"int32"},{"name":"b","data_type":{"name":"null_terminated_bytes","configuration":{"length_bytes":3}}}]}}`, false},
	{`[["p", [["x", ">f4"], ["y", ">f4"]]], ["q", ">i2", [2,2]]]`,
		`{"name":"struct","configuration":{"fields":[{"name":"p","data_type":{"name":"struct","configuration":{"fields":[{"name":"x","data_type":"float32"},{"name":"y","data_type":"float32"}]}}},{"name":"q","data_type":{"name":"omnizarr.subarray","configuration":{"data_type":"int16","shape":[2,2]}}}]}}`, true},
	{`"bfloat16"`, `"bfloat16"`, false}, {`"int4"`, `"int4"`, false}, {`"float8_e5m2"`, `"float8_e5m2"`, false},
}

func TestNumpyTypesAreReadAndSpelledAgain(t *testing.T) {
	for _, c := range numpyTypes {
		typ, big, err := ParseNumpy(json.RawMessage(c.code))
		if err != nil {
			t.Errorf("%s: %v", c.code, err)
			continue
		}
		name, err := typ.MarshalJSON()
		if err != nil || string(name) != c.name || big != c.big {
			t.Errorf("%s is %s, big %v, %v; want %s", c.code, name, big, err, c.name)
		}
		code, err := NumpyJSON(typ, big)
		if err != nil || string(code) != c.code {
			t.Errorf("%s is spelled %s, %v", c.code, code, err)
		}
		again, err := Parse(name)
		if err != nil || !Equal(again, typ) || again.Size() != typ.Size() || len(again.Units()) != len(typ.Units()) {
			t.Errorf("%s reads back as %v, %v", name, again, err)
		}
	}
}

func TestNumpyTypesThatDoNotExistAreRefused(t *testing.T) {
	for code, want := range map[string]string{
		`"i4"`: "byte order", `"|i4"`: "byte order", `"<i3"`: "unknown", `"<f16"`: "unknown", `"<U0"`: "length", `"<U"`: "length",
		`"|S-1"`: "length", `"|V99999999999"`: "length", `"<M8[fortnight]"`: "unit", `"<M4[s]"`: "unknown", `"<M8[0s]"`: "scale_factor",
		`"<M8[s"`: "brackets", `""`: "byte order", `"<"`: "byte order", `7`: "string or a list", `null`: "string or a list", `[]`: "without fields",
		`[["a"]]`: "field 0", `[["a","<i4"],["a","<i4"]]`: "twice", `[["a","<i4",[0]]]`: "shape", `[["a","<i4",[1e9,1e9]]]`: "shape",
		`[["a","<i4",[4000,4000,4000]]]`: "sub-array", `[["a","<i4"],["b",">i4"]]`: "byte orders", `[["a",[["x","<i4"],["y",">i4"]],[2]]]`: "byte orders",
	} {
		if _, _, err := ParseNumpy(json.RawMessage(code)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", code, err, want)
		}
	}
}

func TestFieldsMayDifferInByteOrder(t *testing.T) {
	typ, big, err := ParseNumpyUnits(json.RawMessage(`[["a","<i4"],["b",">f8"],["c","|S3"],["d",">u2",3]]`))
	if err != nil {
		t.Fatal(err)
	}
	if typ.Size() != 21 || len(big) != 2 || big[0].Offset != 4 || big[1].Offset != 15 || big[1].Count != 3 {
		t.Errorf("size %d, big %v", typ.Size(), big)
	}
}

func TestSubarrays(t *testing.T) {
	typ := MustParse(`{"name":"omnizarr.subarray","configuration":{"data_type":"int16","shape":[2,3]}}`)
	elem, err := typ.ParseFill(json.RawMessage(`[[1,2,3],[-1,5,6]]`), nil)
	if err != nil || len(elem) != 12 || elem[6] != 0xff {
		t.Fatalf("%x, %v", elem, err)
	}
	text, err := typ.AppendValue(nil, elem, nil)
	if err != nil || string(text) != `[[1, 2, 3], [-1, 5, 6]]` {
		t.Errorf("%s, %v", text, err)
	}
	for _, bad := range []string{`[[1,2,3]]`, `[1,2]`, `0`, `[[1,2,3],[1,2,"x"]]`} {
		if _, err := typ.ParseFill(json.RawMessage(bad), nil); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
	descr, err := Numpy(must(NewStruct([]Field{{Name: "q", Type: typ}})))
	if err != nil || descr != `[('q', '<i2', (2,3,))]` {
		t.Errorf("%s, %v", descr, err)
	}
	for _, bad := range []string{`{"data_type":"string","shape":[2]}`, `{"data_type":"int8","shape":[]}`, `{"data_type":"int8"}`} {
		if _, err := Parse(json.RawMessage(`{"name":"omnizarr.subarray","configuration":` + bad + `}`)); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}

func must(t Type, err error) Type {
	if err != nil {
		panic(err)
	}
	return t
}

func FuzzParseNumpy(f *testing.F) {
	for _, c := range numpyTypes {
		f.Add([]byte(c.code))
	}
	fuzzlong.Fuzz(f, func(t *testing.T, raw []byte) {
		typ, big, err := ParseNumpyUnits(raw)
		if err != nil {
			return
		}
		for _, u := range big {
			if u.Offset < 0 || u.Offset+u.Width*u.Count > typ.Size() {
				t.Errorf("unit %v of a type of %d bytes", u, typ.Size())
			}
		}
	})
}
