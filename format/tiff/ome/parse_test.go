package ome

import (
	_ "embed"
	"encoding/json"
	"image/color"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
)

// What tifffile 2026.10.15 makes of descriptions in files with so many
// directories: axes of length 1 are left out, -1 is a plane that is nowhere.
//
//go:embed testdata/tifffile.json
var golden []byte

func TestStacksAsTifffile(t *testing.T) {
	var cases []struct {
		Name        string
		Directories int
		XML         string
		Series      []struct {
			Axes, Name string
			Shape      []int
			Pages      []int
		}
	}
	if err := json.Unmarshal(golden, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		md, err := Parse(c.XML)
		if err != nil || !IsOME(c.XML) {
			t.Errorf("%s: OME %v, %v", c.Name, IsOME(c.XML), err)
			continue
		}
		if len(md.Images) != len(c.Series) {
			t.Errorf("%s: %d images, want %d", c.Name, len(md.Images), len(c.Series))
			continue
		}
		for i := range md.Images {
			img, want := &md.Images[i], c.Series[i]
			axes, shape := squeeze(img)
			if axes != want.Axes || !slices.Equal(shape, want.Shape) || img.Name != want.Name {
				t.Errorf("%s: %q %s %v, want %q %s %v", c.Name, img.Name, axes, shape, want.Name, want.Axes, want.Shape)
			}
			if pages := expand(img, c.Directories); !slices.Equal(pages, want.Pages) {
				t.Errorf("%s: directories %v, want %v", c.Name, pages, want.Pages)
			}
		}
	}
}

// squeeze gives all axes of an image with interleaved samples as tifffile does.
func squeeze(img *Image) (axes string, shape []int) {
	all, lengths := img.Axes(), img.Shape()
	all, lengths = all+"YXS", append(lengths, img.SizeY, img.SizeX, img.Samples)
	for i, n := range lengths {
		if n > 1 || all[i] == 'Y' || all[i] == 'X' {
			axes += all[i : i+1]
			shape = append(shape, n)
		}
	}
	return axes, shape
}

func expand(img *Image, directories int) []int {
	pages := slices.Repeat([]int{-1}, img.PlaneCount())
	for _, r := range img.Planes() {
		n := r.Count
		if n == 0 {
			n = min(directories, len(pages)-r.First)
		}
		for i := range n {
			pages[r.First+i] = r.IFD + i
		}
	}
	return pages
}

func TestParseFields(t *testing.T) {
	text := `<?xml version="1.0"?><OME UUID="urn:uuid:a" Creator="me"><Image ID="Image:7" Name="n"><Description> d </Description>` +
		`<Pixels DimensionOrder="XYCZT" Type="float" SizeX="3" SizeY="4" SizeZ="5" SizeC="2" SizeT="1" Interleaved="true" SignificantBits="12"` +
		` PhysicalSizeX="0.5" PhysicalSizeY="2" PhysicalSizeYUnit="nm" PhysicalSizeZ="-1" TimeIncrement="3" TimeIncrementUnit="ms">` +
		`<Channel ID="c" Name="DAPI" Color="-16776961"/><Channel Color="255"><LightPath/></Channel>` +
		`<TiffData IFD="4" PlaneCount="2" FirstZ="1" FirstC="1"><UUID FileName="b.tif">urn:uuid:b</UUID></TiffData>` +
		`<TiffData PlaneCount="3"><UUID FileName="a.tif">urn:uuid:a</UUID></TiffData>` +
		`<TiffData FirstZ="4" FirstC="1" IFD="9" PlaneCount="50"/><Plane TheZ="0"/></Pixels></Image></OME>`
	md, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	img := md.Images[0]
	if md.UUID != "urn:uuid:a" || md.Creator != "me" || img.ID != "Image:7" || img.Description != "d" || !img.Interleaved || img.SignificantBits != 12 {
		t.Errorf("%+v", md)
	}
	if img.PhysicalX != (Quantity{0.5, "µm"}) || img.PhysicalY != (Quantity{2, "nm"}) || img.PhysicalZ != (Quantity{}) || img.TimeIncrement != (Quantity{3, "ms"}) {
		t.Error(img.PhysicalX, img.PhysicalY, img.PhysicalZ, img.TimeIncrement)
	}
	want := []Channel{
		{ID: "c", Name: "DAPI", Color: &color.NRGBA{R: 255, G: 0, B: 0, A: 255}, Samples: 1},
		{Color: &color.NRGBA{A: 255}, Samples: 1},
	}
	if !reflect.DeepEqual(img.Channels, want) {
		t.Errorf("%+v", img.Channels)
	}
	ranges := []Range{{4, 3, 2, "b.tif"}, {0, 0, 3, ""}, {9, 9, 1, ""}}
	if got := img.Planes(); !slices.Equal(got, ranges) {
		t.Errorf("%+v, want %+v", got, ranges)
	}
	if name, ok := img.DataType(); name != "float32" || !ok {
		t.Error(name, ok)
	}
}

