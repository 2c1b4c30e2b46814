package jpeg

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	stdjpeg "image/jpeg"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
)

// encodeImage makes an image: "smooth" is soft with a little noise, "noise" is
// noise, and "edges" is black and white, with some noise in the black.
func encodeImage(kind string, w, h, planes int) Planes {
	p := Planes{Stride: w, Width: w, Height: h}
	state := uint32(w*65536 + h*16 + planes)
	for c := range planes {
		data := make([]byte, w*h)
		for y := range h {
			for x := range w {
				state = state*1664525 + 1013904223
				noise := int(state >> 24)
				v := noise
				switch kind {
				case "smooth":
					v = (x*(3+c) + y*(5-c) + x*y/16) & 511
					if v > 255 {
						v = 511 - v
					}
					v = (v*15 + noise) / 16
				case "edges":
					v = noise / 64
					if (x/4+y/8+c)&1 == 1 {
						v = 255
					}
				}
				data[y*w+x] = byte(v)
			}
		}
		p.Data = append(p.Data, data)
	}
	return p
}

// spread returns p with rows that are further apart, and with something
// between them that must not be seen.
func spread(p Planes) Planes {
	q := Planes{Stride: p.Stride + 5, Width: p.Width, Height: p.Height}
	for c := range p.Data {
		data := bytes.Repeat([]byte{99}, (p.Height-1)*q.Stride+p.Width)
		for y := range p.Height {
			copy(data[y*q.Stride:], p.row(c, y))
		}
		q.Data = append(q.Data, data)
	}
	return q
}

func fnvSum(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64()
}

func TestStreamsAreThoseOfLibjpegAndLibtiff(t *testing.T) {
	f, err := os.Open("testdata/encode.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	count := map[string]int{}
	for s := bufio.NewScanner(f); s.Scan(); {
		line := s.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		var maker, kind string
		var w, h, planes, rgb, abbreviated, size, tablesSize int
		var sum, tablesSum uint64
		var opt EncodeOptions
		n, err := fmt.Sscanf(line, "%s %s %d %d %d %d %d %d %d %d %d %x %d %x", &maker, &kind, &w, &h, &planes, &rgb,
			&opt.Subsampling[0], &opt.Subsampling[1], &opt.Quality, &abbreviated, &size, &sum, &tablesSize, &tablesSum)
		if n < 12 || maker == "libtiff" && err != nil {
			t.Fatalf("%q: %d fields, %v", line, n, err)
		}
		count[maker]++
		opt.RGB, opt.Abbreviated = rgb == 1, abbreviated == 1
		src := encodeImage(kind, w, h, planes)
		if count[maker]%2 == 0 {
			src = spread(src)
		}
		got, err := AppendEncode([]byte("before"), src, opt)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		got, ok := bytes.CutPrefix(got, []byte("before"))
		if !ok || len(got) != size || fnvSum(got) != sum {
			t.Errorf("%s: got %d bytes, sum %x", line, len(got), fnvSum(got))
		}
		if maker == "libtiff" {
			got := AppendTables(nil, planes, opt)
			if len(got) != tablesSize || fnvSum(got) != tablesSum {
				t.Errorf("%s: tables: got %d bytes, sum %x", line, len(got), fnvSum(got))
			}
		}
	}
	if count["libjpeg"] < 500 || count["libtiff"] < 20 {
		t.Errorf("too few streams: %v", count)
	}
}

func TestZeroOptionsAreTheDocumentedOnes(t *testing.T) {
	src := encodeImage("smooth", 50, 40, 3)
	for _, c := range []struct{ zero, said EncodeOptions }{
		{EncodeOptions{}, EncodeOptions{Quality: 75, Subsampling: [2]int{1, 1}}},
		{EncodeOptions{RGB: true}, EncodeOptions{RGB: true, Quality: 75, Subsampling: [2]int{2, 2}}},
	} {
		a, err1 := AppendEncode(nil, src, c.zero)
		b, err2 := AppendEncode(nil, src, c.said)
		if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%+v: %v, %v, the same: %t", c.zero, err1, err2, bytes.Equal(a, b))
		}
		if a, b := AppendTables(nil, 3, c.zero), AppendTables(nil, 3, c.said); !bytes.Equal(a, b) {
			t.Errorf("%+v: the tables differ", c.zero)
		}
	}
}

