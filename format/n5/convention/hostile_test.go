package convention

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/meta"
)

// What makes no sense is passed over.
func TestNonsense(t *testing.T) {
	for _, c := range []struct {
		group, level, want string
	}{
		{`{}`, `"pixelResolution":"4 nm"`, "none"},
		{`{}`, `"pixelResolution":{"unit":"nm","dimensions":[4,4]}`, "none"},
		{`{}`, `"pixelResolution":{"unit":"nm","dimensions":[4,4,4,4]}`, "none"},
		{`{}`, `"pixelResolution":{"unit":"nm","dimensions":[4,0,4]}`, "none"},
		{`{}`, `"pixelResolution":{"unit":"nm","dimensions":[4,-4,4]}`, "none"},
		{`{}`, `"pixelResolution":{"unit":"nm","dimensions":[4,NaN,4]}`, "none"},
		{`{}`, `"pixelResolution":{"unit":"nm","dimensions":[4,Infinity,4]}`, "none"},
		{`{}`, `"pixelResolution":[4,1e999,4]`, "none"},
		{`{}`, `"pixelResolution":[1e308,1,1],"downsamplingFactors":[1e10,1,1]`, "none"},
		{`{}`, `"pixelResolution":[1e-320,1,1],"affineTransform":[1e-300,0,0,0, 0,1,0,0, 0,0,1,0]`, "none"},
		{`{}`, `"pixelResolution":{"unit":7,"dimensions":[4,4,4]}`, "x, y, z | s0 [4 4 4]"},
		{`{}`, `"pixelResolution":{"unit":"nm"}`, "x nanometer, y nanometer, z nanometer | s0 [1 1 1]"},
		{`{}`, `"pixelResolution":null,"resolution":null,"downsamplingFactors":null,"offset":null,"affineTransform":null,"axes":null,"units":null`, "x, y, z | s0 [1 1 1]"},
		{`{}`, `"resolution":{"a":1}`, "none"},
		{`{}`, `"downsamplingFactors":[1,2]`, "none"},
		{`{}`, `"downsamplingFactors":[1,2,0]`, "none"},
		{`{}`, `"downsamplingFactors":7`, "none"},
		{`{}`, `"offset":[1,2]`, "none"},
		{`{}`, `"offset":"here"`, "none"},
		{`{}`, `"affineTransform":[1,2,3]`, "none"},
		{`{}`, `"affineTransform":[[1,0,0,0],[0,1,0,0]]`, "none"},
		{`{}`, `"affineTransform":[[1,0,0,0],[0,1,0],[0,0,1,0]]`, "none"},
		{`{}`, `"affineTransform":[[1,0,0,0],[0,-1,0,0],[0,0,1,0]]`, "x, y, z | s0 [1 1 1]"},
		{`{}`, `"axes":["a","b","c"]`, "none"},
		{`{}`, `"axes":["x","x","y"]`, "none"},
		{`{}`, `"axes":["x","y"]`, "x, y, z | s0 [1 1 1]"},
		{`{}`, `"axes":["","",""]`, "x, y, z | s0 [1 1 1]"},
		{`{}`, `"units":["nm",1,"nm"]`, "x, y, z | s0 [1 1 1]"},
		{`{"resolution":[0,0,0]}`, ``, "none"},
		{`{"scales":[[1,1]]}`, ``, "none"},
		{`{"scales":[[1,"1",1]]}`, ``, "none"},
		{`{"scales":[[0,1,1]]}`, ``, "none"},
		{`{"scales":[[1,1,1],7]}`, ``, "none"},
		{`{"scales":{"a":[]}}`, ``, "x, y, z | s0 [1 1 1]"},
		{`{"scales":[]}`, ``, "x, y, z | s0 [1 1 1]"},
		{`{"multiscales":[]}`, ``, "x, y, z | s0 [1 1 1]"},
		{`{"multiscales":7}`, ``, "x, y, z | s0 [1 1 1]"},
		{`{"multiscales":[{"datasets":[{"path":"../s0","transform":` + cosem("[1,1,1]", "[0,0,0]") + `}]}]}`, ``, "x, y, z | s0 [1 1 1]"},
		{`{"multiscales":[{"datasets":[{"path":"a\\b","transform":` + cosem("[1,1,1]", "[0,0,0]") + `}]}]}`, ``, "x, y, z | s0 [1 1 1]"},
		{`{"multiscales":[{"datasets":[{"path":"s0","transform":` + cosem("[1,0,1]", "[0,0,0]") + `}]}]}`, ``, "x, y, z | s0 [1 1 1]"},
		{`{"multiscales":[{"datasets":[{"path":"s0","transform":` + cosem("[2,2,2]", "[0,0]") + `}]}]}`, ``, "x, y, z | s0 [1 1 1]"},
		{`{"multiscales":[{"datasets":[{"path":"s0","transform":` + cosem("[2,2]", "[0,0,0]") + `}]}]}`, ``, "x, y, z | s0 [1 1 1]"},
		{`{"multiscales":[{"datasets":[{"path":"gone","transform":` + cosem("[2,2,2]", "[0,0,0]") + `}]}]}`, ``, "x, y, z | s0 [1 1 1]"},
		{`{"multiscales":[{"datasets":[{"path":"s0","transform":{"axes":["y","x"],"scale":[2,2]}}]}]}`, ``, "x, y, z | s0 [1 1 1]"},
		{`{"multiscales":[{"datasets":[{"path":"s0","transform":` + cosem("[2,2,2]", "[0,0,0]") + `},{"path":"s1","transform":{"axes":["z","y","x"],"scale":[2,2,2]}}]}]}`, ``, "x, y, z | s0 [1 1 1]"},
		{`{"multiscales":[{"version":"0.4","axes":[{"name":"x","type":"space"},{"name":"y","type":"space"}],"datasets":[{"path":"s0","coordinateTransformations":[null,{"type":"scale","scale":null}]}]}]}`, ``, "x, y, z | s0 [1 1 1]"},
		{`{"multiscales":[{"version":"0.4","axes":[{"name":"x","type":"space"},{"name":"y","type":"space"}],"datasets":[{"path":"../s0","coordinateTransformations":[{"type":"scale","scale":[1,1]}]}]}]}`, ``, "x, y, z | s0 [1 1 1]"},
		{`{"multiscales":[{"version":"0.4","axes":[{"name":"x","type":"space"},{"name":"y","type":"space"},{"name":"z","type":"space"}],"datasets":[
			{"path":"s0","coordinateTransformations":[{"type":"scale","scale":[2,2,2]}]},{"path":"a\u0000","coordinateTransformations":[{"type":"scale","scale":[3,3,3]}]}]}]}`, ``, "x, y, z | s0 [1 1 1]"},
	} {
		m, _ := tree{"": c.group, "s0": data("[8,8,8]", c.level)}.image(t, "g")
		if got := show(m); got != c.want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", c.group, c.level, got, c.want)
		}
	}
	if m, _ := (tree{"s0": data("[8,8]", `"pixelResolution":{"unit":"nm","dimensions":[1,1]}`), "s1": data("[4,4]", `"pixelResolution":{"unit":"um","dimensions":[2,2]}`)}).image(t, "g"); m != nil {
		t.Errorf("levels of different units: %s", show(m))
	}
	if m, _ := (tree{"s0": data("[8,8,8,8]", `"pixelResolution":[1,2,3],"axes":["x","y","z",{"name":"w","type":"space"}]`)}).image(t, "g"); m != nil {
		t.Errorf("four axes of space: %s", show(m))
	}
	for _, dimensions := range []string{`[8]`, `[8,8,8,8,8,8]`, `8`, `"8"`, `[]`, `["8","8"]`} {
		if m, _ := (tree{"s0": `{"dimensions":` + dimensions + `}`}).image(t, "g"); m != nil {
			t.Errorf("an image of dimensions %s: %s", dimensions, show(m))
		}
	}
}

