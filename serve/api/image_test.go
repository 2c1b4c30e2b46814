package api_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image/png"
	"math"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/pyramid"
	"github.com/omnizarr/zarr/serve/api"
	"github.com/omnizarr/zarr/serve/servetest"
)

// tile asks for one, as numbers.
func (c *client) tile(params ...string) (shape [3]int, kind string, data []byte) {
	c.t.Helper()
	w := c.ask("tile", params...)
	if w.Code != 200 {
		c.t.Fatalf("tile %v: %d %s", params, w.Code, w.Body)
	}
	if _, err := fmt.Sscanf(w.Header().Get("X-Shape"), "%d,%d,%d", &shape[0], &shape[1], &shape[2]); err != nil {
		c.t.Fatalf("tile %v: %v", params, w.Header())
	}
	return shape, w.Header().Get("X-Data-Type"), w.Body.Bytes()
}

// image is that of a node.
func (c *client) image(source, path string) *api.ImageInfo {
	c.t.Helper()
	var n api.Node
	c.get(&n, "node", "source", source, "path", path)
	if n.Image == nil {
		c.t.Fatalf("%s %s is no image: %v", source, path, n.Problems)
	}
	return n.Image
}

// made makes arrays in a folder, which is served as data.
func made(t *testing.T, build func(g *zarr.Group)) *client {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	g, err := zarr.CreateGroup(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	build(g)
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	return serving(t, dir)
}

func create[T any](t *testing.T, g *zarr.Group, name, kind string, shape, chunks []int, names []string, attrs string, data []T) *zarr.Array {
	t.Helper()
	spec := zarr.ArraySpec{Shape: shape, DataType: kind, Chunks: chunks, DimensionNames: names}
	var err error
	if attrs != "" {
		if spec.Attributes, err = meta.ParseAttributes([]byte(attrs)); err != nil {
			t.Fatal(err)
		}
	}
	a, err := g.CreateArray(t.Context(), name, spec)
	if err == nil && data != nil {
		err = zarr.Write(t.Context(), a, zarr.All(), data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Tiles of every format are what a direct read gives, also at edges.
func TestTilesOfEveryFormat(t *testing.T) {
	dir := servetest.Samples(t)
	c := serving(t, dir)
	source := c.set.All()[0].Name()
	for _, at := range []string{"/plain.zarr/a", "/sub/old.zarr/a", "/sub/cells.n5/s0", "/image.tif", "/image.tif/1"} {
		info := c.image(source, at)
		for level, l := range info.Levels {
			if l.Made {
				continue
			}
			a, err := zarr.OpenArray(t.Context(), filepath.Join(dir, l.Path))
			if err != nil {
				t.Fatal(err)
			}
			h, w := l.Shape[info.Y], l.Shape[info.X]
			for _, box := range [][4]int{{0, h, 0, w}, {1, 3, 2, 5}, {h - 2, h + 100, w - 3, w + 7}, {h + 5, h + 6, 0, 1}} {
				shape, kind, data := c.tile("source", source, "path", at, "level", strconv.Itoa(level),
					"y", fmt.Sprintf("%d,%d", box[0], box[1]), "x", fmt.Sprintf("%d,%d", box[2], box[3]))
				want, err := a.Make(max(min(box[1], h)-min(box[0], h), 0), max(min(box[3], w)-min(box[2], w), 0))
				if err == nil {
					err = a.ReadInto(t.Context(), zarr.Select(zarr.Span(min(box[0], h), min(box[1], h)), zarr.Span(min(box[2], w), min(box[3], w))), want)
				}
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(data, want.Data) || shape != [3]int{1, want.Shape[0], want.Shape[1]} || kind != a.DataType().Name() {
					t.Errorf("%s level %d %v: %v %s differs", at, level, box, shape, kind)
				}
			}
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Levels that an image lacks are made, and are those that package pyramid builds.
func TestTilesOfMadeLevels(t *testing.T) {
	data := make([]uint16, 2*700*600)
	for i := range data {
		data[i] = uint16(i * 7919)
	}
	var all []byte
	c := made(t, func(g *zarr.Group) {
		names := []string{"c", "y", "x"}
		create(t, g, "alone", "uint16", []int{2, 700, 600}, []int{1, 100, 100}, names, "", data)
		p, err := g.CreateGroup(t.Context(), "pyramid")
		if err != nil {
			t.Fatal(err)
		}
		create(t, p, "0", "uint16", []int{2, 700, 600}, []int{1, 100, 100}, names, "", data)
		want, err := pyramid.Build(t.Context(), p, "0", pyramid.Options{Levels: 3})
		if err != nil {
			t.Fatal(err)
		}
		second, err := zarr.Read[uint16](t.Context(), want[2], zarr.Slice("1"))
		if err != nil {
			t.Fatal(err)
		}
		all = littleEndian(second.Data)
	})
	info := c.image("data", "/alone")
	if len(info.Levels) != 3 || info.Levels[0].Made || !info.Levels[2].Made || fmt.Sprint(info.Levels[2].Scale, info.Levels[2].Shape) != "[1 4 4] [2 175 150]" {
		t.Fatalf("%+v", info.Levels)
	}
	shape, kind, got := c.tile("source", "data", "path", "/alone", "level", "2", "channels", "1", "quick", "1")
	if shape != [3]int{1, 175, 150} || kind != "uint16" || !bytes.Equal(got, all) {
		t.Errorf("%v %s differs", shape, kind)
	}
}

func littleEndian[T any](data []T) []byte {
	out, _ := binary.Append(nil, binary.LittleEndian, data)
	return out
}

// Channels come in the order that is asked for, at the place that is asked for, which
// counts in indices of level 0.
func TestChannelsAndPlaces(t *testing.T) {
	c := made(t, func(g *zarr.Group) {
		create(t, g, "a", "int16", []int{2, 3, 4, 5}, nil, []string{"z", "c", "y", "x"}, "", servetest.Counting[int16](120))
		create(t, g, "rgb", "uint8", []int{4, 5, 3}, nil, nil, "", servetest.Counting[uint8](60))
	})
	_, _, data := c.tile("source", "data", "path", "/a", "at", "0:1", "channels", "2,0", "y", "1,2", "x", "0,2")
	if got := fmt.Sprint(data); got != fmt.Sprint(littleEndian([]int16{105, 106, 65, 66})) {
		t.Error(got)
	}
	// Without channels it is the one that at says.
	_, _, data = c.tile("source", "data", "path", "/a", "at", "0:1,1:2", "y", "1,2", "x", "0,2")
	if got := fmt.Sprint(data); got != fmt.Sprint(littleEndian([]int16{105, 106})) {
		t.Error(got)
	}
	info := c.image("data", "/rgb")
	if !info.RGB || info.Channel != 2 || info.Channels[1].Label != "green" || *info.Channels[0].Window != [2]float64{0, 255} {
		t.Errorf("%+v", info)
	}
	_, _, data = c.tile("source", "data", "path", "/rgb", "channels", "0,1,2", "y", "0,1", "x", "0,2")
	if fmt.Sprint(data) != "[0 3 1 4 2 5]" {
		t.Error(data)
	}
}

func TestTilePictures(t *testing.T) {
	c := made(t, func(g *zarr.Group) {
		create(t, g, "a", "uint8", []int{2, 2}, nil, []string{"y", "x"}, "", []uint8{0, 50, 100, 255})
	})
	w := c.ask("tile", "source", "data", "path", "/a", "as", "png", "window", "0:0:100")
	img, err := png.Decode(w.Body)
	if err != nil || w.Header().Get("Content-Type") != "image/png" {
		t.Fatal(err, w.Header())
	}
	var got []uint32
	for y := range 2 {
		for x := range 2 {
			r, _, _, _ := img.At(x, y).RGBA()
			got = append(got, r>>8)
		}
	}
	if fmt.Sprint(got) != "[0 128 255 255]" {
		t.Error(got)
	}
	if w := c.ask("tile", "source", "data", "path", "/a", "as", "png"); w.Code != 200 {
		t.Error(w.Code, w.Body)
	}
}

func TestWrongTiles(t *testing.T) {
	c := made(t, func(g *zarr.Group) {
		create[uint8](t, g, "a", "uint8", []int{9000, 9000}, nil, []string{"y", "x"}, "", nil)
		create[string](t, g, "text", "string", []int{3, 3}, nil, nil, "", nil)
		create[uint8](t, g, "empty", "uint8", []int{0, 3}, nil, nil, "", nil)
		create[uint8](t, g, "line", "uint8", []int{3}, nil, nil, "", nil)
		create[float64](t, g, "many", "float64", []int{64, 4096, 4096}, nil, []string{"c", "y", "x"}, "", nil)
	})
	for _, p := range []struct {
		status int
		kind   string
		params []string
	}{
		{400, "wrong_request", []string{"level", "99"}},
		{400, "wrong_request", []string{"x", "3"}},
		{400, "wrong_request", []string{"x", "9,3"}},
		{400, "wrong_request", []string{"x", "a,b"}},
		{400, "wrong_request", []string{"channels", "1"}},
		{400, "wrong_request", []string{"at", "7:0"}},
		{400, "wrong_request", []string{"as", "gif"}},
		{400, "wrong_request", []string{"as", "png", "window", "0:NaN:1"}},
		{413, "too_large", []string{"x", "0,5000"}},
		{422, "unsupported", []string{"path", "/text"}},
		{422, "unsupported", []string{"path", "/line"}},
		{422, "unsupported", []string{"path", "/empty"}},
		{422, "unsupported", []string{"path", "/"}},
		{404, "not_found", []string{"path", "/none"}},
		{413, "too_large", []string{"path", "/many", "channels", "0,1,2,3"}},
	} {
		params := append([]string{"source", "data", "path", "/a"}, p.params...)
		if got := c.problem(p.status, "tile", params...); got.Kind != p.kind {
			t.Errorf("%v: %+v", p.params, got)
		}
	}
}

// A tile over a chunk that is broken names it; others are there.
func TestDamagedTile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	a, err := zarr.CreateArray(t.Context(), dir, zarr.ArraySpec{Shape: []int{20, 20}, DataType: "uint8", Chunks: []int{10, 10}, DimensionNames: []string{"y", "x"}})
	if err == nil {
		err = zarr.Write(t.Context(), a, zarr.All(), servetest.Counting[uint8](400))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "c", "1", "0"), []byte("broken"), 0o600)
	}
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	c := serving(t, dir)
	p := c.problem(502, "tile", "source", "data", "path", "/")
	if p.Kind != "damaged" || p.Chunk != "c/1/0" || p.Codec != "zstd" || p.Source != "data" {
		t.Errorf("%+v", p)
	}
	if shape, _, _ := c.tile("source", "data", "path", "/", "x", "10,20"); shape != [3]int{1, 20, 10} {
		t.Error(shape)
	}
}

func TestTileTags(t *testing.T) {
	c := made(t, func(g *zarr.Group) {
		create(t, g, "a", "uint8", []int{2, 2}, nil, nil, "", []uint8{1, 2, 3, 4})
	})
	w := c.ask("tile", "source", "data", "path", "/a")
	tag := w.Header().Get("ETag")
	if tag == "" || w.Header().Get("X-Exact") != "true" {
		t.Fatalf("%v", w.Header())
	}
	r := httptest.NewRequest("GET", "/api/tile?source=data&path=/a", nil)
	r.Header.Set("If-None-Match", tag)
	again := httptest.NewRecorder()
	c.handler.ServeHTTP(again, r)
	if again.Code != 304 {
		t.Errorf("%d, %q and %q", again.Code, tag, again.Header().Get("ETag"))
	}
	if other := c.ask("tile", "source", "data", "path", "/a", "x", "0,1").Header().Get("ETag"); other == tag {
		t.Error("another tile has the same tag")
	}
}

// What an image is: axes with units and coordinates, channels, labels.
func TestImageInfo(t *testing.T) {
	c := made(t, func(g *zarr.Group) {
		img, err := g.CreateGroup(t.Context(), "cells")
		if err != nil {
			t.Fatal(err)
		}
		create[uint16](t, img, "0", "uint16", []int{5, 2, 7, 64, 64}, nil, nil, "", nil)
		labels, err := img.CreateGroup(t.Context(), "labels/nuclei")
		if err != nil {
			t.Fatal(err)
		}
		create[uint64](t, labels, "0", "uint64", []int{7, 64, 64}, nil, nil, "", nil)
		set := func(n *zarr.Group, text string) {
			t.Helper()
			attrs := n.Attributes()
			err := attrs.Set("ome", json.RawMessage(text))
			if err == nil {
				err = n.SetAttributes(t.Context(), attrs)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		set(img, `{"version":"0.5","multiscales":[{"axes":[{"name":"t","type":"time","unit":"second"},{"name":"c","type":"channel"},{"name":"z","type":"space","unit":"micrometer"},{"name":"y","type":"space","unit":"micrometer"},{"name":"x","type":"space","unit":"micrometer"}],
			"datasets":[{"path":"0","coordinateTransformations":[{"type":"scale","scale":[30,1,0.5,0.1,0.1]},{"type":"translation","translation":[0,0,10,0,0]}]}]}],
			"omero":{"channels":[{"label":"DAPI","color":"0000FF","window":{"start":100,"end":900,"min":0,"max":4095}},{"label":"GFP","color":"00FF00","active":false}]}}`)
		set(labels, `{"version":"0.5","multiscales":[{"axes":[{"name":"z","type":"space"},{"name":"y","type":"space"},{"name":"x","type":"space"}],"datasets":[{"path":"0","coordinateTransformations":[{"type":"scale","scale":[1,1,1]}]}]}],
			"image-label":{"colors":[{"label-value":1,"rgba":[255,0,0,255]}]}}`)
		list, err := img.Group(t.Context(), "labels")
		if err != nil {
			t.Fatal(err)
		}
		set(list, `{"version":"0.5","labels":["nuclei","gone"]}`)

		names := []string{"time", "lat", "lon"}
		create[int16](t, g, "t2m", "int16", []int{3, 4, 5}, nil, names, `{"scale_factor":0.1,"_FillValue":-1,"long_name":"air temperature"}`, nil)
		create(t, g, "time", "int32", []int{3}, nil, names[:1], `{"units":"days since 2000-01-01","calendar":"noleap"}`, []int32{0, 59, 400})
		create(t, g, "lat", "float32", []int{4}, nil, names[1:2], `{"units":"degrees_north"}`, []float32{-30, -10, 10, 30})
		create(t, g, "lon", "float32", []int{5}, nil, names[2:], `{"units":"degrees_east"}`, []float32{0, 1, 3, 6, 10})
	})
	cells := c.image("data", "/cells")
	if axesOf(cells) != "t,5,time,s,30,0 c,2,channel,,1,0 z,7,space,µm,0.5,10 y,64,space,µm,0.1,0 x,64,space,µm,0.1,0" {
		t.Error(axesOf(cells))
	}
	if cells.X != 4 || cells.Y != 3 || cells.Channel != 1 || cells.DataType != "uint16" || cells.Missing || cells.Up || cells.Map != nil || fmt.Sprint(cells.Position) != "[0 0 3 0 0]" {
		t.Errorf("%+v", cells)
	}
	ch := cells.Channels
	if len(ch) != 2 || ch[0].Label != "DAPI" || ch[0].Color != "#0000ff" || *ch[0].Window != [2]float64{100, 900} || *ch[0].Range != [2]float64{0, 4095} || ch[1].Active || ch[1].Window != nil {
		t.Errorf("%+v", ch)
	}
	if len(cells.Labels) != 1 || cells.Labels[0].Path != "/cells/labels/nuclei" || fmt.Sprint(cells.Labels[0].Colors) != "[[1 #ff0000]]" {
		t.Errorf("%+v", cells.Labels)
	}
	if cells.Levels[0].Path != "/cells/0" {
		t.Error(cells.Levels[0].Path)
	}
	if got := c.image("data", "/cells/labels/nuclei"); got.Channel != -1 || len(got.Labels) != 0 {
		t.Errorf("%+v", got)
	}

	t2m := c.image("data", "/t2m")
	if t2m.DataType != "float32" || !t2m.Missing || !t2m.Up || t2m.Channels[0].Label != "air temperature" {
		t.Errorf("%+v", t2m)
	}
	if time := t2m.Axes[0]; time.Type != "time" || time.Calendar != "noleap" || fmt.Sprint(time.Coordinates) != "[2000-01-01 2000-03-01 2001-02-05]" {
		t.Errorf("%+v", time)
	}
	if lat, lon := t2m.Axes[1], t2m.Axes[2]; lat.Unit != "°" || lat.Offset != -30 || lat.Scale != 20 || lat.Coordinates != nil || fmt.Sprint(lon.Coordinates) != "[0 1 3 6 10]" {
		t.Errorf("%+v %+v", lat, lon)
	}
	if m := t2m.Map; m == nil || m.EPSG != 4326 || m.North != 0 || m.Affine != [6]float64{2.5, 0, -1.25, 0, 20, -40} {
		t.Errorf("%+v", m)
	}
}

// A GeoTIFF lies on the ground, with what its tags say.
func TestMaps(t *testing.T) {
	c := made(t, func(g *zarr.Group) {
		for name, affine := range map[string]string{"utm": "[10,0,500000,0,-10,5000000]", "turned": "[0,10,500000,10,0,5000000]"} {
			create[uint8](t, g, name, "uint8", []int{40, 50}, nil, []string{"y", "x"}, `{"proj:code":"EPSG:32633","spatial:dimensions":["y","x"],"spatial:transform":`+affine+`}`, nil)
		}
	})
	utm := c.image("data", "/utm")
	if m := utm.Map; m == nil || m.EPSG != 32633 || m.CRS == "" || m.Affine != [6]float64{10, 0, 500000, 0, -10, 5000000} || m.North != 0 || utm.Up {
		t.Errorf("%+v", m)
	}
	if y := utm.Axes[0]; y.Offset != 4999995 || y.Scale != -10 {
		t.Errorf("%+v", y)
	}
	// Columns lead north, so that north is to the right.
	if m := c.image("data", "/turned").Map; m == nil || m.North != 90 {
		t.Errorf("%+v", m)
	}
}

func TestImageStats(t *testing.T) {
	nan := float32(math.NaN())
	c := made(t, func(g *zarr.Group) {
		create(t, g, "a", "float32", []int{2, 2, 2}, nil, []string{"z", "y", "x"}, "", []float32{1, 2, 3, nan, 10, 20, 30, 40})
		create(t, g, "none", "float32", []int{1, 2}, nil, nil, "", []float32{nan, nan})
	})
	var s api.Stats
	c.get(&s, "stats", "source", "data", "path", "/a")
	if s.Level != 0 || !s.Exact || s.Count != 4 || s.Missing != 1 || *s.Min != 1 || *s.Max != 3 || s.Percentiles["50"] != 2 || len(s.Histogram.Counts) != 256 || s.Histogram.Counts[255] != 1 {
		t.Errorf("%+v", s)
	}
	c.get(&s, "stats", "source", "data", "path", "/a", "at", "0:1")
	if *s.Min != 10 || *s.Max != 40 {
		t.Errorf("%+v", s)
	}
	c.get(&s, "stats", "source", "data", "path", "/a", "all", "1")
	if s.Count != 8 || *s.Max != 40 {
		t.Errorf("%+v", s)
	}
	s = api.Stats{}
	c.get(&s, "stats", "source", "data", "path", "/none")
	if s.Min != nil || s.Missing != 2 || len(s.Percentiles) != 0 {
		t.Errorf("%+v", s)
	}
	c.problem(400, "stats", "source", "data", "path", "/a", "channel", "1")
}

func TestThumbnails(t *testing.T) {
	c := made(t, func(g *zarr.Group) {
		create(t, g, "image", "uint8", []int{400, 200}, nil, []string{"y", "x"}, "", servetest.Counting[uint8](80000))
		if _, err := g.CreateGroup(t.Context(), "bare"); err != nil {
			t.Fatal(err)
		}
		create(t, g, "line", "float64", []int{1000}, nil, nil, "", servetest.Counting[float64](1000))
		create[string](t, g, "text", "string", []int{3}, nil, nil, "", nil)
	})
	for _, p := range []struct {
		path, want string
	}{{"/image", "32x64"}, {"/line", "64x32"}} {
		w := c.ask("thumbnail", "source", "data", "path", p.path, "size", "64")
		img, err := png.Decode(w.Body)
		if err != nil {
			t.Errorf("%s: %v", p.path, err)
			continue
		}
		if size := img.Bounds().Size(); fmt.Sprintf("%dx%d", size.X, size.Y) != p.want {
			t.Errorf("%s: %v", p.path, size)
		}
		seen := false
		for x := range img.Bounds().Dx() {
			for y := range img.Bounds().Dy() {
				_, _, b, a := img.At(x, y).RGBA()
				seen = seen || a > 0 && b > 0
			}
		}
		if !seen {
			t.Errorf("%s: nothing is drawn", p.path)
		}
	}
	c.problem(404, "thumbnail", "source", "data", "path", "/text")
	c.problem(404, "thumbnail", "source", "data", "path", "/none")
	// What cannot have one is told from a group in which there might be one.
	if w := c.ask("thumbnail", "source", "data", "path", "/bare"); w.Code != 204 || w.Body.Len() != 0 {
		t.Errorf("of a group without pictures: %d, %d bytes", w.Code, w.Body.Len())
	}
	var list api.Children
	c.get(&list, "children", "source", "data", "path", "/")
	for _, child := range list.Children {
		w := c.ask("thumbnail", "source", "data", "path", child.Path, "size", "64")
		if child.Problem == nil && w.Code != 502 && (child.Picture && w.Code == 404 || !child.Picture && w.Code == 200) {
			t.Errorf("%s: told %t, thumbnail %d", child.Path, child.Picture, w.Code)
		}
	}
	// A group has that of the first image in it.
	own, group := c.ask("thumbnail", "source", "data", "path", "/image"), c.ask("thumbnail", "source", "data", "path", "/")
	if group.Code != 200 || !bytes.Equal(own.Body.Bytes(), group.Body.Bytes()) {
		t.Errorf("%d: a group has another picture than its image", group.Code)
	}
	session := samples(t)
	if w := session.ask("thumbnail", "source", servetest.Session, "path", "/"); w.Code != 200 {
		t.Errorf("the NWB session: %d %s", w.Code, w.Body)
	}
	c.problem(400, "thumbnail", "source", "data", "path", "/image", "size", "9999")
}

// A tebibyte without smaller versions is answered by some of its chunks, and says so.
func TestQuickAnswers(t *testing.T) {
	c := made(t, func(g *zarr.Group) {
		create[uint8](t, g, "huge", "uint8", []int{1 << 20, 1 << 20}, []int{256, 256}, []string{"y", "x"}, "", nil)
	})
	info := c.image("data", "/huge")
	if len(info.Levels) != 13 || !info.Levels[12].Made || info.Levels[12].Shape[0] != 256 {
		t.Fatalf("%+v", info.Levels)
	}
	w := c.ask("tile", "source", "data", "path", "/huge", "level", "12", "quick", "1")
	if w.Code != 200 || w.Body.Len() != 1<<16 || w.Header().Get("X-Exact") != "false" || w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("ETag") != "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	var s api.Stats
	c.get(&s, "stats", "source", "data", "path", "/huge")
	if s.Exact || s.Level != 12 || s.Count != 1<<16 || *s.Max != 0 {
		t.Errorf("%+v", s)
	}
	if w := c.ask("thumbnail", "source", "data", "path", "/huge"); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// More images than are kept open are looked at, at once.
func TestManyImages(t *testing.T) {
	const many = 40
	c := made(t, func(g *zarr.Group) {
		for k := range many {
			create(t, g, fmt.Sprint(k), "uint8", []int{1, 2}, nil, nil, "", []uint8{uint8(k), 1})
		}
	})
	var all sync.WaitGroup
	for k := range 2 * many {
		all.Go(func() {
			w := c.ask("tile", "source", "data", "path", fmt.Sprint("/", k%many))
			if w.Code != 200 || w.Body.Bytes()[0] != uint8(k%many) {
				t.Errorf("%d: %d %s", k, w.Code, w.Body)
			}
		})
	}
	all.Wait()
}

// axesOf tells the axes of an image in a line.
func axesOf(i *api.ImageInfo) string {
	var out []string
	for _, a := range i.Axes {
		out = append(out, fmt.Sprintf("%s,%d,%s,%s,%v,%v", a.Name, a.Size, a.Type, a.Unit, a.Scale, a.Offset))
	}
	return strings.Join(out, " ")
}
