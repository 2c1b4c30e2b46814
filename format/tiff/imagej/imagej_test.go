package imagej

import (
	_ "embed"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/internal/fuzzlong"
)

// What tifffile 2026.10.15 makes of descriptions, axes of length 1 left out, and
// the private tags that it writes.
//
//go:embed testdata/tifffile.json
var golden []byte

type file struct {
	Name, Description string
	Samples           int
	Planar            bool
	Directories       int
	Axes              string
	Shape, Page       []int
	Counts, Data      []byte
	Big               bool
}

func files(t testing.TB) (list []file) {
	if err := json.Unmarshal(golden, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestStacksAsTifffile(t *testing.T) {
	for _, f := range files(t) {
		info, err := Parse(f.Description)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		s, err := info.Stack(f.Samples, f.Planar, f.Directories)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		axes, shape := "", []int{}
		for i, n := range s.Shape {
			if n > 1 {
				axes += s.Axes[i : i+1]
				shape = append(shape, n)
			}
		}
		switch {
		case f.Planar:
			axes += string(s.Samples) + "YX"
		case f.Samples > 1:
			axes += "YXS"
		default:
			axes += "YX"
		}
		shape = append(shape, f.Page...)
		if axes != f.Axes || !slices.Equal(shape, f.Shape) || s.Pages() != f.Directories {
			t.Errorf("%s: %s %v, %d pages, want %s %v, %d", f.Name, axes, shape, s.Pages(), f.Axes, f.Shape, f.Directories)
		}
	}
}

func TestParseFields(t *testing.T) {
	info, err := Parse("ImageJ=1.53t\nimages=6\nslices=6\nhyperstack=true\nmode=composite\nloop=TRUE\nunit=\\u00B5m\nspacing=0.5\nfps=4.0\n" +
		"xorigin=-3\nyorigin=nan\nmin=0.0\nmax=x\nno line\n=\nvunit=mm\n")
	if err != nil {
		t.Fatal(err)
	}
	zero := 0.0
	want := &Info{Version: "1.53t", Images: 6, Slices: 6, Channels: 1, Frames: 1, Hyperstack: true, Mode: "composite", Loop: true, Order: "czt",
		Unit: "µm", Spacing: 0.5, Interval: 0.25, XOrigin: -3, Min: &zero}
	if !reflect.DeepEqual(info, want) {
		t.Errorf("%+v, want %+v", info, want)
	}
	if info, _ := Parse("ImageJ=\nfinterval=3\nfps=1\nspacing=-2"); info.Interval != 3 || info.Spacing != 0 {
		t.Errorf("%+v", info)
	}
	if info, _ := Parse("ImageJ=\n" + strings.Repeat("a\n", maxLines) + "slices=3"); info.Slices != 1 {
		t.Errorf("%+v", info)
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "ImageJ description: it does not begin with ImageJ=",
		"images=1\nImageJ=1":              "ImageJ description: it does not begin with ImageJ=",
		"ImageJ=1\nimages=0":              `ImageJ description: images is "0", not a number between 1 and 2147483647`,
		"ImageJ=1\nframes=99999999999":    `ImageJ description: frames is "99999999999", not a number between 1 and 2147483647`,
		"ImageJ=1\nslices=2.0":            `ImageJ description: slices is "2.0", not a number between 1 and 2147483647`,
		"ImageJ=1\nchannels=1\r\nframes=": `ImageJ description: frames is "", not a number between 1 and 2147483647`,
	} {
		if _, err := Parse(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	info := &Info{Channels: 1 << 30, Slices: 1 << 30, Frames: 1 << 30}
	if _, err := info.Stack(1, false, 1); err == nil || !strings.Contains(err.Error(), "too many") {
		t.Error(err)
	}
}

func fields(f file) (counts, data tag.Field) {
	return tag.Field{ID: tag.IJMetadataCounts, Type: tag.Long, Raw: f.Counts, Big: f.Big},
		tag.Field{ID: tag.IJMetadata, Type: tag.Byte, Raw: f.Data, Big: f.Big}
}

func TestMetadataOfTifffile(t *testing.T) {
	lut := make([]byte, 768)
	for i := range lut {
		lut[i] = byte(i)
	}
	want := map[string]*Metadata{
		"tags": {Info: "Size µ", Labels: []string{"a", "b", "c", "d", "e", "ü"}, Ranges: []float64{0, 1, 2, 3.5, 4, 5},
			LUTs: [][]byte{lut, lut, lut}, Properties: [][2]string{{"k", "v"}, {"l", "w"}}},
		"tags big": {Info: "Size µ", Labels: []string{"a", "b"}, Ranges: []float64{0.5, 1}},
	}
	n := 0
	for _, f := range files(t) {
		if f.Data == nil {
			continue
		}
		n++
		got, err := ParseMetadata(fields(f))
		if err != nil || !reflect.DeepEqual(got, want[f.Name]) {
			t.Errorf("%s: %+v, %v", f.Name, got, err)
		}
	}
	if n != len(want) {
		t.Errorf("%d files with tags", n)
	}
	attrs, err := want["tags"].Attributes()
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, a := range attrs {
		text += a.Name + "=" + string(a.Raw) + " "
	}
	if text != `info="Size µ" labels=["a","b","c","d","e","ü"] ranges=[0,1,2,3.5,4,5] properties={"k":"v","l":"w"} ` {
		t.Error(text)
	}
}

func TestMetadataErrors(t *testing.T) {
	header := "JIJIofni\x01\x00\x00\x00"
	for _, c := range []struct {
		counts []uint32
		data   string
		want   string
	}{
		{nil, header, "0 lengths, not between 1 and 1048577"},
		{[]uint32{12, 2}, "abcd", "it does not begin with IJIJ"},
		{[]uint32{12, 2}, "JI", "it does not begin with IJIJ"},
		{[]uint32{4}, header, "a header of 4 bytes in 12"},
		{[]uint32{13}, header, "a header of 13 bytes in 12"},
		{[]uint32{14, 2}, header + "ab", "a header of 14 bytes in 14"},
		{[]uint32{20}, header, "a header of 20 bytes in 12"},
		{[]uint32{12}, header, `"info": 1 values, 0 are left`},
		{[]uint32{12, 4}, header + "a\x00", `"info": value 1 has 4 bytes, 2 are left`},
		{[]uint32{12, 4294967295}, header, `"info": value 1 has 4294967295 bytes, 0 are left`},
		{[]uint32{12, 1}, "JIJIofni\xff\xff\xff\xff", `"info": 4294967295 values, 1 are left`},
	} {
		_, err := ParseMetadata(tag.Longs(tag.IJMetadataCounts, c.counts...), tag.Bytes(tag.IJMetadata, []byte(c.data)))
		if err == nil || err.Error() != "ImageJ metadata: "+c.want {
			t.Errorf("%v %q: %v, want %s", c.counts, c.data, err, c.want)
		}
	}
	if _, err := ParseMetadata(tag.Longs(tag.IJMetadataCounts, 12), tag.Shorts(tag.IJMetadata, 1)); err == nil {
		t.Error("shorts are no bytes")
	}
}

func TestParseShaped(t *testing.T) {
	for text, want := range map[string]*Shaped{
		`{"shape": [2, 3], "axes": "YX", "name": "n", "truncated": true, "spacing": NaN}`: {Shape: []int{2, 3}, Axes: "YX", Name: "n", Truncated: true},
		`{"shape": [2, 3], "axes": "YXS", "truncated": null}`:                             {Shape: []int{2, 3}},
		"shape=(2, 3, 4)": {Shape: []int{2, 3, 4}},
		"shape=(2,)":      {Shape: []int{2}},
	} {
		got, err := ParseShaped(text)
		if err != nil || !IsShaped(text) {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if strings.Contains(text, "spacing") {
			if len(got.Attributes) != 1 || got.Attributes[0].Name != "spacing" || string(got.Attributes[0].Raw) != "NaN" {
				t.Errorf("%v", got.Attributes)
			}
			got.Attributes = nil
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", text, got)
		}
	}
	for text, want := range map[string]string{
		"":                       "tifffile's description: not JSON: it ends at byte 0 where '{' should follow",
		`{"axes": "YX"}`:         "tifffile's description: it has no shape",
		`{"shape": [-1]}`:        "tifffile's description: shape[0]: -1 is less than 0",
		`{"shape": [1.5]}`:       "tifffile's description: shape[0]: must be an integer, not 1.5",
		`{"shape": 5}`:           "tifffile's description: shape: must be an array, not a number",
		`{"shape":[1],"axes":1}`: "tifffile's description: axes: must be a string, not a number",
		"shape=(a)":              `tifffile's description: "shape=(a)" is no shape`,
	} {
		if _, err := ParseShaped(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if IsShaped(`{"mibi.x": 1, "shape": []}`) || IsShaped("shaped") || IsShaped("{}") {
		t.Error("not tifffile's")
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range files(f) {
		f.Add(c.Description, c.Samples, c.Planar, c.Counts, c.Data)
	}
	f.Add(`{"shape": [2, 3], "axes": "YX"}`, 1, false, []byte("\x0c\x00\x00\x00\x02\x00\x00\x00"), []byte("JIJIofni\x01\x00\x00\x00a\x00"))
	f.Add(`shape=(2, 3)`, 1, true, []byte{}, []byte{})
	fuzzlong.Fuzz(f, func(t *testing.T, text string, samples int, planar bool, counts, data []byte) {
		if info, err := Parse(text); err == nil {
			if s, err := info.Stack(samples, planar, 7); err == nil && (len(s.Axes) != len(s.Shape) || s.Pages() < 1) {
				t.Fatalf("%+v", s)
			}
		}
		if s, err := ParseShaped(text); err == nil && s.Axes != "" && len(s.Axes) != len(s.Shape) {
			t.Fatalf("%+v", s)
		}
		if m, err := ParseMetadata(fields(file{Counts: counts, Data: data})); err == nil {
			if _, err := m.Attributes(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
