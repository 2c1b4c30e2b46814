package tiff_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff"
	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
)

// tagsOf gives the attribute with the tags of a node.
func tagsOf(t testing.TB, n zarr.Node) map[string]any {
	t.Helper()
	m, _ := attribute(t, n, "tiff").(map[string]any)
	tags, _ := m["tags"].(map[string]any)
	if tags == nil {
		t.Fatalf("no tags in %v", m)
	}
	return tags
}

func TestTagsAreAttributes(t *testing.T) {
	le := binary.LittleEndian
	fields := []tag.Field{
		{ID: 40001, Type: tag.Byte, Raw: []byte{1, 255}},
		tag.Text(40002, "text"),
		tag.Text(40002, "again"), // the first counts
		tag.Shorts(40003, 1, 65535),
		tag.Longs(40004, 1<<32-1),
		tag.Rationals(40005, 1, 4, 1, 0, 0, 0),
		{ID: 40006, Type: tag.SByte, Raw: []byte{0xff, 1}},
		{ID: 40007, Type: tag.Undefined, Raw: []byte{7}},
		{ID: 40008, Type: tag.SShort, Raw: le.AppendUint16(nil, 0xfffe)},
		{ID: 40009, Type: tag.SLong, Raw: le.AppendUint32(nil, 0xfffffffd)},
		{ID: 40010, Type: tag.SRational, Raw: le.AppendUint32(le.AppendUint32(nil, 0xffffffff), 2)},
		{ID: 40011, Type: tag.Float, Raw: le.AppendUint32(nil, math.Float32bits(1.5))},
		tag.Doubles(40012, -2.25, math.NaN(), math.Inf(1), math.Inf(-1)),
		{ID: 40013, Type: tag.IFD, Raw: le.AppendUint32(nil, 8)},
		{ID: 40014, Type: tag.ASCII, Raw: []byte("Gr\xf6\xdfe\x00")}, // Latin-1
		tag.Text(40015, "Größe"),
		{ID: 40016, Type: tag.ASCII, Raw: []byte("no end")},
		{ID: 40017, Type: tag.ASCII, Raw: []byte("a \"b\"\n\x01<&>\x00")},
		tag.Bytes(40018, bytes.Repeat([]byte{0xfb}, 17)),
		tag.Text(tag.Software, "builder"),
		{ID: 40019, Type: 99, Raw: []byte{1}},
	}
	want := map[string]any{
		"40001": []any{1., 255.}, "40002": "text", "40003": []any{1., 65535.}, "40004": 4294967295., "40005": []any{.25, "Infinity", "NaN"},
		"40006": []any{-1., 1.}, "40007": 7., "40008": -2., "40009": -3., "40010": -.5, "40011": 1.5, "40012": []any{-2.25, "NaN", "Infinity", "-Infinity"},
		"40013": 8., "40014": "Größe", "40015": "Größe", "40016": "no end", "40017": "a \"b\"\n\x01<&>", "40018": "+/v7+/v7+/v7+/v7+/v7+/s=",
		"Software": "builder", "40019": nil, "ImageWidth": 4., "PhotometricInterpretation": 1., "BitsPerSample": 8.,
	}
	for form, b := range builders() {
		more := slices.Clone(fields)
		if b.big {
			more = append(more, tag.Long8s(40020, 1<<60), tag.Field{ID: 40021, Type: tag.SLong8, Raw: le.AppendUint64(nil, 1<<64-9)})
			want["40020"], want["40021"] = float64(1<<60), -9.
		}
		s := open(t, "a.tif", b.file(gray(4, 4, 0, more...)))
		for _, path := range []string{"", "ifd/0"} {
			raw, _, err := s.Get(ctx, strings.TrimPrefix(path+"/zarr.json", "/"), store.All(), nil)
			check(t, err)
			if !json.Valid(raw) || strings.Count(string(raw), `"40002"`) != 1 {
				t.Fatalf("%s: %s", form, raw)
			}
			tags := tagsOf(t, arrayAt(t, s, path))
			for name, v := range want {
				if got, ok := tags[name]; (!ok || fmt.Sprint(got) != fmt.Sprint(v)) && (b.big || name < "40020" || name > "40021") {
					t.Errorf("%s: %s is %v, want %v", form, name, got, v)
				}
			}
			if _, ok := tags["StripOffsets"]; ok {
				t.Error("tables are not attributes")
			}
		}
	}
}

