package coordinates_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/coordinates"
)

var ctx = context.Background()

// chosen are the positions that a text selects, as text.
func chosen(t *testing.T, text string, shape []int, axes []coordinates.Axis, opts ...coordinates.Option) string {
	t.Helper()
	sel, err := coordinates.Choose(ctx, text, shape, axes, opts...)
	if err != nil {
		return "error: " + err.Error()
	}
	all, err := zarr.Resolve(sel, shape)
	if err != nil {
		return "error: " + err.Error()
	}
	out := make([]string, len(all))
	for i, p := range all {
		list := make([]int, p.Count)
		for k := range list {
			list[k] = p.At(k)
		}
		if out[i] = fmt.Sprint(list); p.Along < 0 {
			out[i] = fmt.Sprint(list[0])
		}
	}
	return strings.Join(out, " ")
}

func texts(list ...string) *coordinates.Line {
	return &coordinates.Line{Len: len(list), Texts: func(_ context.Context, start, stop int) ([]string, error) { return list[start:stop], nil }}
}

func TestValuesSelectPositions(t *testing.T) {
	shape := []int{3, 5, 4}
	axes := []coordinates.Axis{
		{Dim: 0, Name: "c", Line: texts("DAPI", "GFP", "mCherry")},
		{Dim: 1, Name: "lat", Line: coordinates.Even(5, 60, -10)}, // 60 50 40 30 20
		{Dim: 2, Name: "x"},
	}
	const all = "[0 1 2] [0 1 2 3 4] [0 1 2 3]"
	for text, want := range map[string]string{
		"":                       all,
		"...":                    all,
		"0, 1:3":                 "0 [1 2] [0 1 2 3]",
		"lat=50":                 "[0 1 2] 1 [0 1 2 3]",
		"lat=54":                 "[0 1 2] 1 [0 1 2 3]",
		"lat=64.9":               "[0 1 2] 0 [0 1 2 3]",
		"lat=15":                 "[0 1 2] 4 [0 1 2 3]",
		"lat=@1":                 "[0 1 2] 1 [0 1 2 3]",
		"lat=@-1":                "[0 1 2] 4 [0 1 2 3]",
		"lat=@1:3":               "[0 1 2] [1 2] [0 1 2 3]",
		"lat=50:30":              "[0 1 2] [1 2 3] [0 1 2 3]",
		"lat=30:50":              "[0 1 2] [1 2 3] [0 1 2 3]",
		"lat=30:1000":            "[0 1 2] [0 1 2 3] [0 1 2 3]",
		"lat=:35":                "[0 1 2] [3 4] [0 1 2 3]",
		"lat=35:":                "[0 1 2] [0 1 2] [0 1 2 3]",
		"lat=::2":                "[0 1 2] [0 2 4] [0 1 2 3]",
		"lat=20:50:-2":           "[0 1 2] [4 2] [0 1 2 3]",
		"x=2, lat=20":            "[0 1 2] 4 2",
		"x=1:3":                  "[0 1 2] [0 1 2 3 4] [1 2]",
		"c=GFP":                  "1 [0 1 2 3 4] [0 1 2 3]",
		"c=2":                    "2 [0 1 2 3 4] [0 1 2 3]",
		"c=GFP:mCherry":          "[1 2] [0 1 2 3 4] [0 1 2 3]",
		"c=0:2":                  "[0 1] [0 1 2 3 4] [0 1 2 3]",
		"lat=66":                 `error: selection "lat=66": axis lat: 66 lies outside of the coordinates, which are 60 to 20`,
		"lat=14":                 `error: selection "lat=14": axis lat: 14 lies outside of the coordinates, which are 60 to 20`,
		"lat=70:80":              `error: selection "lat=70:80": axis lat: no coordinate lies in 70:80, they are 60 to 20`,
		"lat=44:46":              `error: selection "lat=44:46": axis lat: no coordinate lies in 44:46, they are 60 to 20`,
		"lat=north":              `error: selection "lat=north": axis lat: "north" is no number`,
		"lat=1:2:x":              `error: selection "lat=1:2:x": axis lat: "x" is no step: it counts positions`,
		"x=1.5":                  `error: selection "x=1.5": axis x has no coordinates: "1.5" is no index or slice`,
		"c=Cy5":                  `error: selection "c=Cy5": axis c: no position is called "Cy5": they are "DAPI", "GFP", "mCherry"`,
		"y=1":                    `error: selection "y=1": no axis is named "y", only c, lat, x`,
		"lat=1:2:3:4":            `error: selection "lat=1:2:3:4": axis lat: "1:2:3:4" is no value or range of values`,
		"lat=@1.5":               `error: selection "lat=@1.5": "1.5" is no index or slice`,
		"lat=NaN":                `error: selection "lat=NaN": axis lat: "NaN" is no number`,
		"lat=50, lat=40":         `error: parse selection: selection "lat=50, lat=40": axis "lat" is named twice`,
		"x=1, 2":                 `error: parse selection: selection "x=1, 2": some axes are named and some are not`,
		"c=GFP, lat=50:50, x=@0": "1 [1] 0",
	} {
		if got := chosen(t, text, shape, axes); got != want {
			t.Errorf("%s selects %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"lat=50": "[0 1 2] 1 [0 1 2 3]",
		"lat=54": `error: selection "lat=54": axis lat: no coordinate is 54, they are 60 to 20`,
	} {
		if got := chosen(t, text, shape, axes, coordinates.Exact()); got != want {
			t.Errorf("%s selects exactly %s, want %s", text, got, want)
		}
	}
}

func TestErrorsNameTheNode(t *testing.T) {
	a, err := zarr.CreateArray(ctx, "mem:", zarr.ArraySpec{Shape: []int{2}, DataType: "int8", DimensionNames: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, text := range []string{"y=1", "x=1.5", "x=1,2", "x=a:b"} {
		_, err := coordinates.Select(ctx, a, text)
		var known *zarr.Error
		if !errors.As(err, &known) || known.URL != a.URL() || !errors.Is(err, zarr.ErrSelection) {
			t.Errorf("%s: %v", text, err)
		}
	}
	g, err := zarr.CreateGroup(ctx, "mem:")
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if _, err := coordinates.Select(ctx, g, "0"); !errors.Is(err, zarr.ErrNotArray) {
		t.Error(err)
	}
}
