package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store/mem"
)

func TestImagesInWords(t *testing.T) {
	ctx := context.Background()
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	if err != nil {
		t.Fatal(err)
	}
	if (&Kind{}).About(ctx, g) != nil {
		t.Error("a plain group is an image")
	}
	attrs, err := meta.ParseAttributes([]byte(`{"ome":{"version":"0.5","multiscales":[{"name":"cells","axes":[{"name":"c","type":"channel"},{"name":"y","type":"space","unit":"micrometer"},{"name":"x","type":"space","unit":"micrometer"}],
		"datasets":[{"path":"0","coordinateTransformations":[{"type":"scale","scale":[1,0.5,0.25]}]},{"path":"1","coordinateTransformations":[{"type":"scale","scale":[1,1,0.5]}]}]}],
		"omero":{"channels":[{"label":"DAPI","color":"0000FF","window":{"start":0,"end":1,"min":0,"max":1}}]}}}`))
	if err == nil {
		err = g.SetAttributes(ctx, attrs)
	}
	if err == nil {
		_, err = g.CreateArray(ctx, "0", zarr.ArraySpec{Shape: []int{1, 4, 6}, DataType: "uint16"})
	}
	if err != nil {
		t.Fatal(err)
	}
	about := (&Kind{}).About(ctx, g)
	var got []string
	for _, l := range about.Lines {
		got = append(got, l.Name+": "+l.Text)
	}
	for _, r := range about.Lists[0].Rows {
		got = append(got, strings.Join(r[:], "; "))
	}
	want := `image: cells
pixel size: y 0.5 micrometer, x 0.25 micrometer
channels: DAPI (#0000FF)
0; 1 × 4 × 6 uint16; y 0.5 micrometer, x 0.25 micrometer
1; cannot be opened; y 1 micrometer, x 0.5 micrometer`
	if text := strings.Join(got, "\n"); text != want || len(about.Broken) != 1 {
		t.Errorf("got\n%s\n%v", text, fmt.Sprint(about.Broken))
	}
	// So does the level by itself.
	a, err := g.Array(ctx, "0")
	if err != nil {
		t.Fatal(err)
	}
	if text := lines((&Kind{}).About(ctx, a)); text != "image: level 1 of 2 of cells; pixel size: y 0.5 micrometer, x 0.25 micrometer; channels: DAPI (#0000FF)" {
		t.Error(text)
	}
}

// A collection of images says which they are, by its list or by what there is.
func TestCollectionsInWords(t *testing.T) {
	ctx := context.Background()
	for list, want := range map[string]string{
		`{}`: "images: 0 (first), 1 (second)",
		`{"OME": {"ome": {"version": "0.5", "series": ["1", "gone"]}}}`: "images: 1 (second), gone",
	} {
		s := mem.New()
		nodes := map[string]json.RawMessage{"": json.RawMessage(`{"ome": {"version": "0.5", "bioformats2raw.layout": 3}}`)}
		if err := json.Unmarshal([]byte(list), &nodes); err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"first", "second"} {
			nodes[fmt.Sprint(i)] = fmt.Appendf(nil, `{"ome": {"version": "0.5", "multiscales": [{"name": %q, "axes": [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}],
				"datasets": [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 1]}]}]}]}}`, name)
		}
		var root *zarr.Group
		for _, at := range slices.Sorted(maps.Keys(nodes)) {
			attrs, err := meta.ParseAttributes(nodes[at])
			if err != nil {
				t.Fatal(err)
			}
			g, err := zarr.CreateGroupIn(ctx, s, at)
			if err == nil {
				err = g.SetAttributes(ctx, attrs)
			}
			if err != nil {
				t.Fatal(err)
			}
			if at == "" {
				root = g
			}
		}
		if text := lines((&Kind{}).About(ctx, root)); text != want {
			t.Errorf("%s: %q", list, text)
		}
	}
}

// lines are those of what is told.
func lines(about *convention.About) string {
	var got []string
	if about != nil {
		for _, l := range about.Lines {
			got = append(got, l.Name+": "+l.Text)
		}
	}
	return strings.Join(got, "; ")
}

// An array that no group describes says how large its pixels are, if it knows.
func TestAnImageAloneInWords(t *testing.T) {
	ctx := context.Background()
	for attrs, want := range map[string]string{
		`{}`: "",
		`{"scale": [1, 0.5, 0.25], "units": ["", "micrometer", "micrometer"], "omero": {"channels": [{"label": "DAPI", "color": "0000FF"}]}}`: "pixel size: y 0.5 micrometer, x 0.25 micrometer; channels: DAPI (#0000FF)",
		`{"scale": [1, 0.5]}`: "",
	} {
		parsed, err := meta.ParseAttributes([]byte(attrs))
		if err != nil {
			t.Fatal(err)
		}
		a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{1, 4, 6}, DataType: "uint16", DimensionNames: []string{"c", "y", "x"}, Attributes: parsed})
		if err != nil {
			t.Fatal(err)
		}
		if text := lines((&Kind{}).About(ctx, a)); text != want {
			t.Errorf("%s: %q, want %q", attrs, text, want)
		}
	}
}
