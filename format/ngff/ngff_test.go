package ngff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
)

func pyramid() Multiscales {
	return Multiscales{
		Name: "cells & <more>",
		Axes: []Axis{{Name: "t", Type: "time", Unit: "second"}, {Name: "c", Type: "channel", Unit: ""}, {Name: "z", Type: "space", Unit: "micrometer"}, {Name: "y", Type: "space", Unit: "micrometer"}, {Name: "x", Type: "space", Unit: "micrometer"}},
		Levels: []Level{
			{Path: "0", Scale: []float64{0.1, 1, 2, 0.29, 0.29}, Translation: []float64{0, 0, 0, -5, 1e6}},
			{Path: "1", Scale: []float64{0.1, 1, 2, 0.58, 0.58}},
		},
	}
}

const written = `{"version":"0.5","multiscales":[{"name":"cells & <more>","axes":[{"name":"t","type":"time","unit":"second"},{"name":"c","type":"channel"},` +
	`{"name":"z","type":"space","unit":"micrometer"},{"name":"y","type":"space","unit":"micrometer"},{"name":"x","type":"space","unit":"micrometer"}],` +
	`"datasets":[{"path":"0","coordinateTransformations":[{"type":"scale","scale":[0.1,1,2,0.29,0.29]},{"type":"translation","translation":[0,0,0,-5,1000000]}]},` +
	`{"path":"1","coordinateTransformations":[{"type":"scale","scale":[0.1,1,2,0.58,0.58]}]}]}]}`

func TestAttributes(t *testing.T) {
	raw, err := Attributes(pyramid())
	if err != nil || string(raw) != written {
		t.Errorf("%s, %v", raw, err)
	}
	back, err := Parse(raw)
	if err != nil || !reflect.DeepEqual(back, []Multiscales{pyramid()}) {
		t.Errorf("%+v, %v", back, err)
	}
	if _, err := Attributes(); err == nil {
		t.Error("no image is an error")
	}
}

// The specification's sentences about axes, datasets and transformations.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(m *Multiscales)
	}{
		{"", func(m *Multiscales) {}},
		{"", func(m *Multiscales) { m.Axes[1].Type = "" }},
		{"", func(m *Multiscales) { m.Axes[1].Type = "angle" }},
		{"axes: there are 1, not 2 to 5", func(m *Multiscales) { m.Axes = m.Axes[:1] }},
		{"axes: there are 6, not 2 to 5", func(m *Multiscales) { m.Axes = append(m.Axes, Axis{Name: "w", Type: "space", Unit: ""}) }},
		{"axes[1].name: it is empty", func(m *Multiscales) { m.Axes[1].Name = "" }},
		{`axes[4].name: "z" is that of axis 2 too`, func(m *Multiscales) { m.Axes[4].Name = "z" }},
		{`axes[1]: "c" comes behind "t": time must come first, space last`, func(m *Multiscales) { m.Axes[0].Type, m.Axes[1].Type = "channel", "time" }},
		{`axes[4]: "x" comes behind "y": time must come first, space last`, func(m *Multiscales) { m.Axes[4].Type = "channel" }},
		{"axes: 2 are time, only one may be", func(m *Multiscales) { m.Axes[1].Type = "time" }},
		{"axes: 2 are neither space nor time, only one may be", func(m *Multiscales) { m.Axes[0].Type = "" }},
		{"axes: 1 are space, 2 or 3 must be", func(m *Multiscales) {
			m.Axes = m.Axes[4:]
			m.Axes = append([]Axis{{Name: "c", Type: "channel", Unit: ""}}, m.Axes...)
		}},
		{"axes: 4 are space, 2 or 3 must be", func(m *Multiscales) { m.Axes[1].Type = "space" }},
		{"datasets: there is none", func(m *Multiscales) { m.Levels = nil }},
		{"datasets[1].path: it is empty", func(m *Multiscales) { m.Levels[1].Path = "" }},
		{`datasets[1].path: "../a" does not stay below the group`, func(m *Multiscales) { m.Levels[1].Path = "../a" }},
		{`datasets[0].path: "/a" does not stay below the group`, func(m *Multiscales) { m.Levels[0].Path = "/a" }},
		{"datasets[1].scale: 4 numbers for 5 axes", func(m *Multiscales) { m.Levels[1].Scale = m.Levels[1].Scale[1:] }},
		{"datasets[1].scale[2]: it is 0", func(m *Multiscales) { m.Levels[1].Scale[2] = 0 }},
		{"datasets[0].translation: 1 numbers for 5 axes", func(m *Multiscales) { m.Levels[0].Translation = []float64{1} }},
		{"datasets[0].translation[1]: NaN is no number", func(m *Multiscales) { m.Levels[0].Translation[1] = math.NaN() }},
		{"datasets[0].scale[0]: +Inf is no number", func(m *Multiscales) { m.Levels[0].Scale[0] = math.Inf(1) }},
	} {
		m := pyramid()
		c.change(&m)
		err := m.Check()
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
		if raw, werr := Attributes(m); (werr == nil) != (err == nil) {
			t.Errorf("Attributes gives %s, %v, Check %v", raw, werr, err)
		}
	}
}

