package geo

import (
	_ "embed"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/meta"
)

// Tags of files that GDAL 3.6.2 and 3.10.3 and tifffile wrote, what tifffile
// 2026.10.15 calls their values, and the transform (in the order of
// "spatial:transform"), code and bounds that GDAL 3.10.3 reads from them.
//
//go:embed testdata/golden.json
var golden []byte

type file struct {
	Name string
	Big  bool
	Tags []struct {
		ID, Type uint16
		Raw      []byte
	}
	GeoTIFF       map[string]any
	Transform     []float64
	Bounds        [4]float64
	EPSG          *int
	Width, Height int
	NoData        string
}

func files(t testing.TB) (list []file) {
	if err := json.Unmarshal(golden, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func (f *file) fields() (out []tag.Field) {
	for _, x := range f.Tags {
		out = append(out, tag.Field{ID: tag.ID(x.ID), Type: tag.Type(x.Type), Raw: x.Raw, Big: f.Big})
	}
	return out
}

// attributes gathers members; names must differ.
func attributes(t testing.TB, members []meta.Member) *meta.Attributes {
	a := &meta.Attributes{}
	for _, m := range members {
		if a.Raw(m.Name) != nil {
			t.Fatalf("%s twice", m.Name)
		}
		if err := a.Set(m.Name, m.Raw); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

func TestFilesOfGDAL(t *testing.T) {
	for _, f := range files(t) {
		info, err := Parse(f.fields())
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		members, err := info.Attributes(f.Width, f.Height)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		a := attributes(t, members)
		tags := map[string]any{}
		if _, err := a.Get("geotiff", &tags); err != nil {
			t.Fatal(err)
		}
		if f.NoData != "" && tags["GDAL_NODATA"] != f.NoData {
			t.Errorf("%s: no data %q, want %s", f.Name, tags["GDAL_NODATA"], f.NoData)
		}
		delete(tags, "GDAL_NODATA")
		if len(tags)+len(f.GeoTIFF) > 0 && !reflect.DeepEqual(tags, f.GeoTIFF) {
			t.Errorf("%s: %v\nwant %v", f.Name, tags, f.GeoTIFF)
		}
		tr, ok := info.Transform()
		if affine := tr.Affine(); ok != (f.Transform != nil) || ok && !slices.EqualFunc(affine[:], f.Transform, near) {
			t.Errorf("%s: transform %v %v, want %v", f.Name, affine, ok, f.Transform)
		}
		if b, w := tr.BBox(f.Width, f.Height), f.Bounds; ok {
			// GDAL gives the bottom before the top, whatever is less.
			w[1], w[3] = min(w[1], w[3]), max(w[1], w[3])
			if !slices.EqualFunc(b[:], w[:], near) {
				t.Errorf("%s: %v, want %v", f.Name, b, w)
			}
		}
		code, ok := info.EPSG()
		if f.Name == "gcps" {
			f.EPSG = new(int)
			*f.EPSG = 4326 // which GDAL tells of the points only
		}
		if ok != (f.EPSG != nil) || ok && code != *f.EPSG {
			t.Errorf("%s: EPSG %d %v", f.Name, code, ok)
		}
	}
}

func TestMetadataOfGDAL(t *testing.T) {
	want := []Item{{"A", "1 & <2>", -1, "", ""}, {"B", "ü", -1, "", ""}, {"STATS", "x", 0, "", ""}, {"OFFSET", "1", 0, "offset", ""},
		{"SCALE", "0.5", 0, "scale", ""}, {"DESCRIPTION", "a <b>", 0, "description", ""}, {"OFFSET", "1", 1, "offset", ""}, {"SCALE", "0.5", 1, "scale", ""}}
	for _, f := range files(t) {
		if f.Name != "metadata" {
			continue
		}
		info, err := Parse(f.fields())
		if err != nil || !slices.Equal(info.Metadata, want) {
			t.Errorf("%+v, %v", info.Metadata, err)
		}
		text, err := marshalMetadata(info.Metadata)
		if written := f.fields(); err != nil || text != written[slices.IndexFunc(written, func(f tag.Field) bool { return f.ID == tag.GDALMetadata })].Text() {
			t.Errorf("%s, %v", text, err)
		}
		members, err := info.Attributes(6, 4)
		if err != nil || !strings.HasPrefix(string(attributes(t, members).Raw("gdal_metadata")), `[{"name":"A","value":"1 & <2>"},{"name":"B","value":"ü"},{"name":"STATS","value":"x","sample":0},`) {
			t.Errorf("%s, %v", attributes(t, members).Raw("gdal_metadata"), err)
		}
	}
}

// All tags survive the way through attributes.
func TestThereAndBack(t *testing.T) {
	for _, f := range files(t) {
		info, err := Parse(f.fields())
		if err != nil {
			t.Fatal(err)
		}
		members, err := info.Attributes(f.Width, f.Height)
		if err != nil {
			t.Fatal(err)
		}
		fields, err := FromAttributes(attributes(t, members))
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		if !slices.IsSortedFunc(fields, func(a, b tag.Field) int { return int(a.ID) - int(b.ID) }) {
			t.Errorf("%s: tags are not in order: %v", f.Name, fields)
		}
		back, err := Parse(fields)
		if err != nil || !reflect.DeepEqual(back, info) {
			t.Errorf("%s: %+v, %v\nwant %+v", f.Name, back, err, info)
		}
	}
}

func TestAttributeBytes(t *testing.T) {
	info := &Info{Version: 1, Revision: 1, Keys: []Key{{ID: ModelType, Ints: []uint16{1}}, {ID: RasterType, Ints: []uint16{2}}, {ID: ProjectedType, Ints: []uint16{32633}}, {ID: 40000, Ints: []uint16{1, 2}}},
		PixelScale: []float64{10, 20, 0}, Tiepoints: []float64{0, 0, 0, 505, 990, 0}}
	members, err := info.Attributes(4, 3)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, m := range members {
		got += m.Name + " " + string(m.Raw) + "\n"
	}
	want := "zarr_conventions [" + projConvention + "," + spatialConvention + "]\n" + `proj:code "EPSG:32633"
spatial:dimensions ["y","x"]
spatial:shape [3,4]
spatial:transform [10,0,500,0,-20,1000]
spatial:bbox [500,940,540,1000]
geotiff {"KeyDirectoryVersion":1,"KeyRevision":1,"KeyRevisionMinor":0,"GTModelTypeGeoKey":1,"GTRasterTypeGeoKey":2,"ProjectedCSTypeGeoKey":32633,"40000":[1,2],"ModelPixelScale":[10,20,0],"ModelTiepoint":[0,0,0,505,990,0]}
`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	level, err := info.LevelAttributes(4, 3, 2, 1)
	if err != nil || string(attributes(t, level).Raw("spatial:transform")) != "[20,0,500,0,-60,1000]" || string(attributes(t, level).Raw("spatial:bbox")) != "[500,940,540,1000]" {
		t.Errorf("%v, %v", level, err)
	}
	if _, err := info.LevelAttributes(4, 3, 0, 1); err == nil {
		t.Error("a level without pixels")
	}
}

func TestTransform(t *testing.T) {
	point := []Key{{ID: RasterType, Ints: []uint16{2}}}
	for _, c := range []struct {
		info Info
		want Transform
		ok   bool
	}{
		{Info{PixelScale: []float64{2, -3}, Tiepoints: []float64{10, 20, 0, 100, 200, 0, 1, 1, 1, 1, 1, 1}}, Transform{80, 2, 0, 260, 0, -3}, true},
		{Info{Keys: point, Transformation: []float64{2, 4, 0, 100, 6, 8, 0, 200, 0, 0, 0, 0, 0, 0, 0, 1}}, Transform{97, 2, 4, 193, 6, 8}, true},
		{Info{Keys: point, PixelScale: []float64{2, 3, 0}, Tiepoints: []float64{0, 0, 0, 100, 200, 0}}, Transform{99, 2, 0, 201.5, 0, -3}, true},
		{Info{PixelScale: []float64{2, 3, 0}}, Transform{}, false},
		{Info{PixelScale: []float64{2, 0, 0}, Tiepoints: make([]float64, 6)}, Transform{}, false},
		{Info{Transformation: make([]float64, 16)}, Transform{}, false},
		{Info{PixelScale: []float64{1e300, 1}, Tiepoints: []float64{1e300, 0, 0, 0, 0, 0}}, Transform{math.Inf(-1), 1e300, 0, 0, 0, -1}, false},
	} {
		if got, ok := c.info.Transform(); got != c.want || ok != c.ok {
			t.Errorf("%+v: %v %v", c.info, got, ok)
		}
	}
}

func TestNames(t *testing.T) {
	for _, f := range files(t) {
		info, err := Parse(f.fields())
		if err != nil {
			t.Fatal(err)
		}
		want := map[string][2]string{"cog_deflate": {"WGS 84 / UTM zone 33N", "meter"}, "geographic": {"WGS 84", "degree"}, "feet": {"NAD83 / California zone 1 (ftUS)", ""}}
		if w, ok := want[f.Name]; ok && (info.Name() != w[0] || info.Unit() != w[1]) {
			t.Errorf("%s: %q %q", f.Name, info.Name(), info.Unit())
		}
	}
	for name, id := range map[string]KeyID{"GTModelTypeGeoKey": ModelType, "ProjectedCSTypeGeoKey": ProjectedType, "ProjectedCRSGeoKey": ProjectedType, "GeodeticCRSGeoKey": GeographicType, "77": 77} {
		if got, ok := KeyNamed(name); got != id || !ok {
			t.Error(name, got, ok)
		}
	}
	if _, ok := KeyNamed("70000"); ok {
		t.Error("70000 is no key")
	}
	if KeyID(77).String() != "77" {
		t.Error(KeyID(77))
	}
}

func TestParseNothing(t *testing.T) {
	if info, err := Parse([]tag.Field{tag.Shorts(tag.Compression, 1)}); info != nil || err != nil {
		t.Error(info, err)
	}
}

// What can be read is read, and the first fault is told.
func TestParseErrors(t *testing.T) {
	good := tag.Doubles(tag.ModelPixelScale, 1, 1, 0)
	dir := func(v ...uint16) tag.Field { return tag.Shorts(tag.GeoKeyDirectory, v...) }
	for _, c := range []struct {
		fields []tag.Field
		want   string
	}{
		{[]tag.Field{dir(1, 1)}, "tag 34735 (GeoKeyDirectory) has 2 values, 4 are needed"},
		{[]tag.Field{dir(2, 1, 0, 0)}, "version 2 of the keys is not known"},
		{[]tag.Field{tag.Longs(tag.GeoKeyDirectory, 1, 1, 0, 0)}, "tag 34735 (GeoKeyDirectory) has type 4, not 3"},
		{[]tag.Field{dir(1, 1, 0, 65535, 1024, 0, 1, 1)}, "65535 keys are announced, there is room for 1"},
		{[]tag.Field{dir(1, 1, 0, 1, 2057, 34736, 1, 0)}, "key 2057 (GeogSemiMajorAxisGeoKey): 1 values from 0 on, tag 34736 (GeoDoubleParams) has 0"},
		{[]tag.Field{dir(1, 1, 0, 1, 2057, 34736, 2, 65535), tag.Doubles(tag.GeoDoubleParams, 1)}, "key 2057 (GeogSemiMajorAxisGeoKey): 2 values from 65535 on, tag 34736 (GeoDoubleParams) has 1"},
		{[]tag.Field{dir(1, 1, 0, 1, 1026, 34737, 9, 0), tag.Text(tag.GeoASCIIParams, "abc|")}, "key 1026 (GTCitationGeoKey): 9 values from 0 on, tag 34737 (GeoAsciiParams) has 5"},
		{[]tag.Field{dir(1, 1, 0, 1, 9, 34735, 5, 4)}, "key 9 (9): 5 values from 4 on, tag 34735 (GeoKeyDirectory) has 8"},
		{[]tag.Field{dir(1, 1, 0, 1, 1024, 256, 1, 0)}, "key 1024 (GTModelTypeGeoKey): its values are in tag 256"},
		{[]tag.Field{dir(1, 1, 0, 1, 2057, 34736, 0, 0)}, "key 2057 (GeogSemiMajorAxisGeoKey): it has no value"},
		{[]tag.Field{dir(1, 1, 0, 2, 1024, 0, 1, 1, 1024, 0, 1, 2)}, "key 1024 (GTModelTypeGeoKey) is there twice"},
		{[]tag.Field{dir(1, 1, 0, 1, 1026, 0, 1, 1)}, "key 1026 (GTCitationGeoKey): it has numbers, not text"},
		{[]tag.Field{dir(1, 1, 0, 1, 3072, 34737, 1, 0), tag.Text(tag.GeoASCIIParams, "a")}, "key 3072 (ProjectedCSTypeGeoKey): it has text, not numbers"},
		{[]tag.Field{dir(1, 1, 0, 1, 3072, 34736, 1, 0), tag.Doubles(tag.GeoDoubleParams, 1)}, "key 3072 (ProjectedCSTypeGeoKey): it has floating-point numbers, not integers"},
		{[]tag.Field{tag.Doubles(tag.ModelTiepoint, 1, 2)}, "tag 33922 (ModelTiepoint) has 2 values"},
		{[]tag.Field{tag.Doubles(tag.ModelTransformation, make([]float64, 15)...)}, "tag 34264 (ModelTransformation) has 15 values"},
		{[]tag.Field{tag.Doubles(tag.ModelTiepoint, 1, 2, 3, 4, math.NaN(), 6)}, "tag 33922 (ModelTiepoint): value 4 is NaN"},
		{[]tag.Field{tag.Text(tag.ModelTiepoint, "abc")}, "tag 33922 (ModelTiepoint) is text, numbers are needed"},
		{[]tag.Field{tag.Text(tag.GDALMetadata, "<a>&b;</a>")}, "GDAL metadata: XML syntax error on line 1: invalid character entity &b;"},
		{[]tag.Field{tag.Text(tag.GDALMetadata, strings.Repeat("<a>", 20))}, "GDAL metadata is nested deeper than 16 levels"},
	} {
		info, err := Parse(append(c.fields, good))
		if err == nil || err.Error() != "GeoTIFF: "+c.want {
			t.Errorf("%v\nwant %s", err, c.want)
		}
		if info == nil || len(info.PixelScale) != 3 {
			t.Errorf("%s: the rest is lost", c.want)
		}
	}
	// Many keys that share their numbers do not multiply them.
	n := 1000
	v := []uint16{1, 1, 0, uint16(n)}
	for i := range n {
		v = append(v, uint16(40000+i), 34736, 60000, 0)
	}
	info, err := Parse([]tag.Field{dir(v...), tag.Doubles(tag.GeoDoubleParams, make([]float64, 60000)...)})
	if err == nil || !strings.Contains(err.Error(), "more than 1048576 values of all keys") || len(info.Keys) != 17 {
		t.Error(err, len(info.Keys))
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range files(f) {
		raw := map[uint16][]byte{}
		for _, x := range c.Tags {
			raw[x.ID] = x.Raw
		}
		f.Add(raw[33550], raw[33922], raw[34264], raw[34735], raw[34736], raw[34737], string(raw[42112]), string(raw[42113]), c.Big)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, scale, tie, matrix, keys, floats, ascii []byte, items, nodata string, big bool) {
		var fields []tag.Field
		for _, x := range []tag.Field{{ID: tag.ModelPixelScale, Type: tag.Double, Raw: scale}, {ID: tag.ModelTiepoint, Type: tag.Double, Raw: tie},
			{ID: tag.ModelTransformation, Type: tag.Float, Raw: matrix}, {ID: tag.GeoKeyDirectory, Type: tag.Short, Raw: keys},
			{ID: tag.GeoDoubleParams, Type: tag.Double, Raw: floats}, {ID: tag.GeoASCIIParams, Type: tag.ASCII, Raw: ascii},
			tag.Text(tag.GDALMetadata, items), tag.Text(tag.GDALNoData, nodata)} {
			x.Big = big
			fields = append(fields, x)
		}
		info, _ := Parse(fields)
		for _, k := range info.Keys {
			if len(k.Text) > 60000 {
				return
			}
		}
		members, err := info.Attributes(5, 4)
		if err != nil {
			return // numbers that overflow
		}
		out, err := FromAttributes(attributes(t, members))
		if err != nil {
			if strings.Contains(err.Error(), "no name") || strings.Contains(err.Error(), "too many") || strings.Contains(err.Error(), "NUL") {
				return
			}
			t.Fatalf("%v of %+v", err, info)
		}
		back, err := Parse(out)
		if err != nil {
			t.Fatal(err)
		}
		if back == nil {
			return
		}
		if a, ok := info.Transform(); ok {
			if b, ok := back.Transform(); !ok || a != b {
				t.Fatalf("%v becomes %v", a, b)
			}
		}
		a, _ := info.EPSG()
		if b, _ := back.EPSG(); a != b || len(info.Keys) != len(back.Keys) {
			t.Fatalf("%+v becomes %+v", info, back)
		}
	})
}
