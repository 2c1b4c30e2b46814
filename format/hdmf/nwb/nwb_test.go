package nwb_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/check"
	"github.com/omnizarr/zarr/format/hdmf/nwb"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/nwbtest"
)

var ctx = context.Background()

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var cached struct {
	once  sync.Once
	texts []hdmf.SchemaText
}

// schemas are those that a file of pynwb's caches.
func schemas(t testing.TB) []hdmf.SchemaText {
	t.Helper()
	cached.once.Do(func() {
		const name = "session_v3_plain.nwb.zarr"
		texts, err := hdmf.SchemasOf(ctx, filepath.Join(nwbtest.Unpack(t, name), name))
		must(t, err)
		cached.texts = texts
	})
	return slices.Clone(cached.texts)
}

var start = time.Date(2026, 11, 16, 3, 4, 5, 250e6, time.FixedZone("", 3600))

func begin(t testing.TB, more ...hdmf.SchemaText) *nwb.File {
	t.Helper()
	return nwb.New(append(schemas(t), more...), nwb.Session{Identifier: "m17", Description: "a walk", Start: start})
}

// made makes a file, opens it and looks for problems as validate does.
func made(t testing.TB, f *nwb.File, layout hdmf.Layout) *hdmf.File {
	t.Helper()
	url := filepath.Join(t.TempDir(), "m17.nwb.zarr")
	must(t, f.Create(ctx, url, write.Options{Layout: layout}))
	file, err := hdmf.Open(ctx, url)
	must(t, err)
	t.Cleanup(func() { must(t, file.Close()) })
	found, err := check.File(ctx, file, check.Options{})
	must(t, err)
	for _, one := range found {
		t.Error(one)
	}
	return file
}

// said is an attribute of an object, as JSON.
func said(t testing.TB, f *hdmf.File, at, name string) string {
	t.Helper()
	o, err := f.Object(ctx, at)
	must(t, err)
	a, ok := o.Attribute(name)
	switch {
	case !ok:
		t.Errorf("%s has no %s", at, name)
		return ""
	case a.References != nil:
		return a.References[0].Path
	}
	return string(a.Raw)
}

func values(t testing.TB, f *hdmf.File, at string) []string {
	t.Helper()
	o, err := f.Object(ctx, at)
	must(t, err)
	v, err := o.(*hdmf.Dataset).Read(ctx, zarr.All())
	must(t, err)
	out := []string{}
	for i := range v.Len() {
		raw, err := v.JSON(i)
		must(t, err)
		out = append(out, string(raw))
	}
	return out
}

// fill puts one of most things into a file.
func fill(f *nwb.File) {
	f.Set("/general", nwb.Fields{"experimenter": []string{"Lovelace, Ada"}, "keywords": "walks", "institution": "a lab",
		"subject": nwb.Fields{"subject_id": "m17", "species": "Mus musculus", "sex": "F", "age": "P90D"}})
	probe := f.Add("/general/devices/probe", "Device", nwb.Fields{"description": "of silicon"})
	shank := f.Add("/general/extracellular_ephys/shank", "ElectrodeGroup", nwb.Fields{"description": "the only one", "location": "CA1", "device": probe})
	electrodes := f.Electrodes(
		nwb.Col("location", []string{"CA1", "CA1"}),
		nwb.Col("group", []hdmf.Reference{shank, shank}),
		nwb.Col("group_name", []string{"shank", "shank"}),
		nwb.Col("depth", []float64{0.5, 1.5}, "below the surface, in mm"),
	)
	f.ElectricalSeries("/acquisition/raw", nwb.Series{Data: [][]int16{{1, 2}, {3, 4}, {5, 6}}, Rate: 30000, Conversion: 1e-6})
	f.ElectricalSeries("/acquisition/one", nwb.Series{Data: nwb.Growing[int16](1), Timestamps: nwb.Growing[float64]()}, 1)
	f.TimeSeries("/acquisition/celsius", nwb.Series{Data: []float32{20, 21}, Unit: "degrees", Timestamps: []float64{0.5, 2}})
	f.TimeSeries("/acquisition/counts", nwb.Series{Data: []int{7, 8}, Unit: "n.a.", Timestamps: hdmf.Reference{Path: "/acquisition/celsius/timestamps"}})
	f.Add("/processing/behavior", "ProcessingModule", nwb.Fields{"description": "what it did"})
	f.Add("/processing/behavior/Position", "Position", nwb.Fields{"xy": nwb.Object{Type: "SpatialSeries", Fields: nwb.Fields{
		"data": [][]float64{{1, 2}, {3, 4}}, "starting_time": 1.5, "rate": 30, "reference_frame": "the corner"}}})
	f.Trials(
		nwb.Col("start_time", []float64{0, 1}),
		nwb.Col("stop_time", []float64{0.5, 1.5}),
		nwb.Col("tags", [][]string{{"a"}, {"b", "c"}}),
		nwb.Col("correct", []bool{true, false}, "whether it was"),
	)
	f.Units(
		nwb.Col("spike_times", [][]float64{{0.1, 0.2}, {}, {0.3}}),
		nwb.Col("electrodes", nwb.Rows(electrodes, [][]int{{0}, {0, 1}, {1}})),
		nwb.Col("waveform_mean", [][]float32{{1, 2}, {3, 4}, {5, 6}}),
		nwb.Col("obs_intervals", [][][]float64{{{0, 1}}, {}, {{0, 1}, {2, 3}}}),
		nwb.Col("waveforms", [][][][]float32{{{{1, 2}, {3, 4}}, {{5, 6}}}, {}, {{{7, 8}}}}),
	)
	both := f.Add("/analysis/both", "AlignedDynamicTable", nwb.Fields{"description": "two tables side by side"})
	f.Table(both.Path+"/left", "DynamicTable", "one", nwb.Col("x", []int{1, 2}, "numbers"))
	f.Table(both.Path+"/right", "DynamicTable", "the other", nwb.Col("y", []string{"a", "b"}, "words"))
	f.Add("/scratch/note", "ScratchData", nwb.Fields{"data": "by hand", "notes": "of the day"})
}

