package dtype

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/nd"
)

// allNames are the types that are spelled by their name alone.
func allNames() []string {
	names := []string{"bool", "complex64", "complex128", "string", "bytes", "variable_length_bytes", "r8", "r16", "r24", "r128"}
	for _, n := range []string{"2", "4", "8", "16", "32", "64"} {
		names = append(names, "int"+n, "uint"+n)
	}
	for _, f := range formats {
		names = append(names, f.name, "complex_"+f.name)
	}
	return names
}

// configuredTypes are types with a configuration, as they are written back.
var configuredTypes = []string{
	`{"name":"raw_bytes","configuration":{"length_bytes":6}}`,
	`{"name":"null_terminated_bytes","configuration":{"length_bytes":1}}`,
	`{"name":"fixed_length_utf32","configuration":{"length_bytes":16}}`,
	`{"name":"numpy.datetime64","configuration":{"unit":"us","scale_factor":10}}`,
	`{"name":"numpy.datetime64","configuration":{"unit":"μs","scale_factor":2147483647}}`,
	`{"name":"numpy.timedelta64","configuration":{"unit":"generic","scale_factor":1}}`,
	structXY,
	`{"name":"structured","configuration":{"fields":[["x","float32"],["s",{"name":"structured","configuration":{"fields":[["<\"é","bool"]]}}]]}}`,
	`{"name":"structured","configuration":{"fields":[{"name":"x","data_type":"int4"}]}}`,
	`{"name":"struct","configuration":{"fields":[{"name":"t","data_type":{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}}]}}`,
}

func TestNamesAreKeptAsRead(t *testing.T) {
	for _, name := range allNames() {
		for _, raw := range []string{`"` + name + `"`, `{"name":"` + name + `"}`, ` {"name": "` + name + `", "configuration": {}, "must_understand": true}`} {
			typ, err := Parse(json.RawMessage(raw))
			if err != nil {
				t.Errorf("%s: %v", raw, err)
				continue
			}
			got, err := json.Marshal(typ)
			if err != nil || string(got) != `"`+name+`"` || typ.Name() != name {
				t.Errorf("%s is written as %s: %v", raw, got, err)
			}
		}
	}
	for _, raw := range configuredTypes {
		typ, err := Parse(json.RawMessage(raw))
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		if got, err := typ.MarshalJSON(); err != nil || string(got) != raw {
			t.Errorf("%s is written as %s: %v", raw, got, err)
		}
		if again := MustParse(raw); !Equal(typ, again) || Equal(typ, MustParse("uint8")) || Equal(typ, nil) {
			t.Errorf("%s: Equal is wrong", raw)
		}
	}
}

func TestUnknownNames(t *testing.T) {
	for _, raw := range []string{
		`"int128"`, `"Uint8"`, `"uint8 "`, `""`, `"r"`, `"r*"`, `"*"`, `"R8"`, `"int3"`, `"float8"`, `"complex_int8"`, `"<u2"`,
		`{"name":"mine","must_understand":false}`, `{"name":"https://example.com/type","configuration":{"a":1}}`, `"x8"`,
	} {
		if _, err := Parse(json.RawMessage(raw)); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %v", raw, err)
		}
	}
	_, err := Parse(json.RawMessage(`{"name":"mine","must_understand":false}`))
	if err == nil || err.Error() != `unknown data type "mine"` {
		t.Errorf("error is %q", err)
	}
}

