package tiles_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"image/color"
	"math"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/serve/levels"
	"github.com/omnizarr/zarr/serve/tiles"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// imageOf makes an image of numbers.
func imageOf[T any](t testing.TB, kind string, shape []int, names []string, attrs string, data []T) *levels.Image {
	t.Helper()
	spec := zarr.ArraySpec{Shape: shape, DataType: kind, DimensionNames: names}
	if attrs != "" {
		var err error
		spec.Attributes, err = meta.ParseAttributes([]byte(attrs))
		check(t, err)
	}
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", spec)
	check(t, err)
	if data != nil {
		check(t, zarr.Write(ctx, a, zarr.All(), data))
	}
	img, err := levels.Of(ctx, a, levels.Options{})
	check(t, err)
	return img
}

// numbers tells a tile as numbers.
func numbers(t *tiles.Tile) (out []float64) {
	for i := 0; i < len(t.Data); {
		switch t.DataType {
		case "uint8":
			out = append(out, float64(t.Data[i]))
			i++
		case "int8":
			out = append(out, float64(int8(t.Data[i])))
			i++
		case "uint16":
			out = append(out, float64(binary.LittleEndian.Uint16(t.Data[i:])))
			i += 2
		case "int16":
			out = append(out, float64(int16(binary.LittleEndian.Uint16(t.Data[i:]))))
			i += 2
		case "uint32":
			out = append(out, float64(binary.LittleEndian.Uint32(t.Data[i:])))
			i += 4
		case "int32":
			out = append(out, float64(int32(binary.LittleEndian.Uint32(t.Data[i:]))))
			i += 4
		case "float32":
			out = append(out, float64(math.Float32frombits(binary.LittleEndian.Uint32(t.Data[i:]))))
			i += 4
		}
	}
	return out
}

var whole = levels.Region{Y: [2]int{0, 2}, X: [2]int{0, 2}}

// Every type comes as one of seven, with the same numbers.
func TestTypes(t *testing.T) {
	square := []int{2, 2}
	tell := func(img *levels.Image, labels bool) string {
		tile, err := tiles.Read(ctx, img, whole, labels)
		check(t, err)
		if want := tiles.DataType(img); !labels && tile.DataType != want {
			t.Errorf("a tile of %s, not %s", tile.DataType, want)
		}
		return fmt.Sprint(tile.DataType, numbers(tile))
	}
	for _, c := range []struct{ got, want string }{
		{tell(imageOf(t, "bool", square, nil, "", []bool{true, false, true, true}), false), "uint8[1 0 1 1]"},
		{tell(imageOf(t, "uint8", square, nil, "", []uint8{1, 255, 3, 4}), false), "uint8[1 255 3 4]"},
		{tell(imageOf(t, "int8", square, nil, "", []int8{-1, 2, 3, -128}), false), "int8[-1 2 3 -128]"},
		{tell(imageOf(t, "uint16", square, nil, "", []uint16{1, 65535, 3, 4}), false), "uint16[1 65535 3 4]"},
		{tell(imageOf(t, "int16", square, nil, "", []int16{-1, 2, 3, 4}), false), "int16[-1 2 3 4]"},
		{tell(imageOf(t, "uint32", square, nil, "", []uint32{1, 2, 3, 1 << 31}), false), "uint32[1 2 3 2.147483648e+09]"},
		{tell(imageOf(t, "int32", square, nil, "", []int32{-1, 2, 3, 4}), false), "int32[-1 2 3 4]"},
		{tell(imageOf(t, "int64", square, nil, "", []int64{-1, 1 << 40, 3, 4}), false), "float32[-1 1.099511627776e+12 3 4]"},
		{tell(imageOf(t, "uint64", square, nil, "", []uint64{1, 1 << 63, 3, 4}), false), "float32[1 9.223372036854776e+18 3 4]"},
		{tell(imageOf(t, "float32", square, nil, "", []float32{1.5, float32(math.NaN()), 3, 4}), false), "float32[1.5 NaN 3 4]"},
		{tell(imageOf(t, "float64", square, nil, "", []float64{1.5, math.Inf(1), -3, 4}), false), "float32[1.5 +Inf -3 4]"},
		{tell(imageOf(t, "float16", square, nil, "", []uint16{0x3c00, 0x4000, 0xc000, 0x7e00}), false), "float32[1 2 -2 NaN]"},
		{tell(imageOf(t, "complex64", square, nil, "", []complex64{3 + 4i, 0, -2, 1i}), false), "float32[5 0 2 1]"},
		{tell(imageOf(t, "int16", square, nil, `{"scale_factor":0.5,"add_offset":10,"_FillValue":-9}`, []int16{2, -9, 4, 0}), false), "float32[11 NaN 12 10]"},
		{tell(imageOf(t, "uint8", square, nil, `{"missing_value":7}`, []uint8{2, 7, 4, 0}), false), "float32[2 NaN 4 0]"},
		{tell(imageOf(t, "uint8", square, nil, "", []uint8{2, 7, 4, 0}), true), "uint32[2 7 4 0]"},
		{tell(imageOf(t, "uint32", square, nil, "", []uint32{2, 7, 4, 0}), true), "uint32[2 7 4 0]"},
	} {
		if c.got != c.want {
			t.Errorf("%s, not %s", c.got, c.want)
		}
	}
	// Labels that differ in the upper bits alone differ.
	tile, err := tiles.Read(ctx, imageOf(t, "uint64", square, nil, "", []uint64{5, 5 + 1<<32, 5 + 1<<33, 0}), whole, true)
	check(t, err)
	seen := map[float64]bool{}
	for _, v := range numbers(tile) {
		seen[v] = true
	}
	if len(seen) != 4 || !seen[5] || !seen[0] {
		t.Errorf("labels %v", numbers(tile))
	}
}

