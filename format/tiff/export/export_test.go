package export_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/omnizarr/zarr/internal/thorough"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/format/tiff/export"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

// picture makes an array with smooth values of a type.
func picture(t testing.TB, spec zarr.ArraySpec) *zarr.Array {
	t.Helper()
	if spec.Codecs == nil {
		spec.Codecs = json.RawMessage(`[{"name":"bytes","configuration":{"endian":"little"}}]`) // to compress takes longer than the tests
	}
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", spec)
	jobtest.Check(t, err)
	fillPicture(t, a)
	return a
}

func fillPicture(t testing.TB, a *zarr.Array) {
	t.Helper()
	v := nd.Make(a.DataType().Size(), a.Shape()...)
	for i := range v.Data {
		noise := uint32(i) * 2654435761 // quicker than a source of random numbers
		v.Data[i] = byte(i/7%64) + byte(noise>>24%3)
	}
	if a.DataType().Name() == "bool" {
		r := rand.New(rand.NewPCG(1, 2))
		for i := range v.Data {
			v.Data[i] = byte(r.IntN(2))
		}
	}
	jobtest.Check(t, a.WriteFrom(ctx, zarr.All(), v))
}

// memory reads an array whole.
func memory(t testing.TB, a *zarr.Array) nd.View {
	t.Helper()
	v := nd.Make(a.DataType().Size(), a.Shape()...)
	jobtest.Check(t, a.ReadInto(ctx, zarr.All(), v))
	return v
}

// copied writes a node as a file and opens that.
func copied(t testing.TB, src zarr.Node, opts copying.Options) zarr.Node {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.tif")
	jobtest.Check(t, jobtest.Err(copying.Copy(ctx, src, path, opts)))
	n, err := zarr.Open(ctx, path)
	jobtest.Check(t, err)
	t.Cleanup(func() { n.Close() })
	return n
}

func TestEveryTypeIsKeptInTIFF(t *testing.T) {
	tried := 0
	for _, name := range []string{"bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"} {
		a := picture(t, zarr.ArraySpec{Shape: []int{3, 70, 90}, DataType: name, Chunks: []int{2, 33, 41}})
		for _, compression := range export.Compressions() {
			if tried++; compression == "jpeg" || tried%thorough.Step(5) != 0 {
				continue
			}
			got := copied(t, a, copying.Options{To: export.Format{Compression: compression}, Chunks: []int{32, 48}, Memory: 1 << 16}).(*zarr.Array)
			if got.DataType().Name() != name || !bytes.Equal(memory(t, got).Data, memory(t, a).Data) {
				t.Errorf("%s, %s: came back as %s, or with other values", name, compression, got.DataType().Name())
			}
			if c := got.ChunkShape(); !slices.Equal(c, []int{1, 32, 48}) {
				t.Errorf("%s: tiles are %v", name, c)
			}
		}
	}
}

func TestAxesOfEveryOrder(t *testing.T) {
	for i, c := range []struct {
		names string // of the source
		shape []int
		want  string // of the copy
	}{
		{"yx", []int{20, 30}, "yx"},
		{"syx", []int{3, 20, 30}, "syx"},
		{"yxs", []int{20, 30, 4}, "syx"},
		{"yxc", []int{20, 30, 3}, "syx"},
		{"zcyx", []int{2, 3, 20, 30}, "zcyx"},
		{"tczyx", []int{2, 3, 4, 20, 30}, "tczyx"},
		{"xyz", []int{30, 20, 4}, "zyx"},
		{"ctzsyx", []int{2, 2, 3, 3, 20, 30}, "ctzsyx"},
		{"qpyx", []int{3, 4, 20, 30}, "qpyx"},
		{"x", []int{30}, "yx"},
		{"", nil, "yx"},
	} {
		if i%thorough.Least(4, 1, 1) != 0 {
			continue
		}
		spec := zarr.ArraySpec{Shape: c.shape, DataType: "uint16"}
		for _, n := range c.names {
			spec.DimensionNames = append(spec.DimensionNames, string(n))
		}
		a := picture(t, spec)
		got := copied(t, a, copying.Options{To: export.Format{}}).(*zarr.Array)
		if names := strings.Join(got.DimensionNames(), ""); names != c.want {
			t.Errorf("%s became %s", c.names, names)
			continue
		}
		v := memory(t, a)
		if len(c.names) == len(c.want) {
			order := make([]int, len(c.want))
			source := strings.ReplaceAll(c.names, "yxc", "yxs")
			for i, n := range c.want {
				order[i] = strings.IndexRune(source, n)
			}
			v = v.Permute(order)
		}
		same := nd.Make(v.Size, v.Shape...)
		nd.Copy(same, v)
		if !bytes.Equal(memory(t, got).Data, same.Data) {
			t.Errorf("%s: other values", c.names)
		}
	}
}

