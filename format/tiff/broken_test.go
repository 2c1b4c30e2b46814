package tiff_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/tiff"
	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
)

// tiles is a picture of 64 x 64 bytes in four tiles.
func tiles() *picture {
	p := &picture{tiled: true, fields: size(64, 64, 8)}
	p.with(tag.Shorts(tag.TileWidth, 32), tag.Shorts(tag.TileLength, 32))
	for i := range 4 {
		p.tiles = append(p.tiles, slices.Repeat([]byte{byte(i + 1)}, 1024))
	}
	return p
}

// patched replaces the first occurrence of a value in a file.
func patched(data []byte, old, new []byte) []byte {
	out := slices.Clone(data)
	patch(out, old, new)
	return out
}

// patch is patched in place.
func patch(data []byte, old, new []byte) { copy(data[bytes.Index(data, old):], new) }

// entryOf gives the bytes with which the entry of a tag begins, and its type.
func entryOf(id tag.ID, typ tag.Type) []byte {
	return binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(nil, uint16(id)), uint16(typ))
}

func long(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }

// count gives the bytes of the entry up to its count.
func count(id tag.ID, typ tag.Type, n uint32) []byte { return append(entryOf(id, typ), long(n)...) }

// directoryOnly makes a file of some bytes behind a header that leads to them.
func directoryOnly(b []byte) []byte { return append(append([]byte("II*\x00"), long(8)...), b...) }

// overlapping makes a file of a page and many directories that share their
// entries: each has as many as there may be.
func overlapping(n int) []byte {
	le := binary.LittleEndian
	const entries = 4096
	b := little()
	b.out = b.file()
	_, next := b.add(gray(4, 4, 0))
	start := len(b.out)
	copy(b.out[4:], long(uint32(next-2-12*6))) // the directory of the page has six entries
	copy(b.out[next:], long(uint32(start)))
	out := append(b.out, make([]byte, 4*n+entries*12+16)...)
	// Every directory begins four bytes after the one before.
	for i := range n {
		le.PutUint16(out[start+4*i:], entries)
		le.PutUint32(out[start+4*i+2+entries*12:], uint32(start+4*(i+1)))
	}
	return out
}

func TestDirectoriesThatOverlapAreNotAllRead(t *testing.T) {
	f, err := tiff.Open(ctx, holding(t, "a.tif", overlapping(thorough.Least(2000, 3000, 12_000))), "a.tif")
	check(t, err)
	if f.Len() < 2 || f.Len() > 1000 {
		t.Errorf("%d directories", f.Len())
	}
	last := f.Len() - 1
	if _, err := zarr.OpenStore(ctx, f.Store(), fmt.Sprint("ifd/", last)); err == nil || !strings.Contains(err.Error(), "overlap") {
		t.Error(err)
	}
}

func TestASubIFDThatIsItsPage(t *testing.T) {
	data := little().file(tiles().with(tag.Longs(tag.SubIFDs, 0)))
	sub := count(tag.SubIFDs, tag.Long, 1)
	data = patched(data, sub, append(sub, data[4:8]...))
	if got := outline(t, open(t, "a.tif", data)); got != "(yx [64 64])" {
		t.Error(got)
	}
}