func TestParseLatin1(t *testing.T) {
	text := "<OME><Image><Pixels DimensionOrder='XYCZT' Type='uint8' SizeX='1' SizeY='1' SizeZ='1' SizeC='1' SizeT='1' PhysicalSizeX='1' PhysicalSizeXUnit='\xb5m'/></Image></OME>"
	md, err := Parse(text)
	if err != nil || md.Images[0].PhysicalX.Unit != "µm" {
		t.Errorf("%+v, %v", md, err)
	}
}

func TestParseCompanion(t *testing.T) {
	md, err := Parse(`<OME UUID="urn:uuid:a"><BinaryOnly MetadataFile="x.companion.ome" UUID="urn:uuid:c"/></OME>`)
	if err != nil || md.Companion != "x.companion.ome" || len(md.Images) != 0 {
		t.Errorf("%+v, %v", md, err)
	}
}

// A claim of 10^12 planes costs nothing, and sizes that overflow are refused.
func TestParseHugeClaims(t *testing.T) {
	text := func(z, c, t string) string {
		return `<OME><Image><Pixels DimensionOrder="XYZCT" Type="uint8" SizeX="64" SizeY="64" SizeZ="` + z + `" SizeC="` + c + `" SizeT="` + t + `"><TiffData/></Pixels></Image></OME>`
	}
	md, err := Parse(text("1000000", "1000", "1000"))
	if err != nil {
		t.Fatal(err)
	}
	if n := md.Images[0].PlaneCount(); n != 1e12 {
		t.Error(n)
	}
	if got := md.Images[0].Planes(); !slices.Equal(got, []Range{{}}) {
		t.Error(got)
	}
	if _, err := Parse(text("2147483647", "2147483647", "2147483647")); err == nil || !strings.Contains(err.Error(), "planes are too many") {
		t.Error(err)
	}
}

func TestParseErrors(t *testing.T) {
	pixels := func(attrs, inner string) string {
		return `<OME><Image><Pixels ` + attrs + `>` + inner + `</Pixels></Image></OME>`
	}
	const ok = `DimensionOrder="XYZCT" SizeX="1" SizeY="1" SizeZ="1" SizeC="1" SizeT="1"`
	for text, want := range map[string]string{
		"":                   "OME-XML: there is no OME element",
		"<a/>":               `OME-XML: element "a" where a single OME should be`,
		"<OME/><OME/>":       `OME-XML: element "OME" where a single OME should be`,
		"<OME>":              "OME-XML: XML syntax error on line 1: unexpected EOF",
		"<OME><Image></a>":   "OME-XML: image 0: XML syntax error on line 1: element <Image> closed by </a>",
		"<OME><Image/>":      "OME-XML: image 0: there is no Pixels element",
		"<OME>&e;</OME>":     "OME-XML: XML syntax error on line 1: invalid character entity &e;",
		"<OME><BinaryOnly/>": "OME-XML: BinaryOnly names no MetadataFile",
		`<!DOCTYPE OME [<!ENTITY a "b">]><OME>&a;</OME>`:        "OME-XML: XML syntax error on line 1: invalid character entity &a;",
		strings.Repeat("<OME>", 70):                             `OME-XML: elements are nested deeper than 64 levels`,
		"<OME><Image><Description>" + strings.Repeat("<a>", 70): `OME-XML: image 0: elements are nested deeper than 64 levels`,
		pixels("", ""):           "OME-XML: image 0: no SizeX in Pixels",
		pixels(`SizeX="-5"`, ""): `OME-XML: image 0: SizeX is "-5", not a number up to 2147483647`,
		pixels(strings.Replace(ok, "XYZCT", "ZYXCT", 1), ""):                                                              `OME-XML: image 0: DimensionOrder is "ZYXCT", not XY and then Z, C and T in some order`,
		pixels(strings.Replace(ok, "XYZCT", "XYZZT", 1), ""):                                                              `OME-XML: image 0: DimensionOrder is "XYZZT", not XY and then Z, C and T in some order`,
		pixels(strings.Replace(ok, `SizeX="1"`, `SizeX="0"`, 1), ""):                                                      "OME-XML: image 0: SizeX is 0, not between 1 and 2147483647",
		pixels(ok, `<Channel SamplesPerPixel="0"/>`):                                                                      "OME-XML: image 0: SamplesPerPixel is 0, not between 1 and 2147483647",
		pixels(ok, `<Channel/><Channel SamplesPerPixel="3"/>`):                                                            "OME-XML: image 0: channel 1 has 3 samples per pixel where those before have 1",
		pixels(ok, `<TiffData IFD="2147483648"/>`):                                                                        `OME-XML: image 0: TiffData 0: IFD is "2147483648", not a number up to 2147483647`,
		pixels(ok, `<TiffData IFD="x"/>`):                                                                                 `OME-XML: image 0: TiffData 0: IFD is "x", not a number up to 2147483647`,
		pixels(ok, "")[:len(pixels(ok, ""))-14] + "<Pixels></Pixels>":                                                     "OME-XML: image 0: more than one Pixels element",
		`<OME><StructuredAnnotations><XMLAnnotation ID="1" Namespace="modulo"><Value><Modulo><ModuloAlongZ Start="nan"/>`: `OME-XML: ModuloAlongZ: Start is "nan"`,
	} {
		if _, err := Parse(text); err == nil || err.Error() != want {
			t.Errorf("%.60s: %v, want %s", text, err, want)
		}
	}
}