// pyramid makes a group of three resolutions.
func pyramid(t testing.TB) (*zarr.Group, ngff.Multiscales) {
	t.Helper()
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	jobtest.Check(t, err)
	m := ngff.Multiscales{Name: "cells", Axes: []ngff.Axis{{Name: "c", Type: "channel"}, {Name: "y", Type: "space", Unit: "micrometer"}, {Name: "x", Type: "space", Unit: "micrometer"}}}
	for i, side := range []int{100, 50, 25} {
		name := fmt.Sprint(i)
		a, err := g.CreateArray(ctx, name, zarr.ArraySpec{Shape: []int{2, side, side}, DataType: "uint8", DimensionNames: []string{"c", "y", "x"}})
		jobtest.Check(t, err)
		fillPicture(t, a)
		scale := 0.5 * float64(100/side)
		m.Levels = append(m.Levels, ngff.Level{Path: name, Scale: []float64{1, scale, scale}})
	}
	raw, err := ngff.Attributes(m)
	jobtest.Check(t, err)
	attrs := &meta.Attributes{}
	jobtest.Check(t, attrs.Set("ome", raw))
	jobtest.Check(t, g.SetAttributes(ctx, attrs))
	return g, m
}

func TestPyramidsBecomeLevels(t *testing.T) {
	g, m := pyramid(t)
	got := copied(t, g, copying.Options{To: export.Format{}}).(*zarr.Group)
	images, err := ngff.Parse(got.Attributes().Raw("ome"))
	jobtest.Check(t, err)
	if fmt.Sprint(images) != fmt.Sprint([]ngff.Multiscales{m}) {
		t.Errorf("got %v\nwant %v", images, m)
	}
	for i := range 3 {
		a, err := g.Array(ctx, fmt.Sprint(i))
		jobtest.Check(t, err)
		b, err := got.Array(ctx, fmt.Sprint(i))
		jobtest.Check(t, err)
		if !bytes.Equal(memory(t, a).Data, memory(t, b).Data) {
			t.Errorf("level %d differs", i)
		}
	}
}

func TestSeveralImagesInOneFile(t *testing.T) {
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	jobtest.Check(t, err)
	for name, spec := range map[string]zarr.ArraySpec{
		"a": {Shape: []int{40, 50}, DataType: "uint8"},
		"b": {Shape: []int{3, 20, 30}, DataType: "float32", DimensionNames: []string{"z", "y", "x"}},
		"c": {Shape: []int{3, 64, 64}, DataType: "uint8", DimensionNames: []string{"s", "y", "x"}},
	} {
		a, err := g.CreateArray(ctx, name, spec)
		jobtest.Check(t, err)
		fillPicture(t, a)
	}
	got := copied(t, g, copying.Options{To: export.Format{}}).(*zarr.Group)
	for i, name := range []string{"a", "b", "c"} {
		want, err := g.Array(ctx, name)
		jobtest.Check(t, err)
		a, err := got.Array(ctx, fmt.Sprint(i))
		jobtest.Check(t, err)
		if !slices.Equal(a.Shape(), want.Shape()) || !bytes.Equal(memory(t, a).Data, memory(t, want).Data) {
			t.Errorf("%s: shape %v, or other values", name, a.Shape())
		}
	}
}