func TestFieldsOfAFile(t *testing.T) {
	p := gray(16, 16, 0, tag.Text(tag.Software, "builder"), tag.Text(tag.ImageDescription, strings.Repeat("long ", 100)))
	p.subs = []*picture{gray(8, 8, 0, tag.Text(tag.Software, "of the level"))}
	f, err := tiff.Open(ctx, holding(t, "a.tif", (&builder{order: binary.BigEndian, big: true}).file(p)), "a.tif")
	check(t, err)
	defer f.Close()
	if f.Len() != 1 || !f.IsBig() || !strings.HasSuffix(f.URL(), "a.tif") {
		t.Error(f.Len(), f.IsBig(), f.URL())
	}
	text := func(sub, limit int, id tag.ID) string {
		all, err := f.Fields(ctx, 0, sub, limit)
		check(t, err)
		i := slices.IndexFunc(all, func(x tag.Field) bool { return x.ID == id })
		return all[i].Text()
	}
	if text(-1, 1000, tag.Software) != "builder" || text(0, 1000, tag.Software) != "of the level" {
		t.Error("other text")
	}
	if text(-1, 1000, tag.ImageDescription) == "" || text(-1, 400, tag.ImageDescription) != "" || text(-1, 400, tag.Software) != "builder" {
		t.Error("the limit does not hold")
	}
	for _, n := range [][2]int{{1, -1}, {-1, -1}, {0, 1}} {
		if _, err := f.Fields(ctx, n[0], n[1], 10); err == nil {
			t.Errorf("there is a directory %v", n)
		}
	}
}

func TestLongValuesAreNotKept(t *testing.T) {
	size := thorough.Of(6<<20, 20<<20)
	f, err := tiff.Open(ctx, holding(t, "a.tif", little().file(gray(4, 4, 0, tag.Bytes(40000, make([]byte, size))))), "a.tif")
	check(t, err)
	defer f.Close()
	before := heap()
	all, err := f.Fields(ctx, 0, -1, 1<<30)
	check(t, err)
	if n := len(all[len(all)-1].Raw); n != size {
		t.Errorf("%d bytes", n)
	}
	all = nil
	if n := heap() - before; n > 4<<20 {
		t.Errorf("%d bytes are kept", n)
	}
	_ = all
	runtime.KeepAlive(f)
}

