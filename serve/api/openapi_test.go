package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/serve/api"
)

// schemas is a document of OpenAPI, as far as answers are checked by it.
type schemas struct {
	OpenAPI string `json:"openapi"`
	Paths   map[string]struct {
		Get struct {
			Parameters []struct{ Name string }
			Responses  map[string]struct {
				Headers map[string]any
				Content map[string]struct{ Schema any }
			}
		}
	}
	Components struct{ Schemas map[string]any }
}

func document(t testing.TB, c *client) *schemas {
	t.Helper()
	d := &schemas{}
	c.get(d, "openapi.json")
	if !strings.HasPrefix(d.OpenAPI, "3.1.") {
		t.Fatal(d.OpenAPI)
	}
	return d
}

// check says where a value is not as a schema has it. Of JSON Schema it knows what the
// document uses, and refuses anything else.
func (d *schemas) check(at string, schema, v any) (wrong []string) {
	s, ok := schema.(map[string]any)
	if !ok {
		return []string{at + ": no schema"}
	}
	fail := func(format string, args ...any) { wrong = append(wrong, at+": "+fmt.Sprintf(format, args...)) }
	for word, want := range s {
		switch word {
		case "description", "default", "properties", "items", "minimum", "maximum", "additionalProperties":
		case "$ref":
			name := strings.TrimPrefix(want.(string), "#/components/schemas/")
			wrong = append(wrong, d.check(at, d.Components.Schemas[name], v)...)
		case "anyOf":
			var all []string
			fits := false
			for _, one := range want.([]any) {
				bad := d.check(at, one, v)
				fits = fits || len(bad) == 0
				all = append(all, bad...)
			}
			if !fits {
				fail("is none of several: %s", strings.Join(all, "; "))
			}
		case "enum":
			if !slices.Contains(want.([]any), v) {
				fail("%v is none of %v", v, want)
			}
		case "type":
			types, ok := want.([]any)
			if !ok {
				types = []any{want}
			}
			if !slices.ContainsFunc(types, func(t any) bool { return isType(v, t.(string)) }) {
				fail("%v (%T) is no %v", v, v, want)
			}
		case "required":
			for _, name := range want.([]any) {
				if m, ok := v.(map[string]any); ok && m[name.(string)] == nil && !has(m, name.(string)) {
					fail("%s is missing", name)
				}
			}
		case "minItems", "maxItems":
			if list, ok := v.([]any); ok && (word == "minItems" && len(list) < int(want.(float64)) || word == "maxItems" && len(list) > int(want.(float64))) {
				fail("has %d elements", len(list))
			}
		default:
			fail("the schema says %s", word)
		}
	}
	properties, _ := s["properties"].(map[string]any)
	if m, ok := v.(map[string]any); ok && s["type"] == "object" {
		for name, value := range m {
			switch more := s["additionalProperties"].(type) {
			case map[string]any:
				wrong = append(wrong, d.check(at+"."+name, more, value)...)
				continue
			case bool:
				if properties[name] == nil {
					fail("%s is not described", name)
				}
			}
			if properties[name] != nil {
				wrong = append(wrong, d.check(at+"."+name, properties[name], value)...)
			}
		}
	}
	if list, ok := v.([]any); ok && s["items"] != nil {
		for i, elem := range list {
			wrong = append(wrong, d.check(fmt.Sprint(at, "[", i, "]"), s["items"], elem)...)
		}
	}
	return wrong
}

func has(m map[string]any, name string) bool { _, ok := m[name]; return ok }

func isType(v any, name string) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case json.Number:
		_, err := v.Int64()
		return name == "number" || name == "integer" && (err == nil || !strings.ContainsAny(v.String(), ".e"))
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	}
	return false
}