// A session has all that the schemas ask for, of which the caller gives only what
// they cannot know.
func TestSession(t *testing.T) {
	for _, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
		b := begin(t)
		fill(b)
		f := made(t, b, layout)
		for _, c := range []struct{ at, name, want string }{
			{"/acquisition/raw/data", "unit", `"volts"`}, // fixed
			{"/acquisition/raw/data", "conversion", "1e-06"},
			{"/acquisition/raw/data", "offset", "0.0"}, // a default
			{"/acquisition/raw/starting_time", "rate", "30000.0"},
			{"/acquisition/raw/starting_time", "unit", `"seconds"`},
			{"/acquisition/raw/electrodes", "table", "/general/extracellular_ephys/electrodes"},
			{"/acquisition/celsius/timestamps", "interval", "1"},
			{"/processing/behavior/Position/xy/starting_time", "rate", "30.0"}, // an int in the program
			{"/units", "colnames", `["spike_times","electrodes","waveform_mean","obs_intervals","waveforms"]`},
			{"/units/waveforms_index_index", "target", "/units/waveforms_index"},
			{"/analysis/both", "categories", `["left","right"]`},
			{"/intervals/trials/correct", "description", `"whether it was"`},
			{"/acquisition/raw/data", "_ARRAY_DIMENSIONS", `["num_times","num_channels"]`},
		} {
			if got := strings.ReplaceAll(said(t, f, c.at, c.name), " ", ""); got != strings.ReplaceAll(c.want, " ", "") {
				t.Errorf("%v: %s of %s is %s, want %s", layout, c.name, c.at, got, c.want)
			}
		}
		for at, want := range map[string]string{
			"/units/id":                    "0 1 2",
			"/analysis/both/id":            "0 1",
			"/units/spike_times_index":     "2 2 3",
			"/units/electrodes":            "0 0 1 1",
			"/units/waveforms_index":       "2 3 4",
			"/units/waveforms_index_index": "2 2 3",
			"/acquisition/raw/electrodes":  "0 1",
			"/acquisition/one/electrodes":  "1",
			"/acquisition/counts/data":     "7 8",
			"/session_start_time":          `"2026-11-16T03:04:05.250000+01:00"`,
			"/general/keywords":            `"walks"`,
			"/scratch/note":                `"by hand"`,
		} {
			if got := strings.Join(values(t, f, at), " "); got != want {
				t.Errorf("%v: %s holds %s, want %s", layout, at, got, want)
			}
		}
		o, err := f.Object(ctx, "/acquisition/counts/timestamps")
		must(t, err)
		if o.Path() != "/acquisition/celsius/timestamps" {
			t.Errorf("the times are those of %s", o.Path())
		}
	}
}