func TestRefusedTypes(t *testing.T) {
	config := func(name, config string) string { return `{"name":"` + name + `","configuration":` + config + `}` }
	fields := func(fields string) string { return config("struct", `{"fields":[`+fields+`]}`) }
	deep := strings.Repeat(`{"name":"struct","configuration":{"fields":[{"name":"a","data_type":`, 17) + `"int8"` + strings.Repeat("}]}}", 17)
	for _, raw := range []string{
		"", "null", "1", "[]", "{}", `{"name":1}`, `{"name":"int8","name":"int8"}`, `{"name":"int8","extra":1}`, `{"name":"int8"`, `"int8`,
		`{"name":"int8","must_understand":1}`, `{"configuration":{}}`, "\"int8\xff\"", `"int\ud800"`, `"int8" "int8"`, "nul",
		config("int8", "null"), config("int8", "[]"), config("int8", `{"a":1}`), config("string", `{"a":1}`),
		config("r16", `{"a":1}`), `"r0"`, `"r7"`, `"r08"`, `"r12"`, `"r99999999999999999999"`, `"r1073741824"`,
		`"raw_bytes"`, config("raw_bytes", "{}"), config("raw_bytes", `{"length_bytes":0}`), config("raw_bytes", `{"length_bytes":-1}`),
		config("raw_bytes", `{"length_bytes":1.0}`), config("raw_bytes", `{"length_bytes":"1"}`), config("raw_bytes", `{"length_bytes":1,"a":1}`),
		config("raw_bytes", `{"length_bytes":99999999999}`), config("null_terminated_bytes", `{"length_bytes":1e1}`),
		config("fixed_length_utf32", `{"length_bytes":6}`), config("fixed_length_utf32", `{"length_bytes":0}`), config("fixed_length_utf32", `{"length_bytes":4,"length_bytes":4}`),
		`"numpy.datetime64"`, config("numpy.datetime64", `{"unit":"s"}`), config("numpy.datetime64", `{"scale_factor":1}`),
		config("numpy.datetime64", `{"unit":"S","scale_factor":1}`), config("numpy.datetime64", `{"unit":"s","scale_factor":0}`),
		config("numpy.timedelta64", `{"unit":"s","scale_factor":2147483648}`), config("numpy.timedelta64", `{"unit":1,"scale_factor":1}`),
		`"struct"`, config("struct", "{}"), fields(""), config("struct", `{"fields":{}}`), config("struct", `{"fields":null}`), fields("1"), fields("null"),
		fields(`{"name":"a"}`), fields(`{"data_type":"int8"}`), fields(`{"name":"","data_type":"int8"}`), fields(`{"name":"a","data_type":"int8","x":1}`),
		fields(`{"name":"a","data_type":"variable_length_bytes"}`), fields(`["a","bytes"]`), fields(`["a"]`), fields(`["a","int8",[2]]`), fields(`["","int8"]`), fields(`["a",null]`),
		fields(`{"name":"a","data_type":"int8"},{"name":"a","data_type":"int8"}`), fields(`{"name":"a","data_type":"int3"}`),
		fields(`["a","r134217728"],["b","r8"]`),
		config("struct", `{"fields":[`+strings.Repeat("1,", maxFields)+"1]}"), deep,
		strings.Repeat("[", 1<<20),
	} {
		typ, err := Parse(json.RawMessage(raw))
		if err == nil {
			t.Errorf("%s is accepted as %s", short(raw), typ.Name())
		} else if s := err.Error(); len(s) > 400 || strings.Contains(s, "\n") {
			t.Errorf("%s: unreadable error %q", short(raw), s)
		}
	}
}

func TestLayouts(t *testing.T) {
	for _, c := range []struct {
		typ  string
		kind Kind
		size int
		want []Unit
	}{
		{"bool", Bool, 1, []Unit{{0, 1, 1, 1, false}}},
		{"int2", Int, 1, []Unit{{0, 1, 1, 2, true}}},
		{"uint4", Uint, 1, []Unit{{0, 1, 1, 4, false}}},
		{"int64", Int, 8, []Unit{{0, 8, 1, 64, true}}},
		{"float16", Float, 2, []Unit{{0, 2, 1, 16, false}}},
		{"float6_e3m2fn", Float, 1, []Unit{{0, 1, 1, 6, false}}},
		{"complex128", Complex, 16, []Unit{{0, 8, 2, 64, false}}},
		{"complex_float4_e2m1fn", Complex, 2, []Unit{{0, 1, 2, 4, false}}},
		{"r40", Raw, 5, []Unit{{0, 1, 5, 8, false}}},
		{`{"name":"fixed_length_utf32","configuration":{"length_bytes":12}}`, UTF32, 12, []Unit{{0, 4, 3, 32, false}}},
		{`{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}`, Time, 8, []Unit{{0, 8, 1, 64, true}}},
		{`{"name":"numpy.timedelta64","configuration":{"unit":"s","scale_factor":1}}`, Duration, 8, []Unit{{0, 8, 1, 64, true}}},
		{"string", String, nd.RefSize, nil},
		{"bytes", Bytes, nd.RefSize, nil},
		{`{"name":"struct","configuration":{"fields":[["b","bool"],["p",` + structXY + `],["c","complex64"]]}}`, Struct, 14,
			[]Unit{{0, 1, 1, 1, false}, {1, 4, 1, 32, false}, {5, 1, 1, 8, true}, {6, 4, 2, 32, false}}},
	} {
		typ := MustParse(c.typ)
		if typ.Kind() != c.kind || typ.Size() != c.size || !slices.Equal(typ.Units(), c.want) {
			t.Errorf("%s: kind %d, %d bytes, units %v", typ.Name(), typ.Kind(), typ.Size(), typ.Units())
		}
		if IsReference(typ) != (len(typ.Refs()) == 1) {
			t.Errorf("%s: references at %v", typ.Name(), typ.Refs())
		}
	}
}