func TestNoDataIsTheFillValue(t *testing.T) {
	for _, c := range []struct {
		bits, format int
		text, want   string
	}{
		{8, 1, "255", "255"}, {8, 1, "256", "0"}, {8, 2, "-128", "-128"}, {16, 1, "65535", "65535"}, {16, 2, "-9999", "-9999"},
		{16, 2, "-9999.0", "-9999"}, {32, 1, "4294967295", "4294967295"}, {32, 2, "-2147483648", "-2147483648"},
		{64, 1, "18446744073709551615", "18446744073709551615"}, {64, 2, "-9223372036854775808", "-9223372036854775808"},
		{32, 3, "-9999", "-9999"}, {32, 3, "nan", `"NaN"`}, {64, 3, "-1.5e300", "-1.5e+300"}, {64, 3, "inf", `"Infinity"`}, {16, 3, "1", "1"},
		{64, 6, "2", "[2,0]"}, {8, 1, "", "0"}, {8, 1, "none", "0"}, {8, 1, " 7 ", "7"}, {1, 1, "1", "true"},
	} {
		p := &picture{tiled: true, fields: size(32, 16, c.bits), tiles: [][]byte{make([]byte, 16*16*c.bits/8), nil}}
		p.with(tag.Shorts(tag.TileWidth, 16), tag.Shorts(tag.TileLength, 16), tag.Shorts(tag.SampleFormat, uint16(c.format)), tag.Text(tag.GDALNoData, c.text))
		s := open(t, "a.tif", little().file(p))
		raw, _, err := s.Get(ctx, "zarr.json", store.All(), nil)
		check(t, err)
		var doc struct {
			Fill json.RawMessage `json:"fill_value"`
			Type string          `json:"data_type"`
		}
		check(t, json.Unmarshal(raw, &doc))
		var got, want any
		check(t, json.Unmarshal(doc.Fill, &got))
		check(t, json.Unmarshal([]byte(c.want), &want))
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q in %s: %s, want %s", c.text, doc.Type, doc.Fill, c.want)
		}
		a := arrayAt(t, s, "")
		v := pixels(t, a)
		fill, err := a.DataType().ParseFill(doc.Fill, nil)
		check(t, err)
		if n := len(fill); !bytes.Equal(fill, v.Data[16*n:17*n]) || !bytes.Equal(v.Data[:n], make([]byte, n)) {
			t.Errorf("%q in %s: a tile that is not stored reads %v", c.text, doc.Type, v.Data[16*n:17*n])
		}
	}
}

func TestLevelsOfStacks(t *testing.T) {
	pages := ramp(3)
	for i, p := range pages {
		p.with(tag.Longs(tag.ImageWidth, 8), tag.Longs(tag.ImageLength, 8))
		p.tiles = [][]byte{bytes.Repeat([]byte{byte(i)}, 64)}
		p.subs = []*picture{gray(4, 4, byte(10*(i+1)))}
	}
	whole := open(t, "a.tif", little().file(pages...))
	if got := firsts(t, arrayAt(t, whole, "1")); !slices.Equal(got, []byte{10, 20, 30}) {
		t.Error(got)
	}
	g, err := zarr.OpenStore(ctx, whole, "")
	check(t, err)
	if s := fmt.Sprint(attribute(t, g, "ome")); attribute(t, g, "ome") != nil && !strings.Contains(s, "[1 2 2]") {
		t.Error(s)
	}
	for name, change := range map[string]func(){
		"has no SubIFD 0":             func() { pages[1].subs = nil },
		"not like the others":         func() { pages[1].subs = []*picture{gray(4, 5, 1)} },
		"tag 256 (ImageWidth) is mis": func() { pages[1].subs = []*picture{gray(4, 4, 1).without(tag.ImageWidth)} },
	} {
		change()
		s := open(t, "a.tif", little().file(pages...))
		a := arrayAt(t, s, "1")
		if v, err := zarr.Read[uint8](ctx, a, zarr.Slice("2, 0, 0")); err != nil || v.Data[0] != 30 {
			t.Error(v, err)
		}
		if _, err := zarr.Read[uint8](ctx, a, zarr.Slice("1, 0, 0")); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %s", err, name)
		}
	}
}

func TestPyramidsHaveMultiscales(t *testing.T) {
	xml := omeXML(strings.NewReplacer(`SizeZ="3"`, `SizeZ="1"`, `SizeX="4"`, `SizeX="15"`, `SizeY="4"`, `SizeY="16"`).Replace(omeImage("sample", "<TiffData/>")))
	p := described(gray(15, 16, 0), xml)
	p.subs = []*picture{gray(7, 8, 0)}
	s := open(t, "a.tif", little().file(p))
	g, err := zarr.OpenStore(ctx, s, "")
	check(t, err)
	raw, err := json.Marshal(attribute(t, g, "ome"))
	check(t, err)
	want := `{"multiscales":[{"axes":[{"name":"y","type":"space","unit":"micrometer"},{"name":"x","type":"space","unit":"micrometer"}],` +
		`"datasets":[{"coordinateTransformations":[{"scale":[0.25,0.5],"type":"scale"}],"path":"0"},` +
		`{"coordinateTransformations":[{"scale":[0.5,1.0714285714285714],"type":"scale"}],"path":"1"}],"name":"sample"}],"version":"0.5"}`
	if string(raw) != want {
		t.Errorf("%s\nwant %s", raw, want)
	}
	if tagsOf(t, g)["ImageWidth"] != 15. {
		t.Error("no tags at the group")
	}
}

