package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/serve/api"
	"github.com/omnizarr/zarr/serve/servetest"
	"github.com/omnizarr/zarr/serve/source"
)

const session = servetest.Session

// Every node is of the kind that it is best shown as, and has one fact.
func TestKindsOfNodes(t *testing.T) {
	c := samples(t)
	for _, want := range []struct{ source, path, format, views, fact string }{
		{"data", "/", "folder", "group", "5 items"},
		{"data", "/sub", "folder", "group", "2 items"},
		{"data", "/plain.zarr", "zarr3", "group", "2 items"},
		{"data", "/plain.zarr/a", "zarr3", "image array series", "6 × 8"},
		{"data", "/plain.zarr/deep/b", "zarr3", "array series", "5"},
		{"data", "/sub/old.zarr/a", "zarr2", "array series image", "4 × 5"},
		{"data", "/sub/cells.n5/s0", "n5", "array series image", "4 × 6"},
		{"data", "/image.tif", "tiff", "image group", "3 levels"},
		{"data", "/image.tif/1", "tiff", "image array series", "150 × 200"},
		{"data", "/packed.zip/a", "zarr3", "array series", "3"},
		{session, "/", "hdmf", "group", "13 items"},
		{session, "/units", "hdmf", "spikes table group", "5 units"},
		{session, "/intervals/trials", "hdmf", "table group", "4 rows"},
		{session, "/acquisition/ElectricalSeries/data", "hdmf", "array series image", "400 × 6"},
		{session, "/general/extracellular_ephys/electrodes/group", "hdmf", "array", "6"},
		{session, "/acquisition/ElectricalSeries", "hdmf", "series table group", "400 samples"},
		{session, "/acquisition/bool_events", "hdmf", "series table group", "10 Hz"},
		{session, "/acquisition/words", "hdmf", "table group", "3 rows"},
		{session, "/acquisition/video", "hdmf", "group", "6 items"},
		{"data", "/" + session + "/units", "hdmf", "spikes table group", "5 units"},
	} {
		var n api.Node
		c.get(&n, "node", "source", want.source, "path", want.path)
		var views []string
		for _, v := range n.Views {
			views = append(views, string(v))
		}
		if n.Format != want.format || strings.Join(views, " ") != want.views || n.Fact != want.fact || n.Kind != n.Views[0] || len(n.Problems) > 0 {
			t.Errorf("%s is %s, %v, %q, %+v", want.path, n.Format, views, n.Fact, n.Problems)
		}
		if isArray := n.Array != nil; isArray != (n.NodeType == "array") || isArray == (n.Children != nil) {
			t.Errorf("%s: %+v", want.path, n)
		}
	}
	var n api.Node
	c.get(&n, "node", "source", session, "path", "/acquisition/ElectricalSeries")
	if n.Kind != api.SeriesKind || n.Type != "ElectricalSeries" || n.Title != "NWB" {
		t.Errorf("%+v", n)
	}
	c.get(&n, "node", "source", session, "path", "/")
	if about := fmt.Sprint(n.About); !strings.Contains(about, "{started 2023-04-05T10:11:12.345678-05:00}") || !strings.Contains(about, "{subject ") {
		t.Error(about)
	}
}

// Climate data are maps, RGB pixels images, lists of vectors are none.
func TestWhichArraysAreImages(t *testing.T) {
	dir := t.TempDir()
	g, err := zarr.CreateGroup(t.Context(), filepath.Join(dir, "x.zarr"))
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name  string
		shape []int
		dims  []string
		dtype string
		kind  api.Kind
	}{
		{"climate", []int{12, 18, 36}, []string{"time", "lat", "lon"}, "float32", api.ImageKind},
		{"volume", []int{5, 6, 7}, []string{"z", "y", "x"}, "float32", api.ImageKind},
		{"small", []int{4, 5}, []string{"y", "x"}, "uint8", api.ImageKind},
		{"rgb", []int{64, 80, 3}, nil, "uint8", api.ImageKind},
		{"planes", []int{3, 64, 80}, nil, "uint8", api.ImageKind},
		{"plain", []int{100, 100}, nil, "uint8", api.ImageKind},
		{"vectors", []int{10000, 3}, nil, "float32", api.ArrayKind},
		{"samples", []int{100000, 64}, nil, "float32", api.ArrayKind},
		{"named", []int{100, 100}, []string{"cell", "gene"}, "float32", api.ArrayKind},
		{"line", []int{100}, nil, "float32", api.ArrayKind},
		{"text", []int{100, 100}, []string{"y", "x"}, "string", api.ArrayKind},
		{"empty", []int{0, 100}, []string{"y", "x"}, "uint8", api.ArrayKind},
		{"scalar", []int{}, nil, "uint8", api.ArrayKind},
	}
	for _, c := range cases {
		if _, err := g.CreateArray(t.Context(), c.name, zarr.ArraySpec{Shape: c.shape, DataType: c.dtype, DimensionNames: c.dims}); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	ask := serving(t, filepath.Join(dir, "x.zarr"))
	icons := map[string]string{"climate": "map", "volume": "volume"}
	var all api.Children
	ask.get(&all, "children", "source", "x.zarr")
	for _, n := range all.Children {
		if n.Icon != icons[n.Name] {
			t.Errorf("%s has the icon %q", n.Name, n.Icon)
		}
	}
	for _, c := range cases {
		var n api.Node
		ask.get(&n, "node", "source", "x.zarr", "path", c.name)
		if n.Kind != c.kind {
			t.Errorf("%s is %s", c.name, n.Kind)
		}
	}
}

