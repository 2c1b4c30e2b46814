package ome

import (
	"image/color"
	"reflect"
	"strings"
	"testing"
)

func full() *Metadata {
	return &Metadata{
		UUID: "urn:uuid:3e450fae-b8f2-4d35-aa54-702168b2487f", Creator: "Omnizarr",
		Images: []Image{
			{ID: "Image:0", Name: `a <b> & "c"`, Description: "two\nlines", DimensionOrder: "XYZCT", Type: "uint16",
				SizeX: 9, SizeY: 8, SizeZ: 4, SizeC: 2, SizeT: 3, Samples: 1, SignificantBits: 12,
				PhysicalX: Quantity{0.29, "µm"}, PhysicalY: Quantity{290, "nm"}, PhysicalZ: Quantity{1e-3, "mm"}, TimeIncrement: Quantity{0.1, "s"},
				Channels: []Channel{
					{ID: "Channel:0:0", Name: "DAPI", Color: &color.NRGBA{R: 255, G: 1, B: 2, A: 255}, Samples: 1},
					{ID: "Channel:0:1", Samples: 1},
				},
				Data:   []TiffData{{PlaneCount: 12}, {IFD: 12, FirstT: 1, FirstC: 1, PlaneCount: 12}},
				Modulo: []Modulo{{Along: "Z", Type: "angle", Unit: "degree", Start: 0, Step: 90, End: 90}, {Along: "T", Type: "other", Labels: []string{"a", "b", "<c>"}, Step: 1}},
			},
			{ID: "Image:1", DimensionOrder: "XYCZT", Type: "uint8", SizeX: 9, SizeY: 8, SizeZ: 1, SizeC: 3, SizeT: 1, Samples: 3, Interleaved: true,
				Channels: []Channel{{ID: "Channel:1:0", Samples: 3}},
				Data:     []TiffData{{IFD: 24, PlaneCount: 1}, {PlaneCount: 1, UUID: "urn:uuid:00000000-b8f2-4d35-aa54-702168b2487f", FileName: "b.tif"}}},
			{ID: "Image:2", DimensionOrder: "XYCZT", Type: "bit", SizeX: 1, SizeY: 1, SizeZ: 1, SizeC: 1, SizeT: 1, Samples: 1,
				Channels: []Channel{{ID: "Channel:2:0", Samples: 1}}},
		},
	}
}

func TestMarshalParse(t *testing.T) {
	want := full()
	b, err := Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if !IsOME(string(b)) || strings.ContainsRune(string(b), 0) {
		t.Errorf("%s", b)
	}
	got, err := Parse(string(b))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant\n%+v\n%s", got, want, b)
	}
}

// Without channels and runs, there are channels all the same.
func TestMarshalMinimal(t *testing.T) {
	b, err := Marshal(&Metadata{Images: []Image{{DimensionOrder: "XYCZT", Type: "uint8", SizeX: 2, SizeY: 1, SizeZ: 1, SizeC: 2, SizeT: 1, Samples: 1, Data: []TiffData{{}}}}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `<Image ID="Image:0"><Pixels ID="Pixels:0" DimensionOrder="XYCZT" Type="uint8" SizeX="2" SizeY="1" SizeZ="1" SizeC="2" SizeT="1">` +
		`<Channel ID="Channel:0:0" SamplesPerPixel="1"/><Channel ID="Channel:0:1" SamplesPerPixel="1"/><TiffData/></Pixels></Image></OME>`
	if !strings.HasSuffix(string(b), want) {
		t.Errorf("%s", b)
	}
}

func TestMarshalErrors(t *testing.T) {
	for want, change := range map[string]func(*Metadata){
		"OME-XML: the metadata is in a companion file, which cannot be written":             func(m *Metadata) { m.Companion = "x" },
		"OME-XML: image 0: SizeX is 0, not between 1 and 2147483647":                        func(m *Metadata) { m.Images[0].SizeX = 0 },
		"OME-XML: image 0: SamplesPerPixel is 0, not between 1 and 2147483647":              func(m *Metadata) { m.Images[0].Samples = 0 },
		`OME-XML: image 0: DimensionOrder is "", not XY and then Z, C and T in some order`:  func(m *Metadata) { m.Images[0].DimensionOrder = "" },
		`OME-XML: image 1: the pixel type "uint64" does not exist`:                          func(m *Metadata) { m.Images[1].Type = "uint64" },
		"OME-XML: image 0: 1 channels of 1 samples do not make SizeC 2":                     func(m *Metadata) { m.Images[0].Channels = m.Images[0].Channels[:1] },
		"OME-XML: image 1: 1 channels of 2 samples do not make SizeC 3":                     func(m *Metadata) { m.Images[1].Samples = 2 },
		"OME-XML: image 2: 70000 channels without a description are more than 65536":        func(m *Metadata) { m.Images[2].Channels, m.Images[2].SizeC = nil, 70000 },
		`OME-XML: image 0: PhysicalSizeX has the unit "smoot", which OME-XML does not know`: func(m *Metadata) { m.Images[0].PhysicalX.Unit = "smoot" },
		"OME-XML: image 0: TimeIncrement is -1":                                             func(m *Metadata) { m.Images[0].TimeIncrement.Value = -1 },
		"OME-XML: image 0: TiffData 0: IFD is -1, not between 0 and 2147483647":             func(m *Metadata) { m.Images[0].Data[0].IFD = -1 },
		`OME-XML: image 1: TiffData 1: the file "b.tif" needs a UUID`:                       func(m *Metadata) { m.Images[1].Data[1].UUID = "" },
	} {
		md := full()
		change(md)
		if _, err := Marshal(md); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestPixelTypes(t *testing.T) {
	for _, p := range pixelTypes {
		name, ok := PixelType(p[1])
		img := Image{Type: name}
		if back, ok2 := img.DataType(); !ok || !ok2 || back != p[1] {
			t.Error(p, name, back)
		}
	}
	if _, ok := PixelType("uint64"); ok {
		t.Error("OME-XML has no uint64")
	}
}