func TestDescriptionsHaveAttributes(t *testing.T) {
	s := open(t, "a.tif", little().file(described(gray(4, 4, 0), `{"shape": [1, 4, 4], "axes": "\u00e9X", "voxel": [1, NaN], "tiff": "mine", "name": "n"}`)))
	raw, _, err := s.Get(ctx, "zarr.json", store.All(), nil)
	check(t, err)
	a := arrayAt(t, s, "")
	if v := fmt.Sprint(attribute(t, a, "voxel")); v != "[1 NaN]" || tagsOf(t, a)["ImageWidth"] != 4. || !json.Valid(raw) || a.DimensionNames()[0] != "q" {
		t.Errorf("%s: %s", v, raw)
	}
}

func TestImageJTagsAreAttributes(t *testing.T) {
	// Text of one byte order: header, then "info" in UTF-16.
	data := []byte("JIJIofni\x01\x00\x00\x00h\x00i\x00")
	p := gray(4, 4, 0, tag.Longs(tag.IJMetadataCounts, 12, 4), tag.Field{ID: tag.IJMetadata, Type: tag.Byte, Raw: data})
	a := arrayAt(t, open(t, "a.tif", little().file(p)), "")
	if v := fmt.Sprint(attribute(t, a, "imagej")); v != "map[info:hi]" {
		t.Error(v)
	}
	p.with(tag.Longs(tag.IJMetadataCounts, 12, 400))
	if v := attribute(t, arrayAt(t, open(t, "a.tif", little().file(p)), ""), "imagej"); v != nil {
		t.Error(v)
	}
}

func TestTablesAreNotInTheWayOfAttributes(t *testing.T) {
	p := &picture{fields: append(size(1, 120_000, 8), tag.Longs(tag.RowsPerStrip, 1), tag.Text(40002, "text")), tiles: make([][]byte, 120_000)}
	s := &counting{Store: holding(t, "a.tif", little().file(p))}
	f, err := tiff.Open(ctx, s, "a.tif")
	check(t, err)
	defer f.Close()
	if tags := tagsOf(t, arrayAt(t, f.Store(), "")); tags["40002"] != "text" {
		t.Error(tags)
	}
	if n := s.bytes.Load(); n > 64<<10 {
		t.Errorf("%d bytes were read", n)
	}
}

func TestWhereOnTheEarth(t *testing.T) {
	p := gray(16, 16, 0, tag.Doubles(tag.ModelPixelScale, 10, 10, 0), tag.Doubles(tag.ModelTiepoint, 0, 0, 0, 500000, 4100000, 0),
		tag.Shorts(tag.GeoKeyDirectory, 1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32633))
	s := open(t, "a.tif", little().file(p, gray(8, 8, 0, tag.Longs(tag.NewSubfileType, 1))))
	g, err := zarr.OpenStore(ctx, s, "")
	check(t, err)
	for path, want := range map[string]string{"": "[10 0 500000 0 -10 4.1e+06]", "1": "[20 0 500000 0 -20 4.1e+06]"} {
		n, err := zarr.OpenStore(ctx, s, path)
		check(t, err)
		if got := fmt.Sprint(attribute(t, n, "spatial:transform")); got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
	if attribute(t, g, "proj:code") != "EPSG:32633" || attribute(t, g, "geotiff") == nil {
		t.Error(attribute(t, g, "proj:code"))
	}
}
