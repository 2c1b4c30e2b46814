package levels_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/downsample"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/pyramid"
	"github.com/omnizarr/zarr/raster"
	"github.com/omnizarr/zarr/serve/kept"
	"github.com/omnizarr/zarr/serve/levels"
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

// cache makes one that a test closes.
func cache(t testing.TB) *kept.Cache {
	t.Helper()
	c, err := kept.New(64<<20, "", 0)
	check(t, err)
	t.Cleanup(func() { check(t, c.Close()) })
	return c
}

// pixels are numbers that differ everywhere.
func pixels[T uint8 | uint16 | int32 | float32 | float64 | uint64](n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = T(uint32(i) * 2654435761 >> 20 % 251)
	}
	return out
}

// array makes one, filled with pixels.
func array[T uint8 | uint16 | int32 | float32 | float64 | uint64](t testing.TB, kind string, shape, chunks []int, names []string, attrs string) (*zarr.Group, *zarr.Array) {
	t.Helper()
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	check(t, err)
	spec := zarr.ArraySpec{Shape: shape, DataType: kind, Chunks: chunks, DimensionNames: names}
	if attrs != "" {
		spec.Attributes, err = meta.ParseAttributes([]byte(attrs))
		check(t, err)
	}
	a, err := g.CreateArray(ctx, "0", spec)
	check(t, err)
	n, _ := nd.Len(shape)
	check(t, zarr.Write(ctx, a, zarr.All(), pixels[T](n)))
	return g, a
}

// whole reads all of an array as bytes.
func whole(t testing.TB, a *zarr.Array) []byte {
	t.Helper()
	v, err := a.Make(a.Shape()...)
	check(t, err)
	check(t, a.ReadInto(ctx, zarr.All(), v))
	return v.Data
}

// Levels that are made are those that package pyramid stores.
func TestLevelsEqualPyramid(t *testing.T) {
	run := func(t *testing.T, g *zarr.Group, a *zarr.Array, opt pyramid.Options) {
		img, err := levels.Of(ctx, a, levels.Options{Cache: cache(t), Key: "a"})
		check(t, err)
		opt.Levels = len(img.Levels)
		stored, err := pyramid.Build(ctx, g, "0", opt)
		check(t, err)
		if len(img.Levels) < 2 || img.Stored != 1 {
			t.Fatalf("%d levels, %d stored", len(img.Levels), img.Stored)
		}
		for k, l := range img.Levels {
			if !slices.Equal(l.Shape(), stored[k].Shape()) {
				t.Fatalf("level %d has shape %v, not %v", k, l.Shape(), stored[k].Shape())
			}
			if !bytes.Equal(whole(t, l.Array), whole(t, stored[k])) {
				t.Errorf("level %d differs", k)
			}
		}
		last := img.Levels[len(img.Levels)-1].Shape()
		if last[img.Y] > 256 || last[img.X] > 256 {
			t.Errorf("the coarsest level is %v", last)
		}
	}
	yx := []string{"y", "x"}
	t.Run("uint8", func(t *testing.T) {
		g, a := array[uint8](t, "uint8", thorough.Least([]int{515, 301}, []int{1031, 777}, []int{1031, 777}), []int{64, 100}, yx, "")
		run(t, g, a, pyramid.Options{})
	})
	t.Run("strips", func(t *testing.T) {
		g, a := array[uint16](t, "uint16", []int{thorough.Least(260, 600, 600), 901}, []int{1, 901}, yx, "")
		run(t, g, a, pyramid.Options{})
	})
	t.Run("volume", func(t *testing.T) {
		g, a := array[float32](t, "float32", []int{5, thorough.Least(70, 300, 300), 520}, []int{4, 33, 32}, []string{"z", "y", "x"}, "")
		run(t, g, a, pyramid.Options{Factors: []int{1, 2, 2}})
	})
	t.Run("missing", func(t *testing.T) {
		g, a := array[int32](t, "int32", []int{520, 300}, []int{50, 50}, yx, `{"_FillValue": 7, "scale_factor": 0.5}`)
		s, err := downsample.NewSampler("int32", downsample.Average, []int{2, 2}, []byte{7, 0, 0, 0})
		check(t, err)
		img, err := levels.Of(ctx, a, levels.Options{Cache: cache(t), Key: "a"})
		check(t, err)
		want := nd.Make(4, 260, 150)
		check(t, s.Reduce(want, nd.Of(whole(t, a), 4, 520, 300)))
		if !bytes.Equal(whole(t, img.Levels[1].Array), want.Data) {
			t.Error("missing values are not left out")
		}
		_ = g
	})
	t.Run("labels", func(t *testing.T) {
		g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
		check(t, err)
		labels, err := g.CreateGroup(ctx, "labels")
		check(t, err)
		a, err := labels.CreateArray(ctx, "0", zarr.ArraySpec{Shape: []int{300, 300}, DataType: "uint64", DimensionNames: yx})
		check(t, err)
		check(t, zarr.Write(ctx, a, zarr.All(), pixels[uint64](90000)))
		run(t, labels, a, pyramid.Options{Method: downsample.Nearest})
	})
	t.Run("bool", func(t *testing.T) {
		g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
		check(t, err)
		a, err := g.CreateArray(ctx, "0", zarr.ArraySpec{Shape: []int{300, 300}, DataType: "bool", DimensionNames: yx})
		check(t, err)
		data := make([]bool, 90000)
		for i := range data {
			data[i] = i%7 < 3
		}
		check(t, zarr.Write(ctx, a, zarr.All(), data))
		run(t, g, a, pyramid.Options{Method: downsample.Nearest})
	})
}

