package export_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff/export"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store/mem"
)

// attributes parses attributes.
func attributes(t testing.TB, text string) *meta.Attributes {
	t.Helper()
	a, err := meta.ParseAttributes([]byte(text))
	jobtest.Check(t, err)
	return a
}

// tagsOf are the tags of the first page of a copy.
func tagsOf(t testing.TB, n zarr.Node) map[string]json.RawMessage {
	t.Helper()
	attrs := (*meta.Attributes)(nil)
	switch n := n.(type) {
	case *zarr.Array:
		attrs = n.Attributes()
	case *zarr.Group:
		attrs = n.Attributes()
	}
	var from struct{ Tags map[string]json.RawMessage }
	_, err := attrs.Get("tiff", &from)
	jobtest.Check(t, err)
	return from.Tags
}

func TestTagsOfTheSourceAreKept(t *testing.T) {
	profile := base64.StdEncoding.EncodeToString([]byte("some profile, longer than sixteen bytes"))
	tags := map[string]string{"PhotometricInterpretation": "0", "XResolution": "118.11", "YResolution": "300", "ResolutionUnit": "3", "Orientation": "6",
		"DateTime": `"2026:01:02 03:04:05"`, "Artist": `"somebody"`, "Copyright": `"nobody"`, "ImageDescription": `"a slide"`, "ICCProfile": `"` + profile + `"`}
	var list []string
	for name, v := range tags {
		list = append(list, fmt.Sprintf("%q: %s", name, v))
	}
	a := picture(t, zarr.ArraySpec{Shape: []int{40, 50}, DataType: "uint8", Attributes: attributes(t, `{"tiff": {"tags": {`+strings.Join(list, ",")+`}}}`)})
	for _, cog := range []bool{false, true} {
		got := tagsOf(t, copied(t, a, copying.Options{To: export.Format{COG: cog}}))
		for name, want := range tags {
			if string(got[name]) != want {
				t.Errorf("COG %v: %s is %s, was %s", cog, name, got[name], want)
			}
		}
	}
}

func TestPalettesAreKept(t *testing.T) {
	colours := make([]int, 3*256)
	for i := range colours {
		colours[i] = i * 80
	}
	text, err := json.Marshal(colours)
	jobtest.Check(t, err)
	attrs := attributes(t, `{"tiff": {"tags": {"PhotometricInterpretation": 3, "ColorMap": `+string(text)+`}}}`)
	a := picture(t, zarr.ArraySpec{Shape: []int{100, 100}, DataType: "uint8", Attributes: attrs})
	n := copied(t, a, copying.Options{To: export.Format{COG: true}, Chunks: []int{64, 64}}).(*zarr.Group)
	var got []int
	jobtest.Check(t, json.Unmarshal(tagsOf(t, n)["ColorMap"], &got))
	if !slices.Equal(got, colours) || string(tagsOf(t, n)["PhotometricInterpretation"]) != "3" {
		t.Error("another palette, or none")
	}
	// Numbers of colours have no averages.
	half, err := n.Array(ctx, "1")
	jobtest.Check(t, err)
	if v, w := memory(t, a), memory(t, half); v.At(14, 18)[0] != w.At(7, 9)[0] {
		t.Errorf("%d became %d", v.At(14, 18)[0], w.At(7, 9)[0])
	}
	// Sixteen colours have become bytes.
	attrs = attributes(t, `{"tiff": {"tags": {"PhotometricInterpretation": 3, "ColorMap": [1,2,3,4,5,6]}}}`)
	a = picture(t, zarr.ArraySpec{Shape: []int{10, 10}, DataType: "uint8", Attributes: attrs})
	jobtest.Check(t, json.Unmarshal(tagsOf(t, copied(t, a, copying.Options{To: export.Format{}}))["ColorMap"], &got))
	if len(got) != 3*256 || fmt.Sprint(got[:3], got[256:259], got[512:515]) != "[1 2 0] [3 4 0] [5 6 0]" {
		t.Errorf("%d entries, %v", len(got), got[:3])
	}
	// A palette is of no use for another type.
	if tags := tagsOf(t, copied(t, a, copying.Options{To: export.Format{}, DataType: "float32"})); tags["ColorMap"] != nil || string(tags["PhotometricInterpretation"]) != "1" {
		t.Errorf("floats with a palette")
	}
}

