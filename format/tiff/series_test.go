package tiff_test

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff"
	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/store"
)

// ramp gives n pages of 4 x 4 pixels, which begin with 0, 16, 32, ...
func ramp(n int) []*picture {
	var out []*picture
	for i := range n {
		out = append(out, gray(4, 4, byte(16*i)))
	}
	return out
}

func TestGrouping(t *testing.T) {
	reduced := tag.Longs(tag.NewSubfileType, 1)
	mask := func(w, h int, kind uint32) *picture {
		return &picture{fields: append(size(w, h, 1), tag.Longs(tag.NewSubfileType, kind)), tiles: [][]byte{make([]byte, (w+7)/8*h)}}
	}
	rgb := func() *picture {
		p := &picture{fields: size(4, 4, 8), tiles: [][]byte{make([]byte, 48)}}
		return p.with(tag.Shorts(tag.SamplesPerPixel, 3), tag.Shorts(tag.BitsPerSample, 8, 8, 8), tag.Shorts(tag.Photometric, 2))
	}
	palette := gray(4, 4, 0, tag.Field{ID: tag.ColorMap, Type: tag.Short, Raw: make([]byte, 6*256)}).with(tag.Shorts(tag.Photometric, 3))
	contiguous := func(text string, planes int) *picture {
		p := described(gray(4, 4, 0), text)
		for i := range planes - 1 { // data behind the strip that the directory tells
			p.tiles[0] = append(p.tiles[0], bytes.Repeat([]byte{byte(16 * (i + 1))}, 16)...)
		}
		return p.with(tag.Longs(tag.StripByteCounts, 16))
	}
	for _, c := range []struct {
		name, want string
		pictures   []*picture
	}{
		{"one page", "(yx [4 4])", ramp(1)},
		{"equal pages", "(iyx [3 4 4])", ramp(3)},
		{"samples", "(syx [3 4 4])", []*picture{rgb()}},
		{"palette", "(yx [4 4])", []*picture{palette}},
		{"pages of two kinds", "/ 0(iyx [2 4 4]) 1(yx [4 7])", []*picture{gray(4, 4, 0), gray(7, 4, 0), gray(4, 4, 0)}},
		{"palette and gray are two kinds", "/ 0(yx [4 4]) 1(yx [4 4])", []*picture{gray(4, 4, 0), palette}},
		{"overviews in the chain", "/* 0(yx [16 16]) 1(yx [8 8]) 2(yx [4 4])", []*picture{gray(16, 16, 0), gray(8, 8, 0, reduced), gray(4, 4, 0, reduced)}},
		{"overviews, rounded up", "/* 0(yx [17 15]) 1(yx [9 8]) 2(yx [5 4])", []*picture{gray(15, 17, 0), gray(8, 9, 0), gray(4, 5, 0)}},
		{"overviews with masks", "/ 0/* 0/0(yx [16 16]) 0/1(yx [8 8]) 1/* 1/0(yx [16 16]) 1/1(yx [8 8])",
			[]*picture{gray(16, 16, 0), mask(16, 16, 4), gray(8, 8, 0, reduced), mask(8, 8, 5)}},
		{"a label is no overview", "/ 0/* 0/0(yx [16 16]) 0/1(yx [8 8]) 1(yx [5 9])", []*picture{gray(16, 16, 0), gray(9, 5, 0), gray(8, 8, 0)}},
		{"SubIFDs", "/* 0(yx [16 16]) 1(yx [8 8]) 2(yx [4 4])", []*picture{{fields: gray(16, 16, 0).fields, tiles: gray(16, 16, 0).tiles, subs: []*picture{gray(8, 8, 0), gray(4, 4, 0)}}}},
		{"SubIFD that is another image", "/ 0(yx [16 16]) 1(yx [5 9])", []*picture{{fields: gray(16, 16, 0).fields, tiles: gray(16, 16, 0).tiles, subs: []*picture{gray(9, 5, 0)}}}},
		{"SubIFDs that are other images", "/ 0(yx [16 16]) 1(yx [5 9]) 2(yx [2 4])", []*picture{{fields: gray(16, 16, 0).fields, tiles: gray(16, 16, 0).tiles, subs: []*picture{gray(9, 5, 0), gray(4, 2, 0)}}}},
		{"a broken page between others", "/ 0(iyx [2 4 4]) error", []*picture{gray(4, 4, 0), gray(4, 4, 0).without(tag.ImageWidth), gray(4, 4, 0)}},
		{"a broken first page", "/ error 1(iyx [2 4 4])", []*picture{gray(4, 4, 0).without(tag.ImageWidth), gray(4, 4, 0), gray(4, 4, 0)}},

		{"ImageJ", "(zcyx [3 2 4 4])", append([]*picture{described(gray(4, 4, 0), "ImageJ=1.53\nimages=6\nchannels=2\nslices=3\nhyperstack=true\n")}, ramp(5)...)},
		{"ImageJ, one directory", "(tzyx [2 3 4 4])", []*picture{contiguous("ImageJ=1.53\nimages=6\nslices=3\nframes=2\n", 6)}},
		{"ImageJ, one directory, strips that are not in a row", "(yx [4 4])", []*picture{contiguous("ImageJ=1.53\nimages=6\nslices=3\nframes=2\n", 6).with(tag.Longs(tag.RowsPerStrip, 2), tag.Longs(tag.StripOffsets, 16, 8), tag.Longs(tag.StripByteCounts, 8, 8))}},
		{"ImageJ, one directory, too little data", "(yx [4 4])", []*picture{contiguous("ImageJ=1.53\nimages=600\nslices=300\nframes=2\n", 6)}},
		{"ImageJ, a page is missing", "(iyx [5 4 4])", append([]*picture{described(gray(4, 4, 0), "ImageJ=1.53\nimages=6\nchannels=2\nslices=3\n")}, ramp(4)...)},
		{"ImageJ, a page is broken", "/ 0(iyx [5 4 4]) error", append(append([]*picture{described(gray(4, 4, 0), "ImageJ=1.53\nimages=6\nchannels=2\nslices=3\n")}, ramp(4)...), gray(4, 4, 0).without(tag.ImageWidth))},

		{"shaped", "(q0q1yx [2 3 4 4])", append([]*picture{described(gray(4, 4, 0), `{"shape": [2, 3, 4, 4]}`)}, ramp(5)...)},
		{"shaped with axes", "(tzyx [2 3 4 4])", append([]*picture{described(gray(4, 4, 0), `{"shape": [2, 3, 4, 4], "axes": "TZYX"}`)}, ramp(5)...)},
		{"shaped samples with a name", "(cyx [3 4 4])", []*picture{described(rgb(), `{"shape": [4, 4, 3], "axes": "YXC"}`)}},
		{"shaped, one sample", "/ 0(qyx [2 4 4]) 1(yx [4 4])", []*picture{described(gray(4, 4, 0), `{"shape": [2, 4, 4, 1]}`), gray(4, 4, 0), described(gray(4, 4, 0), `{"shape": [4, 4, 1]}`)}},
		{"shaped, one directory", "(zyx [6 4 4])", []*picture{contiguous(`{"shape": [6, 4, 4], "axes": "ZYX"}`, 6)}},
		{"shaped, one directory and equal images behind", "/ 0(zyx [2 4 4]) 1(yx [4 4]) 2(yx [4 4])", []*picture{
			contiguous(`{"shape": [2, 4, 4], "axes": "ZYX", "truncated": true}`, 2), described(gray(4, 4, 0), `{"shape": [4, 4]}`), described(gray(4, 4, 0), `{"shape": [4, 4]}`)}},
		{"shaped, several", "/ 0(zyx [2 4 4]) 1(yx [4 7])", []*picture{described(gray(4, 4, 0), `{"shape": [2, 4, 4], "axes": "ZYX"}`), gray(4, 4, 0), described(gray(7, 4, 0), `{"shape": [4, 7]}`)}},
		{"shaped, not marked as levels", "/ 0(yx [8 8]) 1(yx [4 4])", []*picture{described(gray(8, 8, 0), `{"shape": [8, 8]}`), described(gray(4, 4, 0), `{"shape": [4, 4]}`)}},
		{"shaped, levels", "/* 0(yx [8 8]) 1(yx [4 4])", []*picture{described(gray(8, 8, 0), `{"shape": [8, 8]}`), described(gray(4, 4, 0, reduced), `{"shape": [4, 4]}`)}},
		{"shape that is another's", "(iyx [2 4 4])", []*picture{described(gray(4, 4, 0), `{"shape": [2, 5, 4]}`), gray(4, 4, 0)}},
	} {
		for form, b := range builders() {
			if got := outline(t, open(t, "a.tif", b.file(c.pictures...))); got != c.want {
				t.Errorf("%s, %s: %s, want %s", c.name, form, got, c.want)
			}
		}
	}
}