func TestACOGHasOverviews(t *testing.T) {
	attrs := &meta.Attributes{}
	jobtest.Check(t, attrs.Set("proj:code", "EPSG:32633"))
	jobtest.Check(t, attrs.Set("spatial:transform", []float64{20, 0, 500000, 0, -20, 5000000}))
	a := picture(t, zarr.ArraySpec{Shape: []int{3, 101, 150}, DataType: "uint8", FillValue: json.RawMessage("7"), DimensionNames: []string{"band", "y", "x"}, Attributes: attrs})
	g := copied(t, a, copying.Options{To: export.Format{COG: true}, Chunks: []int{32, 32}}).(*zarr.Group)
	var sizes [][]int
	for n, err := range g.Children(ctx) {
		jobtest.Check(t, err)
		level := n.(*zarr.Array)
		sizes = append(sizes, level.Shape())
		if fill := level.FillValue(); fill[0] != 7 {
			t.Errorf("fill value %v", fill)
		}
	}
	if want := [][]int{{3, 101, 150}, {3, 51, 75}, {3, 26, 38}, {3, 13, 19}}; fmt.Sprint(sizes) != fmt.Sprint(want) {
		t.Errorf("levels are %v", sizes)
	}
	full, err := g.Array(ctx, "0")
	jobtest.Check(t, err)
	if !bytes.Equal(memory(t, full).Data, memory(t, a).Data) {
		t.Error("other values")
	}
	half, err := g.Array(ctx, "1")
	jobtest.Check(t, err)
	v, w := memory(t, a), memory(t, half)
	sum := int(v.At(1, 4, 6)[0]) + int(v.At(1, 4, 7)[0]) + int(v.At(1, 5, 6)[0]) + int(v.At(1, 5, 7)[0])
	if got := int(w.At(1, 2, 3)[0]); got < (sum-3)/4 || got > (sum+4)/4 {
		t.Errorf("the mean of four pixels with the sum %d is %d", sum, got)
	}
	if code := string(g.Attributes().Raw("proj:code")); code != `"EPSG:32633"` {
		t.Errorf("proj:code is %s", code)
	}
	if tr := string(g.Attributes().Raw("spatial:transform")); tr != "[20, 0, 500000, 0, -20, 5000000]" {
		t.Errorf("spatial:transform is %s", tr)
	}
}

func TestJPEGIsCloseToItsSource(t *testing.T) {
	for _, names := range [][]string{{"y", "x", "s"}, {"y", "x", "z"}} {
		a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{50, 61, 3}, DataType: "uint8", DimensionNames: names})
		jobtest.Check(t, err)
		v := nd.Make(1, a.Shape()...)
		for i := range v.Data {
			v.Data[i] = byte(40*(i%3) + i/3%61 + i/183)
		}
		jobtest.Check(t, a.WriteFrom(ctx, zarr.All(), v))
		got := copied(t, a, copying.Options{Lossy: true, To: export.Format{Compression: "jpeg", Quality: 95}}).(*zarr.Array)
		if !strings.Contains(string(got.Metadata().Codecs[0].Configuration), `"compression": 7`) {
			t.Errorf("codec %s", got.Metadata().Codecs[0].Configuration)
		}
		w := memory(t, got).Permute([]int{1, 2, 0})
		for i := range v.Data {
			at := []int{i / 183, i / 3 % 61, i % 3}
			if d := int(v.Data[i]) - int(w.At(at...)[0]); d < -6 || d > 6 {
				t.Fatalf("%v: at %v %d became %d", names, at, v.Data[i], w.At(at...)[0])
			}
		}
	}
}