func TestFurtherBrokenFiles(t *testing.T) {
	good := little().file(tiles())
	huge := func(w, h uint32) []byte {
		return little().file(tiles().with(tag.Longs(tag.ImageWidth, w), tag.Longs(tag.ImageLength, h), tag.Longs(tag.TileWidth, w), tag.Longs(tag.TileLength, h)))
	}
	many := make([]tag.Field, 0, 3000)
	for i := range 3000 {
		many = append(many, tag.Field{ID: tag.ID(40000 + i), Type: tag.Double, Raw: make([]byte, 16)})
	}
	shared := little().file(tiles().with(many...))
	for i := range 3000 { // all of them have the same 32,000 values
		e := entryOf(tag.ID(40000+i), tag.Double)
		patch(shared, e, slices.Concat(e, long(4000), long(8)))
	}
	for _, c := range []struct {
		name, mention string // "" if the file may be fine
		data          []byte
	}{
		{"bad magic", "not a TIFF|magic|header", []byte("II\x2b\x2a\x08\x00\x00\x00\x00\x00")},
		{"version 0", "version 0", []byte("II\x00\x00\x08\x00\x00\x00\x00\x00")},
		{"other byte order mark", "not a TIFF", []byte("IM\x2a\x00\x08\x00\x00\x00\x00\x00")},
		{"header only", "IFD|beyond", []byte("II*\x00\x08\x00\x00\x00")},
		{"BigTIFF header cut", "header|truncated", []byte("II+\x00\x08\x00\x00\x00\x10\x00\x00\x00")},
		{"BigTIFF constant", "BigTIFF|constant", []byte("II+\x00\x08\x00\x01\x00\x10\x00\x00\x00\x00\x00\x00\x00")},
		{"directory in the header", "IFD|entries", []byte("II*\x00\x00\x00\x00\x00")},
		{"no entries", "entries", directoryOnly(make([]byte, 6))},
		{"65535 entries", "entries|IFD", directoryOnly([]byte{255, 255, 0, 0})},
		{"65535 entries that are there", "entries, must", directoryOnly(slices.Concat([]byte{255, 255}, make([]byte, 65535*12+4)))},
		{"entries beyond the end", "entries", directoryOnly(append([]byte{40, 0}, make([]byte, 100)...))},
		{"SubIFD at 0", "", little().file(tiles().with(tag.Longs(tag.SubIFDs, 0)))},
		{"SubIFD in the header", "", little().file(tiles().with(tag.Longs(tag.SubIFDs, 2)))},
		{"SubIFDs of text", "", little().file(tiles().with(tag.Text(tag.SubIFDs, "no numbers")))},
		{"huge tiles", "tile", huge(1<<31-1, 1<<31-1)},
		{"tiles of 4 GB", "tile|byte|data", huge(65536, 65536)},
		{"tiles too wide", "TileWidth|322", huge(1<<32-1, 16)},
		{"width 0", "ImageWidth|256", little().file(tiles().with(tag.Longs(tag.ImageWidth, 0)))},
		{"height 0", "ImageLength|257", little().file(tiles().with(tag.Longs(tag.ImageLength, 0)))},
		{"no height", "ImageLength|257", little().file(tiles().without(tag.ImageLength))},
		{"width is text", "ImageWidth|256", little().file(tiles().with(tag.Text(tag.ImageWidth, "64")))},
		{"width is a fraction", "ImageWidth|256", little().file(tiles().with(tag.Rationals(tag.ImageWidth, 64, 1)))},
		{"width without values", "ImageWidth|256", little().file(tiles().with(tag.Longs(tag.ImageWidth)))},
		{"negative width", "ImageWidth|256", little().file(tiles().with(tag.Field{ID: tag.ImageWidth, Type: tag.SLong, Raw: long(1<<32 - 5)}))},
		{"fewer offsets than tiles", "TileOffsets|324|count", little().file(tiles().with(tag.Longs(tag.TileOffsets, 8, 8, 8)))},
		{"no lengths of compressed tiles", "TileByteCounts|325", little().file(tiles().with(tag.Shorts(tag.Compression, 5)).without(tag.TileByteCounts))},
		{"offsets are floats", "TileOffsets|324", little().file(tiles().with(tag.Doubles(tag.TileOffsets, 8, 8, 8, 8)))},
		{"offsets beyond the end", "TileOffsets|324|offset", patched(good, count(tag.TileOffsets, tag.Long, 4), append(count(tag.TileOffsets, tag.Long, 4), long(1<<30)...))},
		{"tile beyond the end", "out of range", little().file(tiles().with(tag.Longs(tag.TileOffsets, 8, 8, 8, 4000)))},
		{"short tile", "bytes|short|data", little().file(tiles().with(tag.Longs(tag.TileByteCounts, 1024, 1024, 1024, 1000)))},
		{"no RowsPerStrip, short strip", "bytes|short|data|row", little().file(&picture{fields: size(64, 64, 8), tiles: [][]byte{make([]byte, 100)}})},
		{"unknown field type of a tag that matters", "ImageWidth|256", little().file(tiles().with(tag.Field{ID: tag.ImageWidth, Type: 99, Raw: []byte{64}}))},
		{"unknown field type", "", little().file(tiles().with(tag.Field{ID: 40000, Type: 99, Raw: []byte{1, 2, 3, 4}}))},
		{"field type 0", "", patched(little().file(tiles().with(tag.Longs(40000, 7))), entryOf(40000, tag.Long), entryOf(40000, 0))},
		{"text without a NUL", "", little().file(tiles().with(tag.Field{ID: tag.ImageDescription, Type: tag.ASCII, Raw: []byte("no end here")}))},
		{"text beyond the end", "", patched(little().file(tiles().with(tag.Text(tag.Software, "a long text"))), entryOf(tag.Software, tag.ASCII), count(tag.Software, tag.ASCII, 1<<31))},
		{"description beyond the end", "", patched(little().file(tiles().with(tag.Text(tag.ImageDescription, "ImageJ=1\nimages=3\n"))), entryOf(tag.ImageDescription, tag.ASCII), count(tag.ImageDescription, tag.ASCII, 1<<27))},
		{"no samples", "SamplesPerPixel|277", little().file(tiles().with(tag.Shorts(tag.SamplesPerPixel, 0)))},
		{"bits 0", "bits|BitsPerSample", little().file(tiles().with(tag.Shorts(tag.BitsPerSample, 0)))},
		{"bits 65535", "bits|BitsPerSample", little().file(tiles().with(tag.Shorts(tag.BitsPerSample, 65535)))},
		{"sample format 9", "format|339", little().file(tiles().with(tag.Shorts(tag.SampleFormat, 9)))},
		{"sample formats differ", "SampleFormat|339", little().file(tiles().with(tag.Shorts(tag.SamplesPerPixel, 2), tag.Shorts(tag.BitsPerSample, 8, 8), tag.Shorts(tag.SampleFormat, 1, 2)))},
		{"compression 9999", "compression", little().file(tiles().with(tag.Shorts(tag.Compression, 9999)))},
		{"compression 0", "compression", little().file(tiles().with(tag.Shorts(tag.Compression, 0)))},
		{"predictor 77", "predictor", little().file(tiles().with(tag.Shorts(tag.Compression, 5), tag.Shorts(tag.Predictor, 77)))},
		{"LZW that is none", "LZW", little().file(tiles().with(tag.Shorts(tag.Compression, 5)))},
		{"depth", "ImageDepth|32997", little().file(tiles().with(tag.Longs(tag.ImageDepth, 5)))},
		{"bits in no order", "FillOrder|266", little().file(tiles().with(tag.Shorts(tag.FillOrder, 3)))},
		{"values that overlap", "", shared},
		{"OME-XML cut off", "", little().file(tiles().with(tag.Text(tag.ImageDescription, `<OME><Image ID="Image:0"><Pixels`)))},
		{"OME-XML with a size that is no number", "", little().file(tiles().with(tag.Text(tag.ImageDescription, omeXML(`<Image ID="Image:0"><Pixels DimensionOrder="XYZCT" SizeX="z" SizeY="64" SizeZ="1" SizeC="1" SizeT="1" Type="uint8"><TiffData/></Pixels></Image>`))))},
		{"ImageJ with a billion images", "", little().file(tiles().with(tag.Text(tag.ImageDescription, "ImageJ=1.53\nimages=1000000000\nslices=1000000000\n")))},
		{"shape with a billion planes", "", little().file(gray(8, 8, 0, tag.Text(tag.ImageDescription, `{"shape": [1000000000, 8, 8]}`)))},
		{"shape with an overflow", "", little().file(gray(8, 8, 0, tag.Text(tag.ImageDescription, `{"shape": [4294967296, 4294967296, 4294967296, 8, 8]}`)))},
		{"nodata that is no number", "", little().file(tiles().with(tag.Text(tag.GDALNoData, "none of these")))},
		{"geo keys that lead nowhere", "", little().file(tiles().with(tag.Shorts(tag.GeoKeyDirectory, 1, 1, 0, 500, 1, 2, 3, 4)))},
	} {
		var err error
		used := alloctest.Bytes(func() { err = readAll(t, "bad.tif", c.data) }) >> 20
		if used > 64 && !race.Enabled {
			t.Errorf("%s: %d MB", c.name, used)
		}
		switch {
		case c.mention == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.mention != "" && err == nil:
			t.Errorf("%s: no error", c.name)
		case c.mention != "" && !regexp.MustCompile("(?i)"+c.mention).MatchString(err.Error()):
			t.Errorf("%s: %v does not mention %s", c.name, err, c.mention)
		}
		t.Log(c.name, used, "MB", err)
	}
}

