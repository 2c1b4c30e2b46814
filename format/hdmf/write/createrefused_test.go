package write_test

import (
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func TestCreateRefuses(t *testing.T) {
	data := func(d *write.Dataset) *write.Group { return &write.Group{Datasets: map[string]*write.Dataset{"x": d}} }
	attr := func(v any) *write.Group {
		return &write.Group{Object: write.Object{Attributes: map[string]any{"v": v}}}
	}
	two := write.Numbers([]int8{1, 2})
	dst := memory(t, "custom_v3") // stays as it is
	before := len(keys(t, dst, ""))
	for name, c := range map[string]struct {
		root *write.Group
		want string
	}{
		"no root":            {nil, "without a root"},
		"nil group":          {&write.Group{Groups: map[string]*write.Group{"g": {Groups: map[string]*write.Group{"h": nil}}}}, "/g/h: there is nil"},
		"nil dataset":        {data(nil), "/x: there is nil"},
		"no codecs":          {data(&write.Dataset{Data: two, Codecs: json.RawMessage("nonsense")}), "codecs"},
		"codecs of no kind":  {data(&write.Dataset{Data: two, Codecs: json.RawMessage(`[5]`)}), "codecs"},
		"a serializer":       {data(&write.Dataset{Data: two, Codecs: json.RawMessage(`["bytes"]`)}), "bytes"},
		"more chunk axes":    {data(&write.Dataset{Data: two, Chunks: []int{1, 2}}), "[1 2]"},
		"chunks of a scalar": {data(&write.Dataset{Data: write.Scalar(1), Chunks: []int{1}}), "[1]"},
		"no chunk":           {data(&write.Dataset{Data: two, Chunks: []int{0}}), "[0]"},
		"a negative chunk":   {data(&write.Dataset{Data: two, Chunks: []int{-1}}), "[-1]"},
		"text":               {attr("\xff"), "UTF-8"},
		"texts":              {attr([]string{"a", "\xff"}), "UTF-8"},
		"text in a map":      {attr(map[string]any{"a": "\xff"}), "UTF-8"},
		"a key":              {attr(map[string]int{"\xff": 1}), "UTF-8"},
		"text in a struct":   {attr(struct{ A []string }{[]string{"\xff"}}), "UTF-8"},
		"keys":               {attr(map[float64]int{1: 2}), "keys of type float64"},
		"empty deep":         {attr(map[string]any{"x": []any{1, hdmf.Reference{}}}), "v.x[1]: is a reference without a path"},
		"text in one":        {attr([]any{1, to1("/\xff")}), "UTF-8"},
		"a struct with one":  {attr(struct{ R hdmf.Reference }{to1("/")}), "inside of a struct"},
		"empty reference":    {attr(hdmf.Reference{}), "without a path"},
		"empty in list":      {attr([]hdmf.Reference{to1("/"), {}}), "without a path"},
		"empty in any":       {attr([]any{hdmf.Reference{}}), "without a path"},
		"empty link":         {&write.Group{Links: map[string]hdmf.Reference{"l": {}}}, "without a path"},
		"empty element":      {data(&write.Dataset{Data: write.References([]hdmf.Reference{to1("/"), {}})}), "element 1"},
		"empty scalar":       {data(&write.Dataset{Data: write.Scalar(hdmf.Reference{})}), "without a path"},
		"bytes in a struct":  {attr(struct{ A []byte }{[]byte{1}}), "base64"},
		"absolute":           {attr(hdmf.Reference{Source: "/data/other.nwb.zarr", Path: "/"}), "is absolute: it must be relative"},
		"absolute in a list": {attr([]hdmf.Reference{to1("/"), {Source: "file:///data/other.nwb.zarr", Path: "/"}}), "is absolute"},
		"a drive":            {data(&write.Dataset{Data: write.References([]hdmf.Reference{{Source: `C:\data\other.nwb.zarr`, Path: "/"}})}), "element 0 source"},
		"a share":            {&write.Group{Links: map[string]hdmf.Reference{"l": {Source: `\\server\other.nwb.zarr`, Path: "/"}}}, "is absolute"},
		"a negative start":   {attr(hdmf.Reference{Path: "/x", Region: &hdmf.Region{Axes: []hdmf.RegionAxis{{Start: -1, Stop: 2}}}}), "axis 0 from -1 to 2"},
		"a negative step":    {attr(hdmf.Reference{Path: "/x", Region: &hdmf.Region{Axes: []hdmf.RegionAxis{{Start: 0, Stop: 2, Step: -1}}}}), "axis 0"},
		"a stop before":      {attr(hdmf.Reference{Path: "/x", Region: &hdmf.Region{Axes: []hdmf.RegionAxis{{}, {Start: 3, Stop: 2}}}}), "axis 1 from 3 to 2"},
		"a negative index":   {data(&write.Dataset{Data: write.References([]hdmf.Reference{{Path: "/x", Region: &hdmf.Region{Axes: []hdmf.RegionAxis{{Indices: []int{0, -2}}}}}})}), "negative positions"},
		"a negative point":   {data(&write.Dataset{Data: write.Scalar(hdmf.Reference{Path: "/x", Region: &hdmf.Region{Points: [][]int{{0}, {-1}}}})}), "point 1 is [-1]"},
		"ragged points":      {data(&write.Dataset{Data: write.Scalar(hdmf.Reference{Path: "/x", Region: &hdmf.Region{Points: [][]int{{0}, {1, 2}}}})}), "point 1 is [1 2]"},
		"a link to a region": {&write.Group{Links: map[string]hdmf.Reference{"l": {Path: "/x", Region: part}}}, "a link is to an object"},
	} {
		for _, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
			err := write.Create(ctx, "test://", c.root, to(dst, write.Options{Layout: layout, Overwrite: true}))
			if err == nil || !strings.Contains(err.Error(), c.want) || len(keys(t, dst, "")) != before {
				t.Errorf("%s in %v: got %v, want %s and %d values as before, there are %d", name, layout, err, c.want, before, len(keys(t, dst, "")))
			}
		}
	}
	err := write.Create(ctx, "test://", &write.Group{}, to(mem.New(), write.Options{Layout: 9}))
	if err == nil || !strings.Contains(err.Error(), "layout 9") {
		t.Errorf("got %v", err)
	}
	// Schemas are written in YAML and cached as JSON.
	for _, text := range []string{"namespaces:\n- name: t\n", "", "[]", `"text"`, `{"namespaces":[`} {
		dst := mem.New()
		err := write.Create(ctx, "test://", &write.Group{}, to(dst, write.Options{Schemas: []hdmf.SchemaText{{Namespace: "t", Version: "1.0.0", Source: "namespace", Text: text}}}))
		if err == nil || !strings.Contains(err.Error(), "cached schema t namespace: is no JSON object") || len(keys(t, dst, "")) != 0 {
			t.Errorf("schema %q: got %v", text, err)
		}
	}
	// A list of no codecs is one: nothing compresses then.
	check(t, write.Create(ctx, "test://", data(&write.Dataset{Data: two, Codecs: json.RawMessage(`[]`)}), to(mem.New(), write.Options{})))
}