func TestExtraSamplesAreKept(t *testing.T) {
	for attrs, want := range map[string]string{
		`{}`: "2",
		`{"tiff": {"tags": {"PhotometricInterpretation": 2, "ExtraSamples": 1}}}`:         "1",
		`{"tiff": {"tags": {"PhotometricInterpretation": 2}}}`:                            "0",
		`{"tiff": {"tags": {"PhotometricInterpretation": 1, "ExtraSamples": [0, 0, 2]}}}`: "[0, 0, 2]",
	} {
		a := picture(t, zarr.ArraySpec{Shape: []int{4, 20, 30}, DataType: "uint8", DimensionNames: []string{"s", "y", "x"}, Attributes: attributes(t, attrs)})
		if got := string(tagsOf(t, copied(t, a, copying.Options{To: export.Format{}}))["ExtraSamples"]); got != want {
			t.Errorf("%s: extra samples are %s, not %s", attrs, got, want)
		}
	}
}

func TestAFillValueThatTheTypeDoesNotHaveIsNoData(t *testing.T) {
	a := picture(t, zarr.ArraySpec{Shape: []int{20, 30}, DataType: "float32", FillValue: json.RawMessage(`"NaN"`)})
	jobtest.Check(t, zarr.Write(ctx, a, zarr.All(), make([]float32, 600)))
	if got := tagsOf(t, copied(t, a, copying.Options{To: export.Format{}, DataType: "uint8"}))["GDAL_NODATA"]; got != nil {
		t.Errorf("bytes without data are %s", got)
	}
	if got := string(tagsOf(t, copied(t, a, copying.Options{To: export.Format{}}))["GDAL_NODATA"]); got != `"nan"` {
		t.Errorf("floats without data are %s", got)
	}
}

