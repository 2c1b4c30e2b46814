package api_test

import (
	"encoding/json"
	"io"
	"maps"
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

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
				Content map[string]any
			}
		}
	}
	Components struct{ Schemas map[string]any }

	compiler *jsonschema.Compiler // of what is in the document, by JSON Pointers
}

func document(t testing.TB, c *client) *schemas {
	t.Helper()
	d := &schemas{compiler: jsonschema.NewCompiler()}
	c.get(d, "openapi.json")
	if !strings.HasPrefix(d.OpenAPI, "3.1.") {
		t.Fatal(d.OpenAPI)
	}
	all, err := jsonschema.UnmarshalJSON(c.ask("openapi.json").Body)
	if err == nil {
		err = d.compiler.AddResource("openapi.json", all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// check says how an answer differs from the schema to which names lead.
func (d *schemas) check(answer io.Reader, names ...string) error {
	at := "openapi.json#"
	for _, name := range names {
		at += "/" + strings.ReplaceAll(name, "/", "~1")
	}
	schema, err := d.compiler.Compile(at)
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(answer)
	if err != nil {
		return err
	}
	return schema.Validate(v)
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
		schema := []string{"components", "schemas", "Problem"}
		if _, ok := d.Paths["/api/"+name].Get.Responses[strconv.Itoa(w.Code)]; ok && w.Code == 204 {
			continue
		}
		if w.Code == 200 {
			asked[name] = true
			contentType, _, err := mime.ParseMediaType(w.Header().Get("Content-Type"))
			if _, ok := d.Paths["/api/"+name].Get.Responses["200"].Content[contentType]; err != nil || !ok {
				t.Errorf("%s: %s is not described", address, contentType)
			}
			for header := range w.Header() {
				if strings.HasPrefix(header, "X-") && header != "X-Content-Type-Options" && d.Paths["/api/"+name].Get.Responses["200"].Headers[header] == nil {
					t.Errorf("%s: header %s is not described", address, header)
				}
			}
			if contentType != "application/json" {
				continue
			}
			schema = []string{"paths", "/api/" + name, "get", "responses", "200", "content", contentType, "schema"}
		}
		if err := d.check(w.Body, schema...); err != nil {
			t.Errorf("%s: %d %v", address, w.Code, err)
		}
	}
	for _, name := range api.Routes() {
		if !asked[name] {
			t.Errorf("%s has never answered well", name)
		}
	}
}