// However many levels there are, reading ends.
func TestManyLevels(t *testing.T) {
	level := data("[8,8,8]", `"transform":`+cosem("[1,1,1]", "[0,0,0]"))
	paths := `{"multiscales":[{"datasets":["a0"` + strings.Repeat(`,"a"`, 62) + `,"bad"` + strings.Repeat(`,"a"`, 10000) + `]}]`
	for name, c := range map[string]struct {
		group  string
		reads  int
		levels int
	}{
		"found":       {`{}`, 64, 64},
		"listed":      {`{"scales":[[1,1,1]` + strings.Repeat(",[2,2,2]", 10000) + `]}`, 64, 64},
		"multiscales": {paths + `}`, 3 + 64, 64}, // a0, a and bad are no levels
		"all listed":  {`{"multiscales":[{"datasets":["a"` + strings.Repeat(`,"a"`, 10000) + `]}]}`, 1, 64},
	} {
		reads := 0
		m, err := Multiscales("g", attributes(t, c.group), func(rel string) (*meta.Attributes, error) {
			reads++
			if rel == "bad" {
				return nil, nil
			}
			return attributes(t, level), nil
		})
		if err != nil || m == nil || len(m.Levels) != c.levels || reads != c.reads {
			t.Errorf("%s: %d reads, %s, %v", name, reads, show(m), err)
		}
	}
}

