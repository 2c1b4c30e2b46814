package meta

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// decode reads JSON with numbers as they are spelled.
func decode(t *testing.T, doc []byte) any {
	t.Helper()
	var v any
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, doc)
	}
	return v
}

// normalise does to a document as it was read what writing it is allowed to
// change.
func normalise(doc map[string]any) {
	if list, ok := doc["storage_transformers"].([]any); ok && len(list) == 0 {
		delete(doc, "storage_transformers")
	}
	if keys, ok := doc["chunk_key_encoding"].(map[string]any); ok && keys["configuration"] == nil {
		sep := map[any]string{"default": "/", "v2": "."}[keys["name"]]
		keys["configuration"] = map[string]any{"separator": sep}
	}
	if codecs, ok := doc["codecs"].([]any); ok {
		for i, c := range codecs {
			if name, ok := c.(string); ok {
				codecs[i] = map[string]any{"name": name}
			}
		}
	}
}

func TestDocumentsOfOtherWritersKeepTheirValue(t *testing.T) {
	for _, row := range readTable(t, "corpus.tsv", 2) {
		t.Run(row[0], func(t *testing.T) {
			node, err := Parse([]byte(row[1]), Registry{})
			if err != nil {
				t.Fatal(err)
			}
			doc, err := node.Marshal()
			if err != nil {
				t.Fatal(err)
			}
			want := decode(t, []byte(row[1])).(map[string]any)
			normalise(want)
			got := decode(t, doc)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
			again, err := Parse(doc, Registry{})
			if err != nil {
				t.Fatal(err)
			}
			if second, err := again.Marshal(); err != nil || !bytes.Equal(doc, second) {
				t.Errorf("written again: %v\n%s\nfirst\n%s", err, second, doc)
			}
		})
	}
}