// A group whose coarsest level is large gets further ones; a stack of channels has them
// in the order that is asked for.
func TestGroupAndChannels(t *testing.T) {
	g, a := array[uint16](t, "uint16", []int{3, thorough.Least(516, 700, 700), thorough.Least(300, 640, 640)}, []int{1, 128, 128}, []string{"c", "y", "x"}, "")
	_, err := pyramid.Build(ctx, g, "0", pyramid.Options{Levels: 2, Factors: []int{1, 2, 2}})
	check(t, err)
	img, err := levels.Of(ctx, g, levels.Options{Cache: cache(t), Key: "g"})
	check(t, err)
	if len(img.Levels) != 3 || img.Stored != 2 || img.Made(1) || !img.Made(2) || fmt.Sprint(img.Levels[2].Scale) != "[1 4 4]" {
		t.Fatalf("%d levels, %d stored", len(img.Levels), img.Stored)
	}
	for level := range img.Levels {
		r := levels.Region{Level: level, Y: [2]int{17, 100}, X: [2]int{3, 50}, Channels: []int{2, 0}}
		n, err := img.Size(r)
		check(t, err)
		got := make([]byte, n)
		exact, err := img.Read(ctx, r, got)
		check(t, err)
		want, err := zarr.Read[uint16](ctx, img.Levels[level].Array, zarr.Select(zarr.List(2, 0), zarr.Span(17, 100), zarr.Span(3, 50)))
		check(t, err)
		if !exact || !bytes.Equal(got, bytesOf(want.Data)) {
			t.Errorf("level %d differs", level)
		}
	}
	_ = a
}

// Axes are given in the order channel, y, x, however they are stored.
func TestOrderOfAxes(t *testing.T) {
	_, a := array[uint8](t, "uint8", []int{40, 30, 3}, nil, nil, "")
	img, err := levels.Of(ctx, a, levels.Options{})
	check(t, err)
	if !img.RGB || img.Channel != 2 {
		t.Fatalf("%+v", img.Shown)
	}
	got := make([]byte, 2*5*7)
	_, err = img.Read(ctx, levels.Region{Y: [2]int{10, 15}, X: [2]int{20, 27}, Channels: []int{2, 1}}, got)
	check(t, err)
	all := whole(t, a)
	for c, channel := range []int{2, 1} {
		for y := range 5 {
			for x := range 7 {
				if want := all[((10+y)*30+20+x)*3+channel]; got[(c*5+y)*7+x] != want {
					t.Fatalf("channel %d at %d, %d: %d, not %d", channel, y, x, got[(c*5+y)*7+x], want)
				}
			}
		}
	}
}

