package convention

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/meta"
)

func attributes(t testing.TB, text string) *meta.Attributes {
	t.Helper()
	a, err := meta.ParseAttributes([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return a
}

// tree holds attributes.json by path relative to the group, "" for the group.
type tree map[string]string

// image looks for the image of a tree, and lists what was read for it.
func (tr tree) image(t testing.TB, group string) (*ngff.Multiscales, []string) {
	t.Helper()
	var reads []string
	attrs := (*meta.Attributes)(nil)
	if text, ok := tr[""]; ok {
		attrs = attributes(t, text)
	}
	m, err := Multiscales(group, attrs, func(rel string) (*meta.Attributes, error) {
		reads = append(reads, rel)
		if text, ok := tr[rel]; ok {
			return attributes(t, text), nil
		}
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if m != nil && checkAnyOrder(m) != nil {
		t.Errorf("%+v: %v", m, checkAnyOrder(m))
	}
	return m, reads
}

// show writes an image in one line: "name: x micrometer, t | path scale translation | ...".
func show(m *ngff.Multiscales) string {
	if m == nil {
		return "none"
	}
	var axes []string
	for _, a := range m.Axes {
		axes = append(axes, strings.TrimSpace(a.Name+" "+a.Unit))
	}
	parts := []string{strings.Join(axes, ", ")}
	if m.Name != "" {
		parts[0] = m.Name + ": " + parts[0]
	}
	for _, l := range m.Levels {
		part := fmt.Sprintf("%s %v", l.Path, l.Scale)
		if l.Translation != nil {
			part += fmt.Sprintf(" %v", l.Translation)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " | ")
}

// data is the attributes.json of a dataset with others.
func data(dimensions, others string) string {
	if others != "" {
		others = "," + others
	}
	return `{"dataType":"uint16","compression":{"type":"raw"},"blockSize":` + dimensions + `,"dimensions":` + dimensions + others + `}`
}

func cosem(scale, translate string) string {
	return `{"axes":["z","y","x"],"units":["nm","nm","nm"],"scale":` + scale + `,"translate":` + translate + `}`
}

func TestConventions(t *testing.T) {
	const nm = "x nanometer, y nanometer, z nanometer | "
	for _, c := range []struct {
		name, group string
		tree        tree
		want        string
	}{
		{"n5-viewer: nothing said", "c0", tree{"s0": data("[100,80,60]", ""), "s1": data("[50,40,60]", "")},
			"x, y, z | s0 [1 1 1] | s1 [2 2 1] [0.5 0.5 0]"},
		{"n5-viewer: averaged", "c0", tree{
			"s0": data("[100,80,60]", `"pixelResolution":{"unit":"um","dimensions":[0.5,0.5,2]}`),
			"s1": data("[50,40,60]", `"downsamplingFactors":[2,2,1],"pixelResolution":{"unit":"um","dimensions":[0.5,0.5,2]}`),
			"s2": data("[20,16,30]", `"downsamplingFactors":[5,5,2],"pixelResolution":{"unit":"um","dimensions":[0.5,0.5,2]}`)},
			"x micrometer, y micrometer, z micrometer | s0 [0.5 0.5 2] | s1 [1 1 2] [0.25 0.25 0] | s2 [2.5 2.5 4] [1 1 1]"},
		{"n5-viewer: every second element, with resolutions of their own", "c0", tree{
			"s0": data("[100,80]", `"downsamplingFactors":[1,1,1],"pixelResolution":{"unit":"µm","dimensions":[0.5,0.5,1]}`),
			"s1": data("[50,40]", `"downsamplingFactors":[1,1,1],"pixelResolution":{"unit":"µm","dimensions":[1,1,1]}`)},
			"x micrometer, y micrometer | s0 [0.5 0.5] | s1 [1 1]"},
		{"n5-viewer: numbers only, no unit", "", tree{
			"": `{"n5":"2.5.0"}`, "s0": data("[9,8,7]", `"pixelResolution":[4,4,30]`), "s1": data("[5,4,7]", `"downsamplingFactors":[2,2,1]`)},
			"x, y, z | s0 [4 4 30] | s1 [8 8 30] [2 2 0]"},
		{"n5-viewer: said by the group", "c0", tree{
			"":   `{"scales":[[1,1,1],[2,2,2]],"pixelResolution":{"unit":"nm","dimensions":[4,4,4]}}`,
			"s0": data("[64,64,64]", ""), "s1": data("[32,32,32]", "")},
			nm + "s0 [4 4 4] | s1 [8 8 8] [2 2 2]"},
		{"n5-viewer: time, and what is known of space only", "c0", tree{
			"s0": data("[64,64,64,10]", `"downsamplingFactors":[1,1,1],"pixelResolution":{"unit":"nm","dimensions":[4,4,8]}`),
			"s1": data("[32,32,32,10]", `"downsamplingFactors":[2,2,2],"pixelResolution":{"unit":"nm","dimensions":[4,4,8]}`)},
			"x nanometer, y nanometer, z nanometer, t | s0 [4 4 8 1] | s1 [8 8 16 1] [2 2 4 0]"},
		{"n5-viewer: moved", "c0", tree{
			"s0": data("[64,64,64]", `"pixelResolution":[2,2,2],"affineTransform":[[1,0,0,10],[0,1,0,-20],[0,0,3,0]]`),
			"s1": data("[32,32,32]", `"pixelResolution":[2,2,2],"downsamplingFactors":[2,2,2],"affineTransform":[1,0,0,10,0,1,0,-20,0,0,3,0]`)},
			"x, y, z | s0 [2 2 6] [10 -20 0] | s1 [4 4 12] [11 -19 3]"},
		{"n5-viewer: turned, which OME-NGFF cannot say", "c0", tree{
			"s0": data("[64,64,64]", `"pixelResolution":[2,2,2],"affineTransform":[[0,1,0,0],[1,0,0,0],[0,0,1,0]]`)},
			"x, y, z | s0 [2 2 2]"},
		{"Neuroglancer: axes, resolutions of each level, one level missing", "em", tree{
			"":   `{"axes":["x","y","z","c"],"units":["nm","nm","nm",""],"resolution":[4,4,40,1],"downsamplingFactors":[[1,1,1,1],[2,2,1,1],[4,4,1,1]]}`,
			"s0": data("[64,64,64,3]", `"resolution":[4,4,40,1],"units":["nm","nm","nm",""]`),
			"s2": data("[16,16,64,3]", `"resolution":[16,16,40,1],"units":["nm","nm","nm",""]`)},
			"x nanometer, y nanometer, z nanometer, c | s0 [4 4 40 1] | s2 [16 16 40 1] [6 6 0 0]"},
		{"resolutions of each level and nothing else", "em", tree{
			"s0": data("[64,64]", `"resolution":[0.1,0.1],"unit":"mm"`), "s1": data("[21,21]", `"resolution":[0.3,0.3],"unit":"mm"`)},
			"x millimeter, y millimeter | s0 [0.1 0.1] | s1 [0.3 0.3] [0.1 0.1]"},
		{"axes that are objects", "em", tree{
			"s0": data("[64,64,9]", `"axes":[{"label":"x","type":"unknown","unit":"um"},{"name":"y","type":"space","unit":"micron"},{"name":"t","unit":"sec"}],"resolution":[0.5,0.5,2]`)},
			"x micrometer, y micrometer, t second | s0 [0.5 0.5 2]"},
		{"units that are none, and one that is another length", "em", tree{
			"s0": data("[64,64,9]", `"units":["pixel","thou","furlong"],"resolution":[5,500,5],"offset":[0,1000,0]`)},
			"x, y inch, z | s0 [5 0.5 5] [0 1 0]"},
		{"BigDataViewer", "setup1/timepoint0", tree{
			"": `{"multiScale":true,"resolution":[0.4,0.4,2]}`, "..": `{"downsamplingFactors":[[1,1,1],[2,2,1]],"dataType":"uint16"}`,
			"s0": data("[400,400,25]", `"downsamplingFactors":[1,1,1]`), "s1": data("[200,200,25]", `"downsamplingFactors":[2,2,1]`)},
			"x, y, z | s0 [0.4 0.4 2] | s1 [0.8 0.8 2] [0.2 0.2 0]"},
		{"BigDataViewer, factors above only", "setup1/timepoint12", tree{
			"..": `{"downsamplingFactors":[[1,1,1],[2,2,1]],"dataType":"uint16"}`, "s0": data("[400,400,25]", ""), "s1": data("[200,200,25]", "")},
			"x, y, z | s0 [1 1 1] | s1 [2 2 1] [0.5 0.5 0]"},
		{"BigDataViewer's setup is no image", "setup1", tree{"": `{"downsamplingFactors":[[1,1,1],[2,2,1]],"dataType":"uint16"}`}, "none"},
		{"Paintera", "labels", tree{
			"": `{"painteraData":{"type":"label"},"maxId":11}`, "data": `{"multiScale":true,"resolution":[4,4,40],"offset":[100,0,-40],"isLabelMultiset":true}`,
			"data/s0": data("[64,64,64]", `"unit":"nm"`), "data/s1": data("[32,32,64]", `"unit":"nm","downsamplingFactors":[2,2,1]`)},
			nm + "data/s0 [4 4 40] [100 0 -40] | data/s1 [8 8 40] [102 2 -40]"},
		{"Paintera: the group of data itself", "labels/data", tree{
			"": `{"multiScale":true,"resolution":[4,4,40],"offset":[100,0,-40]}`, "s0": data("[64,64,64]", "")},
			"x, y, z | s0 [4 4 40] [100 0 -40]"},
		{"COSEM", "em", tree{
			"": `{"axes":["x","y","z"],"scales":[[1,1,1],[2,2,2]],"multiscales":[{"name":"em","datasets":[
				{"path":"s0","transform":` + cosem("[5.24,4,4]", "[0,0,0]") + `},{"path":"s1","transform":` + cosem("[10.48,8,8]", "[2.62,2,2]") + `}]}]}`,
			"s0": data("[64,64,64]", "")},
			"em: " + nm + "s0 [4 4 5.24] | s1 [8 8 10.48] [2 2 2.62]"},
		{"COSEM: said by the datasets", "em", tree{
			"":   `{"multiscales":[{"name":null,"datasets":[{"path":"s0"},"raw/s1"]}]}`,
			"s0": data("[64,64,64]", `"transform":`+cosem("[5.24,4,4]", "[0,0,0]")), "raw/s1": data("[32,32,32]", `"transform":`+cosem("[10.48,8,8]", "[2.62,2,2]"))},
			nm + "s0 [4 4 5.24] | raw/s1 [8 8 10.48] [2 2 2.62]"},
		{"COSEM: the group says nothing, names are in N5's order", "em", tree{
			"s0": data("[64,64,64]", `"pixelResolution":{"unit":"mm","dimensions":[9,9,9]},"transform":{"axes":["x","y","z"],"units":"nm","scale":[4,5,6],"translate":[1,2,3]}`)},
			nm + "s0 [4 5 6] [1 2 3]"},
		{"COSEM: ordering", "em", tree{
			"s0": data("[64,64,64]", `"transform":{"ordering":"F","axes":["z","y","x"],"units":["nm","nm","um"],"scale":[6,5,4],"translate":[3,2,1]}`)},
			"z nanometer, y nanometer, x micrometer | s0 [6 5 4] [3 2 1]"},
		{"COSEM: one dataset has no transform", "em", tree{
			"s0": data("[64,64,64]", `"transform":`+cosem("[5.24,4,4]", "[0,0,0]")), "s1": data("[32,32,32]", "")},
			"x, y, z | s0 [1 1 1] | s1 [2 2 2] [0.5 0.5 0.5]"},
		{"OME-NGFF 0.4 as n5-universe writes it", "image", tree{
			"": `{"multiscales":[{"name":"/image","type":"Average","version":"0.4","axes":[{"type":"space","name":"x","unit":"um","discrete":false},
				{"type":"space","name":"y","unit":"um","discrete":false},{"type":"channel","name":"c","discrete":true},{"type":"time","name":"t","unit":"s","discrete":false}],
				"datasets":[{"path":"s0","coordinateTransformations":[{"scale":[0.5,0.25,1,3],"type":"scale"},{"translation":[1,2,0,0],"type":"translation"}]}],
				"coordinateTransformations":[]}]}`,
			"s0": data("[64,32,3,9]", "")},
			"/image: x micrometer, y micrometer, c, t second | s0 [0.5 0.25 1 3] [1 2 0 0]"},
		{"OME-NGFF 0.4 as written through Zarr", "image", tree{
			"": `{"multiscales":[{"version":"0.4","axes":[{"type":"channel","name":"c"},{"type":"space","name":"y","unit":"nanometer"},{"type":"space","name":"x","unit":"nanometer"}],
				"datasets":[{"path":"s0","coordinateTransformations":[{"scale":[1,5,4],"type":"scale"}]},{"path":"s1","coordinateTransformations":[{"scale":[1,10,8],"type":"scale"}]}],
				"coordinateTransformations":[{"type":"scale","scale":[1,2,2]}]}]}`,
			"s0": data("[64,32,3]", "")},
			"x nanometer, y nanometer, c | s0 [8 10 1] | s1 [16 20 1]"},
		{"OME-NGFF 0.4 whose names do not tell", "image", tree{
			"": `{"multiscales":[{"version":"0.4","axes":[{"type":"space","name":"a"},{"type":"space","name":"b"},{"type":"time","name":"t"}],
				"datasets":[{"path":"s0","coordinateTransformations":[{"scale":[1,2,3],"type":"scale"}]}]}]}`,
			"s0": data("[64,32,3]", "")},
			"a, b, t | s0 [1 2 3]"},
		{"OME-NGFF 0.3", "image", tree{
			"":  `{"multiscales":[{"version":"0.3","axes":["z","y","x"],"datasets":[{"path":"0"}]}]}`,
			"0": data("[64,32,3]", "")},
			"x, y, z | 0 [1 1 1]"},
		{"OME-NGFF 0.5 is shown as it is", "image", tree{"": `{"ome":{"version":"0.5"}}`, "s0": data("[64,32,3]", "")}, "none"},
		{"a dataset is no group", "s0", tree{"": data("[64,32,3]", ""), "s0": data("[64,32,3]", "")}, "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _ := c.tree.image(t, c.group)
			if got := show(m); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string][]string{
		`{}`:                         nil,
		`{"axes":["x","y","t"]}`:     {"x", "y", "t"},
		`{"axes":["x","","z"]}`:      {"x", "", "z"},
		`{"axes":["","",""]}`:        nil,
		`{"axes":["x","y"]}`:         nil,
		`{"axes":["x","y","z","t"]}`: nil,
		`{"axes":["x","y",3]}`:       nil,
		`{"axes":"xyz"}`:             nil,
		`{"axes":[{"label":"x","type":"space"},{"name":"y"},"z"]}`:            {"x", "y", "z"},
		`{"axes":[{"type":"space"},{"name":"y"},"z"]}`:                        nil,
		`{"transform":` + cosem("[3,2,1]", "[0,0,0]") + `}`:                   {"x", "y", "z"},
		`{"transform":{"axes":["c","y","x"],"scale":[1,2,3]}}`:                {"x", "y", "c"},
		`{"transform":{"axes":["a","b","c"],"scale":[1,2,3]}}`:                {"c", "b", "a"},
		`{"transform":{"axes":["a","b","c"],"scale":[1,2,3],"ordering":"F"}}`: {"a", "b", "c"},
		`{"transform":{"axes":["y","x"],"scale":[1,2]}}`:                      nil,
		`{"transform":{"axes":["z","y","x"],"scale":[1,2]}}`:                  nil,
	} {
		if got := Names(attributes(t, text), 3); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if Names(nil, 3) != nil || Names(attributes(t, `{"axes":[]}`), 0) != nil {
		t.Error("names of nothing")
	}
}

// Every group of a container is looked at, so what is none must be cheap.
func TestReads(t *testing.T) {
	for _, c := range []struct {
		name, group string
		tree        tree
		want        string
	}{
		{"no attributes", "a", tree{}, "s0"},
		{"other attributes", "a", tree{"": `{"n5":"4.0.0","lab":"x"}`}, "s0"},
		{"a setup", "setup0", tree{"": `{"downsamplingFactors":[[1,1]],"dataType":"uint8"}`}, ""},
		{"a time point", "setup0/timepoint3", tree{}, ".. s0"},
		{"no time point", "timepoints", tree{}, "s0"},
		{"a dataset of one dimension", "a", tree{"s0": data("[3]", "")}, "s0"},
		{"two levels", "a", tree{"s0": data("[3,3]", ""), "s1": data("[2,2]", "")}, "s0 s1 s2"},
		{"two known levels", "a", tree{"": `{"scales":[[1,1],[2,2]]}`, "s0": data("[3,3]", ""), "s1": data("[2,2]", "")}, "s0 s1"},
		{"another rank", "a", tree{"s0": data("[3,3]", ""), "s1": data("[2,2,2]", "")}, "s0 s1"},
		{"multiscales", "a", tree{"": `{"multiscales":[{"datasets":[{"path":"s0"},{"path":"s1"}]}]}`,
			"s0": data("[3,3,3]", `"transform":`+cosem("[1,1,1]", "[0,0,0]")), "s1": data("[3,3,3]", `"transform":`+cosem("[2,2,2]", "[0,0,0]"))}, "s0 s1"},
		{"multiscales elsewhere", "a", tree{"": `{"multiscales":[{"datasets":["../b"]}]}`}, "s0"},
		{"Paintera without data", "a", tree{"": `{"painteraData":{}}`}, "data data/s0"},
	} {
		if _, reads := c.tree.image(t, c.group); strings.Join(reads, " ") != c.want {
			t.Errorf("%s: reads %q, want %q", c.name, reads, c.want)
		}
	}
}

func TestErrorsOfRead(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct{ name, group, attrs, at string }{
		{"levels", "a", `{}`, "s0"}, {"a later level", "a", `{}`, "s1"}, {"Paintera", "a", `{"painteraData":{}}`, "data"},
		{"BigDataViewer", "timepoint0", `{}`, ".."}, {"COSEM", "a", `{"multiscales":[{"datasets":[{"path":"b"}]}]}`, "b"},
	} {
		m, err := Multiscales(c.group, attributes(t, c.attrs), func(rel string) (*meta.Attributes, error) {
			if rel == c.at {
				return nil, broken
			}
			return attributes(t, data("[4,4]", "")), nil
		})
		if m != nil || !errors.Is(err, broken) {
			t.Errorf("%s: %v, %v", c.name, m, err)
		}
	}
}

func TestReverse(t *testing.T) {
	m, _ := tree{"s0": data("[9,8,7,6,5]", `"pixelResolution":[1,2,3]`), "s1": data("[5,4,4,6,5]", `"downsamplingFactors":[2,2,2],"pixelResolution":[1,2,3]`)}.image(t, "")
	if err := m.Check(); err == nil {
		t.Error("c and t behind space pass")
	}
	want := show(m)
	Reverse(m)
	if got := show(m); got != "t, c, z, y, x | s0 [1 1 3 2 1] | s1 [1 1 6 4 2] [0 0 1.5 1 0.5]" || m.Check() != nil {
		t.Errorf("%s, %v", got, m.Check())
	}
	Reverse(m)
	if got := show(m); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
