package picture_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/picture"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// array makes one of numbers.
func array[T any](t testing.TB, s store.Store, path, kind string, shape []int, names []string, data []T, attrs *meta.Attributes) *zarr.Array {
	t.Helper()
	a, err := zarr.CreateArrayIn(ctx, s, path, zarr.ArraySpec{Shape: shape, DataType: kind, DimensionNames: names, Attributes: attrs})
	check(t, err)
	check(t, zarr.Write(ctx, a, zarr.All(), data))
	return a
}

func attributes(t testing.TB, text string) *meta.Attributes {
	t.Helper()
	out := &meta.Attributes{}
	var members map[string]json.RawMessage
	check(t, json.Unmarshal([]byte(text), &members))
	for name, raw := range members {
		check(t, out.Set(name, raw))
	}
	return out
}

// pixels spells an image, a row in a line.
func pixels(p *picture.Picture) string {
	var b strings.Builder
	size := p.Image.Rect.Size()
	for y := range size.Y {
		for x := range size.X {
			c := p.Image.NRGBAAt(x, y)
			if c.A == 0 {
				b.WriteString("------ ")
				continue
			}
			fmt.Fprintf(&b, "%02x%02x%02x ", c.R, c.G, c.B)
		}
		b.WriteString("\n")
	}
	return strings.ReplaceAll(b.String(), " \n", "\n")
}

func show(t testing.TB, n zarr.Node, opt picture.Options) *picture.Picture {
	t.Helper()
	p, err := picture.Of(ctx, n, opt)
	check(t, err)
	return p
}

func want(t testing.TB, what, got, want string) {
	t.Helper()
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("%s:\n%s\nwant\n%s", what, got, want)
	}
}

func TestOneChannel(t *testing.T) {
	nan := float32(math.NaN())
	a := array(t, mem.New(), "", "float32", []int{2, 3}, nil, []float32{0, 5, 10, nan, 10, 0}, nil)
	full := picture.Options{Low: 0, High: 100}
	want(t, "gray", pixels(show(t, a, full)), "000000 808080 ffffff\n------ ffffff 000000")
	full.Map = "viridis"
	want(t, "viridis", pixels(show(t, a, full)), "440154 21918c fde725\n------ fde725 440154")
	// Axes that are called x and y are these, whichever comes first.
	b := array(t, mem.New(), "", "uint8", []int{2, 3}, []string{"x", "y"}, []uint8{0, 1, 2, 3, 4, 5}, nil)
	want(t, "x before y", pixels(show(t, b, picture.Options{Low: 0, High: 100})), "000000 999999\n333333 cccccc\n666666 ffffff")
	// Packed values mean what they stand for, and what is missing is left out.
	c := array(t, mem.New(), "", "int16", []int{1, 3}, nil, []int16{-1, 0, 100}, attributes(t, `{"scale_factor": 0.5, "_FillValue": -1}`))
	p := show(t, c, full)
	want(t, "packed", pixels(p), "------ 440154 fde725")
	if p.High[0] != 50 {
		t.Errorf("the largest is %v", p.High)
	}
}

func TestLargerAndSmaller(t *testing.T) {
	data := make([]uint8, 64*64)
	for i := range data {
		data[i] = uint8(i % 64 / 32 * 200)
	}
	a := array(t, mem.New(), "", "uint8", []int{64, 64}, nil, data, nil)
	p := show(t, a, picture.Options{Width: 4, Height: 100})
	want(t, "smaller", pixels(p), strings.Repeat("000000 000000 ffffff ffffff\n", 4))
	p = show(t, a, picture.Options{Width: 4, Height: 100, Stretch: 2})
	want(t, "stretched", pixels(p), strings.Repeat("000000 000000 ffffff ffffff\n", 2))
	if size := show(t, a, picture.Options{Width: 100, Height: 200}).Image.Rect.Size(); size.X != 64 || size.Y != 64 {
		t.Errorf("made larger: %v", size)
	}
	if size := show(t, a, picture.Options{Width: 100, Height: 200, Fill: true, Slice: ":32, :"}).Image.Rect.Size(); size.X != 100 || size.Y != 50 {
		t.Errorf("not made larger: %v", size)
	}
}

func TestColours(t *testing.T) {
	a := array(t, mem.New(), "", "uint8", []int{1, 2, 3}, nil, []uint8{1, 2, 3, 250, 0, 9}, nil)
	want(t, "behind pixels", pixels(show(t, a, picture.Options{})), "010203 fa0009")
	b := array(t, mem.New(), "", "uint8", []int{3, 1, 2}, []string{"s", "y", "x"}, []uint8{1, 250, 2, 0, 3, 9}, nil)
	want(t, "before pixels", pixels(show(t, b, picture.Options{})), "010203 fa0009")
	if p := show(t, b, picture.Options{Slice: "s=@0", Low: 0, High: 100}); p.At[0] != "s=0" {
		t.Errorf("%v", p.At)
	}
}

