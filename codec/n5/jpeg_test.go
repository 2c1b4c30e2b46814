package n5_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/n5"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/n5block"
	"github.com/omnizarr/zarr/nd"
)

// picture is a grey JPEG that imagecodecs 2026.10.10 or Pillow 13.0.0 wrote, some of
// them progressive, and the elements, big-endian, that NumPy computed from the
// pixels that libjpeg-turbo 3.2.0 decodes.
type picture struct {
	Block         []int
	Configuration json.RawMessage
	Image         []byte
	Elements      []byte
}

func (p *picture) typeName(t testing.TB) string {
	t.Helper()
	var c struct {
		DataType string `json:"data_type"`
	}
	if err := json.Unmarshal(p.Configuration, &c); err != nil {
		t.Fatal(err)
	}
	return c.DataType
}

func pictures(t testing.TB) []picture {
	t.Helper()
	packed, err := os.Open("testdata/jpeg.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	text, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	var all []picture
	if err := json.NewDecoder(text).Decode(&all); err != nil || len(all) < 10 {
		t.Fatalf("%d pictures, %v", len(all), err)
	}
	return all
}

func jpegFilter(t testing.TB, config string) codec.BytesFilter {
	t.Helper()
	c, err := n5.ParseJPEG(std.Registry(), n5.JPEGName, json.RawMessage(config))
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.(codec.BytesToBytes).BindBytes(codec.Spec{}, codec.Size{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestPixelsAreThoseOfLibjpeg(t *testing.T) {
	for _, p := range pictures(t) {
		got, err := jpegFilter(t, string(p.Configuration)).Decode(nil, []byte("pre"), p.Image, len(p.Elements))
		if err != nil || string(got[:3]) != "pre" {
			t.Errorf("%s: %v", p.Configuration, err)
			continue
		}
		got = got[3:]
		switch name := p.typeName(t); {
		case name == "float64":
			for i := 0; i < len(p.Elements); i += 8 {
				g, w := math.Float64frombits(binary.BigEndian.Uint64(got[i:])), math.Float64frombits(binary.BigEndian.Uint64(p.Elements[i:]))
				if math.Abs(g-w) > 1e-14*math.Abs(w) {
					t.Errorf("%s: element %d is %v, want %v", p.Configuration, i/8, g, w)
				}
			}
		case !bytes.Equal(got, p.Elements):
			t.Errorf("%s: got %x, want %x", p.Configuration, got, p.Elements)
		}
	}
}

// A dataset of N5 has the image behind the header of the block.
func TestBlocksOfJPEG(t *testing.T) {
	for _, p := range pictures(t) {
		name := p.typeName(t)
		entry := fmt.Sprintf(`{"name":"omnizarr.n5_jpeg","configuration":%s}`, p.Configuration)
		b := mustBind(t, block(len(p.Block), big, entry), name, "0", p.Block...)
		plain := mustBind(t, block(len(p.Block), big), name, "0", p.Block...)
		header := n5block.AppendDefault(nil, p.Block)
		want, err := decode(plain, memory(append(bytes.Clone(header), p.Elements...)), nd.Whole(p.Block))
		if err != nil {
			t.Fatal(err)
		}
		for _, src := range sources(append(bytes.Clone(header), p.Image...)) {
			got, err := decode(b, src, nd.Whole(p.Block))
			if err != nil || name != "float64" && !bytes.Equal(got.Data, want.Data) {
				t.Errorf("%s of %v: %v", p.Configuration, p.Block, err)
			}
		}
		// The image is another than the header says.
		header[len(header)-1]++
		if _, err := decode(b, memory(append(header, p.Image...)), nd.Whole(p.Block)); !errors.Is(err, codec.ErrData) {
			t.Errorf("%v: got %v", p.Block, err)
		}
		if _, err := b.Encode(context.Background(), chunk(nil), nil, want); err == nil || !strings.Contains(err.Error(), "only read") {
			t.Errorf("got %v", err)
		}
	}
}

// Every pixel stands for the value that Java's formula gives.
func TestValuesOfPixels(t *testing.T) {
	for _, c := range []struct {
		config string
		pixel  byte
		want   string
	}{
		{`{}`, 0, "00"}, {`{}`, 77, "4d"}, {`{}`, 255, "ff"},
		{`{"data_type":"int8","min":-128,"max":127}`, 0, "80"},
		{`{"data_type":"int8","min":-128,"max":127}`, 255, "7f"},
		{`{"data_type":"int8","min":-1000,"max":1000}`, 0, "80"},
		{`{"data_type":"int8","min":-1000,"max":1000}`, 255, "7f"},
		{`{"min":-10,"max":500}`, 0, "00"}, {`{"min":-10,"max":500}`, 255, "ff"},
		{`{"data_type":"int16","min":-0.5,"max":0.5}`, 0, "0000"}, // halves go upwards
		{`{"data_type":"int16","min":-1.5,"max":1.5}`, 0, "ffff"},
		{`{"data_type":"int16","min":-1.5,"max":1.5}`, 255, "0002"},
		{`{"data_type":"uint16","min":0,"max":65535}`, 128, "8080"},
		{`{"data_type":"uint32","min":0,"max":1e300}`, 1, "ffffffff"},
		{`{"data_type":"uint64","min":0,"max":1e300}`, 255, "ffffffffffffffff"},
		{`{"data_type":"uint64","min":0,"max":18446744073709551615}`, 255, "ffffffffffffffff"},
		{`{"data_type":"int64","min":-1e300,"max":1}`, 0, "8000000000000000"},
		{`{"data_type":"int64","min":-1,"max":1e300}`, 255, "7fffffffffffffff"},
		{`{"data_type":"int32","min":-100000,"max":0}`, 0, "fffe7960"},
		{`{"data_type":"float32","min":-2,"max":3}`, 255, "40400000"},
		{`{"data_type":"float64","min":-2,"max":3}`, 0, "c000000000000000"},
		{`{"data_type":"uint8","gamma":0.5}`, 16, "01"},
		{`{"data_type":"uint8","gamma":2}`, 1, "10"},
		{`{"data_type":"uint8","gamma":5e-324}`, 254, "00"},
		{`{"data_type":"uint8","gamma":1e308}`, 1, "ff"},
	} {
		if got := fmt.Sprintf("%x", n5.PixelValue(jpegFilter(t, c.config), c.pixel)); got != c.want {
			t.Errorf("%s: %d is %s, want %s", c.config, c.pixel, got, c.want)
		}
	}
}

func TestConfigurationsOfJPEG(t *testing.T) {
	for config, want := range map[string]string{
		``: "",
		`{"quality":90,"data_type":"uint8","min":0.0,"max":255.0,"gamma":1.0}`: "",
		`{"quality":101}`:                "quality is 101: must be from 0 to 100",
		`{"quality":-1}`:                 "quality is -1",
		`{"data_type":"string"}`:         `data_type is "string": N5 has no such type of numbers`,
		`{"data_type":""}`:               `data_type is ""`,
		`{"data_type":"float16"}`:        `data_type is "float16"`,
		`{"min":5,"max":5}`:              "from min 5 to max 5: must be a range",
		`{"min":255,"max":0}`:            "must be a range",
		`{"min":-1.7e308,"max":1.7e308}`: "must be a range",
		`{"gamma":0}`:                    "gamma is 0: must be more than 0",
		`{"gamma":-1}`:                   "gamma is -1",
		`{"gamma":1e999}`:                "must be a number, not 1e999",
		`{"gamma":"NaN"}`:                "must be a number, not a string",
		`{"dataType":"uint8"}`:           `unknown member "dataType"`,
	} {
		c, err := n5.ParseJPEG(nil, n5.JPEGName, json.RawMessage(config))
		if want == "" {
			text, merr := json.Marshal(c)
			if err != nil || merr != nil || !strings.Contains(string(text), `"data_type":"uint8","min":0,"max":255,"gamma":1}`) {
				t.Errorf("%s: %s, %v", config, text, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", config, err, want)
		}
	}
}

func TestHostileImages(t *testing.T) {
	p := pictures(t)[0]
	f := jpegFilter(t, `{}`)
	size := bytes.Index(p.Image, []byte{0xff, 0xc0}) + 5
	change := func(at int, to ...byte) []byte {
		bad := bytes.Clone(p.Image)
		copy(bad[at:], to)
		return bad
	}
	for want, src := range map[string][]byte{
		"JPEG":                   nil,
		"JPEG: ":                 p.Image[:20],
		"JPEG: data ends in row": p.Image[:len(p.Image)-30],
		"holds 4261478400 bytes, at most 1000 are possible": change(size, 255, 0, 255, 0),
		"the image has 3 components: must be grey":          colour(p.Image, size),
	} {
		if got, err := f.Decode(nil, nil, src, 1000); !errors.Is(err, codec.ErrData) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes, %v; want %s", len(got), err, want)
		}
	}
}

// colour makes the frame header at byte at one of three components.
func colour(image []byte, at int) []byte {
	header := []byte{0, 17, 8, 0, 15, 0, 7, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0}
	return append(append(bytes.Clone(image[:at-3]), header...), image[at-3+11:]...)
}

func FuzzDecodeJPEG(f *testing.F) {
	for _, p := range pictures(f) {
		f.Add(p.Image)
	}
	byteFilter, wordFilter := jpegFilter(f, `{}`), jpegFilter(f, `{"data_type":"uint16"}`)
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		got, err := byteFilter.Decode(nil, []byte("pre"), data, 1<<16)
		if err != nil {
			return
		}
		if len(got) > 3+1<<16 || string(got[:3]) != "pre" {
			t.Fatalf("%d bytes", len(got))
		}
		wide, err := wordFilter.Decode(nil, nil, data, 1<<17)
		if err != nil || len(wide) != 2*(len(got)-3) {
			t.Fatalf("%d elements, and %d bytes of two each, %v", len(got)-3, len(wide), err)
		}
		for i, v := range got[3:] {
			if wide[2*i] != 0 || wide[2*i+1] != v {
				t.Fatalf("element %d is %x and %x", i, v, wide[2*i:2*i+2])
			}
		}
	})
}
