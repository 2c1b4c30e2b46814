package raster_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/raster"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func attributes(t testing.TB, text string) *meta.Attributes {
	t.Helper()
	a, err := meta.ParseAttributes([]byte(text))
	check(t, err)
	return a
}

// image makes a group of levels, whose attribute "ome" is given.
func image(t testing.TB, ome, kind string, shapes ...[]int) *zarr.Group {
	t.Helper()
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	check(t, err)
	for k, shape := range shapes {
		_, err := g.CreateArray(ctx, fmt.Sprint(k), zarr.ArraySpec{Shape: shape, DataType: kind})
		check(t, err)
	}
	attrs := g.Attributes()
	check(t, attrs.Set("ome", json.RawMessage(ome)))
	check(t, g.SetAttributes(ctx, attrs))
	return g
}

const twoLevels = `{"version":"0.5","multiscales":[{"axes":[{"name":"c","type":"channel"},{"name":"y","type":"space","unit":"micrometer"},{"name":"x","type":"space","unit":"micrometer"}],
	"datasets":[{"path":"0","coordinateTransformations":[{"type":"scale","scale":[1,0.5,0.5]},{"type":"translation","translation":[0,10,20]}]},
	{"path":"1","coordinateTransformations":[{"type":"scale","scale":[1,1,1]}]}]}]%s}`

func TestLevelsAndAxes(t *testing.T) {
	g := image(t, fmt.Sprintf(twoLevels, ""), "uint16", []int{2, 33, 64}, []int{2, 17, 32})
	img, err := raster.Of(ctx, g)
	check(t, err)
	if got := fmt.Sprint(img.Axes); got != "[{c channel  1 0} {y space micrometer 0.5 10} {x space micrometer 0.5 20}]" {
		t.Error(got)
	}
	// 33 rows become 17: one of them stands for two, the last for one alone.
	if len(img.Levels) != 2 || fmt.Sprint(img.Levels[1].Scale) != "[1 2 2]" || img.Levels[1].Name != "1" {
		t.Errorf("%d levels, %v", len(img.Levels), img.Levels[len(img.Levels)-1].Scale)
	}
}

func TestBrokenLevelsAreLeftOut(t *testing.T) {
	g := image(t, fmt.Sprintf(twoLevels, ""), "uint16", []int{2, 32, 64})
	img, err := raster.Of(ctx, g)
	check(t, err)
	if len(img.Levels) != 1 || len(img.Broken) != 1 || !errors.Is(img.Broken[0], zarr.ErrNoNode) {
		t.Errorf("%d levels, broken: %v", len(img.Levels), img.Broken)
	}
	check(t, g.Delete(ctx, "0"))
	if _, err := raster.Of(ctx, g); !errors.Is(err, zarr.ErrNoNode) {
		t.Errorf("no level at all: %v", err)
	}
}

// Channels that make no sense hide neither the image nor the labels of channels.
func TestWrongChannels(t *testing.T) {
	g := image(t, fmt.Sprintf(twoLevels, `,"omero":{"channels":[{"label":"DAPI","color":"blue"},{"label":"GFP","color":"00FF00"}]}`), "uint16", []int{2, 32, 64})
	img, err := raster.Of(ctx, g)
	check(t, err)
	if len(img.Channels) != 2 || img.Channels[0].Label != "DAPI" || img.Channels[0].Color != nil || img.Channels[1].Color == nil {
		t.Errorf("%+v", img.Channels)
	}
}

func TestNoImage(t *testing.T) {
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	check(t, err)
	if _, err := raster.Of(ctx, g); !errors.Is(err, raster.ErrNone) {
		t.Errorf("a group: %v", err)
	}
	// A list of labels is an image to those who want any picture of it.
	list := image(t, `{"version":"0.5","labels":["cells"]}`, "uint8")
	cells, err := list.CreateGroup(ctx, "cells")
	check(t, err)
	attrs := attributes(t, `{"ome":{"version":"0.5","multiscales":[{"axes":[{"name":"y","type":"space"},{"name":"x","type":"space"}],"datasets":[{"path":"0","coordinateTransformations":[{"type":"scale","scale":[1,1]}]}]}],"image-label":{"colors":[{"label-value":3,"rgba":[1,2,3,4]}]}}}`)
	check(t, cells.SetAttributes(ctx, attrs))
	_, err = cells.CreateArray(ctx, "0", zarr.ArraySpec{Shape: []int{4, 4}, DataType: "uint32"})
	check(t, err)
	if _, err := raster.Of(ctx, list); !errors.Is(err, raster.ErrNone) {
		t.Errorf("a list of labels: %v", err)
	}
	img, err := raster.Within(ctx, list)
	check(t, err)
	if !img.Labels || img.Colors[3].G != 2 {
		t.Errorf("labels %v, colours %v", img.Labels, img.Colors)
	}
}

