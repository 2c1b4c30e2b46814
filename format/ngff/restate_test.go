package ngff_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/meta"
)

// hierarchy is one of groups with the documents in testdata of a version, each with an
// attribute of its own.
func hierarchy(t *testing.T, version string) map[string]*meta.Group {
	t.Helper()
	groups := map[string]*meta.Group{}
	for at, file := range map[string]string{
		"/": "collection", "/0": "image", "/0/labels": "labels", "/0/labels/cells": "label", "/plate": "plate", "/plate/A/1": "well",
	} {
		raw, err := os.ReadFile("testdata/" + file + version)
		if err != nil {
			t.Fatal(err)
		}
		groups[at] = &meta.Group{Attributes: attributes(t, string(raw))}
		if err := groups[at].Attributes.Set("title", at); err != nil {
			t.Fatal(err)
		}
	}
	return groups
}

func TestMetadataIsSaidInTheVersionOfTheFormat(t *testing.T) {
	type way func(map[string]*meta.Group, string) (string, string, map[string][]string)
	for _, c := range []struct {
		file        string
		there, back way
		words       string
	}{{".04.json", ngff.Zarr3, ngff.Zarr2, "OME-NGFF 0.4 became 0.5"}, {".05.json", ngff.Zarr2, ngff.Zarr3, "OME-NGFF 0.5 became 0.4"}} {
		groups := hierarchy(t, c.file)
		if c.file == ".05.json" {
			delete(groups, "/") // its series are listed beside it in version 0.4
		}
		for at, g := range groups {
			was, before := decoded(t, g.Attributes), g.Attributes
			if done, kept, _ := c.back(groups, at); done != "" || kept != "" {
				t.Errorf("%s%s: %q %q, though it is said so already", at, c.file, done, kept)
			}
			done, kept, names := c.there(groups, at)
			if done != c.words || kept != "" {
				t.Errorf("%s%s: %q %q", at, c.file, done, kept)
			}
			if want := at == "/0" && c.file == ".04.json"; want && !reflect.DeepEqual(names["/0/1"], []string{"c", "y", "x"}) {
				t.Errorf("names of dimensions: %q", names)
			}
			if (g.Attributes.Raw("ome") != nil) == (before.Raw("ome") != nil) || g.Attributes.Raw("title") == nil {
				t.Errorf("%s%s: %s", at, c.file, g.Attributes.Append(nil))
			}
			if m, err := ngff.Read(g.Attributes); err != nil || (m.Version == ngff.Old) == (c.file == ".04.json") {
				t.Errorf("%s%s: %v", at, c.file, err)
			}
			c.back(groups, at)
			if at == "/0" && c.file == ".05.json" {
				// A member that is not known stays the attribute that it became.
				of := was.(map[string]any)
				ome := of["ome"].(map[string]any)
				of["_creator"] = ome["_creator"]
				delete(ome, "_creator")
			}
			if got := decoded(t, g.Attributes); !reflect.DeepEqual(got, was) {
				t.Errorf("%s%s is\n%v, was\n%v", at, c.file, got, was)
			}
		}
	}
}

func TestTheListOfSeriesIsRestated(t *testing.T) {
	groups := map[string]*meta.Group{"/OME": {Attributes: attributes(t, `{"series": ["0", "1"]}`)}}
	ngff.Zarr3(groups, "/OME")
	if got := string(groups["/OME"].Attributes.Append(nil)); got != `{"ome":{"version":"0.5","series":["0","1"]}}` {
		t.Error(got)
	}
}

// Names of version 0.4 are words that others use too, and documents may be wrong.
func TestOtherAttributesStay(t *testing.T) {
	image := `"multiscales": [{"version": "0.4", "axes": [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}],
		"datasets": [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 1]}]}]}]`
	three, two := ngff.Zarr3, ngff.Zarr2
	for _, c := range []struct {
		attrs string
		to    func(map[string]*meta.Group, string) (string, string, map[string][]string)
		kept  string
	}{
		{`{"labels": ["a", "b"]}`, three, ""},
		{`{"plate": "P1", "well": "A1", "series": ["0"], "omero": {}}`, three, ""},
		{`{"plate": {"name": "P1"}, "well": {"row": 1}, "image-label": "x"}`, three, ""},
		{`{"multiscales": null}`, three, ""},
		{`{"ome": {"version": "0.5"}, ` + image + `}`, three, ""},
		{`{"multiscales": [{"datasets": []}]}`, three, "stays as it is, not as version 0.5: multiscales[0]"},
		{`{"ome": "x"}`, two, ""},
		{`{"ome": {"about": 1}}`, two, ""},
		{`{"ome": {"version": "0.5"}}`, two, ""},
		{`{"ome": {"version": "0.9"}}`, two, `stays as it is, not as version 0.4: ome.version: "0.9" is not 0.5`},
		{`{"ome": {"version": "0.5", "labels": ["a"]}, "labels": {"a": 1}}`, two, "there is an attribute labels already"},
		{`{"ome": {"version": "0.5", "labels": ["a"], "title": 1}, "title": 2}`, two, "there is an attribute title already"},
	} {
		groups := map[string]*meta.Group{"/": {Attributes: attributes(t, c.attrs)}}
		was := decoded(t, groups["/"].Attributes)
		done, kept, _ := c.to(groups, "/")
		if done != "" || !strings.Contains(kept, c.kept) || (kept == "") != (c.kept == "") {
			t.Errorf("%s: %q %q", c.attrs, done, kept)
		}
		if got := decoded(t, groups["/"].Attributes); !reflect.DeepEqual(got, was) {
			t.Errorf("%s became %v", c.attrs, got)
		}
	}
	groups := map[string]*meta.Group{"/": {}}
	if done, kept, _ := ngff.Zarr3(groups, "/"); done+kept != "" || groups["/"].Attributes != nil {
		t.Error(done, kept)
	}
	groups["/"].Attributes = attributes(t, `{"ome": {"labels": ["a"]}}`) // by ome-zarr-py
	ngff.Zarr2(groups, "/")
	if got := string(groups["/"].Attributes.Append(nil)); got != `{"labels":["a"]}` {
		t.Error(got)
	}
	// Members of version 0.5 that are not known become attributes.
	groups["/"].Attributes = attributes(t, `{"ome": {"version": "0.5", "labels": ["a"], "_creator": {"name": "x"}}}`)
	ngff.Zarr2(groups, "/")
	if got := string(groups["/"].Attributes.Append(nil)); got != `{"labels":["a"],"_creator":{"name": "x"}}` {
		t.Error(got)
	}
}