func TestAttributesOfGoValues(t *testing.T) {
	for _, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
		s := mem.New()
		check(t, write.Create(ctx, "test://", &write.Group{Object: write.Object{Attributes: map[string]any{
			"floats": map[string]float64{"a": 1, "b": 0.5}, "numbers": map[int]float32{2: 3}, "refs": []any{to1("/x"), to1("/")}, "none": []any{}, "nil": map[string]any(nil),
		}}}, to(s, write.Options{Layout: layout})))
		root := in(t, s).Root()
		for name, want := range map[string]string{"floats": `{"a":1.0,"b":0.5}`, "numbers": `{"2":3.0}`, "none": "[]", "nil": "null"} {
			a, _ := root.Attribute(name)
			if got := strings.Join(strings.Fields(string(a.Raw)), ""); got != want {
				t.Errorf("%s in %v: %s, want %s", name, layout, got, want)
			}
		}
		if a, _ := root.Attribute("refs"); len(a.References) != 2 || a.References[0].Path != "/x" || !a.List {
			t.Errorf("%v: %+v", layout, a)
		}
	}
}

func TestCreateLeavesTheTreeAlone(t *testing.T) {
	root := &write.Group{Object: typed("Root"), Groups: map[string]*write.Group{"g": {Object: typed("G")}}, Datasets: map[string]*write.Dataset{"d": {Object: typed("D"), Data: write.Scalar(1)}}}
	ids := map[string]bool{}
	for range 2 {
		s := mem.New()
		check(t, write.Create(ctx, "test://", root, to(s, write.Options{})))
		ids[in(t, s).ID()] = true
		text, _, err := s.Get(ctx, "d/zarr.json", store.All(), nil)
		check(t, err)
		if !strings.Contains(string(text), `"object_id"`) {
			t.Errorf("no id: %s", text)
		}
	}
	if got := fmt.Sprint(root.ID, root.Groups["g"].ID, root.Datasets["d"].ID); got != "" || len(ids) != 2 {
		t.Errorf("ids in the tree: %s; of the files: %v", got, ids)
	}
}

