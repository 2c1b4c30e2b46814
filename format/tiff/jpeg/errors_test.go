package jpeg

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
)

// without leaves segments with the markers out of the stream's headers.
func without(src []byte, markers string) []byte {
	out := append([]byte(nil), src[:2]...)
	for p := 2; ; {
		n := 2 + int(binary.BigEndian.Uint16(src[p+2:]))
		if strings.IndexByte(markers, src[p+1]) < 0 {
			out = append(out, src[p:p+n]...)
		}
		if src[p+1] == markerSOS {
			return append(out, src[p+n:]...)
		}
		p += n
	}
}

// patched is the stream with bytes changed at an offset from its first marker of
// that kind.
func patched(src []byte, marker byte, at int, with ...byte) []byte {
	out := bytes.Clone(src)
	copy(out[bytes.Index(out, []byte{0xff, marker})+at:], with)
	return out
}

func TestErrorsSayWhatIsWrong(t *testing.T) {
	g := find(t, "plain")
	var progressive golden
	for _, h := range readGolden(t) {
		if c, _ := ReadConfig(h.src); c.Progressive && !c.Arithmetic && h.rgb {
			progressive = h
		}
	}
	scan2 := bytes.Index(progressive.src, []byte{0xff, markerSOS})
	scan2 += 2 + bytes.Index(progressive.src[scan2+2:], []byte{0xff, markerSOS})
	for _, c := range []struct {
		name string
		src  []byte
		room Planes
		opt  DecodeOptions
		want string
	}{
		{"empty", nil, g.room(), g.options(), "0 bytes does not begin"},
		{"no start", g.src[2:], g.room(), g.options(), "does not begin with a start-of-image marker"},
		{"only start", g.src[:2], g.room(), g.options(), "no frame header in 2 bytes"},
		{"no quantisation", without(g.src, "\xdb"), g.room(), g.options(), "quantisation table 0 is missing"},
		{"no Huffman", without(progressive.src, "\xc4"), progressive.room(), progressive.options(), "DC Huffman table 0 is missing"},
		{"no Huffman 2", patched(g.src, markerSOS, 6, 0x22), g.room(), g.options(), "DC Huffman table 2 is missing"},
		{"Huffman number", patched(g.src, markerSOS, 6, 0x44), g.room(), g.options(), "Huffman tables 4 and 4"},
		{"no code", patched(g.src, markerDHT, 5, 3), g.room(), g.options(), "Huffman table"},
		{"too wide", g.src, newPlanes(g.width-1, g.height, 3, 0), g.options(), fmt.Sprintf("image size of %d x %d exceeds the expected %d x %d", g.width, g.height, g.width-1, g.height)},
		{"too high", g.src, newPlanes(g.width, g.height-1, 3, 0), g.options(), "exceeds the expected"},
		{"huge", patched(g.src, 0xc0, 5, 0xff, 0xdc, 0xff, 0xdc), g.room(), g.options(), "image size of 65500 x 65500"},
		{"largest", patched(g.src, 0xc0, 5, 0xff, 0xff), g.room(), g.options(), "sides must be 1 to 65500"},
		{"no size", patched(g.src, 0xc0, 5, 0, 0, 0, 0), g.room(), g.options(), "image size is 0 x 0"},
		{"few samples", g.src, newPlanes(g.width, g.height, 1, 0), DecodeOptions{}, "3 components, 1 samples per pixel"},
		{"not YCbCr", find(t, "x00000").src, newPlanes(64, 64, 1, 0), DecodeOptions{RGB: true}, "1 components cannot be YCbCr"},
		{"subsampled", g.src, g.room(), DecodeOptions{}, "sampling factors differ (component 0: 2 x 2, component 1: 1 x 1)"},
		{"sampling 0", patched(g.src, 0xc0, 11, 0x02), g.room(), g.options(), "component 0 are 0 x 2"},
		{"sampling 3 of 2", patched(g.src, 0xc0, 11, 0x31, 0, 2, 0x21), g.room(), g.options(), "do not divide"},
		{"unit", patched(g.src, 0xc0, 11, 0x44), g.room(), g.options(), "units of 18 blocks"},
		{"blocks", patched(progressive.src, 0xc2, 5, 0x10, 0, 0x10, 0), newPlanes(1<<12, 1<<12, 3, 0), progressive.options(),
			fmt.Sprintf("data of %d bytes ends before the ", len(progressive.src))},
		{"12 bits", patched(g.src, 0xc0, 4, 12), g.room(), g.options(), "precision of 12 bits"},
		{"lossless", patched(g.src, 0xc0, 1, 0xc3), g.room(), g.options(), "lossless coding (SOF3)"},
		{"hierarchical", patched(g.src, 0xc0, 1, 0xc5), g.room(), g.options(), "hierarchical coding (SOF5)"},
		{"second frame", patched(g.src, 0xc4, 1, 0xc0), g.room(), g.options(), "second frame header"},
		{"scan first", without(g.src, "\xc0"), g.room(), g.options(), "before the frame header"},
		{"component", patched(g.src, markerSOS, 5, 77), g.room(), g.options(), "component 77, which the image has not"},
		{"cut header", g.src[:bytes.Index(g.src, []byte{0xff, 0xc0})+6], g.room(), g.options(), "has a length of 17, 4 bytes are left"},
		{"cut data", g.src[:len(g.src)*2/3], g.room(), g.options(), "data ends in row 16 of 45"},
		{"a scan is missing", append(bytes.Clone(progressive.src[:scan2]), 0xff, markerEOI), progressive.room(), progressive.options(), "data ends before"},
		{"tables without start", g.src, g.room(), DecodeOptions{RGB: true, Tables: []byte{1, 2, 3}}, "stream of 3 bytes does not begin with a start-of-image marker (in the tables)"},
		{"image for tables", g.src, g.room(), DecodeOptions{RGB: true, Tables: g.src}, fmt.Sprintf("an image begins at byte %d (in the tables)", bytes.Index(g.src, []byte{0xff, markerSOF0}))},
		{"bad tables", g.src, g.room(), DecodeOptions{RGB: true, Tables: []byte{0xff, 0xd8, 0xff, 0xdb, 0, 3, 9}}, "(in the tables)"},
		{"narrow room", g.src, Planes{Data: g.room().Data, Stride: 3, Width: g.width, Height: g.height}, g.options(), "rows 3 apart"},
		{"short room", g.src, Planes{Data: [][]byte{nil, nil, nil}, Stride: g.width, Width: g.width, Height: g.height}, g.options(), "room for component 0 has 0 bytes"},
	} {
		var d Decoder
		_, err := d.Decode(c.room, c.src, c.opt)
		if err == nil || !strings.HasPrefix(err.Error(), "JPEG: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
		// What was wrong must not stay with the decoder.
		if _, err := d.Decode(g.room(), g.src, g.options()); err != nil {
			t.Errorf("after %s: %v", c.name, err)
		}
	}
}

func TestTablesOfAnotherStreamDoNotCount(t *testing.T) {
	g := find(t, "tab")
	var d Decoder
	if _, err := d.Decode(g.room(), g.src, g.options()); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Decode(g.room(), g.src, DecodeOptions{RGB: true}); err == nil || !strings.Contains(err.Error(), "quantisation table 0 is missing") {
		t.Errorf("without tables: %v", err)
	}
}

// A stream cut anywhere is an error, or all of the image is there.
func TestCutStreams(t *testing.T) {
	for i, g := range readGolden(t) {
		if i%16 != 0 || len(g.src) > 2000 {
			continue
		}
		var d Decoder
		whole := g.room()
		if _, err := d.Decode(whole, g.src, g.options()); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(g.src); n += thorough.Step(5) {
			p := g.room()
			_, err := d.Decode(p, g.src[:n], g.options())
			if err == nil && !bytes.Equal(p.samples(g.width, g.height), whole.samples(g.width, g.height)) {
				t.Errorf("%s cut after %d of %d bytes: other samples", g.note, n, len(g.src))
			}
			if err == nil && n < len(g.src)-6 {
				t.Errorf("%s cut after %d of %d bytes: no error", g.note, n, len(g.src))
			}
		}
	}
}

// Damage must not show in the next image.
func TestAnErrorLeavesNothingBehind(t *testing.T) {
	var d Decoder
	for i, g := range readGolden(t) {
		for k, n := range []int{len(g.src) / 2, len(g.src) - 9} {
			if (i+k)%thorough.Of(2, 1) != 0 {
				continue
			}
			bad := bytes.Clone(g.src)
			for i := n; i < n+8; i++ {
				bad[i] ^= 0x5a
			}
			d.Decode(g.room(), bad, g.options())
			p := g.room()
			if _, err := d.Decode(p, g.src, g.options()); err != nil {
				t.Fatalf("%s: %v", g.note, err)
			}
			if got := fmt.Sprintf("%x", sha256.Sum256(p.samples(g.width, g.height))); got != g.sum {
				t.Errorf("%s: other samples after a damaged stream", g.note)
			}
		}
	}
}

// A restart marker at the wrong place, or of the wrong number, is an error.
func TestRestartMarkers(t *testing.T) {
	n := 0
	for _, g := range readGolden(t) {
		i := bytes.Index(g.src, []byte{0xff, markerRST0})
		if c, _ := ReadConfig(g.src); i < 0 || c.Progressive {
			continue
		}
		n++
		var d Decoder
		_, err := d.Decode(g.room(), patched(g.src, markerRST0, 1, markerRST0+3), g.options())
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("marker 0xd3 at byte %d where restart marker 0xd0 is due", i)) {
			t.Errorf("%s: %v", g.note, err)
		}
	}
	if n < 10 {
		t.Errorf("only %d streams with restart markers", n)
	}
}