// The image as a hierarchy has metadata and chunks that any reader takes.
func TestStore(t *testing.T) {
	_, a := array[uint16](t, "uint16", []int{2, 600, 500}, []int{1, 100, 100}, []string{"c", "y", "x"}, `{"scale":[1,0.5,0.25],"units":["","micrometer","micrometer"],"omero":{"channels":[{"label":"DAPI"},{"label":"GFP"}]}}`)
	img, err := levels.Of(ctx, a, levels.Options{Cache: cache(t), Key: "a"})
	check(t, err)
	g, err := img.Group(ctx)
	check(t, err)
	m, err := ngff.Read(g.Attributes())
	check(t, err)
	if m.Version != "0.5" || len(m.Images) != 1 || len(m.Images[0].Levels) != 3 || m.OMERO.Channels[1].Label != "GFP" {
		t.Fatalf("%+v", m)
	}
	if c := m.OMERO.Channels[1]; c.Color == nil || c.Active == nil || c.Window == nil || !(c.Window.Start < c.Window.End && c.Window.End <= 251) {
		t.Errorf("%+v", c)
	}
	if l := m.Images[0].Levels[2]; fmt.Sprint(l.Path, l.Scale, l.Translation) != "2[1 2 1] [0 0.75 0.375]" {
		t.Error(l.Path, l.Scale, l.Translation)
	}
	again, err := raster.Of(ctx, g)
	check(t, err)
	for k, l := range again.Levels {
		if !bytes.Equal(whole(t, l.Array), whole(t, img.Levels[k].Array)) {
			t.Errorf("level %d differs", k)
		}
	}
	var names []string
	for n, err := range g.Children(ctx) {
		check(t, err)
		names = append(names, n.Path())
	}
	if fmt.Sprint(names) != "[0 1 2]" {
		t.Error(names)
	}
	s, err := img.Store(ctx)
	check(t, err)
	for _, key := range []string{"3/zarr.json", "1/c/0/9/0", "1/c/0/0", "x", "zarr.json/x", "1/c/00/0/0"} {
		if _, _, err := s.Get(ctx, key, store.All(), nil); !errors.Is(err, store.ErrNotExist) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if _, err := s.Put(ctx, "1/c/0/0/0", nil, store.PutOptions{}); !errors.Is(err, store.ErrReadOnly) {
		t.Error(err)
	}
	// Axes that OME-NGFF does not allow are told, and shown all the same.
	_, rgb := array[uint8](t, "uint8", []int{300, 300, 3}, nil, nil, "")
	if img, err = levels.Of(ctx, rgb, levels.Options{}); err != nil || len(img.Levels) != 2 {
		t.Fatal(err)
	}
	if _, err := img.Store(ctx); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}

// counting counts the values that are asked for.
type counting struct {
	store.Store
	gets, bytes atomic.Int64
	wait        chan struct{} // if not nil, chunks wait for it or the end of the context
}

func (c *counting) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	c.gets.Add(1)
	if c.wait != nil && key != "zarr.json" {
		select {
		case <-c.wait:
		case <-ctx.Done():
			return nil, store.Info{}, ctx.Err()
		}
	}
	out, info, err := c.Store.Get(ctx, key, r, dst)
	c.bytes.Add(int64(len(out) - len(dst)))
	return out, info, err
}