// Attributes are those that are stored, digit by digit.
func TestAttributesAreAsStored(t *testing.T) {
	dir := t.TempDir()
	stored := `{"big":18446744073709551615,"tiny":1.10e-300,"zero":-0.0,"long":0.1000000000000000055511151231257827,"text":"<b>&\u00e9","nested":{"b":1,"a":[1e5]}}`
	document := `{"zarr_format":3,"node_type":"group","attributes":` + strings.Replace(stored, `"tiny"`, `"nan":NaN,"tiny"`, 1) + `}`
	if err := os.WriteFile(filepath.Join(dir, "zarr.json"), []byte(document), 0o666); err != nil {
		t.Fatal(err)
	}
	c := serving(t)
	if _, err := c.set.Add("x", dir); err != nil {
		t.Fatal(err)
	}
	var n struct{ Attributes json.RawMessage }
	c.get(&n, "node", "source", "x")
	if want := strings.Replace(stored, `"tiny"`, `"nan":"NaN","tiny"`, 1); !bytes.Equal(n.Attributes, []byte(want)) {
		t.Errorf("%s\n%s", n.Attributes, want)
	}
}

// References are links to where they lead, and a node behind a link says where it lies.
func TestLinksOfNodes(t *testing.T) {
	c := samples(t)
	for _, src := range []struct{ name, top string }{{session, ""}, {"data", "/" + session}} {
		var n api.Node
		c.get(&n, "node", "source", src.name, "path", src.top+"/units/electrodes")
		if len(n.Links) != 1 || n.Links[0].At != "/table" || n.Links[0].Target.Path != src.top+"/general/extracellular_ephys/electrodes" || n.Links[0].Target.Source != src.name {
			t.Errorf("%+v", n.Links)
		}
		var target api.Node
		c.get(&target, "node", "source", n.Links[0].Target.Source, "path", n.Links[0].Target.Path)
		if target.Kind != api.TableKind || target.Link != nil {
			t.Errorf("%+v", target)
		}
		c.get(&target, "node", "source", src.name, "path", src.top+"/general/extracellular_ephys/shank0/device")
		if target.Link == nil || target.Link.Path != src.top+"/general/devices/probe" {
			t.Errorf("%+v", target.Link)
		}
	}
}

func TestNodesThatAreNot(t *testing.T) {
	c := samples(t)
	c.problem(400, "node")
	c.problem(404, "node", "source", "none")
	for path, status := range map[string]int{
		"/none": 404, "/plain.zarr/a/c/0": 404, "/../x": 400, "a\x00": 400, "/plain.zarr//a": 400, "/notes.txt": 422, strings.Repeat("/a", 300): 400, "/plain.zarr/zarr.json": 404,
	} {
		p := c.problem(status, "node", "source", "data", "path", path)
		if p.Source != "data" {
			t.Errorf("%s: %+v", path, p)
		}
	}
}

// What is wrong with an array is told with all else that is known of it.
func TestUnknownCodecsAreTold(t *testing.T) {
	dir := t.TempDir()
	document := `{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"bytes"},{"name":"nobody_knows"}]}`
	if err := os.WriteFile(filepath.Join(dir, "zarr.json"), []byte(document), 0o666); err != nil {
		t.Fatal(err)
	}
	c := serving(t)
	if _, err := c.set.Add("x", dir); err != nil {
		t.Fatal(err)
	}
	var n api.Node
	c.get(&n, "node", "source", "x")
	if len(n.Problems) != 1 || n.Problems[0].Kind != api.UnknownCodec || n.Array == nil || len(n.Array.Codecs) != 2 {
		t.Errorf("%+v", n)
	}
}

// told counts what it is asked about.
type told struct{ paths *[]string }

func (told) Name() string { return "told" }

func (k told) About(_ context.Context, n zarr.Node) *convention.About {
	*k.paths = append(*k.paths, n.Path())
	return nil
}

// A folder of stores is told of without opening them, as kinds do to describe a group:
// there may be very many.
func TestFoldersAreToldOfUnopened(t *testing.T) {
	dir := t.TempDir()
	a, err := zarr.CreateArray(t.Context(), filepath.Join(dir, "time"), zarr.ArraySpec{Shape: []int{4}, DataType: "int32"})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var asked []string
	set := source.NewSet(source.Options{Kinds: kind.List{told{&asked}}})
	defer set.Close()
	if _, err := set.Add("data", dir); err != nil {
		t.Fatal(err)
	}
	c := &client{t, api.New(set, api.Options{}), set}
	var n api.Node
	c.get(&n, "node", "source", "data", "path", "/")
	if len(asked) != 0 || n.Children == nil || *n.Children != 1 {
		t.Errorf("asked about %q, %+v", asked, n)
	}
	c.get(&n, "node", "source", "data", "path", "/time")
	if len(asked) != 1 {
		t.Errorf("asked about %q", asked)
	}
}
