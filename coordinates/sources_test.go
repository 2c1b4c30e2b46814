package coordinates_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store/mem"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func attributes(t testing.TB, text string) *meta.Attributes {
	t.Helper()
	attrs, err := meta.ParseAttributes([]byte(text))
	check(t, err)
	return attrs
}

// put makes an array of one axis or more with elements.
func put[T any](t testing.TB, g *zarr.Group, path string, data []T, spec zarr.ArraySpec) *zarr.Array {
	t.Helper()
	if spec.Shape == nil {
		spec.Shape = []int{len(data)}
	}
	a, err := g.CreateArray(ctx, path, spec)
	check(t, err)
	check(t, zarr.Write(ctx, a, zarr.All(), data))
	return a
}

func upTo(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(i)
	}
	return out
}

func TestCoordinatesOfGroupsAbove(t *testing.T) {
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	check(t, err)
	put(t, g, "lat", []float32{0.1, 0.2, 0.3}, zarr.ArraySpec{DataType: "float32", DimensionNames: []string{"lat"}})
	put(t, g, "station", []string{"Ulm", "Graz", "Bern"}, zarr.ArraySpec{DataType: "string", DimensionNames: []string{"station"}})
	put(t, g, "deep/height", []int16{400, 350, 500}, zarr.ArraySpec{DataType: "int16", DimensionNames: []string{"station"}})
	put(t, g, "deep/lat", []float64{1, 2}, zarr.ArraySpec{DataType: "float64"}) // of another length
	a := put(t, g, "deep/er/v", upTo(3), zarr.ArraySpec{DataType: "int64", DimensionNames: []string{"station"}, Attributes: attributes(t, `{"coordinates":"height name ../lat"}`)})
	b := put(t, g, "deepest/v", upTo(3), zarr.ArraySpec{DataType: "int64", DimensionNames: []string{"lat"}})
	for _, c := range []struct {
		a          *zarr.Array
		text, want string
	}{
		{a, "station=Graz", "1"}, {a, "station=Graz:Bern", "[1 2]"}, {a, "height=340", "1"}, {a, "height=500", "2"},
		{a, "height=@2", "2"},
		{b, "lat=0.2", "1"}, {b, "lat=0.1:0.2", "[0 1]"}, {b, "lat=0.3:", "[2]"},
	} {
		if got := read(t, c.a, c.text); got != c.want {
			t.Errorf("%s selects %s, want %s", c.text, got, c.want)
		}
	}
	if got := read(t, b, "lat=0.2", coordinates.Exact()); got != "1" {
		t.Errorf("0.2 is no float32: %s", got)
	}
	// A range needs an order, and a name that is elsewhere is told.
	for text, want := range map[string]string{
		"height=300:400":             "the coordinates are in no order",
		"station=Ulm, height=400":    "station and height are the same axis",
		"name=1":                     `no axis is named "name", only station, height`,
		"station=Wien":               `no position is called "Wien": they are "Ulm", "Graz", "Bern"`,
		"height=90, height=@1":       "is named twice",
		"station=" + "Graz:Salzburg": `no position is called "Salzburg"`,
	} {
		_, err := coordinates.Select(ctx, a, text)
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, zarr.ErrSelection) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestCoordinatesOfImages(t *testing.T) {
	for _, format := range []string{"zarr3", "zarr2"} {
		g, err := zarr.CreateGroupIn(ctx, mem.New(), "", zarr.As(format))
		check(t, err)
		image := `[{"version":"0.4","axes":[{"name":"c","type":"channel"},{"name":"y","type":"space","unit":"micrometer"},{"name":"x","type":"space","unit":"micrometer"}],
			"datasets":[{"path":"0","coordinateTransformations":[{"type":"scale","scale":[1,0.5,0.25]}]},
			{"path":"1","coordinateTransformations":[{"type":"scale","scale":[1,1,0.5]},{"type":"translation","translation":[0,0.25,0.125]}]}]}]`
		channels := `{"channels":[{"label":"DAPI","color":"0000FF","window":{"start":0,"end":1,"min":0,"max":1}},{"label":"GFP","color":"00FF00","window":{"start":0,"end":1,"min":0,"max":1}}]}`
		check(t, g.SetAttributes(ctx, attributes(t, `{"multiscales":`+image+`,"omero":`+channels+`}`)))
		a := put(t, g, "0", upTo(48), zarr.ArraySpec{Shape: []int{2, 4, 6}, DataType: "int64"})
		b := put(t, g, "1", upTo(12), zarr.ArraySpec{Shape: []int{2, 2, 3}, DataType: "int64"})
		for _, c := range []struct {
			a          *zarr.Array
			text, want string
		}{
			{a, "c=GFP, y=1.5, x=0.3", "43"}, {a, "c=1, y=@3, x=@1", "43"}, {a, "c=DAPI, y=0.5:1, x=1.25", "[11 17]"},
			{b, "c=GFP, y=1.25, x=0.125:0.7", "[9 10]"},
		} {
			if got := read(t, c.a, c.text); got != c.want {
				t.Errorf("%s: %s selects %s, want %s", format, c.text, got, c.want)
			}
		}
	}
}

func TestCoordinatesOnTheGround(t *testing.T) {
	spec := zarr.ArraySpec{Shape: []int{2, 3}, DataType: "int64", DimensionNames: []string{"y", "x"}}
	for attrs, want := range map[string]string{
		`{"spatial:transform":[10,0,500,0,-10,1000],"spatial:dimensions":["y","x"],"proj:code":"EPSG:32633"}`: "4",
		`{"spatial:transform":[10,0,505,0,-10,995],"spatial:registration":"node"}`:                            "4",
	} {
		s := spec
		s.Attributes = attributes(t, attrs)
		g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
		check(t, err)
		a := put(t, g, "a", upTo(6), s)
		if got := read(t, a, "x=519.9, y=980"); got != want {
			t.Errorf("%s: %s", attrs, got)
		}
		// Also of a level of an image, which says it of itself.
		check(t, g.SetAttributes(ctx, attributes(t, `{"multiscales":[{"version":"0.4","axes":[{"name":"y","type":"space","unit":"meter"},{"name":"x","type":"space","unit":"meter"}],"datasets":[{"path":"a","coordinateTransformations":[{"type":"scale","scale":[10,10]}]}]}]}`)))
		a, err = g.Array(ctx, "a")
		check(t, err)
		if got := read(t, a, "x=519.9, y=980"); got != want {
			t.Errorf("%s, a level: %s", attrs, got)
		}
		_, err = coordinates.Select(ctx, a, "x=531")
		if err == nil || !strings.Contains(err.Error(), "531 lies outside of the coordinates, which are 505 to 525") {
			t.Error(err)
		}
	}
	spec.Attributes = attributes(t, `{"spatial:transform":[10,1,500,0,-10,1000]}`) // turned
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	check(t, err)
	if got := read(t, put(t, g, "a", upTo(6), spec), "x=1,y=1"); got != "4" {
		t.Error(got)
	}
}

func TestASourceOfOnesOwn(t *testing.T) {
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	check(t, err)
	a := put(t, g, "a", upTo(5), zarr.ArraySpec{DataType: "int64"})
	source := func(context.Context, *zarr.Array) ([]coordinates.Axis, error) {
		return []coordinates.Axis{{Dim: 0, Name: "time", Unit: "s", Line: coordinates.Even(5, 1, 0.5)}, {Dim: 7, Name: "none"}}, nil
	}
	if got := read(t, a, "time=1.5:2", coordinates.Also(source)); got != "[1 2]" {
		t.Error(got)
	}
}

// What the search finds is what a look at everything finds, however much is read.
func TestTheSearchAgreesWithAScan(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range thorough.Least(12, 60, 60) {
		n := 1 + rng.IntN(40)
		if round%10 == 0 {
			n = 70_000 + rng.IntN(1000) // more than is read at once
		}
		list := make([]float64, n)
		for i := range list {
			list[i] = float64(rng.IntN(3*n)) / 2
		}
		slices.Sort(list)
		if round%2 == 0 {
			slices.Reverse(list)
		}
		reads := 0
		line := &coordinates.Line{Len: n, Numbers: func(_ context.Context, start, stop int) ([]float64, error) {
			reads += stop - start
			return list[start:stop], nil
		}}
		axes := []coordinates.Axis{{Name: "x", Line: line}}
		for range 20 {
			v, w := float64(rng.IntN(6*n))/4, float64(rng.IntN(6*n))/4
			best := 0
			for i, x := range list {
				if math.Abs(x-v) < math.Abs(list[best]-v) {
					best = i
				}
			}
			low, high := min(list[0], list[n-1]), max(list[0], list[n-1])
			if v >= low && v <= high {
				reads = 0
				if got := chosen(t, fmt.Sprintf("x=%v", v), []int{n}, axes); got != fmt.Sprint(best) {
					t.Fatalf("nearest to %v in %v is %s, want %d", v, list, got, best)
				}
				if n > 1<<16 && reads > 100 {
					t.Fatalf("%d of %d coordinates were read", reads, n)
				}
			}
			count, first := 0, -1
			for i, x := range list {
				if x >= min(v, w) && x <= max(v, w) {
					if count++; first < 0 {
						first = i
					}
				}
			}
			sel, err := coordinates.Choose(ctx, fmt.Sprintf("x=%v:%v", v, w), []int{n}, axes)
			if (err == nil) != (count > 0) {
				t.Fatalf("%v to %v: %d, %v", v, w, count, err)
			}
			if err != nil {
				continue
			}
			got, err := zarr.Resolve(sel, []int{n})
			check(t, err)
			if got[0].Count != count || got[0].At(0) != first {
				t.Fatalf("%v to %v is %d from %d on, want %d from %d", v, w, got[0].Count, got[0].At(0), count, first)
			}
		}
	}
}

// Coordinates in no order are found one by one, also where only reading shows it.
func TestCoordinatesInNoOrder(t *testing.T) {
	for _, n := range []int{5, 100_000} {
		list := make([]float64, n)
		for i := range list {
			list[i] = float64(i * 7 % n)
		}
		list[n-1] = float64(n) // the ends promise an order
		list[2] = math.NaN()
		line := &coordinates.Line{Len: n, Numbers: func(_ context.Context, start, stop int) ([]float64, error) { return list[start:stop], nil }}
		axes := []coordinates.Axis{{Name: "x", Line: line}}
		for i, x := range list[:4] {
			if got := chosen(t, fmt.Sprintf("x=%v", x), []int{n}, axes); i != 2 && got != fmt.Sprint(i) {
				t.Errorf("%v is at %s, want %d", x, got, i)
			}
		}
		if got := chosen(t, fmt.Sprintf("x=%v:%v", n/3, n/2), []int{n}, axes); !strings.Contains(got, "in no order") {
			t.Errorf("a range selects %.100s", got)
		}
	}
}

func FuzzSelection(f *testing.F) {
	for _, s := range []string{"0:10, ::2, -1", "t=2025-06-30T06:00:2025-07-01:2", "x=5:1:-1, c=GFP", "x=@::2", "c=a:b:c", "t=::", "...", "x==1"} {
		f.Add(s)
	}
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	check(f, err)
	put(f, g, "t", upTo(50), zarr.ArraySpec{DataType: "int64", DimensionNames: []string{"t"}, Attributes: attributes(f, `{"units":"hours since 2025-06-30"}`)})
	put(f, g, "x", []float64{4, 2, 1, 0.5}, zarr.ArraySpec{DataType: "float64", DimensionNames: []string{"x"}})
	put(f, g, "c", []string{"a", "a:b", "b"}, zarr.ArraySpec{DataType: "string", DimensionNames: []string{"c"}})
	a, err := g.CreateArray(ctx, "v", zarr.ArraySpec{Shape: []int{50, 4, 3}, DataType: "int8", DimensionNames: []string{"t", "x", "c"}})
	check(f, err)
	fuzzlong.Fuzz(f, func(t *testing.T, text string) {
		sel, err := coordinates.Select(ctx, a, text)
		if err != nil {
			return
		}
		shape, err := a.ResultShape(sel)
		if err == nil && len(shape) > 3 {
			t.Fatalf("%q selects %v", text, shape)
		}
	})
}