func FuzzMultiscales(f *testing.F) {
	f.Add([]byte(`{"scales":[[1,1,1],[2,2,2]],"axes":["x","y","z"],"units":["nm","um","pixel"],"offset":[1,2,3]}`),
		[]byte(data("[8,8,8]", `"pixelResolution":{"unit":"nm","dimensions":[4,4,5]}`)), []byte(data("[4,4,4]", `"affineTransform":[1,0,0,0,0,1,0,0,0,0,1,4]`)))
	f.Add([]byte(`{"multiscales":[{"name":"a","datasets":[{"path":"s0","transform":`+cosem("[3,2,1]", "[0,0,1]")+`},"s1"]}]}`),
		[]byte(data("[8,8,8]", "")), []byte(data("[4,4,4]", `"transform":`+cosem("[3,2,1]", "[0,0,0]"))))
	f.Add([]byte(`{"multiscales":[{"version":"0.4","axes":[{"name":"x","type":"space","unit":"um"},{"name":"y","type":"space"},{"name":"t","type":"time"}],
		"datasets":[{"path":"s0","coordinateTransformations":[{"type":"scale","scale":[1,2,3]},{"type":"translation","translation":[1,2,3]}]}]}]}`),
		[]byte(data("[8,8,8]", "")), []byte(`{}`))
	f.Add([]byte(`{"painteraData":{}}`), []byte(`{"dimensions":[1,1,1,1],"axes":[{"label":"c","type":"unknown"},"x","y","z"],"downsamplingFactors":[1,2,2,2]}`), []byte(`{"dimensions":[1,1,1,1]}`))
	fuzzlong.Fuzz(f, func(t *testing.T, group, s0, s1 []byte) {
		var nodes [3]*meta.Attributes
		for i, text := range [][]byte{group, s0, s1} {
			nodes[i], _ = meta.ParseAttributes(text)
		}
		reads := 0
		m, err := Multiscales("timepoint1", nodes[0], func(rel string) (*meta.Attributes, error) {
			reads++
			if strings.HasPrefix(rel, "/") || strings.Contains("/"+rel+"/", "/../") && rel != ".." {
				t.Fatalf("reads %q", rel)
			}
			if strings.HasSuffix(rel, "0") {
				return nodes[1], nil
			}
			return nodes[2], nil
		})
		Names(nodes[1], 3)
		if err != nil || reads > 130 {
			t.Fatalf("%d reads, %v", reads, err)
		}
		if m == nil {
			return
		}
		if err := checkAnyOrder(m); err != nil {
			t.Fatal(err)
		}
		before := fmt.Sprint(*m)
		for i := range m.Levels {
			attrs, err := Attributes(m, i)
			if err != nil || attrs.Len() < 3 {
				t.Fatalf("level %d: %v", i, err)
			}
			var v []float64
			if _, err := attrs.Get("resolution", &v); err != nil || !reflect.DeepEqual(v, m.Levels[i].Scale) {
				t.Fatalf("level %d: %v, %v", i, v, err)
			}
			for _, name := range []string{"downsamplingFactors", "offset"} {
				if text := string(attrs.Raw(name)); strings.ContainsAny(text, "NI") {
					t.Fatalf("%s: %s", name, text)
				}
			}
		}
		Reverse(m)
		Reverse(m)
		if after := fmt.Sprint(*m); after != before {
			t.Fatalf("%s, want %s", after, before)
		}
	})
}

func TestNear(t *testing.T) {
	if near(math.NaN(), 1) || near(math.Inf(1), 1) || near(0, 1e-300) || !near(0, 0) || !near(0.1+0.2, 0.3) {
		t.Error("near is wrong")
	}
}
