package jobs_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/ngff/jobs"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/kind/std"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store/file"
)

var update = flag.Bool("update", false, "write the golden files anew")

// open opens what a test made, or a fixture.
func open(t testing.TB, url string, opts ...zarr.Option) zarr.Node {
	t.Helper()
	n, err := zarr.Open(ctx, url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	return n
}

// pyramids copies a node with small chunks, so that there are several.
func pyramids(t testing.TB, src zarr.Node, p jobs.Pyramid, opts copying.Options) string {
	t.Helper()
	dst := filepath.Join(t.TempDir(), "out.zarr")
	if p.Describers == nil {
		p.Describers = kind.All[kind.Describer](std.Kinds())
	}
	if _, err := p.Copy(ctx, src, dst, opts); err != nil {
		t.Fatal(err)
	}
	return dst
}

// told is all that the nodes of a copy say, as JSON.
func told(t testing.TB, url string) []byte {
	t.Helper()
	groups, arrays, err := job.Nodes(ctx, open(t, url))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	for at, g := range groups {
		out[at] = map[string]any{"attributes": g.Attributes()}
	}
	for at, a := range arrays {
		out[at] = map[string]any{"attributes": a.Attributes(), "shape": a.Shape(), "data_type": a.DataType().Name(), "dimension_names": a.DimensionNames(),
			"chunks": a.ChunkShape(), "shards": a.ShardShape(), "keys": a.Metadata().Keys}
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// valid checks a copy by the rules of its metadata.
func valid(t testing.TB, url string) {
	t.Helper()
	s, err := file.Open(url, file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v, err := check.Validate(ctx, s, "", check.ValidateOptions{Rules: std.Kinds().Rules()})
	if err != nil || !v.OK || len(v.Warnings) > 0 {
		t.Errorf("%s: %+v, %v", url, v, err)
	}
}

// n5 makes a container with a dataset.
func n5(t testing.TB, attrs string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "em.n5")
	doc := `{"dimensions": [20, 18, 4], "blockSize": [8, 8, 4], "dataType": "uint8", "compression": {"type": "raw"}, ` + attrs + `}`
	if err := os.MkdirAll(filepath.Join(dir, "raw"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"attributes.json": `{"n5": "4.0.0"}`, "raw/attributes.json": doc} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What is said of the images of every kind of source, in both versions.
func TestMetadataOfEveryKindOfSource(t *testing.T) {
	tiff := func(name string) func(testing.TB) zarr.Node {
		return func(t testing.TB) zarr.Node { return open(t, filepath.Join("testdata", name)) }
	}
	for _, c := range []struct {
		name string
		src  func(testing.TB) zarr.Node
		p    jobs.Pyramid
		opts copying.Options
	}{
		{"plain", func(t testing.TB) zarr.Node {
			return numbers(t, zarr.ArraySpec{Shape: []int{3, 700, 40}, DataType: "uint16", Chunks: []int{1, 64, 40}, DimensionNames: []string{"time", "lat", "lon"}})
		}, jobs.Pyramid{Name: "plain"}, copying.Options{}},
		{"ome", tiff("ome.ome.tif"), jobs.Pyramid{Levels: 3}, copying.Options{}},
		{"imagej", tiff("imagej.tif"), jobs.Pyramid{Levels: 2, Name: "imagej"}, copying.Options{}},
		{"rgb", tiff("rgb.tif"), jobs.Pyramid{Levels: 2, Name: "rgb"}, copying.Options{}},
		{"several", tiff("several.ome.tif"), jobs.Pyramid{Levels: 2}, copying.Options{}},
		{"levels", tiff("levels.ome.tif"), jobs.Pyramid{Levels: 3, Method: "max"}, copying.Options{}},
		{"map", tiff("map.tif"), jobs.Pyramid{Levels: 2, Name: "map"}, copying.Options{Chunks: []int{8, 8}, Shards: []int{16, 16}}},
		{"n5", func(t testing.TB) zarr.Node {
			return open(t, n5(t, `"axes": ["x", "y", "z"], "units": ["nm", "nm", "nm"], "resolution": [4, 4, 40], "offset": [1, 2, 3]`)+"/raw")
		}, jobs.Pyramid{Levels: 2, Name: "em"}, copying.Options{}},
		{"labels", func(t testing.TB) zarr.Node {
			return numbers(t, zarr.ArraySpec{Shape: []int{40, 40}, DataType: "uint32", Chunks: []int{40, 40}})
		}, jobs.Pyramid{Levels: 2, Name: "cell-labels", Factors: []int{4}}, copying.Options{}},
	} {
		for _, version := range []string{"0.5", "0.4"} {
			t.Run(c.name+"-"+version, func(t *testing.T) {
				c.p.Version = version
				if version == "0.4" {
					c.opts.Shards = nil
				}
				dst := pyramids(t, c.src(t), c.p, c.opts)
				valid(t, dst)
				got := told(t, dst)
				golden := filepath.Join("testdata", c.name+"-"+version+".json")
				if *update {
					if err := os.WriteFile(golden, got, 0o666); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s", got)
				}
			})
		}
	}
}

// numbers makes an array that has some.
func numbers(t testing.TB, spec zarr.ArraySpec) *zarr.Array {
	t.Helper()
	a, err := zarr.CreateArray(ctx, filepath.Join(t.TempDir(), "src.zarr"), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	n := 1
	for _, length := range spec.Shape {
		n *= length
	}
	data := make([]float64, n)
	for i := range data {
		data[i] = float64(i * 7 % 100)
	}
	put(t, a, data)
	return a
}

// The OME-XML that an image came with is kept as it was.
func TestDocumentIsKept(t *testing.T) {
	src := open(t, filepath.Join("testdata", "several.ome.tif"))
	dst := pyramids(t, src, jobs.Pyramid{}, copying.Options{})
	got, err := os.ReadFile(filepath.Join(dst, "OME", "METADATA.ome.xml"))
	if err != nil || !strings.HasPrefix(string(got), "<?xml") || !strings.Contains(string(got), `Name="second"`) {
		t.Errorf("%q, %v", got, err)
	}
}

// What cannot be done is said before anything is made.
func TestRefusals(t *testing.T) {
	line := numbers(t, zarr.ArraySpec{Shape: []int{4}, DataType: "uint8", Chunks: []int{4}})
	odd := numbers(t, zarr.ArraySpec{Shape: []int{4, 4}, DataType: "uint8", Chunks: []int{4, 4}, DimensionNames: []string{"a", "b"}})
	plane := numbers(t, zarr.ArraySpec{Shape: []int{4, 4}, DataType: "float32", Chunks: []int{4, 4}})
	for _, c := range []struct {
		src  zarr.Node
		p    jobs.Pyramid
		opts copying.Options
		want string
	}{
		{line, jobs.Pyramid{}, copying.Options{}, "is no image"},
		{odd, jobs.Pyramid{}, copying.Options{}, "--axes says what they are"},
		{plane, jobs.Pyramid{Labels: true}, copying.Options{}, "labels are integers"},
		{plane, jobs.Pyramid{Levels: 9}, copying.Options{}, "one pixel after 3"},
		{plane, jobs.Pyramid{Factors: []int{1, 2, 2}}, copying.Options{}, "factors [1 2 2] for the axes y, x"},
		{plane, jobs.Pyramid{Method: "median"}, copying.Options{}, "must be one of"},
		{plane, jobs.Pyramid{}, copying.Options{Chunks: []int{1, 2, 3}}, "the image has the axes y, x"},
		{plane, jobs.Pyramid{}, copying.Options{DataType: "string"}, "only numbers"},
	} {
		dst := filepath.Join(t.TempDir(), "out.zarr")
		_, err := c.p.Copy(ctx, c.src, dst, c.opts)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.p, err, c.want)
		}
		if _, err := os.Stat(dst); err == nil {
			t.Errorf("%+v: something was made", c.p)
		}
	}
}

// put writes numbers into an array of any type.
func put(t testing.TB, a *zarr.Array, data []float64) {
	t.Helper()
	from, err := dtype.Lookup("float64")
	if err != nil {
		t.Fatal(err)
	}
	raw := make([]byte, 0, 8*len(data))
	for _, x := range data {
		raw = binary.NativeEndian.AppendUint64(raw, math.Float64bits(x))
	}
	v := nd.Make(a.DataType().Size(), a.Shape()...)
	if err := copying.Convert(a.DataType(), v, from, nd.Of(raw, 8, a.Shape()...)); err != nil {
		t.Fatal(err)
	}
	if err := a.WriteFrom(ctx, zarr.All(), v); err != nil {
		t.Fatal(err)
	}
}
