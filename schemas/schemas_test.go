package schemas_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/packbits"
	"github.com/omnizarr/zarr/codec/pad"
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
	config := s.Configuration
	if string(config) == "null" {
		config = nil
	}
	c, err := r.Parse(codec.Entry{Name: name, Config: config})
	if err != nil {
		return err
	}
	if k, ok := c.(codec.ArrayToBytes); ok {
		_, err = k.BindSerializer(codec.Spec{Type: typ, Shape: []int{3}, Fill: make([]byte, typ.Size())})
	}
	return err
}

func TestEveryValidVectorPasses(t *testing.T) {
	for name, list := range load(t) {
		for _, s := range list.Valid {
			typ := s.dataType(t)
			if found := schemas.Check(name, s.entry(name), typ); found != nil {
				t.Errorf("%s %s %s: %v", name, s.DType, s.Configuration, found)
			}
			if err := decoder(name, s, typ); err != nil {
				t.Errorf("%s %s %s: %v", name, s.DType, s.Configuration, err)
			}
		}
	}
}

// "Every invalid one fails it or a named semantic check", and the decoder says
// the same. What the vectors call invalid though the text is silent or contradicts
// itself, and we accept, both accept.
func TestEveryInvalidVectorFails(t *testing.T) {
	rules := map[string]int{}
	for name, list := range load(t) {
		for _, s := range list.Invalid {
			typ := s.dataType(t)
			found := schemas.Check(name, s.entry(name), typ)
			err := decoder(name, s, typ)
			if (found == nil) != (err == nil) {
				t.Errorf("%s %s %s: %v, the decoder says %v", name, s.DType, s.Configuration, found, err)
			}
			if found == nil && (s.Text == "stated" || name != "packbits") {
				t.Errorf("%s %s %s passes", name, s.DType, s.Configuration)
			}
			for _, f := range found {
				rules[f.Rule]++
				if f.Problem == "" || strings.Contains(f.Problem, "\n") {
					t.Errorf("%s: %q", f.Rule, f.Problem)
				}
			}
		}
	}
	for _, rule := range []string{"schema:pad", "schema:offset", "schema:packbits", "pad-length", "offset-length", "pad-integer", "offset-integer", "packbits-bits", "packbits-type"} {
		if rules[rule] == 0 {
			t.Errorf("no vector fails %s", rule)
		}
	}
}

func TestFindingsNameTheMember(t *testing.T) {
	for entry, want := range map[string]string{
		`{"name":"pad","configuration":{"location":"middle","nbytes":1}}`:             `schema:pad: configuration.location: is "middle", must be "start" or "end"`,
		`{"name":"pad","configuration":{"location":"end","nbytes":-1}}`:               `schema:pad: configuration.nbytes: is -1, must not be below 0`,
		`{"name":"pad","configuration":{"location":"end","nbytes":9007199254740992}}`: `schema:pad: configuration.nbytes: is 9007199254740992, must not be above 9007199254740991`,
		`{"name":"pad","configuration":{"location":"end","nbytes":1e400}}`:            `schema:pad: configuration.nbytes: is 1e400, must not be above 9007199254740991`,
		`{"name":"pad","configuration":{"location":"end","nbytes":"1"}}`:              `schema:pad: configuration.nbytes: is string, must be integer`,
		`{"name":"pad","configuration":{"location":"end"}}`:                           `schema:pad: configuration: lacks nbytes`,
		`{"name":"pad","configuration":{"location":"end","nbytes":1,"x":0}}`:          `schema:pad: configuration.x: unknown member`,
		`{"name":"pad"}`: `schema:pad: lacks configuration`,
		`"pad"`:          `schema:pad: is string, must be object`,
		`{"name":"pad","configuration":{"location":"end","nbytes":2,"padding":"AAEC"}}`: `pad-length: padding has 3 bytes, nbytes says 2`,
		`{"name":"pad","configuration":{"location":"end","nbytes":1e1}}`:                `pad-integer: nbytes is 1e1, must be spelled as an integer`,
		`{"name":"packbits","configuration":{"first_bit":1,"end_bit":2}}`:               `schema:packbits: configuration.first_bit: unknown member`,
		`{"name":"packbits","configuration":{"first_bit":9}}`:                           `packbits-bits: bit 9 is outside the 8 bits of uint8`,
		`{"name":"packbits","configuration":{"first_bit":3,"last_bit":2}}`:              `packbits-bits: the last bit, 2, is before the first, 3`,
		`{"name":"packbits","configuration":{"last_bit":99999999999999999999}}`:         `packbits-bits: a bit is no number that can be counted`,
		`"packbits"`: ``,
		`{"name":"packbits","configuration":{"padding_encoding":"end_byte","start_bit":1}}`: ``,
	} {
		name := "pad"
		if strings.Contains(entry, "packbits") {
			name = "packbits"
		}
		got := ""
		for _, f := range schemas.Check(name, json.RawMessage(entry), dtype.MustParse("uint8")) {
			got += f.Rule + ": " + f.Problem
		}
		// Which of two alternatives an error is about is not promised.
		if got != want && (want == "" || !strings.HasPrefix(got, want[:strings.Index(want, ": ")]) || !strings.Contains(entry, "end_bit")) {
			t.Errorf("%s:\ngot  %s\nwant %s", entry, got, want)
		}
	}
}

func TestKeywordsThatAreNotKnownAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"minLength":3}`:                     "minLength: this keyword is not supported",
		`{"properties":{"a":{"oneOf":[]}}}`:   "properties.a.oneOf: this keyword is not supported",
		`{"additionalProperties":{}}`:         "only false is supported",
		`{"anyOf":[{"$ref":"#/$defs/gone"}]}`: "leads nowhere",
		`{"pattern":"("}`:                     "pattern",
		`[]`:                                  "object",
	} {
		if _, err := schemas.ParseSchema([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func TestSchemasAreThere(t *testing.T) {
	for _, name := range []string{"pad", "offset", "packbits"} {
		text, ok := schemas.Text(name)
		if !ok || !json.Valid(text) || !strings.Contains(string(text), "draft/2020-12") {
			t.Errorf("%s: %s", name, text)
		}
	}
	if _, ok := schemas.Text("gzip"); ok || schemas.Check("gzip", nil, nil) != nil {
		t.Error("a schema out of nothing")
	}
}

func ExampleCheck() {
	entry := json.RawMessage(`{"name": "offset", "configuration": {"offset": 4, "prefix": "YWJj"}}`)
	fmt.Println(schemas.Check("offset", entry, nil))
	// Output: [{offset-length prefix has 3 bytes, offset says 4}]
}
