package api_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/serve/api"
	"github.com/omnizarr/zarr/serve/servetest"
)

func TestSlices(t *testing.T) {
	c := samples(t)
	for _, want := range []struct{ path, slice, as, body string }{
		{"/plain.zarr/a", "0:2, ::4", "json", "[[0,4],[8,12]]"},
		{"/plain.zarr/a", "-1, 3", "", "43"},
		{"/plain.zarr/a", "y=@1,x=0:3", "json", "[8,9,10]"},
		{"/plain.zarr/a", "0:2, 0:3", "csv", "0,1,2\n8,9,10\n"},
		{"/sub/old.zarr/a", "1", "json", "[5,6,7,8,9]"},
		{"/image.tif/0", "1,:4", "json", "[144,145,146,147]"},
		{"/sub/cells.n5/s0", "3", "raw", "\x12\x13\x14\x15\x16\x17"},
		{"/" + session + "/general/extracellular_ephys/electrodes/group", "0", "json", `"/general/extracellular_ephys/shank0"`},
	} {
		w := c.ask("slice", "source", "data", "path", want.path, "slice", want.slice, "as", want.as)
		got := w.Body.String()
		if want.as == "json" {
			got = strings.Join(strings.Fields(got), "")
		}
		if w.Code != 200 || strings.TrimSuffix(got, "\n") != strings.TrimSuffix(want.body, "\n") {
			t.Errorf("%s[%s] as %s: %d %q", want.path, want.slice, want.as, w.Code, w.Body)
		}
		if w.Header().Get("ETag") == "" {
			t.Error("no tag")
		}
	}
	w := c.ask("slice", "source", "data", "path", "/plain.zarr/a", "slice", "0:2,0:3", "as", "npy")
	if !strings.HasPrefix(w.Body.String(), "\x93NUMPY") || w.Header().Get("X-Shape") != "2,3" || w.Header().Get("X-Data-Type") != "uint16" {
		t.Errorf("%q %v", w.Body, w.Header())
	}
	for slice, status := range map[string]int{"9": 400, "a": 400, "1,2,3": 400, "q=1": 400, "::0": 400, strings.Repeat("1,", 10_000): 400} {
		c.problem(status, "slice", "source", "data", "path", "/plain.zarr/a", "slice", slice)
	}
	c.problem(400, "slice", "source", "data", "path", "/plain.zarr/a", "as", "exe")
	c.problem(422, "slice", "source", "data", "path", "/plain.zarr")
}

// Too much at once is refused before anything is read; so are texts that grow too long.
func TestSlicesAreBounded(t *testing.T) {
	dir := t.TempDir()
	big, err := zarr.CreateArray(t.Context(), filepath.Join(dir, "big.zarr"), zarr.ArraySpec{Shape: []int{1 << 40, 1 << 20}, DataType: "float64", Chunks: []int{1024, 1024}})
	if err != nil {
		t.Fatal(err)
	}
	if err := big.Close(); err != nil {
		t.Fatal(err)
	}
	c := serving(t, filepath.Join(dir, "big.zarr"))
	if p := c.problem(413, "slice", "source", "big.zarr"); p.Kind != "too_large" || p.Hint == "" {
		t.Errorf("%+v", p)
	}
	c.problem(413, "slice", "source", "big.zarr", "slice", ":3, :1048576", "as", "raw")
	if w := c.ask("slice", "source", "big.zarr", "slice", "-1, :4"); w.Code != 200 || strings.TrimSpace(w.Body.String()) != "[0.0, 0.0, 0.0, 0.0]" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// Values of coordinates are positions.
func TestPositions(t *testing.T) {
	dir := t.TempDir()
	g, err := zarr.CreateGroup(t.Context(), filepath.Join(dir, "era.zarr"))
	if err != nil {
		t.Fatal(err)
	}
	units := &meta.Attributes{}
	if err := units.Set("units", "days since 2025-01-01"); err != nil {
		t.Fatal(err)
	}
	make1 := func(name string, values []float64, attrs *meta.Attributes) {
		t.Helper()
		a, err := g.CreateArray(t.Context(), name, zarr.ArraySpec{Shape: []int{len(values)}, DataType: "float64", DimensionNames: []string{name}, Attributes: attrs})
		if err == nil {
			err = zarr.Write(t.Context(), a, zarr.All(), values)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	make1("time", servetest.Counting[float64](10), units)
	make1("lat", []float64{-10, 0, 10, 20}, nil)
	make1("lon", []float64{0, 5, 10}, nil)
	if _, err := g.CreateArray(t.Context(), "t2m", zarr.ArraySpec{Shape: []int{10, 4, 3}, DataType: "float32", DimensionNames: []string{"time", "lat", "lon"}}); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	c := serving(t, filepath.Join(dir, "era.zarr"))
	w := c.ask("position", "source", "era.zarr", "path", "/t2m", "select", "time=2025-01-04,lat=12")
	if got := w.Body.String(); got != `{"positions":[3,2,null]}` {
		t.Error(got)
	}
	c.problem(400, "position", "source", "era.zarr", "path", "/t2m", "select", "lat=1000")
	c.problem(400, "position", "source", "era.zarr", "path", "/t2m", "select", "time=yesterday")
	c.problem(422, "position", "source", "era.zarr", "path", "/", "select", "lat=1")
	images := samples(t)
	if got := images.ask("position", "source", "data", "path", "/image.tif", "select", "y=@7").Body.String(); got != `{"positions":[7,null]}` {
		t.Error(got)
	}
}

// Elements that others write are seen at once: the tag is that of the elements.
func TestWrittenElementsAreSeen(t *testing.T) {
	dir := servetest.Samples(t)
	c := serving(t, filepath.Join(dir, "sub", "old.zarr"))
	ask := []string{"source", "old.zarr", "path", "/a", "slice", "0,:2"}
	before := c.ask("slice", ask...)
	a, err := zarr.OpenArray(t.Context(), filepath.Join(dir, "sub", "old.zarr", "a"))
	if err == nil {
		err = zarr.Write(t.Context(), a, zarr.Box([]int{0, 0}, []int{1, 2}), []int32{70, 71})
	}
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	after := c.ask("slice", ask...)
	if after.Body.String() != "[70, 71]\n" || after.Header().Get("ETag") == before.Header().Get("ETag") {
		t.Errorf("%s, tag %s", after.Body, after.Header().Get("ETag"))
	}
}

func TestWhatHasNoFormIsNotDamaged(t *testing.T) {
	c := made(t, func(g *zarr.Group) {
		if _, err := g.CreateArray(context.Background(), "cube", zarr.ArraySpec{Shape: []int{2, 2, 2}, DataType: "uint8"}); err != nil {
			t.Fatal(err)
		}
	})
	if p := c.problem(422, "slice", "source", "data", "path", "/cube", "as", "csv"); p.Kind != api.Unsupported {
		t.Errorf("%+v", p)
	}
	if p := c.problem(400, "slice", "source", "data", "path", "/cube", "plain", "perhaps"); !strings.Contains(p.Error, "plain=perhaps") {
		t.Errorf("%+v", p)
	}
}