// Version 0.4, a transformation of all levels, and members that are not known.
func TestParse04(t *testing.T) {
	got, err := Parse(json.RawMessage(`[{"version":"0.4","name":null,"type":"gaussian","metadata":{"a":1},
		"axes":[{"name":"y","type":"space","unit":null},{"name":"x","type":"space","discrete":false}],
		"datasets":[{"path":"s/0","coordinateTransformations":[{"type":"scale","scale":[1,2]},{"type":"translation","translation":[3,4]}]},
			{"path":"s/1","coordinateTransformations":[{"type":"scale","scale":[2,4]}]}],
		"coordinateTransformations":[{"type":"scale","scale":[10,0.5]},{"type":"translation","translation":[1,1]}]}]`))
	want := []Multiscales{{
		Axes: []Axis{{Name: "y", Type: "space"}, {Name: "x", Type: "space", Rest: Members{{Name: "discrete", Raw: json.RawMessage("false")}}}},
		Levels: []Level{
			{Path: "s/0", Scale: []float64{10, 1}, Translation: []float64{31, 3}},
			{Path: "s/1", Scale: []float64{20, 2}, Translation: []float64{1, 1}},
		},
		Rest: Members{{Name: "type", Raw: json.RawMessage(`"gaussian"`)}, {Name: "metadata", Raw: json.RawMessage(`{"a":1}`)}},
	}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

// SpatialData says of an image that it is where it is, which moves no level.
func TestIdentity(t *testing.T) {
	const levels = `"axes":[{"name":"y","type":"space"},{"name":"x","type":"space"}],
		"datasets":[{"path":"0","coordinateTransformations":[{"type":"scale","scale":[2,3]}]}]`
	images, err := Parse(json.RawMessage(`[{` + levels + `,"coordinateTransformations":[{"type":"identity","input":{"name":"yx"}}]}]`))
	if err != nil || !images[0].Identity || !slices.Equal(images[0].Levels[0].Scale, []float64{2, 3}) || images[0].Rest != nil {
		t.Errorf("%+v, %v", images, err)
	}
	if _, err := Parse(json.RawMessage(`[{` + levels + `,"coordinateTransformations":[{"type":"affine"}]}]`)); err == nil {
		t.Error("an affine transformation is taken for nothing")
	}
}

func TestParseErrors(t *testing.T) {
	for change, want := range map[[2]string]string{
		{"0.5", "0.6"}:                                 "version: \"0.6\" is not 0.5",
		{`"version":"0.5",`, ""}:                       "version: \"\" is not 0.5",
		{"multiscales", "x"}:                           "there are no multiscales",
		{`"axes"`, `"axis"`}:                           "multiscales[0].axes: there are 0, not 2 to 5",
		{`[{"name":"cells`, `[1,{"name":"cells`}:       "multiscales[0]: must be an object, not a number",
		{`"path":"0"`, `"path":0`}:                     "multiscales[0].datasets[0].path: must be a string, not a number",
		{`"coordinateTransformations":[`, `"a":[`}:     "multiscales[0].datasets[0]: there are no coordinateTransformations",
		{`{"type":"scale",`, `{"type":"identity",`}:    `multiscales[0].datasets[0].coordinateTransformations[0]: type "identity" is neither scale nor translation`,
		{`{"type":"scale",`, `{"type":"translation",`}: "multiscales[0].datasets[0].coordinateTransformations[0]: a translation without numbers",
		{`"scale":[0.1,`, `"scale":["a",`}:             "multiscales[0].datasets[0].coordinateTransformations[0].scale[0]: must be a number, not a string",
		{`"scale":[0.1,`, `"scale":[1,0.1,`}:           "multiscales[0].datasets[0].coordinateTransformations[0].scale[5]: more than 5 numbers",
		{`"scale":[0.1,`, `"path":"a","scale":[0.1,`}:  "multiscales[0].datasets[0].coordinateTransformations[0].path: transformations in arrays are not supported",
		{`,{"type":"translation",`, `,{"type":"scale","scale":[1]},{"type":"translation",`}: "multiscales[0].datasets[0].coordinateTransformations[1]: there must be one scale and then at most one translation",
	} {
		text := strings.Replace(written, change[0], change[1], 1)
		if text == written {
			t.Fatalf("%s is not there", change[0])
		}
		if _, err := Parse(json.RawMessage(text)); err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	for text, want := range map[string]string{
		`[]`:                  "multiscales: there is no image",
		`[{"version":"0.7"}]`: `multiscales[0].version: "0.7" is not 0.4 or older`,
		`"a"`:                 "must be an object, not a string",
		`{`:                   "not JSON: it ends at byte 1 where a member's name should follow",
	} {
		if _, err := Parse(json.RawMessage(text)); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestUnits(t *testing.T) {
	for symbol, want := range map[string]struct {
		v    float64
		name string
	}{
		"µm": {2, "micrometer"}, "\u03bcm": {2, "micrometer"}, "um": {2, "micrometer"}, "micron": {2, "micrometer"}, "microns": {2, "micrometer"},
		"nm": {2, "nanometer"}, "mm": {2, "millimeter"}, "Mm": {2, "megameter"}, "m": {2, "meter"}, "km": {2, "kilometer"}, "Å": {2, "angstrom"},
		"s": {2, "second"}, "ms": {2, "millisecond"}, "µs": {2, "microsecond"}, "min": {2, "minute"}, "h": {2, "hour"}, "d": {2, "day"},
		"dam": {20, "meter"}, "pt": {2.0 / 72, "inch"}, "meters": {2, "meter"}, "metre": {2, "meter"}, "second": {2, "second"}, " inch ": {2, "inch"},
	} {
		v, name, ok := ToUnit(2, symbol)
		if !ok || v != want.v || name != want.name {
			t.Errorf("%s: %v %s %v, want %v", symbol, v, name, ok, want)
		}
	}
	for _, symbol := range []string{"", "pixel", "reference frame", "furlong"} {
		if _, name, ok := ToUnit(2, symbol); ok {
			t.Error(symbol, name)
		}
	}
}

// The lists of the specification are covered, both ways.
func TestUnitNames(t *testing.T) {
	const space = "angstrom attometer centimeter decimeter exameter femtometer foot gigameter hectometer inch kilometer megameter meter micrometer " +
		"mile millimeter nanometer parsec petameter picometer terameter yard yoctometer yottameter zeptometer zettameter"
	const time = "attosecond centisecond day decisecond exasecond femtosecond gigasecond hectosecond hour kilosecond megasecond microsecond " +
		"millisecond minute nanosecond petasecond picosecond second terasecond yoctosecond yottasecond zeptosecond zettasecond"
	list := strings.Fields(space + " " + time)
	if len(names) != len(list) {
		t.Errorf("%d names, the specification has %d", len(names), len(list))
	}
	for _, name := range list {
		symbol, ok := Symbol(name)
		if v, back, ok2 := ToUnit(3, symbol); !ok || !ok2 || back != name || v != 3 {
			t.Errorf("%s: %q, and back %v %s", name, symbol, v, back)
		}
		if _, same, ok := ToUnit(3, name); !ok || same != name {
			t.Error(name, same, ok)
		}
	}
	for _, u := range symbols {
		if _, ok := names[u.name]; !ok {
			t.Errorf("%s is no unit of the specification", u.name)
		}
	}
}

func TestAxisType(t *testing.T) {
	for name, want := range map[string]string{"x": "space", "Z": "space", "t": "time", "S": "channel", "c": "channel", "i": ""} {
		if got := AxisType(name); got != want {
			t.Error(name, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(written))
	f.Add([]byte(`[{"version":"0.4","axes":[{"name":"y","type":"space"},{"name":"x","type":"space"}],"datasets":[{"path":"0","coordinateTransformations":[{"type":"scale","scale":[1,2]}]}],"coordinateTransformations":[{"type":"scale","scale":[1e200,1]}]}]`))
	f.Add([]byte(`[{"version":"0.4","axes":[{"name":"y","type":"space"},{"name":"x","type":"space"}],"datasets":[{"path":"0","coordinateTransformations":[{"type":"scale","scale":[1,2]}]}],"more":[1e20 ,1]}]`))
	fuzzlong.Fuzz(f, func(t *testing.T, raw []byte) {
		images, err := Parse(raw)
		if err != nil {
			return
		}
		again, err := Attributes(images...)
		if err != nil {
			t.Fatalf("%v of what was read: %+v", err, images)
		}
		// Members that are not known are kept as text, but for the space in it.
		var tight bytes.Buffer
		if err := json.Compact(&tight, raw); err != nil {
			t.Fatal(err)
		}
		if images, err = Parse(tight.Bytes()); err != nil {
			t.Fatal(err)
		}
		if back, err := Parse(again); err != nil || !reflect.DeepEqual(back, images) {
			t.Fatalf("%+v, %v, want %+v", back, err, images)
		}
	})
}

func TestVersionsBeforeScales(t *testing.T) {
	for raw, want := range map[string]string{
		`[{"version": "0.1", "datasets": [{"path": "0"}, {"path": "1"}]}]`:      "[{t time  []} {c channel  []} {z space  []} {y space  []} {x space  []}] [{0 [1 1 1 1 1] [] []} {1 [1 1 1 1 1] [] []}]",
		`[{"datasets": [{"path": "a"}], "axes": ["y", "x"], "version": "0.3"}]`: "[{y space  []} {x space  []}] [{a [1 1] [] []}]",
	} {
		images, err := Parse(json.RawMessage(raw))
		if err != nil || len(images) != 1 {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		if got := fmt.Sprint(images[0].Axes, images[0].Levels); got != want {
			t.Errorf("%s: %s", raw, got)
		}
	}
}