// Runs begin inside the image; an IFD alone means one plane, nothing means all.
func TestPlaneRuns(t *testing.T) {
	for text, want := range map[string][]Range{
		`<TiffData FirstZ="4"/>`:                       {{0, 4, 0, ""}},
		`<TiffData FirstZ="5"/>`:                       {},
		`<TiffData IFD="3"/>`:                          {{3, 0, 1, ""}},
		`<TiffData IFD="3" PlaneCount="0"/>`:           {{3, 0, 0, ""}},
		`<TiffData PlaneCount="9"/>`:                   {{0, 0, 5, ""}},
		`<TiffData><UUID FileName="a"/></TiffData>`:    {{0, 0, 0, "a"}},
		`<TiffData><UUID>urn:uuid:x</UUID></TiffData>`: {{0, 0, 0, "urn:uuid:x"}},
		`<TiffData><UUID/></TiffData>`:                 {{}},
	} {
		md, err := Parse(`<OME><Image><Pixels DimensionOrder="XYZCT" Type="uint8" SizeX="1" SizeY="1" SizeZ="5" SizeC="1" SizeT="1">` + text + `</Pixels></Image></OME>`)
		if err != nil {
			t.Fatal(err)
		}
		if got := md.Images[0].Planes(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// Splits that contradict the sizes are left out.
func TestModuloOfOtherSizes(t *testing.T) {
	img := Image{DimensionOrder: "XYZCT", SizeX: 1, SizeY: 1, SizeZ: 6, SizeC: 4, SizeT: 1, Samples: 1, Modulo: []Modulo{
		{Along: "Z", Type: "angle", End: 3, Step: 1}, {Along: "C", Type: "lambda", End: 1, Step: 1}, {Along: "C", Type: "lambda", End: 1, Step: 1}, {Along: "", End: 1, Step: 1}}}
	if axes, shape := img.Axes(), img.Shape(); axes != "TCEZ" || !slices.Equal(shape, []int{1, 2, 2, 6}) {
		t.Error(axes, shape)
	}
}

func TestModuloLen(t *testing.T) {
	for _, c := range []struct {
		m    Modulo
		want int
	}{
		{Modulo{Start: 0, End: 2, Step: 1}, 3},
		{Modulo{Start: 10, End: 0, Step: -5}, 3},
		{Modulo{Start: 0, End: 1, Step: 0.25}, 5},
		{Modulo{Start: 0, End: 1, Step: 0}, 0},
		{Modulo{Start: 5, End: 1, Step: 1}, 0},
		{Modulo{Start: -1e300, End: 1e300, Step: 1e-300}, 0},
		{Modulo{Labels: []string{"a", "b"}}, 2},
	} {
		if got := c.m.Len(); got != c.want {
			t.Errorf("%+v: %d, want %d", c.m, got, c.want)
		}
	}
	if (&Modulo{Type: "strange"}).Letter() != "Q" {
		t.Error("unknown types are Q")
	}
}

func TestIsOME(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "<OME></OME>": true, "...</OME> \n\t": true, "<ome:OME></ome:OME>": true, "OME": false, "</OME>            ": false,
	} {
		if IsOME(text) != want {
			t.Error(text, !want)
		}
	}
}

func FuzzParse(f *testing.F) {
	var cases []struct{ XML string }
	if err := json.Unmarshal(golden, &cases); err != nil {
		f.Fatal(err)
	}
	for _, c := range cases {
		f.Add(c.XML)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, text string) {
		md, err := Parse(text)
		if err != nil {
			return
		}
		for i := range md.Images {
			img := &md.Images[i]
			n := 1
			for _, size := range img.Shape() {
				n *= size
			}
			if n != img.PlaneCount() || len(img.Shape()) != len(img.Axes()) {
				t.Fatalf("shape %v of %d planes, axes %s", img.Shape(), img.PlaneCount(), img.Axes())
			}
			for _, r := range img.Planes() {
				if r.IFD < 0 || r.First < 0 || r.Count < 0 || r.First+r.Count > n || r.First >= n {
					t.Fatalf("%+v of %d", r, n)
				}
			}
		}
		if b, err := Marshal(md); err == nil {
			if _, err := Parse(string(b)); err != nil {
				t.Fatalf("cannot read what was written: %v\n%s", err, b)
			}
		}
	})
}
