package pyramid_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/downsample"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/internal/leaktest"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/pyramid"
	"github.com/omnizarr/zarr/store/mem"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var ctx = context.Background()

func group(t testing.TB, opts ...zarr.Option) *zarr.Group {
	t.Helper()
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "", opts...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func array(t testing.TB, g *zarr.Group, name string, spec zarr.ArraySpec) *zarr.Array {
	t.Helper()
	a, err := g.CreateArray(ctx, name, spec)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := nd.Len(spec.Shape)
	data := make([]uint16, n)
	for i := range data {
		data[i] = uint16(i * 7 % 1000)
	}
	if err := zarr.Write(ctx, a, zarr.All(), data); err != nil {
		t.Fatal(err)
	}
	return a
}

// Every level is what the whole level before becomes at once, whatever its chunks.
func TestLevelsAreThoseOfWholeArrays(t *testing.T) {
	for _, c := range []struct {
		spec zarr.ArraySpec
		opt  pyramid.Options
		want string
	}{
		{zarr.ArraySpec{Shape: []int{3, 37, 50}, DataType: "uint16", Chunks: []int{1, 8, 8}, DimensionNames: []string{"c", "y", "x"}}, pyramid.Options{}, "[3 37 50] [3 19 25] [3 10 13] [3 5 7]"},
		{zarr.ArraySpec{Shape: []int{33, 20, 21}, DataType: "uint16", Chunks: []int{4, 4, 4}, Shards: []int{8, 8, 8}}, pyramid.Options{Levels: 3, Method: downsample.Max}, "[33 20 21] [17 10 11] [9 5 6]"},
		{zarr.ArraySpec{Shape: []int{4, 100}, DataType: "uint16", Chunks: []int{3, 10}}, pyramid.Options{Levels: 2, Factors: []int{1, 5}, Method: downsample.Min, SkipFill: true}, "[4 100] [4 20]"},
		{zarr.ArraySpec{Shape: []int{40, 40}, DataType: "uint16", Chunks: []int{16, 9}}, pyramid.Options{Method: downsample.Nearest, Workers: 3, Memory: 1}, "[40 40] [20 20] [10 10] [5 5]"},
	} {
		g := group(t)
		array(t, g, "s0", c.spec)
		done := map[int]int{}
		c.opt.Progress = func(level, n, total int) { done[level] = total - n }
		levels, err := pyramid.Build(ctx, g, "s0", c.opt)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for k, a := range levels {
			if k > 0 {
				got += " "
			}
			got += fmt.Sprint(a.Shape())
		}
		if got != c.want || len(done) != len(levels)-1 || done[1] != 0 {
			t.Errorf("%s, want %s; %v", got, c.want, done)
		}
		for k := 1; k < len(levels); k++ {
			compare(t, levels[k], levels[k-1], c.opt)
			if !slices.Equal(levels[k].ShardShape(), levels[0].ShardShape()) || !slices.Equal(levels[k].ChunkShape(), levels[0].ChunkShape()) {
				t.Errorf("chunks of %v in %v", levels[k].ChunkShape(), levels[k].ShardShape())
			}
		}
		if m, err := ngff.Read(g.Attributes()); err != nil || len(m.Images) != 1 || len(m.Images[0].Levels) != len(levels) || m.Images[0].Levels[1].Path != "s1" {
			t.Errorf("%+v, %v", m, err)
		}
	}
}

func compare(t *testing.T, dst, src *zarr.Array, opt pyramid.Options) {
	t.Helper()
	factors := opt.Factors
	if factors == nil {
		factors = slices.Repeat([]int{2}, len(src.Shape()))
		if len(factors) == 3 && src.DimensionNames() != nil {
			factors[0] = 1
		}
	}
	var missing []byte
	if opt.SkipFill {
		missing = src.FillValue()
	}
	s, err := downsample.NewSampler("uint16", opt.Method, factors, missing)
	if err != nil {
		t.Fatal(err)
	}
	from, to := nd.Make(2, src.Shape()...), nd.Make(2, dst.Shape()...)
	want := nd.Make(2, dst.Shape()...)
	if err := errors.Join(src.ReadInto(ctx, zarr.All(), from), dst.ReadInto(ctx, zarr.All(), to), s.Reduce(want, from)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(to.Data, want.Data) {
		t.Errorf("%s differs", dst.URL())
	}
}

// What the group says of the image stays, in its version.
func TestMetadataGoesOn(t *testing.T) {
	g := group(t, zarr.As("zarr2"))
	array(t, g, "0", zarr.ArraySpec{Shape: []int{2, 30, 30}, DataType: "uint16", Chunks: []int{1, 16, 16}})
	attrs := g.Attributes()
	m := ngff.Metadata{Version: "0.4", Images: []ngff.Multiscales{{Name: "cells",
		Axes:   []ngff.Axis{{Name: "t", Type: "time", Unit: "second"}, {Name: "y", Type: "space", Unit: "micrometer"}, {Name: "x", Type: "space", Unit: "micrometer"}},
		Levels: []ngff.Level{{Path: "0", Scale: []float64{5, 0.5, 0.25}, Translation: []float64{0, 10, 20}}}}}}
	if err := m.Write(attrs); err != nil {
		t.Fatal(err)
	}
	if err := g.SetAttributes(ctx, attrs); err != nil {
		t.Fatal(err)
	}
	if _, err := pyramid.Build(ctx, g, "0", pyramid.Options{}); err != nil {
		t.Fatal(err)
	}
	got, err := ngff.Read(g.Attributes())
	if err != nil || got.Version != "0.4" || len(got.Images) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	l := got.Images[0].Levels
	if got.Images[0].Name != "cells" || got.Images[0].Axes[1].Unit != "micrometer" || len(l) != 2 ||
		!slices.Equal(l[1].Scale, []float64{5, 1, 0.5}) || !slices.Equal(l[1].Translation, []float64{0, 10.25, 20.125}) {
		t.Errorf("%+v", got.Images[0])
	}
	if _, err := pyramid.Build(ctx, g, "0", pyramid.Options{}); !errors.Is(err, zarr.ErrExist) {
		t.Errorf("a second time: %v", err)
	}
	if _, err := pyramid.Build(ctx, g, "0", pyramid.Options{Overwrite: true}); err != nil {
		t.Errorf("over what is there: %v", err)
	}
}

// What was interrupted can be done again.
func TestLevelsOfAFailureAreRemoved(t *testing.T) {
	g := group(t)
	array(t, g, "s0", zarr.ArraySpec{Shape: []int{64, 64}, DataType: "uint16", Chunks: []int{8, 8}})
	for _, at := range []int{1, 2} {
		ctx, cancel := context.WithCancel(ctx)
		_, err := pyramid.Build(ctx, g, "s0", pyramid.Options{Workers: 1, Progress: func(level, _, _ int) {
			if level == at {
				cancel()
			}
		}})
		cancel()
		if known := (*zarr.Error)(nil); !errors.As(err, &known) || !errors.Is(err, context.Canceled) {
			t.Errorf("in level %d: %v", at, err)
		}
		for _, name := range []string{"s1", "s2"} {
			if _, err := g.Array(context.Background(), name); !errors.Is(err, zarr.ErrNoNode) {
				t.Errorf("in level %d: %s is there: %v", at, name, err)
			}
		}
	}
	levels, err := pyramid.Build(ctx, g, "s0", pyramid.Options{})
	if err != nil || len(levels) != 4 {
		t.Errorf("%v, %v", levels, err)
	}
}

func TestPyramidsThatCannotBe(t *testing.T) {
	g := group(t)
	array(t, g, "image", zarr.ArraySpec{Shape: []int{30, 30}, DataType: "uint16", Chunks: []int{8, 8}})
	for name, opt := range map[string]pyramid.Options{
		"image":   {},                     // no number to count on
		"nothing": {},                     // no such array
		"s9":      {Factors: []int{1, 1}}, // nor this
	} {
		_, err := pyramid.Build(ctx, g, name, opt)
		if known := (*zarr.Error)(nil); !errors.As(err, &known) {
			t.Errorf("%s: %v", name, err)
		}
	}
	array(t, g, "s0", zarr.ArraySpec{Shape: []int{30, 30}, DataType: "uint16", Chunks: []int{8, 8}})
	for _, opt := range []pyramid.Options{{Factors: []int{1, 1}}, {Levels: -1}, {Workers: -1}, {Memory: -1}, {Scale: []float64{1}}, {Scale: []float64{1, 1, 1}}} {
		_, err := pyramid.Build(ctx, g, "s0", opt)
		if known := (*zarr.Error)(nil); !errors.As(err, &known) {
			t.Errorf("%+v: %v", opt, err)
		}
		if _, err := g.Array(ctx, "s1"); !errors.Is(err, zarr.ErrNoNode) {
			t.Errorf("%+v has made a level: %v", opt, err)
		}
	}
	if n := g.Attributes().Len(); n != 0 {
		t.Errorf("%d attributes", n)
	}
}

func ExampleBuild() {
	g, err := zarr.CreateGroup(ctx, "mem:example-pyramid")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = g.CreateArray(ctx, "s0", zarr.ArraySpec{Shape: []int{1000, 800}, DataType: "uint8", Chunks: []int{256, 256}, DimensionNames: []string{"y", "x"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	levels, err := pyramid.Build(ctx, g, "s0", pyramid.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range levels {
		fmt.Println(a.Path(), a.Shape())
	}
	fmt.Println(g.Attributes().Names())
	// Output:
	// s0 [1000 800]
	// s1 [500 400]
	// s2 [250 200]
	// [ome]
}