// A tile of numbers that are drawn as they are stored is decoded into the answer itself.
func TestNoCopy(t *testing.T) {
	img := imageOf(t, "uint16", []int{1024, 1024}, nil, "", make([]uint16, 1<<20))
	r := levels.Region{Y: [2]int{0, 1024}, X: [2]int{0, 1024}}
	used := alloctest.Warm(func() {
		_, err := tiles.Read(ctx, img, r, false)
		check(t, err)
	})
	if used > 3<<20 {
		t.Errorf("%d bytes for a tile of %d", used, 2<<20)
	}
}

func TestPaint(t *testing.T) {
	at := func(img *levels.Image, r levels.Region, windows map[int][2]float64) (out []color.NRGBA) {
		t.Helper()
		p, _, err := tiles.Paint(ctx, img, r, windows, false)
		check(t, err)
		for i := 0; i < len(p.Pix); i += 4 {
			out = append(out, color.NRGBA{p.Pix[i], p.Pix[i+1], p.Pix[i+2], p.Pix[i+3]})
		}
		return out
	}
	gray := imageOf(t, "float32", []int{1, 3}, nil, "", []float32{0, 10, float32(math.NaN())})
	row := levels.Region{Y: [2]int{0, 1}, X: [2]int{0, 3}}
	if got := at(gray, row, map[int][2]float64{0: {0, 20}}); fmt.Sprint(got) != "[{0 0 0 255} {128 128 128 255} {0 0 0 0}]" {
		t.Errorf("gray: %v", got)
	}
	rgba := imageOf(t, "uint8", []int{1, 2, 4}, nil, "", []uint8{255, 0, 9, 255, 1, 2, 3, 0})
	r := levels.Region{Y: [2]int{0, 1}, X: [2]int{0, 2}, Channels: []int{0, 1, 2, 3}}
	if got := at(rgba, r, nil); fmt.Sprint(got) != "[{255 0 9 255} {1 2 3 0}]" {
		t.Errorf("rgba: %v", got)
	}
	two := imageOf(t, "uint16", []int{2, 1, 2}, []string{"c", "y", "x"}, `{"omero":{"channels":[{"color":"FF0000","window":{"start":0,"end":100}},{"color":"00FF00"}]}}`, []uint16{100, 50, 0, 3})
	r = levels.Region{Y: [2]int{0, 1}, X: [2]int{0, 2}, Channels: []int{0, 1}}
	if got := at(two, r, map[int][2]float64{1: {0, 3}}); fmt.Sprint(got) != "[{255 0 0 255} {128 255 0 255}]" {
		t.Errorf("two channels: %v", got)
	}
	big := imageOf(t, "uint8", []int{600, 300}, nil, "", make([]uint8, 180000))
	p, err := tiles.Thumbnail(ctx, big, 100)
	check(t, err)
	if size := p.Rect.Size(); size.X != 50 || size.Y != 100 {
		t.Errorf("a thumbnail of %v", size)
	}
	if _, err := tiles.PNG(p); err != nil {
		t.Error(err)
	}
}