func TestConsolidatedDocumentsOfOtherWriters(t *testing.T) {
	seen := 0
	for _, row := range readTable(t, "corpus.tsv", 2) {
		node, err := Parse([]byte(row[1]), Registry{})
		if g, ok := node.(*Group); err == nil && ok && g.Consolidated != nil {
			for path := range g.Consolidated.Paths("") {
				seen++
				if _, err := g.Consolidated.Get(path); err != nil {
					t.Errorf("%s: %v", row[0], err)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no document has consolidated metadata")
	}
}

func TestSpellingIsKept(t *testing.T) {
	const attributes = `{"z": 1.50, "a": [1e3, -0, 12345678901234567890, NaN, -Infinity], ` +
		`"u\u0041": "\u043a<&>", "nested": {"b": Infinity, "a": {}}, "": null}`
	doc := strings.Replace(simpleArray, `{"a":ATTR}`, attributes, 1)
	doc = strings.TrimSuffix(doc, "}") + `,"x": {"n": 1.0, "must_understand": false}, "b": {"must_understand": false}}`
	node, err := Parse([]byte(doc), Registry{})
	if err != nil {
		t.Fatal(err)
	}
	a := node.(*Array)
	if got := string(a.Attributes.Raw("a")); got != `[1e3, -0, 12345678901234567890, NaN, -Infinity]` {
		t.Errorf("raw attribute is %s", got)
	}
	if err := a.Attributes.Set("z", 2); err != nil {
		t.Fatal(err)
	}
	out, err := a.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	want := `  "attributes": {
    "z": 2,
    "a": [1e3, -0, 12345678901234567890, NaN, -Infinity],
    "uA": "\u043a<&>",
    "nested": {
      "b": Infinity,
      "a": {}
    },
    "": null
  },
  "x": {
    "n": 1.0,
    "must_understand": false
  },
  "b": {
    "must_understand": false
  }
}
`
	if !strings.HasSuffix(string(out), want) {
		t.Errorf("got %s", out)
	}
	if _, err := Parse(out, Registry{}); err != nil {
		t.Error(err)
	}
}

func TestBareTokensOnlyInAttributes(t *testing.T) {
	array := strings.Replace(simpleArray, "ATTR", "[NaN, Infinity, -Infinity]", 1)
	group := `{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{"a":` +
		array + `}}}`
	for _, doc := range []string{array, group} {
		node, err := Parse([]byte(doc), Registry{})
		if err != nil {
			t.Fatal(err)
		}
		if g, ok := node.(*Group); ok {
			if _, err := g.Consolidated.Get("a"); err != nil {
				t.Error(err)
			}
		}
		out, err := node.Marshal()
		if err != nil || !strings.Contains(string(out), "[NaN, Infinity, -Infinity]") {
			t.Errorf("%v in %s", err, out)
		}
	}
	for old, change := range map[string]string{
		`"fill_value":0`:       `"fill_value":NaN`,
		`"endian":"little"`:    `"endian":Infinity`,
		`"node_type":"array",`: `"node_type":"array","x":{"must_understand":false,"y":NaN},`,
		`"node_type":"array", `: `"node_type":"array",` +
			`"consolidated_metadata":{"must_understand":false,"y":NaN},`,
	} {
		doc := strings.Replace(array, strings.TrimSpace(old), change, 1)
		if _, err := Parse([]byte(doc), Registry{}); err == nil || !strings.Contains(err.Error(), "is not JSON") {
			t.Errorf("%s: %v", change, err)
		}
	}
	bad := strings.Replace(group, `"fill_value":0`, `"fill_value":NaN`, 1)
	node, err := Parse([]byte(bad), Registry{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = node.(*Group).Consolidated.Get("a")
	if err == nil || err.Error() != "consolidated_metadata.metadata.a.fill_value: bare NaN is not JSON" {
		t.Errorf("got %v", err)
	}
}

func TestBareNames(t *testing.T) {
	node, err := Parse([]byte(`{"zarr_format":3,"node_type":"array","shape":[],"data_type":{"name":"uint8"},
		"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[]}},"chunk_key_encoding":"v2",
		"fill_value":0,"codecs":["bytes",{"name":"crc32c","must_understand":true},"my.own"],
		"dimension_names":null}`), Registry{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := node.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "zarr_format": 3,
  "node_type": "array",
  "shape": [],
  "data_type": "uint8",
  "chunk_grid": {
    "name": "regular",
    "configuration": {
      "chunk_shape": []
    }
  },
  "chunk_key_encoding": {
    "name": "v2",
    "configuration": {
      "separator": "."
    }
  },
  "fill_value": 0,
  "codecs": [
    {
      "name": "bytes"
    },
    {
      "name": "crc32c"
    },
    {
      "name": "my.own"
    }
  ]
}
`
	if string(out) != want {
		t.Errorf("got %s", out)
	}
}

func TestMembersWithWrongForm(t *testing.T) {
	for _, c := range []struct{ old, change, want string }{
		{`"zarr_format":3`, `"zarr_format":3.0`, "zarr_format: must be an integer, not 3.0"},
		{`"zarr_format":3,`, ``, `missing member "zarr_format"`},
		{`"node_type":"array"`, `"node_type":1`, "node_type: must be a string, not a number"},
		{`"shape":[6]`, `"shape":6`, "shape: must be an array, not a number"},
		{`"shape":[6]`, `"shape":[6e0]`, "shape[0]: must be an integer, not 6e0"},
		{`"shape":[6]`, `"shape":[` + strings.Repeat("1,", 32) + `1]`, "shape[32]: more than 32 elements"},
		{`[3]}}`, `[3],"x":1}}`, "chunk_grid.configuration.x: unknown member"},
		{`{"chunk_shape":[3]}`, `{}`, `chunk_grid.configuration: missing member "chunk_shape"`},
		{`,"configuration":{"chunk_shape":[3]}`, ``, `chunk_grid.configuration: missing member "chunk_shape"`},
		{`{"chunk_shape":[3]}`, `null`, "chunk_grid.configuration: must be an object, not null"},
		{`"name":"regular"`, `"Name":"regular"`, "chunk_grid.Name: unknown member"},
		{`{"name":"bytes","configuration":{"endian":"little"}}`, `3`, "codecs[0]: must be a name or an object, not a number"},
		{`{"name":"bytes",`, `{"name":"",`, "codecs[0].name: is empty"},
		{`{"name":"bytes",`, `{"name":"bytes","extra":0,`, "codecs[0].extra: unknown member"},
		{`{"name":"bytes",`, `{"must_understand":"no","name":"bytes",`, `codecs[0].must_understand: must be true or false, not "no"`},
		{`{"name":"bytes",`, `{`, `codecs[0]: missing member "name"`},
		{`"fill_value":0`, `"fill_value":0,"storage_transformers":{}`, "storage_transformers: must be an array, not an object"},
		{`"fill_value":0`, `"fill_value":0,"storage_transformers":[{"name":"x","must_understand":false}]`, `storage_transformers[0]: unknown storage transformer "x"`},
		{`"fill_value":0`, `"fill_value":0,"dimension_names":[]`, "dimension_names: 0 names for 1 dimensions"},
		{`"fill_value":0`, `"fill_value":0,"x":{"must_understand":true}`, `x: unknown member without "must_understand": false`},
		{`"a":ATTR`, `"a":1,"\u0061":2`, "attributes.a: the object has two members of this name"},
	} {
		doc := strings.Replace(simpleArray, c.old, c.change, 1)
		if !strings.Contains(c.change, "u0061") {
			doc = strings.Replace(doc, "ATTR", "1", 1)
		}
		if _, err := Parse([]byte(doc), Registry{}); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.change, err, c.want)
		}
	}
}

func TestMarshalRefusesWhatParseWould(t *testing.T) {
	node, err := Parse([]byte(strings.Replace(simpleArray, "ATTR", "1", 1)), Registry{})
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(a *Array){
		`missing member "data_type"`:                         func(a *Array) { a.DataType = nil },
		`missing member "chunk_grid"`:                        func(a *Array) { a.Grid = nil },
		`missing member "chunk_key_encoding"`:                func(a *Array) { a.Keys = nil },
		`missing member "fill_value"`:                        func(a *Array) { a.FillValue = nil },
		`codecs: empty`:                                      func(a *Array) { a.Codecs = nil },
		`codecs[0].name: is empty`:                           func(a *Array) { a.Codecs[0].Name = "" },
		`codecs[0].configuration: must be an object`:         func(a *Array) { a.Codecs[0].Configuration = json.RawMessage("1") },
		`chunk_grid: made for another shape than [7]`:        func(a *Array) { a.Shape[0] = 7 },
		`chunk_grid: 1 dimensions for an array of 2`:         func(a *Array) { a.Shape = []int{6, 6} },
		`shape[0]: -1 is less than 0`:                        func(a *Array) { a.Shape[0] = -1 },
		`dimension_names: 2 names for 1 dimensions`:          func(a *Array) { a.DimensionNames = make([]*string, 2) },
		`fill_value:`:                                        func(a *Array) { a.FillValue = json.RawMessage("1.5") },
		`x: unknown member without "must_understand": false`: func(a *Array) { a.Extra = []Member{{Name: "x", Raw: json.RawMessage("1")}} },
		`extra member shape is there already`: func(a *Array) {
			a.Extra = []Member{{Name: "shape", Raw: json.RawMessage(`{"must_understand":false}`)}}
		},
	} {
		a := node.(*Array).Clone()
		change(a)
		if _, err := a.Marshal(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := node.Marshal(); err != nil {
		t.Errorf("changing clones changed the array: %v", err)
	}
}

func TestExtensions(t *testing.T) {
	got, err := ParseCodecs([]byte(` [ "a" , {"configuration" : {"x" : 1} , "name" : "b", "must_understand": false} ] `))
	want := []Extension{{Name: "a"}, {Name: "b", Configuration: json.RawMessage(`{"x" : 1}`), Optional: true}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	raw, err := got[1].MarshalJSON()
	if err != nil || string(raw) != `{"name":"b","configuration":{"x" : 1},"must_understand":false}` {
		t.Errorf("got %s, %v", raw, err)
	}
	if _, err := ParseExtension([]byte(`{"name":"a","name":"b"}`)); err == nil {
		t.Error("duplicate name accepted")
	}
	if e, err := ParseExtension([]byte(`"a"`)); err != nil || !reflect.DeepEqual(e, want[0]) {
		t.Errorf("got %v, %v", e, err)
	}
}

func TestStorageTransformersAreKept(t *testing.T) {
	const list = `"storage_transformers": [
    {
      "name": "known",
      "configuration": {
        "a": 1
      }
    }
  ]`
	doc := strings.Replace(simpleArray, "ATTR", "1", 1)
	doc = strings.Replace(doc, `"fill_value":0`, `"fill_value":0,`+list, 1)
	node, err := Parse([]byte(doc), Registry{Transformers: []string{"other", "known"}})
	if err != nil {
		t.Fatal(err)
	}
	a := node.(*Array).Clone()
	if len(a.Transformers) != 1 || a.Transformers[0].Name != "known" {
		t.Fatalf("transformers %v", a.Transformers)
	}
	text, err := a.Marshal()
	if err != nil || !strings.Contains(string(text), list) {
		t.Errorf("got %s, %v", text, err)
	}
	all, err := NewConsolidated(map[string]Node{"a": a})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all.Get("a"); err == nil {
		t.Error("a transformer that is not known was read")
	}
	if _, err := all.Know(Registry{Transformers: []string{"known"}}).Get("a"); err != nil {
		t.Error(err)
	}
	a.Transformers[0].Name = ""
	if _, err := a.Marshal(); err == nil || !strings.HasPrefix(err.Error(), "storage_transformers[0].name") {
		t.Errorf("without a name: %v", err)
	}
}
