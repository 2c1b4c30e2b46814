package dtype

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/nd"
)

const (
	listInt16    = `{"name":"omnizarr.list","configuration":{"data_type":"int16"}}`
	optionalByte = `{"name":"zarrs.optional","configuration":{"name":"uint8","configuration":{}}}`
	optionalText = `{"name":"zarrs.optional","configuration":{"name":"string","configuration":{}}}`
	optionalTime = `{"name":"zarrs.optional","configuration":{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}}`
	optionalTwo  = `{"name":"zarrs.optional","configuration":{"name":"zarrs.optional","configuration":{"name":"uint8","configuration":{}}}}`
	structJSON   = `{"name":"struct","configuration":{"fields":[{"name":"i","data_type":"int32"},{"name":"j","data_type":"omnizarr.json"},{"name":"s","data_type":"string"}]}}`
)

func TestTypesOfObjectsAreKeptAsRead(t *testing.T) {
	for raw, want := range map[string]struct {
		kind Kind
		size int
		refs []int
	}{
		`"omnizarr.json"`: {Object, 16, []int{0}},
		listInt16:         {List, 16, []int{0}},
		optionalByte:      {Optional, 2, nil},
		optionalText:      {Optional, 17, []int{1}},
		optionalTime:      {Optional, 9, nil},
		optionalTwo:       {Optional, 3, nil},
		structJSON:        {Struct, 36, []int{4, 20}},
	} {
		typ, err := Parse(json.RawMessage(raw))
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		if got, err := typ.MarshalJSON(); err != nil || string(got) != raw {
			t.Errorf("%s is written as %s, %v", raw, got, err)
		}
		if typ.Kind() != want.kind || typ.Size() != want.size || !reflect.DeepEqual(typ.Refs(), want.refs) {
			t.Errorf("%s is %+v", raw, typ)
		}
	}
	if Inner(MustParse(listInt16)).Name() != "int16" || Inner(MustParse(optionalText)).Name() != "string" || Inner(MustParse("int8")) != nil {
		t.Error("Inner is something else")
	}
}

func TestRefusedTypesOfObjects(t *testing.T) {
	for raw, want := range map[string]string{
		`{"name":"omnizarr.json","configuration":{"a":1}}`: "unknown member",
		`"omnizarr.list"`: "no data_type",
		`{"name":"omnizarr.list","configuration":{"data_type":"string"}}`: "no fixed length",
		`"zarrs.optional"`: "no name",
		`{"name":"zarrs.optional","configuration":{}}`:                                                             "must be a string",
		`{"name":"zarrs.optional","configuration":{"name":"int8","configuration":[]}}`:                             "configuration",
		`{"name":"zarrs.optional","configuration":{"name":"nothing","configuration":{}}}`:                          "unknown data type",
		`{"name":"zarrs.optional","configuration":{"name":"raw_bytes","configuration":{"length_bytes":16777216}}}`: "more than",
		`{"name":"struct","configuration":{"fields":[["a",` + optionalByte + `]]}}`:                                "field",
		`{"name":"struct","configuration":{"fields":[["a",` + listInt16 + `]]}}`:                                   "no fixed length",
	} {
		if typ, err := Parse(json.RawMessage(raw)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is %v, %v, want %s", raw, typ, err, want)
		}
	}
}