// lab is an extension: types of a namespace of one's own.
var lab = []hdmf.SchemaText{
	{Namespace: "ndx-lab", Version: "0.1.0", Source: "namespace", Text: `{"namespaces":[{"name":"ndx-lab","version":"0.1.0","doc":"d","schema":[{"namespace":"core"},{"source":"ndx-lab.types"}]}]}`},
	{Namespace: "ndx-lab", Version: "0.1.0", Source: "ndx-lab.types", Text: `{"datasets":[
		{"neurodata_type_def":"Calibration","neurodata_type_inc":"NWBData","doc":"d","dtype":"float32","shape":[null,2],"dims":["point","xy"],
		 "attributes":[{"name":"unit","dtype":"text","value":"mm","doc":"d"},{"name":"of","dtype":{"target_type":"Device","reftype":"object"},"doc":"d"}]}],"groups":[
		{"neurodata_type_def":"Rig","neurodata_type_inc":"LabMetaData","name":"rig","doc":"where it was","attributes":[
			{"name":"version","dtype":"text","value":"7","doc":"d"},
			{"name":"gain","dtype":"float","default_value":2.0,"required":false,"doc":"d"},
			{"name":"room","dtype":"text","doc":"d"}],
		 "datasets":[{"name":"calibration","neurodata_type_inc":"Calibration","doc":"d"},{"name":"kind","dtype":"text","value":"box","doc":"d"}],
		 "groups":[{"name":"lights","doc":"d","attributes":[{"name":"count","dtype":"uint8","doc":"d"}],"groups":[{"neurodata_type_inc":"Device","quantity":"*","doc":"d"}]}],
		 "links":[{"name":"camera","target_type":"Device","doc":"d"}]},
		{"neurodata_type_def":"LickSeries","neurodata_type_inc":"TimeSeries","doc":"d","attributes":[{"name":"spout","dtype":"text","doc":"d"}],
		 "datasets":[{"name":"data","dtype":"bool","shape":[null],"doc":"d","attributes":[{"name":"unit","dtype":"text","value":"licks","doc":"d"}]}]}]}`},
}

// Types of an extension are made as those of NWB are: what it fixes is filled in,
// also where it fixes what it inherits.
func TestExtension(t *testing.T) {
	for _, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
		b := begin(t, lab...)
		camera := b.Add("/general/devices/camera", "Device", nil)
		b.Add("/general/rig", "ndx-lab.Rig", nwb.Fields{"room": "K12", "camera": camera, "lights.count": 3,
			"calibration": [][]float32{{1, 2}, {3, 4}}, "calibration.of": camera,
			"lights/left": nwb.Object{Type: "Device", Fields: nwb.Fields{"description": "red"}}})
		b.Series("/acquisition/licks", "LickSeries", nwb.Series{Data: []bool{true, false}, Timestamps: []float64{1, 2}, Fields: nwb.Fields{"spout": "left"}})
		f := made(t, b, layout)
		for _, c := range []struct{ at, name, want string }{
			{"/general/rig", "version", `"7"`},
			{"/general/rig", "gain", "2.0"},
			{"/general/rig", "namespace", `"ndx-lab"`},
			{"/general/rig/lights", "count", "3"},
			{"/general/rig/calibration", "unit", `"mm"`},
			{"/general/rig/calibration", "of", "/general/devices/camera"},
			{"/general/rig/calibration", "_ARRAY_DIMENSIONS", `["point","xy"]`},
			{"/acquisition/licks/data", "unit", `"licks"`},
			{"/acquisition/licks/data", "conversion", "1.0"},
		} {
			if got := strings.ReplaceAll(said(t, f, c.at, c.name), " ", ""); got != c.want {
				t.Errorf("%v: %s of %s is %s, want %s", layout, c.name, c.at, got, c.want)
			}
		}
		if got := values(t, f, "/general/rig/kind"); got[0] != `"box"` {
			t.Errorf("kind is %v", got)
		}
	}
}

