package writer

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/tiff/tag"
)

// The text that GDAL 3.10.3 writes, byte for byte.
const gdalGhost = "GDAL_STRUCTURAL_METADATA_SIZE=000140 bytes\nLAYOUT=IFDS_BEFORE_DATA\nBLOCK_ORDER=ROW_MAJOR\n" +
	"BLOCK_LEADER=SIZE_AS_UINT4\nBLOCK_TRAILER=LAST_4_BYTES_REPEATED\nKNOWN_INCOMPATIBLE_EDITION=NO\n "

func TestLayoutOfACOG(t *testing.T) {
	for _, mode := range []Mode{Auto, Always} {
		img := gray(64, 48, tag.Text(tag.ImageDescription, "a text that does not fit"))
		img.Levels = []*Image{gray(32, 24), gray(16, 12)}
		w := create(t, filepath.Join(t.TempDir(), "a.tif"), Options{COG: true, BigTIFF: mode}, img)
		all := append([]*Image{img}, img.Levels...)
		for k, img := range all {
			for i := range img.Tiles {
				if k == 0 && i == 5 {
					continue // sparse
				}
				write(t, w, img, i, []byte(strings.Repeat("tile", 1+i)+string(rune('0'+k))))
			}
		}
		f := finish(t, w)
		header, first := 8, uint64(192) // as GDAL has it
		if mode == Always {
			header, first = 16, 200
		}
		if got := string(f.data[header : header+len(gdalGhost)]); got != gdalGhost {
			t.Errorf("%q", got)
		}
		if f.chain[0].at != first {
			t.Errorf("the first directory is at %d, not %d", f.chain[0].at, first)
		}
		if len(f.chain) != 3 || f.chain[0].subs != nil {
			t.Fatal(len(f.chain), "directories")
		}
		// Directories with their values, then arrays, then data, the smallest level first.
		last := uint64(0)
		follow := func(what string, at uint64) {
			t.Helper()
			if at <= last {
				t.Errorf("%s at %d, after %d", what, at, last)
			}
			last = at
		}
		for k, d := range f.chain {
			follow("directory", d.at)
			if kind := d.raw[254]; (kind != nil) != (k > 0) || kind != nil && kind[0] != 1 {
				t.Error("NewSubfileType", k, kind)
			}
			if k == 0 {
				follow("description", d.place[270])
			}
		}
		for _, d := range f.chain[:2] { // the last has one tile, whose numbers are in the entry
			follow("offsets", d.place[324])
			follow("sizes", d.place[325])
		}
		next := uint64(0)
		for k, d := range slices.Backward(f.chain) {
			at, size := d.tiles()
			for i := range at {
				if k == 0 && i == 5 {
					if at[i] != 0 || size[i] != 0 {
						t.Error("sparse tile", at[i], size[i])
					}
					continue
				}
				follow("tile", at[i])
				if next != 0 && at[i]-4 != next {
					t.Errorf("level %d, tile %d begins at %d, the last block ended at %d", k, i, at[i]-4, next)
				}
				tile := f.data[at[i] : at[i]+size[i]]
				if want := strings.Repeat("tile", 1+i) + string(rune('0'+k)); string(tile) != want {
					t.Errorf("%q, want %q", tile, want)
				}
				if leader := binary.LittleEndian.Uint32(f.data[at[i]-4:]); uint64(leader) != size[i] {
					t.Error("leader", leader)
				}
				if trailer := f.data[at[i]+size[i]:][:4]; !bytes.Equal(trailer, tile[len(tile)-4:]) {
					t.Errorf("trailer %q", trailer)
				}
				next = at[i] + size[i] + 4
			}
		}
		if next != uint64(len(f.data)) {
			t.Errorf("%d bytes, of which %d are used", len(f.data), next)
		}
	}
}

// GDAL fills the trailer of such a tile with zeros.
func TestTilesShorterThanATrailer(t *testing.T) {
	for n := 1; n <= 5; n++ {
		tile := []byte("abcde")[:n]
		want := append([]byte{byte(n), 0, 0, 0}, tile...)
		if n < 4 {
			want = append(append(want, tile...), make([]byte, 4-n)...)
		} else {
			want = append(want, tile[n-4:]...)
		}
		if got := appendBlock(nil, tile); !bytes.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Tiles larger than what is copied at a time, tiles that came in order, and in
// reverse.
func TestLargeTilesOfACOG(t *testing.T) {
	img := gray(16*40, 16)
	w := create(t, filepath.Join(t.TempDir(), "a.tif"), Options{COG: true}, img)
	tile := func(i int) []byte {
		n := 300_001
		if i == 7 {
			n = 2*copySize + 5
		}
		return bytes.Repeat([]byte{byte(i + 1), 0, 1}, n/3)
	}
	for i := range 20 {
		write(t, w, img, i, tile(i))
	}
	for i := 39; i >= 20; i-- {
		write(t, w, img, i, tile(i))
	}
	f := finish(t, w)
	at, size := f.chain[0].tiles()
	for i := range at {
		if !bytes.Equal(f.data[at[i]:at[i]+size[i]], tile(i)) {
			t.Error("tile", i)
		}
		if i > 0 && at[i] != at[i-1]+size[i-1]+8 {
			t.Error("tile", i, "at", at[i])
		}
	}
}

func TestEmptyCOG(t *testing.T) {
	img := gray(64, 48)
	f := finish(t, create(t, filepath.Join(t.TempDir(), "a.tif"), Options{COG: true}, img))
	if at, size := f.chain[0].tiles(); slices.Max(at) != 0 || slices.Max(size) != 0 || len(at) != 12 {
		t.Error(at, size)
	}
}