func TestTheSameCopyHasTheSameBytes(t *testing.T) {
	a := picture(t, zarr.ArraySpec{Shape: thorough.Of([]int{3, 130, 200}, []int{5, 200, 300}), DataType: "uint16", Chunks: []int{2, 64, 64}})
	for _, cog := range []bool{false, true} {
		src := zarr.Node(a)
		if cog {
			src = picture(t, zarr.ArraySpec{Shape: thorough.Of([]int{200, 260}, []int{300, 400}), DataType: "float32"})
		}
		var files [][]byte
		for _, workers := range []int{1, 3, 8} {
			path := filepath.Join(t.TempDir(), "out.tif")
			jobtest.Check(t, jobtest.Err(copying.Copy(ctx, src, path, copying.Options{To: export.Format{COG: cog, Overviews: true}, Workers: workers, Chunks: []int{64, 64}})))
			b, err := os.ReadFile(path)
			jobtest.Check(t, err)
			files = append(files, b)
		}
		if !bytes.Equal(files[0], files[1]) || !bytes.Equal(files[0], files[2]) {
			t.Errorf("COG %v: the bytes depend on the workers", cog)
		}
	}
}

func TestAnInterruptedFileIsNotThere(t *testing.T) {
	a := picture(t, zarr.ArraySpec{Shape: []int{6, 64, 64}, DataType: "uint8"})
	dir := t.TempDir()
	path := filepath.Join(dir, "out.tif")
	some, cancel := context.WithCancel(ctx)
	_, err := copying.Copy(some, a, path, copying.Options{To: export.Format{}, Memory: 4 * 64 * 64, Progress: func(p job.Progress) {
		if p.Done == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if n, err := zarr.Open(ctx, path); !errors.Is(err, zarr.ErrUnfinished) {
		t.Errorf("%v, %v", n, err)
	}
	// What is left of another file is no use.
	jobtest.Check(t, os.Remove(filepath.Join(dir, ".out.tif.omnizarr-tiles")))
	jobtest.Check(t, os.WriteFile(filepath.Join(dir, ".out.tif.omnizarr-unfinished"), make([]byte, 1<<16), 0o666))
	if n, err := zarr.Open(ctx, path); !errors.Is(err, zarr.ErrUnfinished) {
		t.Errorf("%v, %v", n, err)
	}
	sum, err := copying.Copy(ctx, a, path, copying.Options{To: export.Format{}})
	if err != nil || !sum.Anew || sum.Already {
		t.Errorf("%+v, %v", sum, err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%v is left", files)
	}
	first, err := os.ReadFile(path)
	jobtest.Check(t, err)
	// The same copy again is there already; another one is refused.
	if sum, err := copying.Copy(ctx, a, path, copying.Options{To: export.Format{}}); err != nil || !sum.Already {
		t.Errorf("%+v, %v", sum, err)
	}
	for _, other := range []export.Format{{COG: true}, {Compression: "lzw"}, {BigTIFF: true}} {
		if _, err := copying.Copy(ctx, a, path, copying.Options{To: other}); err == nil || !other.COG && !errors.Is(err, copying.ErrNotEmpty) {
			t.Errorf("%v: got %v", other, err)
		}
	}
	if b, err := os.ReadFile(path); err != nil || !bytes.Equal(b, first) {
		t.Errorf("the file has changed, %v", err)
	}
	jobtest.Check(t, jobtest.Err(copying.Copy(ctx, a, path, copying.Options{To: export.Format{BigTIFF: true}, Overwrite: true})))
	if b, err := os.ReadFile(path); err != nil || b[2] != 43 {
		t.Errorf("no BigTIFF: %v", err)
	}
}

func TestNumbersAreConvertedOnTheWayToTIFF(t *testing.T) {
	a := picture(t, zarr.ArraySpec{Shape: []int{20, 30}, DataType: "uint8"})
	got := copied(t, a, copying.Options{To: export.Format{}, DataType: "float32"}).(*zarr.Array)
	v, err := zarr.Read[float32](ctx, got, zarr.All())
	jobtest.Check(t, err)
	if want := float32(memory(t, a).At(3, 4)[0]); v.At(3, 4) != want {
		t.Errorf("%v instead of %v", v.At(3, 4), want)
	}
}

func TestWhatNoTIFFCanHold(t *testing.T) {
	for want, c := range map[string]struct {
		spec zarr.ArraySpec
		opts copying.Options
	}{
		"TIFF has no samples of type int4":   {zarr.ArraySpec{Shape: []int{4, 4}, DataType: "int4"}, copying.Options{To: export.Format{}}},
		"TIFF has no samples of type string": {zarr.ArraySpec{Shape: []int{4, 4}, DataType: "string"}, copying.Options{To: export.Format{}}},
		"has no elements":                    {zarr.ArraySpec{Shape: []int{4, 0}, DataType: "uint8"}, copying.Options{To: export.Format{}}},
		"a COG holds one image":              {zarr.ArraySpec{Shape: []int{2, 3, 4, 4}, DataType: "uint8"}, copying.Options{To: export.Format{COG: true}}},
		"JPEG in TIFF has unsigned samples":  {zarr.ArraySpec{Shape: []int{4, 4}, DataType: "uint16"}, copying.Options{To: export.Format{Compression: "jpeg"}}},
		`compression "brotli" is not known`:  {zarr.ArraySpec{Shape: []int{4, 4}, DataType: "uint8"}, copying.Options{To: export.Format{Compression: "brotli"}}},
		"predictor":                          {zarr.ArraySpec{Shape: []int{4, 4}, DataType: "uint8"}, copying.Options{To: export.Format{Predictor: 3}}},
		"larger than 256 MiB":                {zarr.ArraySpec{Shape: []int{4, 4}, DataType: "uint8"}, copying.Options{To: export.Format{}, Chunks: []int{1 << 20, 1 << 20}}},
		"tiles have a height and a width":    {zarr.ArraySpec{Shape: []int{4, 4}, DataType: "uint8"}, copying.Options{To: export.Format{}, Chunks: []int{64}}},
		"only lzw, deflate, zstd and lzma":   {zarr.ArraySpec{Shape: []int{4, 4}, DataType: "uint8"}, copying.Options{To: export.Format{Compression: "none", Predictor: 2}}},
		"has no shards":                      {zarr.ArraySpec{Shape: []int{4, 4}, DataType: "uint8"}, copying.Options{To: export.Format{}, Shards: []int{4, 4}}},
		`resampling "cubic" is not known`:    {zarr.ArraySpec{Shape: []int{4, 4}, DataType: "uint8"}, copying.Options{To: export.Format{COG: true, Resampling: "cubic"}}},
		"only numbers are converted":         {zarr.ArraySpec{Shape: []int{4, 4}, DataType: "complex64"}, copying.Options{To: export.Format{}, DataType: "int8"}},
	} {
		a, err := zarr.CreateArrayIn(ctx, mem.New(), "", c.spec)
		jobtest.Check(t, err)
		path := filepath.Join(t.TempDir(), "out.tif")
		if _, err := copying.Copy(ctx, a, path, c.opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: there is a file", want)
		}
	}
	a := picture(t, zarr.ArraySpec{Shape: []int{4, 4}, DataType: "uint8"})
	if _, err := copying.Copy(ctx, a, "https://example.org/x.tif", copying.Options{To: export.Format{}}); err == nil || !strings.Contains(err.Error(), "a path on this machine") {
		t.Errorf("got %v", err)
	}
	if _, err := copying.Into(ctx, a, mem.New(), "", copying.Options{To: export.Format{COG: true}}); err == nil {
		t.Error("a store took a COG")
	}
}