func TestChannelsHaveTheirNames(t *testing.T) {
	g, m := pyramid(t)
	attrs := g.Attributes().Clone()
	var doc map[string]any
	_, err := attrs.Get("ome", &doc)
	jobtest.Check(t, err)
	doc["omero"] = map[string]any{"channels": []any{map[string]any{"label": "DAPI", "color": "0000FF"}, map[string]any{"label": "GFP"}}}
	jobtest.Check(t, attrs.Set("ome", doc))
	jobtest.Check(t, g.SetAttributes(ctx, attrs))
	var text string
	jobtest.Check(t, json.Unmarshal(tagsOf(t, copied(t, g, copying.Options{To: export.Format{}}))["ImageDescription"], &text))
	for _, want := range []string{`Name="` + m.Name + `"`, `Name="DAPI"`, `Color="65535"`, `Name="GFP"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

// group makes a group of arrays and groups.
func group(t testing.TB, attrs string, arrays map[string]zarr.ArraySpec, groups map[string]string) *zarr.Group {
	t.Helper()
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	jobtest.Check(t, err)
	jobtest.Check(t, g.SetAttributes(ctx, attributes(t, attrs)))
	for name, attrs := range groups {
		sub, err := g.CreateGroup(ctx, name)
		jobtest.Check(t, err)
		jobtest.Check(t, sub.SetAttributes(ctx, attributes(t, attrs)))
	}
	for name, spec := range arrays {
		a, err := g.CreateArray(ctx, name, spec)
		jobtest.Check(t, err)
		fillPicture(t, a)
	}
	return g
}

const oneLevel = `{"ome": {"version": "0.5", "multiscales": [{"axes": [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}],
	"datasets": [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 1]}]}]}]}}`

func TestGroupsAsBioformats2rawWritesThem(t *testing.T) {
	groups := map[string]string{"OME": `{"ome": {"version": "0.5", "series": ["0", "1"]}}`}
	arrays := map[string]zarr.ArraySpec{}
	for i := range 12 {
		groups[fmt.Sprint(i)] = oneLevel
		arrays[fmt.Sprint(i, "/0")] = zarr.ArraySpec{Shape: []int{20, 30 + i}, DataType: "uint8"}
	}
	g := group(t, `{"ome": {"version": "0.5", "bioformats2raw.layout": 3}}`, arrays, groups)
	got := copied(t, g, copying.Options{To: export.Format{}}).(*zarr.Group)
	for i := range 12 { // by number, not by name
		a, err := got.Array(ctx, fmt.Sprint(i))
		jobtest.Check(t, err)
		if a.Shape()[1] != 30+i {
			t.Errorf("image %d has shape %v", i, a.Shape())
		}
	}
}

func TestVolumesThatShrinkAlongAllAxesLoseTheirLevels(t *testing.T) {
	levels, arrays := "", map[string]zarr.ArraySpec{}
	for i, side := range []int{64, 32, 16} {
		levels += fmt.Sprintf(`,{"path": "%d", "coordinateTransformations": [{"type": "scale", "scale": [%d, %[2]d, %[2]d]}]}`, i, 1<<i)
		depth := side / 8
		if i == 1 {
			depth = 8 // as deep as the first, which makes it a level of its planes
		}
		arrays[fmt.Sprint(i)] = zarr.ArraySpec{Shape: []int{depth, side, side}, DataType: "uint8"}
	}
	g := group(t, `{"ome": {"version": "0.5", "multiscales": [{"axes": [{"name": "z", "type": "space"}, {"name": "y", "type": "space"},
		{"name": "x", "type": "space"}], "datasets": [`+levels[1:]+`]}]}}`, arrays, nil)
	got := copied(t, g, copying.Options{To: export.Format{}}).(*zarr.Group)
	var shapes []string
	for n, err := range got.Children(ctx) {
		jobtest.Check(t, err)
		shapes = append(shapes, fmt.Sprint(n.(*zarr.Array).Shape()))
	}
	if fmt.Sprint(shapes) != "[[8 64 64] [8 32 32]]" {
		t.Errorf("levels are %v", shapes)
	}
}

func TestDatasetsOfXarray(t *testing.T) {
	g := group(t, `{}`, map[string]zarr.ArraySpec{
		"x":    {Shape: []int{30}, DataType: "float64", DimensionNames: []string{"x"}},
		"y":    {Shape: []int{20}, DataType: "float64", DimensionNames: []string{"y"}},
		"band": {Shape: []int{2}, DataType: "int64", DimensionNames: []string{"band"}},
		"spatial_ref": {DataType: "int64", Attributes: attributes(t, `{"crs_wkt": "PROJCS[\"UTM\",GEOGCS[\"WGS 84\",AUTHORITY[\"EPSG\",\"4326\"]],AUTHORITY[\"EPSG\",\"32633\"]]",
			"GeoTransform": "500000.0 20.0 0.0 5000000.0 0.0 -20.0"}`)},
		"data": {Shape: []int{2, 20, 30}, DataType: "float32", DimensionNames: []string{"band", "y", "x"}, Attributes: attributes(t, `{"grid_mapping": "spatial_ref"}`)},
	}, nil)
	a := copied(t, g, copying.Options{To: export.Format{COG: true}}).(*zarr.Array)
	if code, place := string(a.Attributes().Raw("proj:code")), string(a.Attributes().Raw("spatial:transform")); code != `"EPSG:32633"` || place != "[20, 0, 500000, 0, -20, 5000000]" {
		t.Errorf("it is at %s in %s", place, code)
	}
	if fmt.Sprint(a.Shape()) != "[2 20 30]" {
		t.Errorf("shape %v", a.Shape())
	}
}

func TestPicturesWithoutNamesOfAxes(t *testing.T) {
	for i, c := range []struct {
		name  string
		shape []int
		want  string
	}{
		{"uint8", []int{20, 30, 3}, "[3 20 30]"}, {"uint16", []int{20, 30, 4}, "[4 20 30]"}, {"float32", []int{20, 30, 3}, "[20 30 3]"},
		{"uint8", []int{20, 30, 5}, "[20 30 5]"}, {"uint8", []int{20, 3, 3}, "[20 3 3]"}, {"uint8", []int{3, 20, 30}, "[3 20 30]"},
	} {
		if i%thorough.Least(3, 1, 1) != 0 {
			continue
		}
		a := picture(t, zarr.ArraySpec{Shape: c.shape, DataType: c.name})
		got := copied(t, a, copying.Options{To: export.Format{}}).(*zarr.Array)
		if fmt.Sprint(got.Shape()) != c.want {
			t.Errorf("%s of shape %v became %v", c.name, c.shape, got.Shape())
		}
	}
}

func TestTheSourceIsNotOverwritten(t *testing.T) {
	dir := t.TempDir()
	file, folder := filepath.Join(dir, "a b.tif"), filepath.Join(dir, "a.zarr")
	a := picture(t, zarr.ArraySpec{Shape: []int{20, 30}, DataType: "uint8"})
	jobtest.Check(t, jobtest.Err(copying.Copy(ctx, a, file, copying.Options{To: export.Format{}})))
	jobtest.Check(t, jobtest.Err(copying.Copy(ctx, a, folder, copying.Options{})))
	for from, to := range map[string]string{file: file, file + "/ifd/0": filepath.Join(dir, ".", "a b.tif"), folder: folder + "/c/0/0"} {
		src, err := zarr.Open(ctx, from)
		jobtest.Check(t, err)
		_, err = copying.Copy(ctx, src, to, copying.Options{To: export.Format{}, Overwrite: true})
		if err == nil || !strings.Contains(err.Error(), "is the same place or one is inside the other") {
			t.Errorf("%s to %s: %v", from, to, err)
		}
		jobtest.Check(t, src.Close())
	}
}

func TestCodecsOfATIFF(t *testing.T) {
	a := picture(t, zarr.ArraySpec{Shape: []int{200, 300}, DataType: "uint8"})
	codecs := `[{"name": "tiff-tile", "configuration": {"compression": 5, "predictor": 1, "tile_width": 48, "tile_height": 32}}]`
	got := copied(t, a, copying.Options{To: export.Format{}, Codecs: json.RawMessage(codecs)}).(*zarr.Array)
	if c := string(got.Metadata().Codecs[0].Configuration); !strings.Contains(c, `"compression": 5`) || !strings.Contains(c, `"predictor": 1`) || fmt.Sprint(got.ChunkShape()) != "[32 48]" {
		t.Errorf("chunks %v, codec %s", got.ChunkShape(), c)
	}
	for codecs, want := range map[string]string{
		`["bytes", {"name": "zstd"}]`:                                   "the codecs of a TIFF file are one entry with the name tiff-tile",
		`[{"name": "tiff-tile", "configuration": {"compression": 99}}]`: "compression is 99, which is not written",
	} {
		_, err := copying.Copy(ctx, a, filepath.Join(t.TempDir(), "a.tif"), copying.Options{To: export.Format{}, Codecs: json.RawMessage(codecs)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", codecs, err)
		}
	}
}

func TestManySamplesHaveSmallTiles(t *testing.T) {
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{1000, 300, 300}, DataType: "uint16", Chunks: []int{1000, 256, 256}, DimensionNames: []string{"band", "y", "x"}})
	jobtest.Check(t, err)
	got := copied(t, a, copying.Options{To: export.Format{Sparse: !thorough.Enabled}}).(*zarr.Array) // which compresses nothing
	if c := got.ChunkShape(); c[0]*c[1]*c[2]*2 > 16<<20 {
		t.Errorf("tiles are %v", c)
	}
}