// Scans that cost much and take few bytes are limited in number.
func TestManyScans(t *testing.T) {
	plain := find(t, "plain").src
	dqt := bytes.Index(plain, []byte{0xff, markerDQT})
	src := append([]byte{0xff, markerSOI}, plain[dqt:dqt+2+int(binary.BigEndian.Uint16(plain[dqt+2:]))]...)
	side := thorough.Of(1024, 2048)
	src = append(src, 0xff, 0xc2, 0, 11, 8, byte(side>>8), 0, byte(side>>8), 0, 1, 1, 0x11, 0) // progressive
	src = append(src, 0xff, markerDHT, 0, 20, 0x10, 1)
	src = append(src, make([]byte, 15)...)
	src = append(src, 0xe0) // the only code, 0: no more coefficients in 16384 blocks and as many as 14 bits say
	for scan := range 9 * 14 {
		k, al := byte(1+scan/14), byte(13-scan%14)
		ah := (al + 1) % 14
		src = append(src, 0xff, markerSOS, 0, 8, 1, 1, 0, k, k, ah<<4|al, 0, 0, 0, 0, 0, 0, 0, 0)
	}
	src = append(src, make([]byte, 256*256/8)...) // a bit for each block, without which nothing is decoded
	var d Decoder
	_, err := d.Decode(newPlanes(side, side, 1, 0), src, DecodeOptions{})
	if err == nil || !strings.Contains(err.Error(), "more than 100 scans") {
		t.Error(err)
	}
}