func TestStats(t *testing.T) {
	of := func(img *levels.Image) *tiles.Stats {
		t.Helper()
		s, err := tiles.Of(ctx, img, nil, 0)
		check(t, err)
		if len(s.Counts) != 256 || len(s.Percentiles) != len(tiles.Percentiles) {
			t.Errorf("%d bins, %d percentiles", len(s.Counts), len(s.Percentiles))
		}
		return s
	}
	ramp := make([]float32, 101)
	for i := range ramp {
		ramp[i] = float32(i)
	}
	s := of(imageOf(t, "float32", []int{1, 101}, nil, "", ramp))
	if !s.Exact || s.Count != 101 || s.Min != 0 || s.Max != 100 || s.Percentiles[4] != 50 || s.From != 0 || s.To != 100 || s.Counts[0] != 1 || s.Counts[255] != 1 {
		t.Errorf("a ramp: %+v", s)
	}
	s = of(imageOf(t, "float32", []int{2, 2}, nil, "", []float32{7, 7, 7, 7}))
	if s.Min != 7 || s.Max != 7 || s.From != 7 || s.To != 8 || s.Counts[0] != 4 {
		t.Errorf("all the same: %+v", s)
	}
	nan := float32(math.NaN())
	s = of(imageOf(t, "float32", []int{2, 2}, nil, "", []float32{nan, nan, nan, nan}))
	if s.Count != 4 || s.Missing != 4 || !math.IsNaN(s.Min) || s.From != 0 || s.To != 1 {
		t.Errorf("nothing: %+v", s)
	}
	s = of(imageOf(t, "uint16", []int{2, 2}, nil, "", []uint16{10, 12, 12, 20}))
	if s.From != 10 || s.To != 266 || s.Counts[0] != 1 || s.Counts[2] != 2 || s.Counts[10] != 1 {
		t.Errorf("few integers: %+v", s)
	}
	s = of(imageOf(t, "int16", []int{2, 2}, nil, `{"_FillValue":-1}`, []int16{10, 12, -1, 20}))
	if s.Missing != 1 || s.Min != 10 {
		t.Errorf("missing: %+v", s)
	}
	img := imageOf[uint16](t, "uint16", []int{2, 300, 300}, []string{"c", "y", "x"}, "", nil)
	check(t, zarr.Write(ctx, img.Levels[0].Array, zarr.Slice("1, 5, 5"), []uint16{1000}))
	s, err := tiles.All(ctx, img, 1)
	check(t, err)
	if s.Level != 0 || !s.Exact || s.Count != 90000 || s.Max != 1000 {
		t.Errorf("all: %+v", s)
	}
}

func Example() {
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{2, 3}, DataType: "float64"})
	if err != nil {
		fmt.Println(err)
		return
	}
	img, err := levels.Of(ctx, a, levels.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := tiles.Read(ctx, img, levels.Region{Y: [2]int{0, 2}, X: [2]int{1, 3}}, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Shape, t.DataType, len(t.Data), t.Exact)
	// Output: [1 2 2] float32 16 true
}