// What is wrong is told with the place, and no file appears.
func TestRefused(t *testing.T) {
	for want, wrong := range map[string]func(f *nwb.File){
		`/acquisition/x: TimeSeries has no field "dta"; it has comments, control, control_description, data, `: func(f *nwb.File) {
			f.Add("/acquisition/x", "TimeSeries", nwb.Fields{"dta": []float64{1}})
		},
		`/acquisition/x/data: attribute "unit" is missing (MissingError)`: func(f *nwb.File) {
			f.TimeSeries("/acquisition/x", nwb.Series{Data: []float64{1}, Rate: 1})
		},
		`/acquisition/x: unit: is said of "data", which is not given`: func(f *nwb.File) {
			f.Add("/acquisition/x", "TimeSeries", nwb.Fields{"unit": "V"})
		},
		`/acquisition/x: type "TimSeries" is in none of the schemas`: func(f *nwb.File) { f.Add("/acquisition/x", "TimSeries", nil) },
		"/general/devices/d: there is one already": func(f *nwb.File) {
			f.Add("/general/devices/d", "Device", nil)
			f.Add("/general/devices/d", "Device", nil)
		},
		"/processing/behavior/x: there is no group /processing/behavior": func(f *nwb.File) { f.Add("/processing/behavior/x", "Position", nil) },
		`/intervals/trials: column "stop_time": has 1 rows, and the columns before it 2`: func(f *nwb.File) {
			f.Trials(nwb.Col("start_time", []float64{1, 2}), nwb.Col("stop_time", []float64{1}))
		},
		`/units: column "mood": is none of the schema's, and needs a description`:  func(f *nwb.File) { f.Units(nwb.Col("mood", []string{"good"})) },
		`/units: column "electrodes": is one of rows of a table: its data are`:     func(f *nwb.File) { f.Units(nwb.Col("electrodes", [][]int{{1}})) },
		"/acquisition/x: data: slice 1 has 1 elements, and the first 2":            func(f *nwb.File) { f.TimeSeries("/acquisition/x", nwb.Series{Data: [][]int16{{1, 2}, {3}}}) },
		"/acquisition/x: data: no dataset holds a []chan int":                      func(f *nwb.File) { f.TimeSeries("/acquisition/x", nwb.Series{Data: []chan int{nil}}) },
		"/acquisition/x: data: has no value":                                       func(f *nwb.File) { f.TimeSeries("/acquisition/x", nwb.Series{}) },
		"no schema has a place for this group of type core.Device in /acquisition": func(f *nwb.File) { f.Add("/acquisition/x", "Device", nil) },
		"/general/x: the schema has no type for this place":                        func(f *nwb.File) { f.Add("/general/x", "", nil) },
		"/acquisition/x: rate: is said of \"starting_time\", which is not given":   func(f *nwb.File) { f.Add("/acquisition/x", "TimeSeries", nwb.Fields{"data": []int{1}, "rate": 1.0}) },
	} {
		f := begin(t)
		wrong(f)
		url := filepath.Join(t.TempDir(), "m17.nwb.zarr")
		err := f.Create(ctx, url, write.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
		if _, err := hdmf.Open(ctx, url); !errors.Is(err, zarr.ErrNoNode) {
			t.Errorf("%s: the file is there: %v", want, err)
		}
	}
	for want, f := range map[string]*nwb.File{
		"there is no schema of NWB": nwb.New(nil, nwb.Session{}),
		"the session has no Start":  nwb.New(schemas(t), nwb.Session{Identifier: "x"}),
		`several schemas have a type "Rig": say ndx-lab.Rig or other.Rig`: func() *nwb.File {
			other := slices.Clone(lab)
			for i, s := range other {
				other[i].Namespace, other[i].Text = "other", strings.ReplaceAll(s.Text, `"ndx-lab"`, `"other"`)
			}
			f := begin(t, append(other, lab...)...)
			f.Add("/general/rig", "Rig", nil)
			return f
		}(),
	} {
		if _, err := f.Tree(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	f := begin(t)
	f.TimeSeries("/acquisition/x", nwb.Series{Data: []float64{1}, Rate: 1})
	must(t, f.Create(ctx, fmt.Sprint("mem:", t.Name()), write.Options{Unchecked: true}))
}

// What is only a warning is made: times that go on behind the samples of a series
// that shares them.
func TestWarningsAreNoProblems(t *testing.T) {
	f := begin(t)
	f.TimeSeries("/acquisition/long", nwb.Series{Data: []int{1, 2, 3}, Unit: "n.a.", Timestamps: []float64{1, 2, 4}})
	f.TimeSeries("/acquisition/short", nwb.Series{Data: []int{1, 2}, Unit: "n.a.", Timestamps: hdmf.Reference{Path: "/acquisition/long/timestamps"}})
	must(t, f.Create(ctx, "mem:"+t.Name(), write.Options{}))
}