// TestAbbreviatedStreamsLackOnlyTheTables puts a stream together from its
// parts: SOI and tables, SOF0, and the rest.
func TestAbbreviatedStreamsLackOnlyTheTables(t *testing.T) {
	for planes := 1; planes <= 4; planes++ {
		for _, rgb := range []bool{false, true} {
			if rgb && planes != 3 {
				continue
			}
			src := encodeImage("smooth", 37, 21, planes)
			opt := EncodeOptions{Quality: 60, RGB: rgb}
			whole, err := AppendEncode(nil, src, opt)
			if err != nil {
				t.Fatal(err)
			}
			opt.Abbreviated = true
			short, err := AppendEncode(nil, src, opt)
			if err != nil {
				t.Fatal(err)
			}
			tables := AppendTables(nil, planes, opt)
			quant, huff, _ := bytes.Cut(tables[2:len(tables)-2], []byte{0xff, markerDHT})
			frame, scan, _ := bytes.Cut(short[2:], []byte{0xff, markerSOS})
			want := []byte{0xff, markerSOI}
			for _, part := range [][]byte{quant, frame, {0xff, markerDHT}, huff, {0xff, markerSOS}, scan} {
				want = append(want, part...)
			}
			if !bytes.Equal(whole, want) {
				t.Errorf("%d planes, RGB %t: the parts do not make up the whole", planes, rgb)
			}
		}
	}
}

