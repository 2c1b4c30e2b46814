package convention

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/meta"
)

func axesNamed(unit string, names ...string) (axes []ngff.Axis) {
	for _, name := range names {
		a := ngff.Axis{Name: name, Type: ngff.AxisType(name)}
		if a.Type == "space" {
			a.Unit = unit
		}
		axes = append(axes, a)
	}
	return axes
}

func TestAttributes(t *testing.T) {
	mixed := axesNamed("nanometer", "x", "y", "z")
	mixed[2].Unit = "micrometer"
	for _, c := range []struct {
		name  string
		m     ngff.Multiscales
		level int
		want  string
	}{
		{name: "finest", m: ngff.Multiscales{Axes: axesNamed("micrometer", "x", "y", "z"), Levels: []ngff.Level{{Path: "s0", Scale: []float64{0.5, 0.5, 2}}}},
			want: `{"axes":["x","y","z"],"units":["um","um","um"],"resolution":[0.5,0.5,2],"pixelResolution":{"unit":"um","dimensions":[0.5,0.5,2]},"downsamplingFactors":[1,1,1]}`},
		{name: "averaged", m: ngff.Multiscales{Axes: axesNamed("nanometer", "x", "y", "t"), Levels: []ngff.Level{{Path: "s0", Scale: []float64{0.1, 4, 3}},
			{Path: "s1", Scale: []float64{0.3, 4, 3}, Translation: []float64{0.1, 0, 0}}}}, level: 1,
			want: `{"axes":["x","y","t"],"units":["nm","nm",""],"resolution":[0.3,4,3],"pixelResolution":{"unit":"nm","dimensions":[0.1,4,3]},"downsamplingFactors":[3,1,1]}`},
		{name: "every second element", m: ngff.Multiscales{Axes: axesNamed("", "x", "y"), Levels: []ngff.Level{{Path: "s0", Scale: []float64{1, 1}}, {Path: "s1", Scale: []float64{2, 2}}}}, level: 1,
			want: `{"axes":["x","y"],"units":["",""],"resolution":[2,2],"pixelResolution":{"unit":"","dimensions":[2,2]},"downsamplingFactors":[1,1]}`},
		{name: "moved", m: ngff.Multiscales{Axes: axesNamed("meter", "c", "x", "y"), Levels: []ngff.Level{{Path: "s0", Scale: []float64{1, 1, 1}, Translation: []float64{0, 7, -5}},
			{Path: "s1", Scale: []float64{1, 2, 2}, Translation: []float64{0, 7.5, -4.5}}}}, level: 1,
			want: `{"axes":["c","x","y"],"units":["","m","m"],"resolution":[1,2,2],"pixelResolution":{"unit":"m","dimensions":[1,1,1]},"downsamplingFactors":[1,2,2],"offset":[0,7.5,-4.5]}`},
		{name: "several units", m: ngff.Multiscales{Axes: mixed, Levels: []ngff.Level{{Path: "s0", Scale: []float64{1, 2, 3}, Translation: []float64{0, 0, 9}}}},
			want: `{"axes":["x","y","z"],"units":["nm","nm","um"],"resolution":[1,2,3],"downsamplingFactors":[1,1,1],"offset":[0,0,9]}`},
	} {
		attrs, err := Attributes(&c.m, c.level)
		if err != nil || string(attrs.Append(nil)) != c.want {
			t.Errorf("%s:\ngot  %s, %v\nwant %s", c.name, attrs.Append(nil), err, c.want)
		}
	}
	m := ngff.Multiscales{Axes: axesNamed("", "x", "y"), Levels: []ngff.Level{{Path: "s0", Scale: []float64{1, 1}}}}
	for _, level := range []int{-1, 1} {
		if _, err := Attributes(&m, level); err == nil || !strings.HasSuffix(err.Error(), "of an image that has 1") {
			t.Errorf("level %d: %v", level, err)
		}
	}
	m.Levels[0].Scale = []float64{1}
	if _, err := Attributes(&m, 0); err == nil {
		t.Error("an image that does not pass Check")
	}
}

// What is written is read again, for images whose levels are averaged, sampled
// or anywhere.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		names := [][]string{{"x", "y"}, {"x", "y", "z"}, {"x", "y", "z", "t"}, {"x", "y", "c"}, {"x", "y", "c", "z", "t"}, {"z", "y", "x"}}[r.IntN(6)]
		want := ngff.Multiscales{Axes: axesNamed([]string{"", "nanometer", "micrometer", "angstrom", "inch"}[r.IntN(5)], names...)}
		if r.IntN(4) == 0 {
			want.Axes[slices.Index(names, "x")].Unit = "millimeter"
		}
		n := len(names)
		base, origin := make([]float64, n), make([]float64, n)
		for i, a := range want.Axes {
			base[i] = r.ExpFloat64() + 0.01
			if a.Name != "c" && r.IntN(2) == 0 {
				origin[i] = 100 * r.NormFloat64()
			}
		}
		kind := r.IntN(3)
		nodes := map[string]*meta.Attributes{}
		for k := range 1 + r.IntN(4) {
			l := ngff.Level{Path: "s" + string(rune('0'+k)), Scale: slices.Clone(base), Translation: slices.Clone(origin)}
			for i, a := range want.Axes {
				if k == 0 || a.Type != "space" {
					continue
				}
				f := float64(k + 1 + r.IntN(3))
				if kind == 2 {
					f += r.Float64()
					l.Translation[i] = 50 * r.NormFloat64()
				}
				l.Scale[i] *= f
				if kind == 0 {
					l.Translation[i] += (f - 1) / 2 * base[i]
				}
			}
			want.Levels = append(want.Levels, l)
		}
		for k, l := range want.Levels {
			attrs, err := Attributes(&want, k)
			if err != nil {
				t.Fatal(err)
			}
			if err := attrs.Set("dimensions", slices.Repeat([]int{8}, n)); err != nil {
				t.Fatal(err)
			}
			nodes[l.Path] = attrs
			if got := Names(attrs, n); !slices.Equal(got, names) {
				t.Fatalf("names %q of %q", got, names)
			}
		}
		got, err := Multiscales("image", nil, func(rel string) (*meta.Attributes, error) { return nodes[rel], nil })
		if err != nil || got == nil || !slices.EqualFunc(got.Axes, want.Axes, sameAxis) || len(got.Levels) != len(want.Levels) {
			t.Fatalf("got %s, %v\nwant %s", show(got), err, show(&want))
		}
		for k := range want.Levels {
			a, b := &got.Levels[k], &want.Levels[k]
			for i, s := range b.Scale {
				if d := translation(a)[i] - translation(b)[i]; !near(a.Scale[i], s) || d > s/500 || d < -s/500 {
					t.Fatalf("level %d:\ngot  %s\nwant %s", k, show(got), show(&want))
				}
			}
		}
	}
}
