package tile_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/tiff/tile"
	"github.com/omnizarr/zarr/nd"
)

// photo is a smooth picture.
func photo(samples, height, width int) nd.View {
	v := nd.Make(1, samples, height, width)
	for s := range samples {
		for y := range height {
			for x := range width {
				v.At(s, y, x)[0] = byte(40 + 30*s + 3*x + 2*y)
			}
		}
	}
	return v
}

func near(a, b nd.View, by int) bool {
	x, y := nd.Make(1, a.Shape...), nd.Make(1, b.Shape...)
	nd.Copy(x, a)
	nd.Copy(y, b)
	for i := range x.Data {
		if d := int(x.Data[i]) - int(y.Data[i]); d > by || -d > by {
			return false
		}
	}
	return true
}

func TestJPEGTilesComeBackNearly(t *testing.T) {
	for _, c := range []struct {
		samples, photometric, format int
		e                            tile.Encoding
	}{
		{1, 1, 1, tile.Encoding{Quality: 95}},
		{1, 0, 2, tile.Encoding{}},
		{2, 1, 1, tile.Encoding{Quality: 95}},
		{3, 2, 1, tile.Encoding{Quality: 95}},
		{3, 6, 1, tile.Encoding{}},
		{3, 6, 1, tile.Encoding{Quality: 95, Subsampling: [2]int{1, 1}}},
		{3, 6, 1, tile.Encoding{Quality: 95, Subsampling: [2]int{2, 1}}},
		{4, 5, 1, tile.Encoding{Quality: 95}},
	} {
		l := plain(24, 19)
		l.Compression, l.Samples, l.Photometric, l.SampleFormat = tile.JPEG, c.samples, c.photometric, c.format
		want := photo(c.samples, 19, 24)
		full, err := l.AppendEncode(nil, want, c.e)
		if err != nil {
			t.Fatal(err)
		}
		for _, turned := range []nd.View{strange(1, want.Shape...), pixels(1, want.Shape...)} {
			nd.Copy(turned, want)
			if again, err := l.AppendEncode(nil, turned, c.e); err != nil || !bytes.Equal(again, full) {
				t.Errorf("%+v: other memory is encoded differently, %v", c, err)
			}
		}
		whole := nd.Make(1, want.Shape...)
		if err := l.Decode(whole, full, 0, 19); err != nil || !near(whole, want, 12) {
			t.Errorf("%+v: %v", c, err)
		}
		for _, box := range []nd.Box{
			nd.Whole(want.Shape),
			{Start: []int{c.samples - 1, 3, 5}, Shape: []int{1, 11, 8}},
			{Start: []int{0, 18, 0}, Shape: []int{c.samples, 1, 24}},
		} {
			for _, dst := range []nd.View{nd.Make(1, box.Shape...), strange(1, box.Shape...), pixels(1, box.Shape...)} {
				if err := l.DecodeBox(dst, full, box, -1); err != nil || !equal(dst, whole.Box(box)) {
					t.Errorf("%+v, %v: %v", c, box, err)
				}
			}
		}
		// With the tables in the layout, streams have none.
		l.JPEGTables = l.AppendTables(nil, c.e)
		short, err := l.AppendEncode(nil, want, c.e)
		if err != nil || len(short) >= len(full) {
			t.Errorf("%+v: %d bytes with tables, %d without, %v", c, len(full), len(short), err)
		}
		again := nd.Make(1, want.Shape...)
		if err := l.Decode(again, short, 0, 19); err != nil || !equal(again, whole) {
			t.Errorf("%+v: %v", c, err)
		}
		other := c.e
		other.Quality = 33
		if data, err := l.AppendEncode(nil, want, other); err != nil || !bytes.Contains(data, []byte("\xff\xdb")) {
			t.Errorf("%+v: tables of another quality are left out, %v", c, err)
		}
		l.JPEGTables = nil
		if err := l.Decode(again, short, 0, 19); err == nil || !strings.Contains(err.Error(), "jpeg_tables are needed") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A smaller image is the tile's top left.
func TestASmallerJPEGIsTheTopLeft(t *testing.T) {
	small := plain(24, 19)
	small.Compression, small.Samples, small.Photometric = tile.JPEG, 3, 2
	want := photo(3, 19, 24)
	data, err := small.AppendEncode(nil, want, tile.Encoding{})
	if err != nil {
		t.Fatal(err)
	}
	if err := small.Decode(want, data, 0, -1); err != nil {
		t.Fatal(err)
	}
	l := small
	l.Width, l.Height = 32, 30
	padded := nd.Make(1, 3, 30, 32)
	nd.Copy(padded.Box(nd.Whole(want.Shape)), want)
	for _, box := range []nd.Box{
		nd.Whole(padded.Shape),
		{Start: []int{1, 10, 10}, Shape: []int{2, 20, 22}},
		{Start: []int{0, 20, 0}, Shape: []int{3, 3, 32}},
		{Start: []int{0, 0, 25}, Shape: []int{3, 30, 7}},
	} {
		for _, dst := range []nd.View{nd.Make(1, box.Shape...), strange(1, box.Shape...), pixels(1, box.Shape...)} {
			nd.Fill(dst, []byte{7})
			if err := l.DecodeBox(dst, data, box, 30); err != nil || !equal(dst, padded.Box(box)) {
				t.Errorf("%v: %v", box, err)
			}
		}
	}
	l.Width, l.Height = 32, 18
	if err := l.Decode(nd.Make(1, 3, 18, 32), data, 0, -1); err == nil || !strings.Contains(err.Error(), "size is 24 by 19, larger than the tile's, 32 by 18") {
		t.Error(err)
	}
	l.Height, l.Samples = 30, 4
	if err := l.Decode(nd.Make(1, 4, 30, 32), data, 0, -1); err == nil || !strings.Contains(err.Error(), "JPEG: the image has 3 components, samples_per_pixel is 4") {
		t.Error(err)
	}
}

// A stream that ends early is filled up in a larger tile too, and zeros are around
// it. Rows that must be there and are not are an error, but not behind the box.
func TestAJPEGThatEndsEarlyIsFilledUp(t *testing.T) {
	small := plain(24, 40)
	small.Compression = tile.JPEG
	data, err := small.AppendEncode(nil, photo(1, 40, 24), tile.Encoding{Quality: 95})
	if err != nil {
		t.Fatal(err)
	}
	whole := nd.Make(1, 1, 40, 24)
	if err := small.Decode(whole, data, 0, 40); err != nil {
		t.Fatal(err)
	}
	head := bytes.Index(data, []byte("\xff\xda")) + 10
	data = data[:head+(len(data)-head)/2] // in the third of five rows of blocks
	l := small
	l.Width, l.Height = 32, 48
	filled := nd.Make(1, 1, 48, 32)
	nd.Fill(filled, []byte{7})
	if err := l.Decode(filled, data, 0, -1); err != nil {
		t.Fatal(err)
	}
	want := nd.Make(1, 1, 48, 32)
	nd.Copy(want.Box(nd.Whole(whole.Shape)), whole)
	gray := nd.Box{Start: []int{0, 24, 0}, Shape: []int{1, 16, 24}}
	nd.Fill(want.Box(gray), []byte{128})
	for _, box := range []nd.Box{
		{Start: []int{0, 0, 0}, Shape: []int{1, 16, 32}},
		{Start: []int{0, 24, 0}, Shape: []int{1, 24, 32}},
	} {
		if !equal(filled.Box(box), want.Box(box)) {
			t.Errorf("%v differs", box)
		}
	}
	for _, c := range []struct {
		first, rows, want int
		good              bool
	}{
		{0, 48, -1, true}, {0, 48, 0, true}, {0, 48, 16, true}, {0, 48, 17, false}, {0, 48, 48, false},
		{0, 16, 48, true}, {8, 9, 48, false}, {40, 8, 48, false}, {20, 8, -1, true}, {20, 8, 16, true},
	} {
		for _, dst := range []nd.View{nd.Make(1, 1, c.rows, 32), strange(1, 1, c.rows, 32)} {
			err := l.Decode(dst, data, c.first, c.want)
			if !c.good && (err == nil || !strings.Contains(err.Error(), "JPEG: data ends in row 16 of 40")) {
				t.Errorf("%+v: %v", c, err)
			}
			if box := (nd.Box{Start: []int{0, c.first, 0}, Shape: dst.Shape}); c.good && (err != nil || !equal(dst, filled.Box(box))) {
				t.Errorf("%+v: %v", c, err)
			}
		}
	}
}

// An error says whether it is about jpeg_tables, and only then.
func TestErrorsOfTables(t *testing.T) {
	l := plain(24, 19)
	l.Compression = tile.JPEG
	tables := l.AppendTables(nil, tile.Encoding{})
	l.JPEGTables = tables
	data, err := l.AppendEncode(nil, photo(1, 19, 24), tile.Encoding{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tables, data string
		want         string
	}{
		{"", string(data), "JPEG: quantisation table 0 is missing: jpeg_tables are needed"},
		{string(tables[:40]), string(data), "bytes are left (in the tables): jpeg_tables are damaged"},
		{"what", string(data), "JPEG: stream of 4 bytes does not begin with a start-of-image marker (in the tables): jpeg_tables are damaged"},
		{"\xff\xd8\xff\xd9", string(data), "JPEG: quantisation table 0 is missing"},
		{"", "\xff\xd8\xff\xdb\x00\x03\x29" + string(data[2:]), "JPEG: quantisation table at byte 2 has number 9 and precision 2, 0 to 3 and 0 or 1 are possible"},
	} {
		l.JPEGTables = []byte(c.tables)
		err := l.Decode(nd.Make(1, 1, 19, 24), []byte(c.data), 0, -1)
		if err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("tables %x: got %v, want %s", c.tables, err, c.want)
		}
	}
}

// Between planes and pixels nothing beside the rows of the box is touched.
func TestPixelsLeaveMarginsAlone(t *testing.T) {
	for _, compression := range []int{tile.JPEG, tile.Zstd, tile.None} {
		l := plain(40, 33)
		l.Compression, l.Samples, l.Photometric = compression, 3, 2
		data, err := l.AppendEncode(nil, photo(3, 33, 40), tile.Encoding{})
		if err != nil {
			t.Fatal(err)
		}
		dst := pixels(1, 3, 33, 40)
		want := bytes.Clone(dst.Data)
		if err := l.Decode(dst, data, 0, 33); err != nil {
			t.Fatal(err)
		}
		nd.Fill(dst, []byte{0xa5})
		if !bytes.Equal(dst.Data, want) {
			t.Errorf("compression %d: bytes beside the tile were changed", compression)
		}
	}
}