func TestLabels(t *testing.T) {
	a := array(t, mem.New(), "labels/x", "uint32", []int{1, 4}, nil, []uint32{0, 1, 2, 1}, nil)
	p := show(t, a, picture.Options{})
	at := func(x int) color.NRGBA { return p.Image.NRGBAAt(x, 0) }
	if at(0).A != 0 || at(1) != at(3) || at(1) == at(2) || at(1).A != 255 {
		t.Errorf("%s", pixels(p))
	}
}

const ome = `{"ome": {"version": "0.5", "multiscales": [{"axes": [
	{"name": "c", "type": "channel"}, {"name": "z", "type": "space"}, {"name": "y", "type": "space"}, {"name": "x", "type": "space"}],
	"datasets": [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 1, 2, 1]}]},
	             {"path": "1", "coordinateTransformations": [{"type": "scale", "scale": [1, 1, 4, 2]}]}]}],
	"omero": {"channels": [{"label": "DAPI", "color": "0000FF", "window": {"start": 0, "end": 100, "min": 0, "max": 255}},
	                       {"color": "FF8000", "window": {"start": 0, "end": 50, "min": 0, "max": 255}}, {"color": "FFFFFF", "active": false}]}}}`

// image is three channels of three planes with two levels, of which the finer cannot
// be read.
func image(t testing.TB, broken bool) *zarr.Group {
	s := mem.New()
	g, err := zarr.CreateGroupIn(ctx, s, "")
	check(t, err)
	check(t, g.SetAttributes(ctx, attributes(t, ome)))
	for i, n := range []int{8, 4} {
		data := make([]uint8, 3*3*n*n)
		for k := range data {
			c, z, x := k/(3*n*n), k/(n*n)%3, k%n
			switch {
			case z != 1:
				data[k] = 255 // not the plane that is shown
			case c == 0 && x < n/2:
				data[k] = 100
			case c == 1 && x%(n/2) < n/4:
				data[k] = 50
			case c == 2:
				data[k] = 77
			}
		}
		array(t, s, fmt.Sprint(i), "uint8", []int{3, 3, n, n}, []string{"c", "z", "y", "x"}, data, nil)
	}
	if broken {
		_, err := s.Put(ctx, "0/c/0/0/0/0", []byte("broken"), store.PutOptions{})
		check(t, err)
	}
	return g
}

func TestAnImageOfSeveralLevels(t *testing.T) {
	g := image(t, false)
	p := show(t, g, picture.Options{})
	// Pixels are twice as high as wide.
	if size := p.Image.Rect.Size(); size.X != 8 || size.Y != 16 || p.Level.Path() != "0" {
		t.Errorf("%v of %s", size, p.Level.Path())
	}
	line := "ff80ff ff80ff 0000ff 0000ff ff8000 ff8000 000000 000000\n"
	want(t, "blended", pixels(p), strings.Repeat(line, 16))
	if got := fmt.Sprint(p.Channels, p.Low, p.High, p.At, p.Axes); got != "[DAPI 1] [0 0] [100 50] [z=1] [y x]" {
		t.Errorf("%s", got)
	}
	// A small picture is that of the coarser level: the finer is not read.
	p = show(t, image(t, true), picture.Options{Width: 4, Height: 4})
	want(t, "small", pixels(p), strings.Repeat("8040ff 804000\n", 4))
	if p.Level.Path() != "1" {
		t.Errorf("level %s", p.Level.Path())
	}
	if _, err := picture.Of(ctx, image(t, true), picture.Options{}); err == nil {
		t.Error("a broken chunk was not read")
	}
	p = show(t, g, picture.Options{Slice: "c=@1, z=@1, y=@0:2", Low: 0, High: 100, Map: "gray"})
	want(t, "a channel", pixels(p), strings.Repeat("ffffff ffffff 000000 000000 ffffff ffffff 000000 000000\n", 4))
}

func TestWhatCannotBeShown(t *testing.T) {
	s := mem.New()
	line := array(t, s, "line", "uint8", []int{4}, nil, []uint8{1, 2, 3, 4}, nil)
	plane := array(t, s, "plane", "uint8", []int{2, 2}, nil, []uint8{1, 2, 3, 4}, nil)
	text := array(t, s, "text", "string", []int{1, 1}, nil, []string{"a"}, nil)
	group, err := zarr.CreateGroupIn(ctx, s, "group")
	check(t, err)
	for _, c := range []struct {
		n    zarr.Node
		opt  picture.Options
		want string
	}{
		{line, picture.Options{}, "omnizarr plot"},
		{plane, picture.Options{Slice: "0"}, "omnizarr plot"},
		{plane, picture.Options{Slice: "9"}, "index 9 is outside"},
		{plane, picture.Options{Slice: ":0"}, "nothing is selected"},
		{plane, picture.Options{Low: 5, High: 2}, "must ascend"},
		{plane, picture.Options{Map: "pink"}, "no colour map"},
		{text, picture.Options{}, "no real numbers"},
		{group, picture.Options{}, "no image"},
	} {
		if _, err := picture.Of(ctx, c.n, c.opt); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.n.Path()) {
			t.Errorf("%s %+v: %v, want %s", c.n.Path(), c.opt, err, c.want)
		}
	}
	if _, err := picture.Of(ctx, line, picture.Options{}); !errors.Is(err, picture.ErrLine) {
		t.Error(err)
	}
}