func TestPlanesHaveTheirData(t *testing.T) {
	text := "ImageJ=1.53\nimages=6\nchannels=2\nslices=3\nhyperstack=true\n"
	pages := ramp(6)
	described(pages[0], text)
	one := described(gray(4, 4, 0), text).with(tag.Longs(tag.StripByteCounts, 16))
	for i := range 5 {
		one.tiles[0] = append(one.tiles[0], gray(4, 4, byte(16*(i+1))).tiles[0]...)
	}
	for form, b := range builders() {
		for _, pictures := range [][]*picture{pages, {one}} {
			s := open(t, "a.tif", b.file(pictures...))
			if got := firsts(t, arrayAt(t, s, "")); !slices.Equal(got, []byte{0, 16, 32, 48, 64, 80}) {
				t.Errorf("%s: planes begin with %v", form, got)
			}
		}
	}
}

func TestStripsWithoutLengths(t *testing.T) {
	p := gray(4, 5, 1).with(tag.Longs(tag.RowsPerStrip, 2)).without(tag.StripByteCounts)
	all := p.tiles[0]
	p.tiles = [][]byte{all[:8], all[8:16], all[16:]}
	for form, b := range builders() {
		s := open(t, "a.tif", b.file(p))
		if v := pixels(t, arrayAt(t, s, "")); !bytes.Equal(v.Data, all) {
			t.Errorf("%s: %v", form, v.Data)
		}
		if _, info, err := s.Get(ctx, "c/2/0", store.All(), nil); err != nil || info.Size != 4 {
			t.Errorf("%s: the last strip has %d bytes, %v", form, info.Size, err)
		}
	}
}

