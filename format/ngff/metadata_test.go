package ngff_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/meta"
)

// attributes are those of a JSON object.
func attributes(t *testing.T, raw string) *meta.Attributes {
	t.Helper()
	var doc map[string]json.RawMessage
	if err := json.Unmarshal([]byte(raw), &doc); err != nil {
		t.Fatal(err)
	}
	a := &meta.Attributes{}
	for name, v := range doc {
		if err := a.Set(name, v); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

func decoded(t *testing.T, a *meta.Attributes) any {
	t.Helper()
	m, err := a.Map()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The documents in testdata are of every kind of node and of both versions, with
// members that nobody knows. They come back as they were.
func TestWhatWasReadIsWritten(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		was := attributes(t, string(raw))
		m, err := ngff.Read(was)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if old := strings.HasSuffix(file, ".04.json"); (m.Version == ngff.Old) != old {
			t.Errorf("%s: version %s", file, m.Version)
		}
		is := attributes(t, `{"other": [1]}`)
		if err := m.Write(is); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		is.Delete("other")
		if !reflect.DeepEqual(decoded(t, is), decoded(t, was)) {
			t.Errorf("%s:\n%v, want\n%v", file, decoded(t, is), decoded(t, was))
		}
		// The other version says the same.
		other := *m
		if other.Version = ngff.Old; m.Version == ngff.Old {
			other.Version = ngff.Version
		}
		if err := other.Write(is); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		back, err := ngff.Read(is)
		if err != nil {
			t.Errorf("%s in the other version: %v", file, err)
			continue
		}
		if other.Version == ngff.Old {
			other.Rest = nil // these have no place there
		}
		if !reflect.DeepEqual(back, &other) {
			t.Errorf("%s in the other version:\n%+v, want\n%+v", file, back, &other)
		}
	}
}

func TestPartsOfMetadata(t *testing.T) {
	read := func(name string) *ngff.Metadata {
		raw, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ngff.Read(attributes(t, string(raw)))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	image := read("image.05.json")
	if c := image.OMERO.Channels; len(image.Images) != 1 || len(c) != 2 || c[0].Label != "LaminB1" || c[0].Color.B != 255 || c[0].Window.End != 1500 || !*c[0].Active {
		t.Errorf("%+v", image.OMERO)
	}
	plate := read("plate.04.json").Plate
	if len(plate.Rows) != 2 || plate.Columns[2].Name != "3" || plate.Wells[1].Path != "B/3" || plate.Wells[1].Row != 1 || plate.Acquisitions[0].Fields != 2 || plate.Fields != 4 {
		t.Errorf("%+v", plate)
	}
	well := read("well.05.json").Well
	if len(well.Images) != 3 || *well.Images[2].Acquisition != 2 || well.Images[0].Acquisition != nil {
		t.Errorf("%+v", well)
	}
	label := read("label.05.json").ImageLabel
	if label.Colors[1].Value != 4 || label.Colors[1].Color.G != 255 || string(label.Properties[0].Rest[0].Raw) != "1200" || label.Source.Image != "../../" {
		t.Errorf("%+v", label)
	}
	if list := read("labels.04.json").Labels; !reflect.DeepEqual(list, []string{"cells", "deep/nuclei"}) {
		t.Error(list)
	}
	if m := read("collection.05.json"); m.Layout != 3 || len(m.Series) != 2 {
		t.Errorf("%+v", m)
	}
	if _, err := ngff.Read(attributes(t, `{"a": 1}`)); !errors.Is(err, ngff.ErrNone) {
		t.Error(err)
	}
}

func TestErrorsNameTheMember(t *testing.T) {
	const plate = `{"rows": [{"name": "A"}], "columns": [{"name": "1"}], "wells": [{"path": "A/1", "rowIndex": 0, "columnIndex": 0}]}`
	for _, c := range [][2]string{
		{`{"ome": {"version": "0.5", "omero": {"channels": [{"color": "red"}]}}}`, `ome.omero.channels[0].color: "red" is no colour of six hexadecimal digits`},
		{`{"ome": {"version": "0.5", "omero": {"channels": [{}, {"window": {"min": "0"}}]}}}`, "ome.omero.channels[1].window.min: must be a number, not a string"},
		{`{"omero": {"channels": 1}}`, "omero.channels: must be an array, not a number"},
		{`{"ome": {"version": "0.6"}}`, `ome.version: "0.6" is not 0.5`},
		{`{"ome": {"version": "0.5", "labels": ["../a"]}}`, `ome.labels[0]: "../a" does not stay below the group`},
		{`{"ome": {"version": "0.5", "multiscales": [{}]}}`, "ome.multiscales[0].axes: there are 0, not 2 to 5"},
		{`{"image-label": {"colors": [{"rgba": [1, 2, 3, 4]}]}}`, `image-label.colors[0]: there is no label-value`},
		{`{"image-label": {"colors": [{"label-value": 1}, {"label-value": 1}]}}`, `image-label.colors[1].label-value: 1 is that of another too`},
		{`{"image-label": {"colors": [{"label-value": 1, "rgba": [1, 2, 3, 256]}]}}`, `image-label.colors[0].rgba: must be four integers from 0 to 255`},
		{`{"plate": {}}`, "plate.rows: there is none"},
		{`{"plate": ` + strings.Replace(plate, `"A"`, `"A_"`, 1) + `}`, `plate.rows[0].name: "A_" has other characters than letters and digits`},
		{`{"plate": ` + strings.Replace(plate, `"A/1"`, `"A/2"`, 1) + `}`, `plate.wells[0].path: "A/2" is not A/1, its row and its column`},
		{`{"plate": ` + strings.Replace(plate, `"rowIndex": 0`, `"rowIndex": 1`, 1) + `}`, "plate.wells[0].rowIndex: 1 is none of 1 rows"},
		{`{"plate": ` + strings.Replace(plate, `"columnIndex": 0`, `"columnIndex": 0.5`, 1) + `}`, "plate.wells[0].columnIndex: 0.5 is no integer"},
		{`{"plate": ` + strings.Replace(plate, `{"rows"`, `{"acquisitions": [{"id": 1}, {"id": 1}], "rows"`, 1) + `}`, "plate.acquisitions[1].id: 1 is that of another too"},
		{`{"well": {"images": []}}`, "well.images: there is none"},
		{`{"well": {"images": [{"path": "a b"}]}}`, `well.images[0].path: "a b" has other characters than letters and digits`},
		{`{"bioformats2raw.layout": "3"}`, `"bioformats2raw.layout": must be a number, not a string`},
	} {
		_, err := ngff.Read(attributes(t, c[0]))
		if err == nil || err.Error() != c[1] {
			t.Errorf("%s: %v, want %s", c[0], err, c[1])
		}
	}
	// What cannot be read is not written either, and leaves attributes as they were.
	a := attributes(t, `{"plate": 1}`)
	if err := (&ngff.Metadata{Well: &ngff.Well{}}).Write(a); err == nil || err.Error() != "well.images: there is none" || a.Raw("plate") == nil {
		t.Error(err)
	}
}

// Attributes that only share a name are nobody's to remove.
func TestWritingKeepsOtherAttributes(t *testing.T) {
	a := attributes(t, `{"labels": {"mine": 1}, "ome": {"version": "0.5"}}`)
	m := ngff.Metadata{Well: &ngff.Well{Images: []ngff.Field{{Path: "0"}}}}
	if err := m.Write(a); err != nil || string(a.Raw("labels")) != `{"mine":1}` && string(a.Raw("labels")) != `{"mine": 1}` || string(a.Raw("ome")) != `{"version":"0.5","well":{"images":[{"path":"0"}]}}` {
		t.Errorf("%v: %s %s", err, a.Raw("labels"), a.Raw("ome"))
	}
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, raw []byte) {
		var doc map[string]json.RawMessage
		if json.Unmarshal(raw, &doc) != nil {
			return
		}
		a := &meta.Attributes{}
		for name, v := range doc {
			if a.Set(name, v) != nil {
				return
			}
		}
		m, err := ngff.Read(a)
		if err != nil {
			return
		}
		b := &meta.Attributes{}
		if err := m.Write(b); err != nil {
			t.Fatalf("%v of what was read: %+v", err, m)
		}
		if _, err := ngff.Read(b); err != nil && !errors.Is(err, ngff.ErrNone) {
			t.Fatal(err)
		}
	})
}
