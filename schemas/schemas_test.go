package schemas_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/packbits"
	"github.com/omnizarr/zarr/codec/pad"
	"github.com/omnizarr/zarr/codec/tifftile"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/schemas"
)

// sample is a configuration of the codecs' test vectors.
type sample struct {
	Name          string
	Text          string // whether the codec's text says so
	DType         string
	Configuration json.RawMessage
}

func load(t *testing.T) map[string]struct{ Valid, Invalid []sample } {
	t.Helper()
	f, err := os.Open("testdata/configurations.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]struct{ Valid, Invalid []sample }
	if err := json.NewDecoder(r).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// entry spells the codec with the sample's configuration; null stands for none.
func (s sample) entry(name string) json.RawMessage {
	if string(s.Configuration) == "null" {
		return fmt.Appendf(nil, `{"name":"%s"}`, name)
	}
	return fmt.Appendf(nil, `{"name":"%s","configuration":%s}`, name, s.Configuration)
}

func (s sample) dataType(t *testing.T) dtype.Type {
	t.Helper()
	if s.DType == "" {
		return nil
	}
	typ, err := dtype.Lookup(s.DType)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// decoder reports what the codec itself says when an array is opened.
func decoder(name string, s sample, typ dtype.Type) error {
	r := codec.NewRegistry()
	r.Register(pad.Parse, "pad", "offset")
	r.Register(packbits.Parse, "packbits")
	r.Register(tifftile.Parse, tifftile.Name)
	config := s.Configuration
	if string(config) == "null" {
		config = nil
	}
	c, err := r.Parse(codec.Entry{Name: name, Config: config})
	if err != nil {
		return err
	}
	if k, ok := c.(codec.ArrayToBytes); ok && typ != nil {
		_, err = k.BindSerializer(codec.Spec{Type: typ, Shape: []int{3}, Fill: make([]byte, typ.Size())})
	}
	return err
}

// compile reads the schema of a codec.
func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, ok := schemas.Text(name)
	if !ok {
		t.Fatalf("no schema of %s", name)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, entry json.RawMessage) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(entry))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

func TestEveryValidVectorPasses(t *testing.T) {
	for name, list := range load(t) {
		schema := compile(t, name)
		for _, s := range list.Valid {
			if err := validate(t, schema, s.entry(name)); err != nil {
				t.Errorf("%s %s %s: %v", name, s.DType, s.Configuration, err)
			}
			if err := decoder(name, s, s.dataType(t)); err != nil {
				t.Errorf("%s %s %s: %v", name, s.DType, s.Configuration, err)
			}
		}
	}
}

// What the schema refuses, the codec refuses too, and of what is invalid one of
// them refuses each. What the vectors call invalid though the text is silent or
// contradicts itself, and we accept, both accept.
func TestEveryInvalidVectorFails(t *testing.T) {
	for name, list := range load(t) {
		schema := compile(t, name)
		refused := 0
		for _, s := range list.Invalid {
			bySchema := validate(t, schema, s.entry(name))
			byCodec := decoder(name, s, s.dataType(t))
			if bySchema != nil {
				refused++
			}
			if bySchema != nil && byCodec == nil {
				t.Errorf("%s %s %s: the codec takes it, the schema says %v", name, s.DType, s.Configuration, bySchema)
			}
			if byCodec == nil && (s.Text == "stated" || name != "packbits") {
				t.Errorf("%s %s %s passes", name, s.DType, s.Configuration)
			}
			if byCodec != nil && strings.Contains(byCodec.Error(), "\n") {
				t.Errorf("%q", byCodec)
			}
		}
		if refused == 0 {
			t.Errorf("the schema of %s refuses nothing", name)
		}
	}
}

func TestSchemaOfTiles(t *testing.T) {
	schema := compile(t, tifftile.Name)
	for config, ok := range map[string]bool{
		`{}`: true,
		// The examples of the text.
		`{"compression":5,"bits_per_sample":8,"samples_per_pixel":3,"photometric":2,"planar_config":1,"predictor":2,"tile_width":256,"tile_height":256,"sample_format":1}`:                                 true,
		`{"compression":7,"bits_per_sample":8,"samples_per_pixel":3,"photometric":6,"planar_config":1,"predictor":1,"tile_width":256,"tile_height":256,"sample_format":1,"jpeg_tables":"base64:/9j/2Q=="}`: true,
		// Our own members.
		`{"bits_per_sample":16,"byte_order":"big"}`:                                                true,
		`{"bits_per_sample":16,"packed_bits":12,"fill_order":2}`:                                   true,
		`{"compression":8,"level":9}`:                                                              true,
		`{"compression":7,"photometric":6,"samples_per_pixel":3,"quality":90,"subsampling":[2,1]}`: true,
		`{"jpeg_tables":null}`:                                                                     true,
		`{"jpeg_tables":"/9j/2R=="}`:                                                               false,
		`{"jpeg_tables":7}`:                                                                        false,
		`{"compression":"LZW"}`:                                                                    false,
		`{"compression":0}`:                                                                        false,
		`{"bits_per_sample":12}`:                                                                   false,
		`{"samples_per_pixel":0}`:                                                                  false,
		`{"planar_config":3}`:                                                                      false,
		`{"tile_width":null}`:                                                                      false,
		`{"tile_height":4294967296}`:                                                               false,
		`{"sample_format":7}`:                                                                      false,
		`{"byte_order":"II"}`:                                                                      false,
		`{"fill_order":0}`:                                                                         false,
		`{"packed_bits":0}`:                                                                        false,
		`{"level":23,"compression":50000}`:                                                         false,
		`{"compression":7,"quality":101}`:                                                          false,
		`{"compression":7,"subsampling":[2]}`:                                                      false,
		`{"tiles":1}`:                                                                              false,
	} {
		s := sample{Configuration: json.RawMessage(config)}
		bySchema := validate(t, schema, s.entry(tifftile.Name))
		byCodec := decoder(tifftile.Name, s, nil)
		if (bySchema == nil) != ok || (byCodec == nil) != ok {
			t.Errorf("%s: the schema says %v, the codec %v", config, bySchema, byCodec)
		}
	}
	if err := validate(t, schema, json.RawMessage(`"`+tifftile.Name+`"`)); err != nil {
		t.Error(err)
	}
}

func TestSchemasAreThere(t *testing.T) {
	for _, name := range []string{"pad", "offset", "packbits", tifftile.Name} {
		text, ok := schemas.Text(name)
		if !ok || !json.Valid(text) || !strings.Contains(string(text), "draft/2020-12") {
			t.Errorf("%s: %s", name, text)
		}
	}
	for _, name := range []string{"gzip", "", "..", "schemas.go"} {
		if _, ok := schemas.Text(name); ok {
			t.Errorf("%q has a schema out of nothing", name)
		}
	}
}

// The configurations on the page of the codec are right.
func TestThePageOfTiles(t *testing.T) {
	page, err := os.ReadFile("../docs/tiff-tile.md")
	if err != nil {
		t.Fatal(err)
	}
	schema := compile(t, tifftile.Name)
	blocks := strings.Split(string(page), "```json\n")[1:]
	for _, b := range blocks {
		entry, _, _ := strings.Cut(b, "```")
		if err := validate(t, schema, json.RawMessage(entry)); err != nil {
			t.Error(err)
		}
		var e struct{ Configuration json.RawMessage }
		if err := json.Unmarshal([]byte(entry), &e); err != nil {
			t.Fatal(err)
		}
		if err := decoder(tifftile.Name, sample{Configuration: e.Configuration}, nil); err != nil {
			t.Error(err)
		}
	}
	text, _ := schemas.Text(tifftile.Name)
	var doc struct {
		Defs struct {
			Configuration struct{ Properties map[string]any }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for name := range doc.Defs.Configuration.Properties {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("%s is not on the page", name)
		}
	}
	if len(blocks) < 2 || len(doc.Defs.Configuration.Properties) != 16 {
		t.Errorf("%d examples, %d members", len(blocks), len(doc.Defs.Configuration.Properties))
	}
}

// The library that checks schemas is there for tests alone.
func TestTheCommandHasNoSchemaEngine(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "github.com/omnizarr/zarr/cmd/omnizarr").Output()
	if err != nil {
		t.Skip(err)
	}
	if strings.Contains(string(out), "jsonschema") {
		t.Error("the command depends on a JSON Schema library")
	}
}

func ExampleText() {
	text, _ := schemas.Text("offset")
	var schema struct{ Title, Description string }
	if err := json.Unmarshal(text, &schema); err != nil {
		panic(err)
	}
	fmt.Println(schema.Title + ": " + schema.Description)
	// Output: offset codec: A fixed number of bytes before the data of a chunk.
}