type octets []uint8

// bytesOf are bytes as programs have them.
var bytesOf = map[string]any{
	"bytes": []byte{1, 2, 3}, "uint8": []uint8{1, 2, 3}, "named": octets{1, 2, 3}, "array": [3]byte{1, 2, 3}, "none": []byte{}, "nested": [][]byte{{1, 2}, {3}},
	"any": []any{[]byte{1, 2, 3}, "text"}, "map": map[string]any{"a": []uint8{1}, "b": map[string][]byte{"c": {2}}}, "pointer": &[]byte{1, 2, 3}, "text": "AQID", "one": uint8(7),
	"json": json.RawMessage(`[1,2]`), "address": net.IPv4(127, 0, 0, 1),
}

const bytesAre = `{"address":"127.0.0.1","any":[[1,2,3],"text"],"array":[1,2,3],"bytes":[1,2,3],"json":[1,2],"map":{"a":[1],"b":{"c":[2]}},"named":[1,2,3],"nested":[[1,2],[3]],"none":[],"one":7,"pointer":[1,2,3],"text":"AQID","uint8":[1,2,3]}`

// Bytes are numbers, and text is text: what goes into attributes comes out of them,
// however it gets there.
func TestBytesInAttributesAreNumbers(t *testing.T) {
	for _, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
		s := mem.New()
		object := write.Object{Attributes: bytesOf}
		check(t, write.Create(ctx, "test://", &write.Group{Object: object, Datasets: map[string]*write.Dataset{"d": {Object: object, Data: write.Scalar(1)}}}, to(s, write.Options{Layout: layout})))
		e, err := write.Edit(ctx, "test://", to(s, write.Options{}))
		check(t, err)
		check(t, e.AddGroup(ctx, "/g", &write.Group{Object: object}))
		check(t, e.AddDataset(ctx, "/e", &write.Dataset{Object: object, Data: write.Scalar(1)}))
		check(t, e.AddGroup(ctx, "/set", &write.Group{}))
		for name, v := range bytesOf {
			check(t, e.SetAttribute(ctx, "/set", name, v))
		}
		check(t, e.Commit(ctx))
		check(t, e.Close())
		f := in(t, s)
		for _, at := range []string{"/", "/d", "/g", "/e", "/set"} {
			o, err := f.Object(ctx, at)
			check(t, err)
			all := map[string]json.RawMessage{}
			for _, a := range o.Attributes() {
				all[a.Name] = a.Raw
			}
			got, err := json.Marshal(all)
			check(t, err)
			if string(got) != bytesAre {
				t.Errorf("%s in %v:\n%s, want\n%s", at, layout, got, bytesAre)
			}
		}
	}
}