// Every address that is answered is described, and nothing else.
func TestEveryRouteIsDescribed(t *testing.T) {
	d := document(t, samples(t))
	var described []string
	for _, at := range slices.Sorted(maps.Keys(d.Paths)) {
		described = append(described, strings.TrimPrefix(at, "/api/"))
	}
	if routes := slices.Sorted(slices.Values(api.Routes())); !slices.Equal(described, routes) {
		t.Errorf("described are %v\nanswered are  %v", described, routes)
	}
	var all any
	if err := json.Unmarshal(samples(t).ask("openapi.json").Body.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	var refs func(v any)
	refs = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				name := strings.TrimPrefix(ref, "#/components/schemas/")
				if d.Components.Schemas[name] == nil && ref != "#/components/responses/Problem" {
					t.Errorf("%s leads nowhere", ref)
				}
			}
			for _, below := range v {
				refs(below)
			}
		case []any:
			for _, below := range v {
				refs(below)
			}
		}
	}
	refs(all)
}

// Real answers are as the document says, and so are errors.
func TestAnswersAreAsDescribed(t *testing.T) {
	c := samples(t)
	d := document(t, c)
	asked := map[string]bool{}
	nodes := []string{"/", "/sub", "/plain.zarr", "/plain.zarr/a", "/plain.zarr/deep/b", "/sub/old.zarr/a", "/sub/cells.n5", "/sub/cells.n5/s0", "/image.tif", "/image.tif/0", "/packed.zip/a",
		"/" + session, "/" + session + "/units", "/" + session + "/units/electrodes", "/" + session + "/acquisition/ElectricalSeries", "/" + session + "/acquisition/ElectricalSeries/data", "/" + session + "/intervals/trials", "/" + session + "/general/extracellular_ephys/shank0/device"}
	var addresses []string
	for _, at := range nodes {
		for _, name := range api.Routes() {
			addresses = append(addresses, name+"?source=data&path="+url.QueryEscape(at))
		}
		addresses = append(addresses, "chunks?x=0&source=data&path="+url.QueryEscape(at), "chunks?chunk=0,0&source=data&path="+url.QueryEscape(at))
	}
	addresses = append(addresses, "search?q=a", "search?q=e&limit=2", "node?source=none", "node", "children?source=data&offset=-1", "slice?source=data&path=/plain.zarr/a&slice=0:2", "slice?source=data&path=/plain.zarr/a&as=npy",
		"slice?source=data&path=/plain.zarr/a&as=csv", "position?source=data&path=/plain.zarr/a&select=y=@2", "tile?source=data&path=/image.tif&x=0,16&y=0,16", "tile?source=data&path=/image.tif&x=0,16&y=0,16&as=png")
	for _, address := range addresses {
		name, query, _ := strings.Cut(address, "?")
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		var params []string
		for k := range values {
			params = append(params, k, values.Get(k))
			if known := d.Paths["/api/"+name].Get.Parameters; !slices.ContainsFunc(known, func(p struct{ Name string }) bool { return p.Name == k }) && k != "source" && k != "path" {
				t.Errorf("%s: parameter %s is not described", name, k)
			}
		}
		w := c.ask(name, params...)
		schema := d.Components.Schemas["Problem"]
		if _, ok := d.Paths["/api/"+name].Get.Responses[strconv.Itoa(w.Code)]; ok && w.Code == 204 {
			continue
		}
		if w.Code == 200 {
			asked[name] = true
			contentType, _, err := mime.ParseMediaType(w.Header().Get("Content-Type"))
			answer, ok := d.Paths["/api/"+name].Get.Responses["200"].Content[contentType]
			if err != nil || !ok {
				t.Errorf("%s: %s is not described", address, contentType)
			}
			for header := range w.Header() {
				if strings.HasPrefix(header, "X-") && header != "X-Content-Type-Options" && d.Paths["/api/"+name].Get.Responses["200"].Headers[header] == nil {
					t.Errorf("%s: header %s is not described", address, header)
				}
			}
			if schema = answer.Schema; contentType != "application/json" {
				continue
			}
		}
		dec := json.NewDecoder(bytes.NewReader(w.Body.Bytes()))
		dec.UseNumber()
		var v any
		if err := dec.Decode(&v); err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		for _, wrong := range d.check(name, schema, v) {
			t.Errorf("%s: %d %s", address, w.Code, wrong)
		}
	}
	for _, name := range api.Routes() {
		if !asked[name] {
			t.Errorf("%s has never answered well", name)
		}
	}
}
