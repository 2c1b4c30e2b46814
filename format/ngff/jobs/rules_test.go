package jobs_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff/jobs"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

// attributes reads them from JSON.
func attributes(t testing.TB, text string) *meta.Attributes {
	t.Helper()
	a, err := meta.ParseAttributes([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// hierarchy makes groups and arrays of their attributes and specs, by path.
func hierarchy(t testing.TB, as string, groups map[string]string, arrays map[string]zarr.ArraySpec) store.Store {
	t.Helper()
	s := mem.New()
	root, err := zarr.CreateGroupIn(ctx, s, "", zarr.As(as))
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range groups {
		g := root
		if path != "" {
			if g, err = root.RequireGroup(ctx, path); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.SetAttributes(ctx, attributes(t, text)); err != nil {
			t.Fatal(err)
		}
	}
	for path, spec := range arrays {
		if _, err := root.CreateArray(ctx, path, spec); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func validate(t testing.TB, s store.Store) check.Validation {
	t.Helper()
	v, err := check.Validate(ctx, s, "", check.ValidateOptions{Rules: []check.Rules{(&jobs.Kind{}).Rules()}})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

const goodImage = `{"ome": {"version": "0.5", "multiscales": [{"name": "cells", "axes": [{"name": "c", "type": "channel"},
	{"name": "y", "type": "space", "unit": "micrometer"}, {"name": "x", "type": "space", "unit": "micrometer"}],
	"datasets": [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 0.5, 0.5]}]},
		{"path": "1", "coordinateTransformations": [{"type": "scale", "scale": [1, 1, 1]}, {"type": "translation", "translation": [0, 0.25, 0.25]}]}]}], "omero": {"channels": [{"label": "a", "color": "FF0000", "window": {"start": 0, "end": 9, "min": 0, "max": 255}},
		{"label": "b", "color": "00FF00", "window": {"start": 0, "end": 9, "min": 0, "max": 255}}]}}}`

func goodArrays() map[string]zarr.ArraySpec {
	names := []string{"c", "y", "x"}
	return map[string]zarr.ArraySpec{
		"0": {Shape: []int{2, 8, 8}, DataType: "uint16", Chunks: []int{1, 8, 8}, DimensionNames: names},
		"1": {Shape: []int{2, 4, 4}, DataType: "uint16", Chunks: []int{1, 4, 4}, DimensionNames: names},
	}
}

// old is metadata of version 0.5 as that of 0.4.
func old(t testing.TB, text string) string {
	t.Helper()
	var doc struct {
		OME map[string]json.RawMessage `json:"ome"`
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	delete(doc.OME, "version")
	out, err := json.Marshal(doc.OME)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestGoodImagesHaveNoProblems(t *testing.T) {
	for _, c := range []struct{ as, text string }{{"zarr3", goodImage}, {"zarr2", old(t, goodImage)}} {
		if v := validate(t, hierarchy(t, c.as, map[string]string{"": c.text}, goodArrays())); !v.OK || len(v.Warnings) > 0 {
			t.Errorf("%s: %+v", c.as, v)
		}
	}
}

// Every mistake is found, and is the only one.
func TestMistakesInImages(t *testing.T) {
	swap := func(old, new string) string {
		if !strings.Contains(goodImage, old) {
			t.Fatal(old)
		}
		return strings.Replace(goodImage, old, new, 1)
	}
	arrays := func(change func(map[string]zarr.ArraySpec)) map[string]zarr.ArraySpec {
		a := goodArrays()
		change(a)
		return a
	}
	edit := func(name string, f func(*zarr.ArraySpec)) map[string]zarr.ArraySpec {
		return arrays(func(m map[string]zarr.ArraySpec) { s := m[name]; f(&s); m[name] = s })
	}
	for _, c := range []struct {
		name, text string
		arrays     map[string]zarr.ArraySpec
		want       string
	}{
		{"a level is missing", goodImage, arrays(func(m map[string]zarr.ArraySpec) { delete(m, "1") }), `datasets[1].path: there is no array "1"`},
		{"a scale is short", swap("[1, 0.5, 0.5]", "[1, 0.5]"), nil, "2 numbers for 3 axes"},
		{"a translation is long", swap("[0, 0.25, 0.25]", "[0, 0.25, 0.25, 1]"), nil, "4 numbers for 3 axes"},
		{"a scale is text", swap("[1, 0.5, 0.5]", `[1, 0.5, "0.5"]`), nil, "must be a number"},
		{"the scale is missing", swap(`{"type": "scale", "scale": [1, 0.5, 0.5]}`, ""), nil, "there is no scale"},
		{"axes are out of order", strings.NewReplacer(`{"name": "c", "type": "channel"},`, ``, `"unit": "micrometer"}],`, `"unit": "micrometer"}, {"name": "c", "type": "channel"}],`).Replace(goodImage), nil, "time must come first, space last"},
		{"an axis is there twice", swap(`"name": "y"`, `"name": "x"`), nil, `"x" is that of axis 1 too`},
		{"an axis has no name", swap(`"name": "y", `, ""), nil, "it is empty"},
		{"there is no space", swap(`"name": "y", "type": "space"`, `"name": "y", "type": "channel"`), nil, "neither space nor time"},
		{"too few dimensions", goodImage, edit("1", func(s *zarr.ArraySpec) {
			s.Shape, s.Chunks, s.DimensionNames = []int{4, 4}, []int{4, 4}, []string{"y", "x"}
		}), "1 has 2 dimensions, there are 3 axes"},
		{"levels of one size", goodImage, edit("1", func(s *zarr.ArraySpec) { s.Shape = []int{2, 8, 8} }), "not smaller than [2 8 8]"},
		{"a level is longer", goodImage, edit("1", func(s *zarr.ArraySpec) { s.Shape = []int{2, 4, 9} }), "not smaller than [2 8 8]"},
		{"data types differ", goodImage, edit("1", func(s *zarr.ArraySpec) { s.DataType = "uint8" }), "its data type is uint8, that of 0 is uint16"},
		{"a path is there twice", swap(`"path": "1"`, `"path": "0"`), nil, `"0" is that of level 0 too`},
		{"a path leaves the group", swap(`"path": "1"`, `"path": "../1"`), nil, "does not stay below the group"},
		{"a finer level comes later", swap("[1, 1, 1]", "[1, 0.25, 0.25]"), nil, "is finer than [1 0.5 0.5]"},
		{"names of dimensions disagree", goodImage, edit("1", func(s *zarr.ArraySpec) { s.DimensionNames = []string{"z", "y", "x"} }), "are called z, y, x, the axes c, y, x"},
		{"too few channels", swap(`, "omero": {"channels": [`, `, "omero": {"channels": [], "_": [`), nil, "0 are described, the image has 2"},
		{"a colour is no colour", swap("00FF00", "green"), nil, "no colour of six hexadecimal digits"},
		{"a window is not whole", swap(`"end": 9, `, ""), nil, "there is no end"},
		{"a window is missing", swap(`, "window": {"start": 0, "end": 9, "min": 0, "max": 255}`, ""), nil, "there is no window"},
		{"a version from the future", swap(`"0.5"`, `"7.0"`), nil, `"7.0" is not 0.5`},
		{"no version", swap(`"version": "0.5", `, ""), nil, "version"},
		{"no levels", swap(`"datasets": [`, `"datasets": [], "_": [`), nil, "datasets: there is none"},
		{"no images", `{"ome": {"version": "0.5", "multiscales": []}}`, nil, "there is no image"},
		{"0.4 in Zarr v3", old(t, goodImage), nil, "for Zarr v2"},
	} {
		if c.arrays == nil {
			c.arrays = goodArrays()
		}
		v := validate(t, hierarchy(t, "zarr3", map[string]string{"": c.text}, c.arrays))
		if len(v.Problems) != 1 || v.Problems[0].Rule != "ome-ngff" || !strings.Contains(v.Problems[0].Problem, c.want) {
			t.Errorf("%s: %+v", c.name, v.Problems)
		}
	}
	if v := validate(t, hierarchy(t, "zarr2", map[string]string{"": goodImage}, goodArrays())); len(v.Problems) != 1 || !strings.Contains(v.Problems[0].Problem, "for Zarr v3") {
		t.Errorf("0.5 in Zarr v2: %+v", v.Problems)
	}
	if v := validate(t, hierarchy(t, "zarr2", map[string]string{"": `{"multiscales": {"datasets": []}}`}, nil)); len(v.Problems) != 1 {
		t.Errorf("one image that is no list: %+v", v.Problems)
	}
}

// single is an image with one level.
func single(label string) string {
	return `{"ome": {"version": "0.5", "multiscales": [{"axes": [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}],
		"datasets": [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 1]}]}]}]` + label + `}}`
}

func plane(dataType string) zarr.ArraySpec {
	return zarr.ArraySpec{Shape: []int{4, 4}, DataType: dataType, Chunks: []int{4, 4}, DimensionNames: []string{"y", "x"}}
}

// What names other groups names some that are there.
func TestPathsLeadSomewhere(t *testing.T) {
	const well = `{"ome": {"version": "0.5", "well": {"images": [{"path": "0", "acquisition": 1}]}}}`
	const plate = `{"ome": {"version": "0.5", "plate": {"rows": [{"name": "A"}], "columns": [{"name": "1"}, {"name": "2"}], "acquisitions": [{"id": 1}],
		"wells": [{"path": "A/1", "rowIndex": 0, "columnIndex": 0}]}}}`
	for _, c := range []struct {
		name   string
		groups map[string]string
		arrays map[string]zarr.ArraySpec
		want   string
	}{
		{"labels", map[string]string{"": single(""), "labels": `{"ome": {"version": "0.5", "labels": ["cells"]}}`, "labels/cells": single(`, "image-label": {"source": {"image": "../../"}}`)},
			map[string]zarr.ArraySpec{"0": plane("float32"), "labels/cells/0": plane("uint32")}, ""},
		{"labels at nothing", map[string]string{"": single(""), "labels": `{"ome": {"version": "0.5", "labels": ["cells"]}}`},
			map[string]zarr.ArraySpec{"0": plane("float32")}, `there is nothing at "cells"`},
		{"labels at something else", map[string]string{"": single(""), "labels": `{"ome": {"version": "0.5", "labels": ["cells"]}}`, "labels/cells": `{}`},
			map[string]zarr.ArraySpec{"0": plane("float32")}, `is not an image`},
		{"labels of nothing", map[string]string{"": `{}`, "labels": `{}`, "labels/cells": single(`, "image-label": {"source": {"image": "../../"}}`)},
			map[string]zarr.ArraySpec{"labels/cells/0": plane("uint32")}, "there is no image at /"},
		{"labels that are floats", map[string]string{"": single(`, "image-label": {}`)}, map[string]zarr.ArraySpec{"0": plane("float32")}, "labels are integers"},
		{"an identity", map[string]string{"": strings.Replace(single(""), `"datasets"`, `"coordinateTransformations": [{"type": "identity"}], "datasets"`, 1)},
			map[string]zarr.ArraySpec{"0": plane("uint8")}, `"identity" is neither scale nor translation`},
		{"label colours twice", map[string]string{"": single(`, "image-label": {"colors": [{"label-value": 1}, {"label-value": 1}]}`)}, map[string]zarr.ArraySpec{"0": plane("uint8")}, "that of another too"},
		{"a plate", map[string]string{"": plate, "A/1": well, "A/1/0": single("")}, map[string]zarr.ArraySpec{"A/1/0/0": plane("uint8")}, ""},
		{"a plate without its well", map[string]string{"": plate}, nil, `wells[0].path: there is nothing at "A/1"`},
		{"a plate whose well is none", map[string]string{"": plate, "A/1": `{}`}, nil, "is not a well"},
		{"a well without its image", map[string]string{"": plate, "A/1": well}, nil, `well.images[0].path: there is nothing at "0"`},
		{"an acquisition that is none", map[string]string{"": plate, "A/1": strings.Replace(well, `"acquisition": 1`, `"acquisition": 2`, 1), "A/1/0": single("")},
			map[string]zarr.ArraySpec{"A/1/0/0": plane("uint8")}, "the acquisition 2"},
		{"a well that is off the plate", map[string]string{"": strings.Replace(plate, `"rowIndex": 0`, `"rowIndex": 3`, 1), "A/1": well, "A/1/0": single("")},
			map[string]zarr.ArraySpec{"A/1/0/0": plane("uint8")}, "3 is none of 1 rows"},
		{"a collection", map[string]string{"": `{"ome": {"version": "0.5", "bioformats2raw.layout": 3}}`, "OME": `{"ome": {"version": "0.5", "series": ["0"]}}`, "0": single("")},
			map[string]zarr.ArraySpec{"0/0": plane("uint8")}, ""},
		{"a collection without its image", map[string]string{"": `{"ome": {"version": "0.5", "bioformats2raw.layout": 3}}`, "OME": `{"ome": {"version": "0.5", "series": ["0", "1"]}}`, "0": single("")},
			map[string]zarr.ArraySpec{"0/0": plane("uint8")}, `series[1]: there is no image "1"`},
		{"attributes of somebody else", map[string]string{"": `{"labels": {"a": 1}, "plate": "silver", "well": "done", "series": 5, "multiscales": true}`}, nil, ""},
	} {
		v := validate(t, hierarchy(t, "zarr3", c.groups, c.arrays))
		switch {
		case c.want == "" && !v.OK, c.want != "" && (len(v.Problems) != 1 || !strings.Contains(v.Problems[0].Problem, c.want)):
			t.Errorf("%s: %+v", c.name, v.Problems)
		}
	}
}

// What is only recommended is a warning.
func TestWarnings(t *testing.T) {
	nameless := plane("uint8")
	nameless.DimensionNames = nil
	text := strings.Replace(single(""), `"name": "x", "type": "space"`, `"name": "x", "type": "space", "unit": "furlong"`, 1)
	v := validate(t, hierarchy(t, "zarr3", map[string]string{"": text}, map[string]zarr.ArraySpec{"0": nameless}))
	if w := validate(t, hierarchy(t, "zarr3", map[string]string{"labels": `{"ome": {"labels": []}}`}, nil)); !w.OK || len(w.Warnings) != 1 || !strings.Contains(w.Warnings[0].Problem, "version") {
		t.Errorf("%+v", w)
	}
	if !v.OK || len(v.Warnings) != 2 || v.Warnings[0].Path != "/" || v.Warnings[1].Path != "/0" {
		t.Errorf("%+v", v)
	}
}