func TestTilesThatAreNotStored(t *testing.T) {
	p := tiles().with(tag.Longs(tag.TileOffsets, 8, 0, 8, 8), tag.Longs(tag.TileByteCounts, 1024, 0, 0, 1024))
	s := open(t, "a.tif", little().file(p))
	for key, there := range map[string]bool{"c/0/0": true, "c/0/1": false, "c/1/0": false, "c/1/1": true} {
		if _, _, err := s.Get(ctx, key, store.All(), nil); errors.Is(err, store.ErrNotExist) == there {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// omeImage describes an image of 4 x 4 pixels with five slices.
func omeImage(name, inner string) string {
	return `<Image ID="` + name + `" Name="` + name + `"><Pixels ID="P" DimensionOrder="XYZCT" Type="uint8" SizeX="4" SizeY="4" SizeZ="3" SizeC="1" SizeT="1"
		PhysicalSizeX="0.5" PhysicalSizeXUnit="µm" PhysicalSizeY="0.25" PhysicalSizeYUnit="µm" PhysicalSizeZ="2" PhysicalSizeZUnit="µm">` + inner + `</Pixels></Image>`
}

func TestOME(t *testing.T) {
	build := func(xml string, n int) store.Store {
		pages := ramp(n)
		described(pages[0], omeXML(xml))
		return open(t, "own.ome.tif", little().file(pages...))
	}
	t.Run("two images", func(t *testing.T) {
		s := build(omeImage("first", `<TiffData IFD="0" PlaneCount="3"/>`)+omeImage("second", `<TiffData IFD="3" PlaneCount="3"/>`), 6)
		if got := outline(t, s); got != "/ 0(zyx [3 4 4]) 1(zyx [3 4 4])" {
			t.Error(got)
		}
		if got := firsts(t, arrayAt(t, s, "1")); !slices.Equal(got, []byte{48, 64, 80}) {
			t.Error(got)
		}
	})
	t.Run("planes in another order", func(t *testing.T) {
		s := build(omeImage("a", `<TiffData IFD="0" FirstZ="2" PlaneCount="1"/><TiffData IFD="1" FirstZ="0" PlaneCount="2"/>`), 3)
		if got := firsts(t, arrayAt(t, s, "")); !slices.Equal(got, []byte{16, 32, 0}) {
			t.Error(got)
		}
	})
	t.Run("missing planes are fill values", func(t *testing.T) {
		s := build(omeImage("a", `<TiffData IFD="1" FirstZ="2" PlaneCount="1"/>`), 2)
		if got := firsts(t, arrayAt(t, s, "")); !slices.Equal(got, []byte{0, 0, 16}) {
			t.Error(got)
		}
	})
	t.Run("a broken page is an error of its plane", func(t *testing.T) {
		pages := ramp(3)
		described(pages[0], omeXML(omeImage("a", "<TiffData/>")))
		pages[1].without(tag.ImageWidth)
		a := arrayAt(t, open(t, "a.tif", little().file(pages...)), "")
		if v, err := zarr.Read[uint8](ctx, a, zarr.Slice("2, 0, 0")); err != nil || v.Data[0] != 32 {
			t.Error(v, err)
		}
		if _, err := zarr.Read[uint8](ctx, a, zarr.Slice("1, 0, 0")); err == nil || !strings.Contains(err.Error(), "ImageWidth") {
			t.Error(err)
		}
	})
	t.Run("more images than planes", func(t *testing.T) {
		many := strings.Replace(omeImage("a", "<TiffData/>"), `SizeT="1"`, `SizeT="20000"`, 1)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s := build(strings.Repeat(many, 2000), 3)
		runtime.ReadMemStats(&after)
		if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > 64 && !race.Enabled {
			t.Errorf("%d MB", n)
		}
		arrayAt(t, s, "0")
	})
	t.Run("planes in another file", func(t *testing.T) {
		other := `<TiffData IFD="0" PlaneCount="3"><UUID FileName="other.ome.tif">urn:uuid:1</UUID></TiffData>`
		s := build(omeImage("a", other)+omeImage("b", `<TiffData IFD="0" PlaneCount="3"/>`), 3)
		_, err := zarr.OpenStore(ctx, s, "0")
		if err == nil || !strings.Contains(err.Error(), "other.ome.tif") {
			t.Error(err)
		}
		if got := firsts(t, arrayAt(t, s, "1")); !slices.Equal(got, []byte{0, 16, 32}) {
			t.Error(got)
		}
		arrayAt(t, s, "ifd/0")
	})
	t.Run("planes in a file of this name", func(t *testing.T) {
		s := build(omeImage("a", `<TiffData IFD="0" PlaneCount="3"><UUID FileName="own.ome.tif">urn:uuid:1</UUID></TiffData>`), 3)
		if got := outline(t, s); got != "(zyx [3 4 4])" {
			t.Error(got)
		}
	})
	t.Run("metadata in another file", func(t *testing.T) {
		s := build(`<BinaryOnly MetadataFile="all.companion.ome" UUID="urn:uuid:1"/>`, 2)
		_, err := zarr.OpenStore(ctx, s, "")
		if err == nil || !strings.Contains(err.Error(), "all.companion.ome") {
			t.Error(err)
		}
		arrayAt(t, s, "ifd/1")
	})
	t.Run("XML that is none", func(t *testing.T) {
		for _, xml := range []string{omeImage("a", "<TiffData"), "<Image>"} {
			if got := outline(t, build(xml, 3)); got != "(iyx [3 4 4])" {
				t.Error(got)
			}
		}
	})
	t.Run("sizes that are not those of the pages", func(t *testing.T) {
		if got := outline(t, build(strings.Replace(omeImage("a", "<TiffData/>"), `SizeX="4"`, `SizeX="5"`, 1), 3)); got != "(iyx [3 4 4])" {
			t.Error(got)
		}
	})
	t.Run("scales", func(t *testing.T) {
		a := arrayAt(t, build(omeImage("a", "<TiffData/>"), 3), "")
		if v, _ := attribute(t, a, "scale").([]any); !slices.Equal(v, []any{2.0, 0.25, 0.5}) {
			t.Error(v)
		}
	})
}

func TestNoOffsetBehindTheLastDirectory(t *testing.T) {
	for form, b := range builders() {
		data := b.file(ramp(2)...)
		cut := data[:len(data)-len(b.offset(0))]
		for name, s := range map[string]store.Store{"known": holding(t, "a.tif", cut), "unknown": sizeless{holding(t, "a.tif", cut)}} {
			f, err := tiff.Open(ctx, s, "a.tif")
			if err != nil {
				t.Errorf("%s, size %s: %v", form, name, err)
				continue
			}
			if got := firsts(t, arrayAt(t, f.Store(), "")); !slices.Equal(got, []byte{0, 16}) {
				t.Errorf("%s, size %s: %v", form, name, got)
			}
		}
	}
}

// sizeless does not tell how large values are.
type sizeless struct{ store.Store }

func (s sizeless) Open(ctx context.Context, key string) (store.Object, error) {
	o, err := store.Open(ctx, s.Store, key)
	return sizelessObject{o}, err
}

type sizelessObject struct{ store.Object }

func (o sizelessObject) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := o.Object.Get(ctx, r, dst)
	info.Size = -1
	return out, info, err
}