func TestFillValuesOfObjects(t *testing.T) {
	for _, c := range []struct{ typ, fill, spelled, value string }{
		{"omnizarr.json", "null", "null", "null"},
		{"omnizarr.json", "0", "0", "0"},
		{"omnizarr.json", ` { "a" : [ 1.50, "\u00e9" ] } `, `{"a":[1.50,"é"]}`, `{"a":[1.50,"é"]}`},
		{"omnizarr.json", `"null"`, `"null"`, `"null"`},
		{listInt16, "null", "[]", "[]"},
		{listInt16, "[]", "[]", "[]"},
		{listInt16, "[1,-2]", "[1, -2]", "[1, -2]"},
		{optionalByte, "null", "null", "null"},
		{optionalByte, "[42]", "[42]", "42"},
		{optionalText, `["x"]`, `["x"]`, `"x"`},
		{optionalText, `[""]`, `[""]`, `""`},
		{optionalTwo, "null", "null", "null"},
		{optionalTwo, "[null]", "[null]", "null"},
		{optionalTwo, "[[42]]", "[[42]]", "42"},
		{structJSON, `{"i":1,"j":[2],"s":"x"}`, `{"i": 1, "j": [2], "s": "x"}`, `{"i": 1, "j": [2], "s": "x"}`},
	} {
		typ := MustParse(c.typ)
		h := &nd.Heap{}
		elem, err := typ.ParseFill(json.RawMessage(c.fill), h)
		if err != nil || len(elem) != typ.Size() {
			t.Errorf("%s %s: %x, %v", c.typ, c.fill, elem, err)
			continue
		}
		if got, err := typ.AppendFill(nil, elem, h.Blobs()); err != nil || string(got) != c.spelled {
			t.Errorf("%s %s is spelled %s, %v", c.typ, c.fill, got, err)
		}
		if got, err := typ.AppendValue(nil, elem, h.Blobs()); err != nil || string(got) != c.value {
			t.Errorf("%s %s is %s, %v", c.typ, c.fill, got, err)
		}
	}
	for _, c := range []struct{ typ, fill, want string }{
		{"omnizarr.json", "{", "not a JSON value"},
		{"omnizarr.json", strings.Repeat("[", 300), "not a JSON value"},
		{listInt16, "1", "must be a list"},
		{listInt16, "[40000]", "40000"},
		{optionalByte, "42", "must be null or a list of one value"},
		{optionalByte, "[]", "must be null or a list of one value"},
		{optionalByte, "[null]", "null"},
	} {
		if elem, err := MustParse(c.typ).ParseFill(json.RawMessage(c.fill), &nd.Heap{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.20s: %x, %v, want %s", c.typ, c.fill, elem, err, c.want)
		}
	}
	for _, typ := range []string{"omnizarr.json", listInt16} {
		if _, err := MustParse(typ).ParseFill(json.RawMessage("[1]"), nil); err == nil {
			t.Errorf("%s: a value without a heap", typ)
		}
	}
}

// Floats that JSON lacks are strings for people, and have no fill value.
func TestNumbersThatJSONLacks(t *testing.T) {
	typ := MustParse("omnizarr.json")
	h := &nd.Heap{}
	elem, err := typ.ParseFill(json.RawMessage(`[NaN, "NaN", -Infinity]`), h)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := typ.AppendValue(nil, elem, h.Blobs()); err != nil || string(got) != `["NaN","NaN","-Infinity"]` {
		t.Errorf("got %s, %v", got, err)
	}
	if got, err := typ.AppendFill(nil, elem, h.Blobs()); err == nil {
		t.Errorf("got %s", got)
	}
	nd.PutRef(elem, h.Add([]byte("{")), 0, 1)
	if got, err := typ.AppendValue(nil, elem, h.Blobs()); err == nil {
		t.Errorf("got %s", got)
	}
}

func TestMissingValuesAreZero(t *testing.T) {
	typ := MustParse(`{"name":"zarrs.optional","configuration":{"name":"bool","configuration":{}}}`)
	c := typ.(Canonicaliser)
	v := nd.Of([]byte{0, 7, 1, 1}, 2, 2)
	if err := c.Canonicalise(v); err != nil || v.Data[1] != 0 || v.Data[3] != 1 {
		t.Errorf("got %v, %v", v.Data, err)
	}
	for _, bad := range [][]byte{{2, 0}, {1, 2}} {
		if err := c.Canonicalise(nd.Of(bad, 2, 1)); err == nil {
			t.Errorf("%v is a value", bad)
		}
	}
}

func TestGoTypesOfObjects(t *testing.T) {
	if err := Check[json.RawMessage](MustParse("omnizarr.json")); err != nil {
		t.Error(err)
	}
	if err := Check[[]byte](MustParse(listInt16)); err != nil {
		t.Error(err)
	}
	if err := Check[string](MustParse("omnizarr.json")); err == nil || !strings.Contains(err.Error(), "use json.RawMessage") {
		t.Errorf("got %v", err)
	}
	if err := Check[uint8](MustParse(optionalByte)); err == nil || !strings.Contains(err.Error(), "its bytes") {
		t.Errorf("got %v", err)
	}
	if !IsReference(MustParse("omnizarr.json")) || !IsReference(MustParse(listInt16)) || IsReference(MustParse(optionalText)) {
		t.Error("references are something else")
	}
}