// A struct built in memory may hold references, which metadata cannot.
func TestStructOfReferences(t *testing.T) {
	inner, err := NewStruct([]Field{{Name: "n", Type: MustParse("uint8")}, {Name: "s", Type: MustParse("string")}})
	if err != nil {
		t.Fatal(err)
	}
	typ, err := NewStruct([]Field{{Name: "b", Type: MustParse("bytes")}, {Name: "i", Type: inner}, {Name: "flag", Type: MustParse("bool")}})
	if err != nil {
		t.Fatal(err)
	}
	if typ.Size() != 34 || !slices.Equal(typ.Refs(), []int{0, 17}) {
		t.Errorf("%d bytes, references at %v", typ.Size(), typ.Refs())
	}
	if got := Fields(typ); len(got) != 3 || got[1].Offset != 16 || got[2].Offset != 33 {
		t.Errorf("fields %v", got)
	}
	h := new(nd.Heap)
	fill := `{"b": "AQID", "i": {"n": 7, "s": "text"}, "flag": true}`
	elem, err := typ.ParseFill(json.RawMessage(fill), h)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := typ.AppendFill(nil, elem, h.Blobs()); err != nil || string(got) != fill {
		t.Errorf("written as %s: %v", got, err)
	}
	if _, err := typ.ParseFill(json.RawMessage(`"AAAA"`), h); err == nil {
		t.Error("packed references are accepted")
	}
	other := nd.View{Data: make([]byte, 34), Size: 34, Heap: new(nd.Heap)}
	other.Heap.Add([]byte("in the way"))
	Copy(typ, other, nd.View{Data: elem, Size: 34, Heap: h})
	if got, err := typ.AppendValue(nil, other.Data, other.Heap.Blobs()); err != nil || string(got) != fill {
		t.Errorf("copy is %s: %v", got, err)
	}
	for _, fields := range [][]Field{nil, {{Name: "a"}}, {{Type: inner}}, {{Name: "a", Type: inner}, {Name: "a", Type: inner}}} {
		if _, err := NewStruct(fields); err == nil {
			t.Errorf("NewStruct(%v) is accepted", fields)
		}
	}
}

func TestRegister(t *testing.T) {
	r := NewRegistry()
	r.Register("mine", func(name string, config json.RawMessage) (Type, error) {
		return MustParse("uint8"), nil
	})
	r.Register("m*", func(name string, config json.RawMessage) (Type, error) {
		return nil, errors.New("refused " + name)
	})
	if typ, err := r.Parse(json.RawMessage(`{"name":"struct","configuration":{"fields":[["a","mine"]]}}`)); err != nil || typ.Size() != 1 {
		t.Errorf("field of a registered type: %v", err)
	}
	if _, err := r.Lookup("m12"); err == nil || !strings.Contains(err.Error(), "refused m12") {
		t.Errorf("m12: %v", err)
	}
	if _, err := Parse(json.RawMessage(`"mine"`)); !errors.Is(err, ErrUnknown) {
		t.Errorf("default registry changed: %v", err)
	}
	for _, name := range []string{"", "int8"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Register(%q) does not panic", name)
				}
			}()
			r.Register(name, nil)
		}()
	}
}

func TestLookup(t *testing.T) {
	for _, s := range []string{"uint16", ` "uint16"`, `{"name":"uint16"}`} {
		if typ, err := Lookup(s); err != nil || typ.Name() != "uint16" {
			t.Errorf("Lookup(%s): %v", s, err)
		}
	}
	if got := fmt.Sprint(MustParse("bool"), MustParse("r8")); got != `"bool" "r8"` {
		t.Errorf("printed as %s", got)
	}
	for _, s := range []string{"", "a\"b", "uint17", "{"} {
		if _, err := Lookup(s); err == nil {
			t.Errorf("Lookup(%s) is accepted", s)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("MustParse does not panic")
		}
	}()
	MustParse("uint17")
}

func TestTimeUnit(t *testing.T) {
	unit, scale, ok := TimeUnit(MustParse(`{"name":"numpy.datetime64","configuration":{"unit":"μs","scale_factor":10}}`))
	if unit != "us" || scale != 10 || !ok {
		t.Errorf("TimeUnit = %q, %d, %v", unit, scale, ok)
	}
	if _, _, ok := TimeUnit(MustParse("int64")); ok || Fields(MustParse("int64")) != nil {
		t.Error("int64 has a unit or fields")
	}
	if f, ok := FormatOf(MustParse("int64")); ok || f != nil {
		t.Error("int64 has a format")
	}
}