// A chunk is made once, of chunks that are read once.
func TestEachOnce(t *testing.T) {
	side := thorough.Least(1024, 2048, 2048)
	s := &counting{Store: mem.New()}
	_, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{Shape: []int{side, side}, DataType: "uint8", Chunks: []int{side / 16, side / 16}, DimensionNames: []string{"y", "x"}})
	check(t, err)
	n, err := zarr.OpenStore(ctx, s, "")
	check(t, err)
	check(t, zarr.Write(ctx, n.(*zarr.Array), zarr.All(), pixels[uint8](side*side)))
	img, err := levels.Of(ctx, n, levels.Options{Cache: cache(t), Key: "a"})
	check(t, err)
	s.gets.Store(0)
	for range 2 {
		for level := len(img.Levels) - 1; level > 0; level-- {
			whole(t, img.Levels[level].Array)
		}
	}
	if got := s.gets.Load(); got > 256 {
		t.Errorf("%d requests for 256 chunks", got)
	}
}

// The coarsest level of a tebibyte is answered by a bounded number of requests, in bounded
// memory; the same image of which all is looked at ends with the context.
func TestTebibyte(t *testing.T) {
	s := &counting{Store: mem.New()}
	_, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{Shape: []int{1 << 20, 1 << 20}, DataType: "uint8", Chunks: []int{256, 256}, FillValue: []byte("9"), DimensionNames: []string{"y", "x"}})
	check(t, err)
	n, err := zarr.OpenStore(ctx, s, "")
	check(t, err)
	img, err := levels.Of(ctx, n, levels.Options{Cache: cache(t), Key: "a"})
	check(t, err)
	last := len(img.Levels) - 1
	if last != 12 {
		t.Fatalf("%d levels", last+1)
	}
	s.gets.Store(0)
	dst := make([]byte, 256*256)
	r := levels.Region{Level: last, Y: [2]int{0, 256}, X: [2]int{0, 256}, Quick: true}
	var exact bool
	used := alloctest.Bytes(func() { exact, err = img.Read(ctx, r, dst) })
	check(t, err)
	if exact || bytes.Count(dst, []byte{9}) != len(dst) {
		t.Error("no answer that was sampled")
	}
	if got := s.gets.Load(); got > 1100 {
		t.Errorf("%d requests", got)
	}
	// The race detector has buffers forgotten at random.
	if used > 128<<20 {
		t.Errorf("%d bytes allocated", used)
	}
	// The true answer is stopped.
	s.wait = make(chan struct{})
	stopped, cancel := context.WithCancel(ctx)
	asked := make(chan error, 1)
	before := s.gets.Load()
	go func() {
		r.Quick = false
		_, err := img.Read(stopped, r, dst)
		asked <- err
	}()
	for s.gets.Load() == before { // until it has begun
		runtime.Gosched()
	}
	cancel()
	if err := <-asked; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What is sampled is what is there: of a ramp the same ramp, and where nothing is cut the
// very elements.
func TestSampled(t *testing.T) {
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	check(t, err)
	const side = 8192
	a, err := g.CreateArray(ctx, "0", zarr.ArraySpec{Shape: []int{side, side}, DataType: "uint16", Chunks: []int{32, 32}, DimensionNames: []string{"y", "x"}})
	check(t, err)
	line := make([]uint16, 32*side)
	for i := range line {
		line[i] = uint16(i % side)
	}
	for y := 0; y < side; y += 32 { // 65536 chunks; it is the middle columns that matter
		if y%thorough.Least(4096, 512, 512) == 0 {
			check(t, zarr.Write(ctx, a, zarr.Select(zarr.Span(y, y+32), zarr.Full()), line))
		}
	}
	img, err := levels.Of(ctx, a, levels.Options{Cache: cache(t), Key: "a"})
	check(t, err)
	last := len(img.Levels) - 1
	dst := make([]byte, 256*256*2)
	exact, err := img.Read(ctx, levels.Region{Level: last, Y: [2]int{0, 256}, X: [2]int{0, 256}, Quick: true}, dst)
	check(t, err)
	if exact {
		t.Fatal("65536 chunks were read")
	}
	row := dst[:512]
	for x := 8; x < 248; x++ {
		got := float64(uint16(row[2*x]) | uint16(row[2*x+1])<<8)
		if got != 0 && math.Abs(got-float64(x*32+16)) > 20 {
			t.Fatalf("at %d: %v, not about %d", x, got, x*32+16)
		}
	}
}