func TestEveryByteOfAFileMayBeWrong(t *testing.T) {
	good := little().file(gray(3, 2, 0, tag.Text(tag.ImageDescription, `{"shape": [2, 2, 3]}`)), gray(3, 2, 16))
	for i := range good {
		for k, v := range []byte{0, 1, 0xff} {
			if (i+k)%thorough.Step(3) != 0 { // every byte is another
				continue
			}
			bad := slices.Clone(good)
			bad[i] = v
			_ = readAll(t, "bad.tif", bad) // no panic, no hanging
		}
		if i%thorough.Step(3) == 0 {
			_ = readAll(t, "bad.tif", good[:i])
		}
	}
}

func TestManyKindsOfPages(t *testing.T) {
	n := thorough.Of(3000, 30_000)
	var kinds []*picture
	for i := range n {
		kinds = append(kinds, gray(1, 1, 0).with(tag.Longs(tag.ImageWidth, uint32(i+1))))
	}
	data := little().file(kinds...)
	var s store.Store
	if used := alloctest.Bytes(func() { s = open(t, "a.tif", data) }) / int64(n); used > 4000 && !race.Enabled {
		t.Errorf("opening %d pages, all different, took %d bytes each", n, used)
	}
	a := arrayAt(t, s, fmt.Sprint(n-1))
	if a.Shape()[1] != n {
		t.Error(a.Shape())
	}
}