// built is a stream of one component of 8 x 8 pixels, with a code of one bit, 0,
// for the DC symbol 0 and codes 0, 10 and 110 for AC symbols, and scans of the
// given coefficients and data.
func built(sof byte, symbols [3]byte, scans ...[]byte) []byte {
	src := []byte{0xff, markerSOI, 0xff, markerDQT, 0, 67, 0}
	src = append(src, bytes.Repeat([]byte{16}, 64)...)
	src = append(src, 0xff, sof, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0)
	src = append(src, 0xff, markerDHT, 0, 20, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	src = append(src, 0xff, markerDHT, 0, 22, 0x10, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	src = append(src, symbols[:]...)
	for _, s := range scans {
		src = append(src, 0xff, markerSOS, 0, 8, 1, 1, 0, s[0], s[1], 0)
		src = append(src, s[2:]...)
	}
	return append(src, 0xff, markerEOI)
}

// Runs that lead out of the block or the scan are an error, as are codes that no
// symbol has.
func TestCorruptCodes(t *testing.T) {
	for name, src := range map[string][]byte{
		"run beyond 63":         built(0xc0, [3]byte{0xf1}, []byte{0, 63, 0x2a, 0xaa}),
		"no such code":          built(0xc0, [3]byte{}, []byte{0, 63, 0x7f, 0xfe, 0, 0}),
		"run beyond the scan":   built(0xc2, [3]byte{0xf1}, []byte{0, 0, 0}, []byte{1, 15, 0x2a}),
		"progressive, no code":  built(0xc2, [3]byte{}, []byte{0, 0, 0}, []byte{1, 15, 0xf0, 0, 0}),
		"progressive, no code0": built(0xc2, [3]byte{}, []byte{0, 0, 0xf0, 0, 0}),
	} {
		var d Decoder
		_, err := d.Decode(newPlanes(8, 8, 1, 0), src, DecodeOptions{})
		if err == nil || !strings.Contains(err.Error(), "corrupt code in row 0 of 8") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A run of blocks without coefficients ends with its scan, whatever its length.
func TestARunEndsWithItsScan(t *testing.T) {
	symbols := [3]byte{0x00, 0xe0, 0x03} // end of this block, of 16384 and more, a value of three bits
	dc, rest := []byte{0, 0, 0x00}, []byte{2, 63, 0b110_111_0_0}
	var want, got = newPlanes(8, 8, 1, 0), newPlanes(8, 8, 1, 0)
	var d Decoder
	if _, err := d.Decode(want, built(0xc2, symbols, dc, []byte{1, 1, 0x00}, rest), DecodeOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Decode(got, built(0xc2, symbols, dc, []byte{1, 1, 0x80, 0, 0}, rest), DecodeOptions{}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Data[0], want.Data[0]) || bytes.Count(got.Data[0], []byte{128}) == 64 {
		t.Errorf("got %v, want %v", got.Data[0], want.Data[0])
	}
}

// Segments without a meaning cost no more than their bytes.
func TestManyComments(t *testing.T) {
	g := find(t, "plain")
	src := append(bytes.Clone(g.src[:2]), bytes.Repeat([]byte{0xff, 0xfe, 0, 2}, 100000)...)
	var d Decoder
	p := g.room()
	if _, err := d.Decode(p, append(src, g.src[2:]...), g.options()); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(p.samples(g.width, g.height))); got != g.sum {
		t.Error("other samples")
	}
}

func TestDecodingAgainAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	for i, g := range readGolden(t) {
		if i%5 != 0 && g.name != "plain" && g.name != "tab" {
			continue
		}
		var d Decoder
		p, opt := g.room(), g.options()
		if n := testing.AllocsPerRun(5, func() {
			if _, err := d.Decode(p, g.src, opt); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", g.note, n)
		}
	}
}

// Room is needed for the image, not for what the stream pretends.
func TestMemoryIsBoundedByTheRoom(t *testing.T) {
	g := find(t, "plain")
	src := patched(g.src, 0xc0, 5, 0xff, 0xdc, 0xff, 0xdc)
	room, opt := g.room(), g.options()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		var d Decoder
		if _, err := d.Decode(room, src, opt); err == nil {
			t.Fatal("no error")
		}
	}
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) / 10; n > 64<<10 {
		t.Errorf("%d bytes allocated for an image that is refused", n)
	}
}