func TestTerminals(t *testing.T) {
	nan := math.NaN()
	a := array(t, mem.New(), "", "float64", []int{3, 3}, nil, []float64{0, 5, 10, 0, 5, 10, nan, 10, nan}, nil)
	img := show(t, a, picture.Options{Low: 0, High: 100, Map: "viridis"}).Image
	draw := func(f func(b *strings.Builder) error) string {
		var b strings.Builder
		check(t, f(&b))
		return b.String()
	}
	for name, c := range map[string]struct{ got, want string }{
		"characters": {draw(func(b *strings.Builder) error { return picture.Blocks(b, img, picture.NoColours, "  ") }), "   =%\n   %\n"},
		"256": {draw(func(b *strings.Builder) error { return picture.Blocks(b, img, picture.Colours256, "") }),
			"\x1b[0;38;5;53;48;5;53m▀\x1b[0;38;5;30;48;5;30m▀\x1b[0;38;5;220;48;5;220m▀\x1b[0m\n \x1b[0;38;5;220m▀\x1b[0m \x1b[0m\n"},
		"24 bits": {draw(func(b *strings.Builder) error { return picture.Blocks(b, img, picture.TrueColours, "") }),
			"\x1b[0;38;2;68;1;84;48;2;68;1;84m▀\x1b[0;38;2;33;145;140;48;2;33;145;140m▀\x1b[0;38;2;253;231;37;48;2;253;231;37m▀\x1b[0m\n \x1b[0;38;2;253;231;37m▀\x1b[0m \x1b[0m\n"},
		"sixel": {draw(func(b *strings.Builder) error { return picture.Sixel(b, img) }),
			"\x1bP0;1q\"1;1;3;3#53;2;37;0;37#53B??$#30;2;0;52;52#30?B?$#220;2;100;84;0#220?CB-\x1b\\\n"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
	kitty := draw(func(b *strings.Builder) error { return picture.Kitty(b, img) })
	if !strings.HasPrefix(kitty, "\x1b_Ga=T,f=100,q=2,m=0;iVBORw0KGgo") || !strings.HasSuffix(kitty, "\x1b\\\n") {
		t.Errorf("kitty: %q", kitty)
	}
	iterm := draw(func(b *strings.Builder) error { return picture.ITerm(b, img) })
	if !strings.HasPrefix(iterm, "\x1b]1337;File=inline=1;width=3px;height=3px;preserveAspectRatio=1:iVBORw0KGgo") || !strings.HasSuffix(iterm, "\a\n") {
		t.Errorf("iterm: %q", iterm)
	}
	large := show(t, array(t, mem.New(), "", "uint8", []int{100, 100}, nil, noise(100*100), nil), picture.Options{}).Image
	pieces := strings.Split(draw(func(b *strings.Builder) error { return picture.Kitty(b, large) }), "\x1b\\")
	whole := ""
	for i, p := range pieces[:len(pieces)-1] {
		if last := i == len(pieces)-2; strings.Contains(p, "m=0;") != last || len(p) > 4200 {
			t.Errorf("piece %d of %d: %.40q", i, len(pieces), p)
		}
		_, text, _ := strings.Cut(p, ";")
		whole += text
	}
	_, file, _ := strings.Cut(draw(func(b *strings.Builder) error { return picture.ITerm(b, large) }), ":")
	for name, text := range map[string]string{"kitty": whole, "iterm": strings.TrimSuffix(file, "\a\n")} {
		got, err := png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
		if err != nil || got.Bounds() != large.Rect {
			t.Fatalf("%s: %v", name, err)
		}
		for i := range 100 * 100 {
			if x, y := i%100, i/100; color.NRGBAModel.Convert(got.At(x, y)) != color.Color(large.NRGBAAt(x, y)) {
				t.Fatalf("%s: pixel %d, %d is %v", name, x, y, got.At(x, y))
			}
		}
	}
}

func noise(n int) []uint8 {
	out, x := make([]uint8, n), uint32(1)
	for i := range out {
		x = x*1664525 + 1013904223
		out[i] = uint8(x >> 24)
	}
	return out
}

func Example() {
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{6, 6}, DataType: "uint8"})
	if err != nil {
		panic(err)
	}
	data := make([]uint8, 36)
	for i := range data {
		data[i] = uint8(i % 6 * 50)
	}
	if err := zarr.Write(ctx, a, zarr.All(), data); err != nil {
		panic(err)
	}
	p, err := picture.Of(ctx, a, picture.Options{Slice: ":4, :"})
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Image.Rect.Size(), p.Low, p.High)
	if err := picture.Blocks(os.Stdout, p.Image, picture.NoColours, ""); err != nil {
		panic(err)
	}
	// Output:
	// (6,4) [0] [250]
	//  .-*#@
	//  .-*#@
}