func TestWhatCannotBeEncodedIsRefused(t *testing.T) {
	plane := func(n int) []byte { return make([]byte, n) }
	three := [][]byte{plane(64), plane(64), plane(64)}
	for _, c := range []struct {
		src  Planes
		opt  EncodeOptions
		want string
	}{
		{Planes{Data: three, Stride: 8, Width: 0, Height: 8}, EncodeOptions{}, "0 by 8"},
		{Planes{Data: three, Stride: 8, Width: 8, Height: -1}, EncodeOptions{}, "8 by -1"},
		{Planes{Data: [][]byte{plane(65501)}, Stride: 65501, Width: 65501, Height: 1}, EncodeOptions{}, "65501 by 1: no side may be longer than 65500"},
		{Planes{Data: [][]byte{plane(65501)}, Stride: 1, Width: 1, Height: 65501}, EncodeOptions{}, "1 by 65501: no side may be longer than 65500"},
		{Planes{Stride: 8, Width: 8, Height: 8}, EncodeOptions{}, "0 planes"},
		{Planes{Data: append(three, plane(64), plane(64)), Stride: 8, Width: 8, Height: 8}, EncodeOptions{}, "5 planes"},
		{Planes{Data: three[:1], Stride: 8, Width: 8, Height: 8}, EncodeOptions{RGB: true}, "1 planes to YCbCr"},
		{Planes{Data: three, Stride: 7, Width: 8, Height: 8}, EncodeOptions{}, "7 apart, but 8 wide"},
		{Planes{Data: three, Stride: -8, Width: 8, Height: 8}, EncodeOptions{}, "-8 apart"},
		{Planes{Data: [][]byte{plane(64), plane(63), plane(64)}, Stride: 8, Width: 8, Height: 8}, EncodeOptions{}, "plane 1 has 63 bytes"},
		{Planes{Data: three, Stride: math.MaxInt, Width: 8, Height: 5}, EncodeOptions{}, "plane 0 has 64 bytes"},
		{Planes{Data: [][]byte{nil}, Stride: 8, Width: 8, Height: 8}, EncodeOptions{}, "plane 0 has 0 bytes"},
		{Planes{Data: three, Stride: 8, Width: 8, Height: 8}, EncodeOptions{Quality: 101}, "quality is 101"},
		{Planes{Data: three, Stride: 8, Width: 8, Height: 8}, EncodeOptions{Quality: -1}, "quality is -1"},
		{Planes{Data: three, Stride: 8, Width: 8, Height: 8}, EncodeOptions{Subsampling: [2]int{2, 2}}, "subsampling of 2x2 without"},
		{Planes{Data: three, Stride: 8, Width: 8, Height: 8}, EncodeOptions{RGB: true, Subsampling: [2]int{4, 4}}, "subsampling is 4x4"},
	} {
		got, err := AppendEncode([]byte("before"), c.src, c.opt)
		if err == nil || !strings.HasPrefix(err.Error(), "JPEG: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
		if string(got) != "before" {
			t.Errorf("%v: dst is %q now", err, got)
		}
	}
}

func TestTheLastRowMayEndWithTheImage(t *testing.T) {
	p := Planes{Data: [][]byte{make([]byte, 3*100+7)}, Stride: 100, Width: 7, Height: 4}
	if _, err := AppendEncode(nil, p, EncodeOptions{}); err != nil {
		t.Error(err)
	}
	p = Planes{Data: [][]byte{make([]byte, 7)}, Width: 7, Height: 1}
	if _, err := AppendEncode(nil, p, EncodeOptions{}); err != nil {
		t.Error(err)
	}
}

// TestTheStandardLibraryReadsThemBack allows for each quality the mean error
// that images of these kinds have with libjpeg too.
func TestTheStandardLibraryReadsThemBack(t *testing.T) {
	for _, size := range [][2]int{{64, 64}, {61, 43}, {5, 90}, {1, 1}} {
		for _, c := range []struct {
			quality int
			grey    float64 // mean error
			colour  float64
		}{{100, 0.3, 3.5}, {95, 2, 5}, {75, 4, 5.5}, {50, 4.5, 6}, {10, 8, 11}, {1, 25, 30}} {
			src := encodeImage("smooth", size[0], size[1], 1)
			check(t, src, EncodeOptions{Quality: c.quality}, c.grey)
			src = encodeImage("smooth", size[0], size[1], 3)
			check(t, src, EncodeOptions{Quality: c.quality}, c.grey)
			for _, s := range [][2]int{{1, 1}, {2, 1}, {2, 2}, {1, 2}, {4, 1}} {
				check(t, src, EncodeOptions{Quality: c.quality, RGB: true, Subsampling: s}, c.colour)
			}
		}
	}
}

// check encodes src, decodes it by the standard library, and compares.
func check(t *testing.T, src Planes, opt EncodeOptions, most float64) {
	t.Helper()
	enc, err := AppendEncode(nil, src, opt)
	if err != nil {
		t.Fatal(err)
	}
	img, err := stdjpeg.Decode(bytes.NewReader(enc))
	if err != nil {
		t.Errorf("%d planes of %dx%d, %+v: %v", len(src.Data), src.Width, src.Height, opt, err)
		return
	}
	if got, want := img.Bounds(), image.Rect(0, 0, src.Width, src.Height); got != want {
		t.Errorf("bounds are %v, want %v", got, want)
		return
	}
	sum := 0
	for y := range src.Height {
		for x := range src.Width {
			c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			for i, v := range []uint8{c.R, c.G, c.B}[:len(src.Data)] {
				d := int(v) - int(src.row(i, y)[x])
				sum += max(d, -d)
			}
		}
	}
	if mean := float64(sum) / float64(src.Width*src.Height*len(src.Data)); mean > most {
		t.Errorf("%d planes of %dx%d, %+v: mean error %.2f, want at most %.2f", len(src.Data), src.Width, src.Height, opt, mean, most)
	}
}

func TestEncodingAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget")
	}
	src := encodeImage("smooth", 200, 100, 3)
	dst := make([]byte, 0, 1<<20)
	for _, opt := range []EncodeOptions{{}, {RGB: true}, {RGB: true, Subsampling: [2]int{1, 1}, Abbreviated: true}} {
		n := testing.AllocsPerRun(thorough.Of(10, 50), func() {
			if _, err := AppendEncode(dst, src, opt); err != nil {
				t.Error(err)
			}
			AppendTables(dst, 3, opt)
		})
		if n >= 1 {
			t.Errorf("%+v: %v allocations", opt, n)
		}
	}
}
