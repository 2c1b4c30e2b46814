package write_test

import (
	"encoding/json"
	"fmt"
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
	} {
		for _, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
			dst := memory(t, "custom_v3")
			before := len(keys(t, dst, ""))
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