func TestShownAxes(t *testing.T) {
	for _, c := range []struct {
		shape []int
		names []string
		kind  string
		attrs string
		want  string
	}{
		{[]int{5, 7}, nil, "uint8", ``, "{0 1 -1 false}"},
		{[]int{5, 7, 3}, nil, "uint8", ``, "{0 1 2 true}"},
		{[]int{5, 7, 3}, nil, "int32", ``, "{1 2 -1 false}"},
		{[]int{3, 5, 7}, []string{"s", "y", "x"}, "uint8", ``, "{1 2 0 true}"},
		{[]int{3, 5, 7}, []string{"c", "y", "x"}, "uint8", ``, "{1 2 0 false}"},
		{[]int{3, 5, 7}, []string{"c", "y", "x"}, "uint8", `{"omero":{"channels":[{"color":"FF0000"},{"color":"00FF00"},{"color":"0000FF"}]}}`, "{1 2 0 true}"},
		{[]int{3, 5, 7}, []string{"c", "y", "x"}, "uint16", `{"omero":{"channels":[{"color":"FF0000"},{"color":"00FF00"},{"color":"0000FF"}]}}`, "{1 2 0 false}"},
		{[]int{9, 5, 7}, []string{"time", "lon", "lat"}, "float32", ``, "{2 1 -1 false}"},
		{[]int{4, 1, 5, 7}, []string{"z", "channel", "rows", "columns"}, "uint16", ``, "{2 3 1 false}"},
		{[]int{5, 1, 7, 1}, nil, "float64", ``, "{0 2 -1 false}"},
	} {
		var attrs *meta.Attributes
		if c.attrs != "" {
			attrs = attributes(t, c.attrs)
		}
		a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: c.shape, DataType: c.kind, DimensionNames: c.names, Attributes: attrs})
		check(t, err)
		img, err := raster.Of(ctx, a)
		check(t, err)
		at, err := zarr.Resolve(zarr.All(), c.shape)
		check(t, err)
		got, err := img.Show(at)
		check(t, err)
		if fmt.Sprint(got) != c.want {
			t.Errorf("%v %v %s: %v, not %s", c.shape, c.names, c.kind, got, c.want)
		}
	}
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{9}, DataType: "uint8"})
	check(t, err)
	img, err := raster.Of(ctx, a)
	check(t, err)
	if _, err := img.Show(nil); !errors.Is(err, raster.ErrLine) {
		t.Errorf("one dimension: %v", err)
	}
}

func ExampleOf() {
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{2, 480, 640}, DataType: "uint16", DimensionNames: []string{"c", "y", "x"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	img, err := raster.Of(ctx, a)
	if err != nil {
		fmt.Println(err)
		return
	}
	shown, err := img.Show(nil)
	fmt.Println(img.AxisName(shown.Y), "down,", img.AxisName(shown.X), "across, channels along", img.AxisName(shown.Channel), err)
	// Output: y down, x across, channels along c <nil>
}

func TestComplete(t *testing.T) {
	tell := func(ome, kind string, shape []int, names []string) string {
		a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: shape, DataType: kind, DimensionNames: names, Attributes: attributes(t, ome)})
		check(t, err)
		img, err := raster.Of(ctx, a)
		check(t, err)
		shown, err := img.Show(nil)
		check(t, err)
		out := ""
		for _, c := range img.Complete(shown) {
			out += fmt.Sprintf("%s #%02x%02x%02x %v", c.Label, c.Color.R, c.Color.G, c.Color.B, *c.Active)
			if c.Window != nil {
				out += fmt.Sprintf(" %v:%v", c.Window.Start, c.Window.End)
			}
			out += "; "
		}
		return out
	}
	cyx := []string{"c", "y", "x"}
	for _, c := range []struct{ got, want string }{
		{tell(`{}`, "uint16", []int{4, 4}, nil), " #ffffff true; "},
		{tell(`{}`, "uint8", []int{3, 4, 4}, []string{"s", "y", "x"}), "red #ff0000 true 0:255; green #00ff00 true 0:255; blue #0000ff true 0:255; "},
		{tell(`{"omero":{"channels":[{"label":"DAPI","color":"112233","active":false,"window":{"start":3,"end":9,"min":0,"max":99}},{"window":{"start":9,"end":9}}]}}`, "uint16", []int{3, 4, 4}, cyx),
			"DAPI #112233 false 3:9; channel 1 #54e39b true; channel 2 #ff6d8a true; "},
		{tell(`{}`, "uint16", []int{5, 4, 4}, cyx)[96:], "channel 4 #b78cff false; "},
	} {
		if c.got != c.want {
			t.Errorf("%q, not %q", c.got, c.want)
		}
	}
}