// Of one large chunk that is not compressed some rows are read, and not all of it.
func TestSampledRows(t *testing.T) {
	s := &counting{Store: mem.New()}
	a, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{Shape: []int{9000, 9000}, DataType: "uint8", Chunks: []int{9000, 9000}, Codecs: []byte(`[{"name":"bytes"}]`), DimensionNames: []string{"y", "x"}})
	check(t, err)
	data := make([]uint8, 0, 9000*9000)
	for y := range 9000 {
		data = append(data, bytes.Repeat([]byte{uint8(y / 64)}, 9000)...)
	}
	check(t, zarr.Write(ctx, a, zarr.All(), data))
	img, err := levels.Of(ctx, a, levels.Options{Cache: cache(t), Key: "a"})
	check(t, err)
	last := img.Levels[len(img.Levels)-1].Shape()
	dst := make([]byte, last[0]*last[1])
	s.bytes.Store(0)
	exact, err := img.Read(ctx, levels.Region{Level: len(img.Levels) - 1, Y: [2]int{0, last[0]}, X: [2]int{0, last[1]}, Quick: true}, dst)
	check(t, err)
	if got := s.bytes.Load(); exact || got > 2<<20 {
		t.Errorf("exact %v, %d bytes were read of 81 million", exact, got)
	}
	for y := range last[0] {
		if got := dst[y*last[1]+5]; got != uint8(y) {
			t.Fatalf("row %d: %d", y, got)
		}
	}
}

// The first plane that is looked at shows something.
func TestStart(t *testing.T) {
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	check(t, err)
	a, err := g.CreateArray(ctx, "0", zarr.ArraySpec{Shape: []int{3, 8, 4, 4}, DataType: "float32", FillValue: []byte(`"NaN"`), DimensionNames: []string{"t", "z", "y", "x"}})
	check(t, err)
	img, err := levels.Of(ctx, a, levels.Options{})
	check(t, err)
	start := func(want string) {
		t.Helper()
		at, err := img.Start(ctx)
		check(t, err)
		if fmt.Sprint(at) != want {
			t.Errorf("starts at %v, not %s", at, want)
		}
	}
	start("[0 4 0 0]") // nothing is anywhere
	check(t, zarr.Write(ctx, a, zarr.Slice("0, 6, 1, 1"), []float32{3}))
	start("[0 6 0 0]")
	check(t, zarr.Write(ctx, a, zarr.Slice("0, 4, 1, 1"), []float32{3}))
	start("[0 4 0 0]")
}

func TestWrongRegions(t *testing.T) {
	_, a := array[uint8](t, "uint8", []int{4, 40, 30}, nil, []string{"z", "y", "x"}, "")
	img, err := levels.Of(ctx, a, levels.Options{})
	check(t, err)
	for _, r := range []levels.Region{
		{Level: -1}, {Level: 1}, {Y: [2]int{-1, 2}}, {Y: [2]int{3, 2}}, {X: [2]int{0, 31}},
		{At: []int{0}}, {At: []int{4, 0, 0}}, {Channels: []int{1}}, {Channels: []int{-1}},
	} {
		if _, err := img.Read(ctx, r, nil); !errors.Is(err, zarr.ErrRange) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	text, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{3, 3}, DataType: "string"})
	check(t, err)
	if _, err := levels.Of(ctx, text, levels.Options{}); !errors.Is(err, zarr.ErrType) {
		t.Errorf("text: %v", err)
	}
}

func ExampleOf() {
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{1000, 1000}, DataType: "uint8", DimensionNames: []string{"y", "x"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	img, err := levels.Of(ctx, a, levels.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for k, l := range img.Levels {
		fmt.Println(k, l.Shape(), img.Made(k))
	}
	// Output:
	// 0 [1000 1000] false
	// 1 [500 500] true
	// 2 [250 250] true
}

func bytesOf(data []uint16) (out []byte) {
	for _, v := range data {
		out = append(out, byte(v), byte(v>>8))
	}
	return out
}
