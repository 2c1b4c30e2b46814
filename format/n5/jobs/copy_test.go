package jobs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/format/n5/jobs"
	"github.com/omnizarr/zarr/format/ngff"
	zarr2jobs "github.com/omnizarr/zarr/format/zarr2/jobs"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/job/virtual"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

// open opens a node of a store.
func open[N zarr.Node](t testing.TB, s store.Store, path string, opts ...zarr.Option) N {
	t.Helper()
	n, err := zarr.OpenStore(ctx, s, path, opts...)
	jobtest.Check(t, err)
	return n.(N)
}

// pattern makes an array whose elements are all different, as far as their type
// can be, and leaves its first chunk unwritten.
func pattern(t testing.TB, spec zarr.ArraySpec) (*zarr.Array, store.Store) {
	t.Helper()
	s := mem.New()
	a, err := zarr.CreateArrayIn(ctx, s, "", spec)
	jobtest.Check(t, err)
	v := nd.Make(a.DataType().Size(), spec.Shape...)
	for i := range v.Data {
		v.Data[i] = byte(i*7 + i>>8)
	}
	if a.DataType().Kind() == dtype.Float { // no signalling NaN
		for i, size := 0, a.DataType().Size(); i < len(v.Data); i += size {
			clear(v.Data[i : i+size])
			v.Data[i+size-2] = byte(i / size)
		}
	}
	jobtest.Check(t, a.WriteFrom(ctx, zarr.All(), v))
	jobtest.Check(t, a.DeleteChunk(ctx, make([]int, len(spec.Shape))...))
	return a, s
}

// attributesJSON decodes the document of a dataset.
func attributesJSON(t testing.TB, s store.Store, path string) map[string]json.RawMessage {
	t.Helper()
	raw, _, err := s.Get(ctx, strings.TrimPrefix(path+"/attributes.json", "/"), store.All(), nil)
	jobtest.Check(t, err)
	doc := map[string]json.RawMessage{}
	jobtest.Check(t, json.Unmarshal(raw, &doc))
	return doc
}

// values are the bytes of the elements, also of text.
func values(t testing.TB, a *zarr.Array) (out []byte) {
	t.Helper()
	for v, err := range a.Stream(ctx, zarr.All(), 100) {
		jobtest.Check(t, err)
		if len(a.DataType().Refs()) == 0 {
			out = append(out, v.Data...)
			continue
		}
		for i := range v.Len() {
			out, err = a.DataType().AppendValue(out, v.At(i), v.Heap.Blobs())
			jobtest.Check(t, err)
		}
	}
	return out
}

func sameElements(t *testing.T, what string, a, b *zarr.Array) {
	t.Helper()
	if !slices.Equal(a.Shape(), b.Shape()) || a.DataType().Name() != b.DataType().Name() {
		t.Errorf("%s: %v %s, want %v %s", what, a.Shape(), a.DataType().Name(), b.Shape(), b.DataType().Name())
	} else if !bytes.Equal(values(t, a), values(t, b)) {
		t.Errorf("%s: elements differ", what)
	}
}

func TestCopyToN5AndBack(t *testing.T) {
	shapes := [][]int{{13}, {11, 7}, {5, 6, 7}, {3, 4, 5, 2}}
	for i, typ := range []string{"uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64"} {
		for _, shape := range thorough.Of(shapes[i%4:i%4+1], shapes[i%3:i%3+2]) {
			src, _ := pattern(t, zarr.ArraySpec{Shape: shape, Chunks: slices.Repeat([]int{3}, len(shape)), DataType: typ})
			for k, c := range []struct {
				jobs.Copy
				chunks []int
			}{{}, {Copy: jobs.Copy{Reversed: true}}, {Copy: jobs.Copy{PadEdges: true}}, {jobs.Copy{Reversed: true}, slices.Repeat([]int{2}, len(shape))}} {
				if thorough.Least(k != i%4, false, false) {
					continue
				}
				what := fmt.Sprintf("%s %v reversed %t", typ, shape, c.Reversed)
				var open []zarr.Option
				if c.Reversed {
					open = append(open, zarr.With(n5.Reversed))
				}
				dst := mem.New()
				jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, dst, "", copying.Options{To: c.Format(), Chunks: c.chunks})))
				n, err := zarr.OpenStore(ctx, dst, "", open...)
				jobtest.Check(t, err)
				if n.Format() != "n5" {
					t.Errorf("%s: format %s", what, n.Format())
				}
				sameElements(t, what, n.(*zarr.Array), src)
				formats := []copying.Format{copying.Zarr3(), zarr2jobs.Format(), jobs.Copy{Reversed: c.Reversed}.Format()}
				for _, format := range thorough.Of(formats[(i+k)%3:(i+k)%3+1], formats) { // every type to each of them
					back := mem.New()
					jobtest.Check(t, jobtest.Err(copying.Into(ctx, n, back, "", copying.Options{To: format})))
					again, err := zarr.OpenStore(ctx, back, "", open...)
					jobtest.Check(t, err)
					sameElements(t, what+" back to "+format.Name(), again.(*zarr.Array), src)
					if text, _ := again.(*zarr.Array).Metadata().Marshal(); format.Name() == "zarr3" && bytes.Contains(text, []byte("n5_default")) {
						t.Errorf("%s: back with codecs %s", what, text)
					}
				}
			}
		}
	}
}

func TestCopyToN5KeepsCompressionThatN5Has(t *testing.T) {
	for codecs, want := range map[string]string{
		`[{"name":"bytes","configuration":{"endian":"little"}}]`:                                                                                                                `{"type":"raw"}`,
		`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"gzip","configuration":{"level":3}}]`:                                                                    `{"type":"gzip","useZlib":false,"level":3}`,
		`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.zlib","configuration":{"level":3}}]`:                                                          `{"type":"gzip","useZlib":true,"level":3}`,
		`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.bz2","configuration":{"level":4}}]`:                                                           `{"type":"bzip2","blockSize":4}`,
		`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.lzma","configuration":{"format":1,"check":4,"preset":2,"filters":null}}]`:                     `{"type":"xz","preset":2}`,
		`[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"big"}},{"name":"zstd","configuration":{"level":7,"checksum":false}}]`: `{"type":"zstd","level":7}`,
		`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"lz4","clevel":4,"shuffle":"bitshuffle","typesize":4,"blocksize":0}}]`:  `{"type":"blosc","cname":"lz4","clevel":4,"shuffle":2,"blocksize":0}`,
		`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"omnizarr.lz4_block","configuration":{"block_size":128}}]`:                                               `{"type":"lz4","blockSize":128}`,
		`[{"name":"n5_default","configuration":{"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"big"}}]}}]`:           `{"type":"raw"}`,
		// Frames say themselves that they have a checksum.
		`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"zstd","configuration":{"level":7,"checksum":true}}]`: `{"type":"zstd","level":7}`,
		// What N5 cannot say gives way to what is usual.
		`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"gzip","configuration":{"level":3}},{"name":"crc32c"}]`: `{"type":"zstd","level":3}`,
		`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.lz4","configuration":{"acceleration":1}}]`:   `{"type":"zstd","level":3}`,
	} {
		src, _ := pattern(t, zarr.ArraySpec{Shape: []int{9, 7}, Chunks: []int{4, 4}, DataType: "uint16", Codecs: json.RawMessage(codecs)})
		whole := mem.New()
		opts := copying.Options{To: jobs.Copy{}.Format()}
		jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, whole, "", opts)))
		if got := string(attributesJSON(t, whole, "")["compression"]); got != want {
			t.Errorf("%s: compression %s, want %s", codecs, got, want)
		}
		sameElements(t, codecs, open[*zarr.Array](t, whole, ""), src)
		// Going on, it writes the same bytes.
		again := mem.New()
		some, cancel := context.WithCancel(ctx)
		begun := opts
		begun.Workers, begun.Progress = 1, func(job.Progress) { cancel() }
		if _, err := copying.Into(some, src, again, "", begun); err == nil {
			t.Error("the copy was not interrupted")
		}
		jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, again, "", opts)))
		jobtest.Same(t, jobtest.Content(t, again), jobtest.Content(t, whole))
	}
}

func TestCopyOfAHierarchyToN5(t *testing.T) {
	g, _ := jobtest.Sample(t) // fill value -1, shards, text
	dst := mem.New()
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, g, dst, "", copying.Options{To: jobs.Copy{}.Format()})))
	if v := attributesJSON(t, dst, "")["n5"]; string(v) != `"4.0.0"` {
		t.Errorf("version %s", v)
	}
	for path, dims := range map[string]string{"plane": "[10,7]", "deep/volume": "[5,5,5]", "deep/words": "[5]"} {
		doc := attributesJSON(t, dst, path)
		if string(doc["dimensions"]) != dims {
			t.Errorf("%s: dimensions %s", path, doc["dimensions"])
		}
		src, err := g.Array(ctx, path)
		jobtest.Check(t, err)
		sameElements(t, path, open[*zarr.Array](t, dst, path), src)
	}
	if got := string(attributesJSON(t, dst, "deep/volume")["blockSize"]); got != "[2,2,2]" {
		t.Errorf("blocks of shards: %s", got)
	}
	plane := open[*zarr.Array](t, dst, "plane")
	if got := plane.DimensionNames(); !slices.Equal(got, []string{"y", ""}) {
		t.Errorf("names %q", got)
	}
	if r := verified(t, open[*zarr.Group](t, dst, "")); !r.OK || r.Arrays != 3 {
		t.Errorf("got %+v", r)
	}
	// The same copy again, and one that is something else.
	before := jobtest.Content(t, dst)
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, g, dst, "", copying.Options{To: jobs.Copy{}.Format()})))
	jobtest.Same(t, jobtest.Content(t, dst), before)
	if _, err := copying.Into(ctx, g, dst, "", copying.Options{To: jobs.Copy{Reversed: true}.Format()}); err == nil {
		t.Error("a reversed copy went into one that is not")
	}
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, g, dst, "", copying.Options{To: copying.Zarr3(), Overwrite: true})))
	if _, ok := jobtest.Content(t, dst)["plane/attributes.json"]; ok {
		t.Error("the old copy is still there")
	}
}

func TestCopyToN5WritesOutAFillValue(t *testing.T) {
	for _, c := range []struct{ typ, to, fill string }{
		{"int16", "", "-1"}, {"float32", "", `"NaN"`}, {"float64", "", "-0.0"}, {"int16", "float32", "5"}, {"bool", "uint8", "true"}, {"string", "", `"none"`},
	} {
		s := mem.New()
		src, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{Shape: []int{7, 5}, Chunks: []int{3, 3}, DataType: c.typ, FillValue: json.RawMessage(c.fill)})
		jobtest.Check(t, err)
		dst, want := mem.New(), mem.New()
		jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, dst, "", copying.Options{To: jobs.Copy{}.Format(), DataType: c.to})))
		jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, want, "", copying.Options{DataType: c.to})))
		if n := len(jobtest.Content(t, dst)); n != 1+6 {
			t.Errorf("%+v: %d files", c, n)
		}
		sameElements(t, fmt.Sprint(c), open[*zarr.Array](t, dst, ""), open[*zarr.Array](t, want, ""))
	}
}

func TestCopyToN5SaysWhatN5Lacks(t *testing.T) {
	regular := []int{4, 4}
	for want, c := range map[string]struct {
		spec zarr.ArraySpec
		opts copying.Options
	}{
		"no data type bool in N5":                           {spec: zarr.ArraySpec{Shape: regular, DataType: "bool"}},
		"(--data-type)":                                     {spec: zarr.ArraySpec{Shape: regular, DataType: "int4"}},
		"no data type complex64 in N5":                      {spec: zarr.ArraySpec{Shape: regular, DataType: "complex64"}},
		"no arrays without dimensions in N5":                {spec: zarr.ArraySpec{Shape: []int{}, DataType: "int8"}},
		"no shards in N5":                                   {spec: zarr.ArraySpec{Shape: regular, DataType: "int8"}, opts: copying.Options{Shards: regular}},
		"chunks or shards [4] for an array":                 {spec: zarr.ArraySpec{Shape: regular, DataType: "int8"}, opts: copying.Options{Chunks: []int{4}}},
		"N5 has no compression for the codec numcodecs.lz4": {spec: zarr.ArraySpec{Shape: regular, DataType: "int8"}, opts: copying.Options{Codecs: json.RawMessage(`["bytes",{"name":"numcodecs.lz4","configuration":{"acceleration":1}}]`)}},
	} {
		src, err := zarr.CreateArrayIn(ctx, mem.New(), "", c.spec)
		jobtest.Check(t, err)
		dst := mem.New()
		c.opts.To = jobs.Copy{}.Format()
		if _, err := copying.Into(ctx, src, dst, "", c.opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if len(jobtest.Content(t, dst)) != 0 {
			t.Errorf("%s: something was written", want)
		}
	}
}

func TestCopyOfOtherGridsAndBytesToN5(t *testing.T) {
	grid := `{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[1,2,3],[4]]}}`
	src, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{6, 4}, DataType: "int16", Grid: json.RawMessage(grid)})
	jobtest.Check(t, err)
	jobtest.Check(t, zarr.Write(ctx, src, zarr.All(), jobtest.Count[int16](24)))
	dst := mem.New()
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, dst, "", copying.Options{To: jobs.Copy{}.Format()})))
	sameElements(t, "rectilinear", open[*zarr.Array](t, dst, ""), src)

	objects, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{3}, DataType: "variable_length_bytes"})
	jobtest.Check(t, err)
	jobtest.Check(t, zarr.Write(ctx, objects, zarr.All(), [][]byte{[]byte("eins"), nil, {0, 1, 2}}))
	dst = mem.New()
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, objects, dst, "", copying.Options{To: jobs.Copy{}.Format()})))
	got, err := zarr.Read[[]byte](ctx, open[*zarr.Array](t, dst, ""), zarr.All())
	jobtest.Check(t, err)
	if !slices.EqualFunc(got.Data, [][]byte{[]byte("eins"), nil, {0, 1, 2}}, bytes.Equal) {
		t.Errorf("got %q", got.Data)
	}
}

func TestReversedCopies(t *testing.T) {
	src, _ := pattern(t, zarr.ArraySpec{Shape: []int{5, 6, 7}, Chunks: []int{2, 3, 4}, DataType: "uint16", DimensionNames: []string{"z", "y", "x"}})
	dst := mem.New()
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, dst, "", copying.Options{To: jobs.Copy{Reversed: true}.Format()})))
	doc := attributesJSON(t, dst, "")
	if string(doc["dimensions"]) != "[7,6,5]" || string(doc["blockSize"]) != "[4,3,2]" || string(doc["axes"]) != `["x","y","z"]` {
		t.Errorf("got %s", doc)
	}
	plain := open[*zarr.Array](t, dst, "")
	x, err := zarr.Read[uint16](ctx, plain, zarr.All())
	jobtest.Check(t, err)
	z, err := zarr.Read[uint16](ctx, src, zarr.All())
	jobtest.Check(t, err)
	if x.At(6, 4, 3) != z.At(3, 4, 6) || !slices.Equal(plain.DimensionNames(), []string{"x", "y", "z"}) {
		t.Error("dimensions are not those of the source the other way round")
	}
	// From N5 to N5 both ways are the same.
	for _, reversed := range []bool{false, true} {
		var opts []zarr.Option
		if reversed {
			opts = append(opts, zarr.With(n5.Reversed))
		}
		again := mem.New()
		jobtest.Check(t, jobtest.Err(copying.Into(ctx, open[*zarr.Array](t, dst, "", opts...), again, "", copying.Options{To: jobs.Copy{Reversed: reversed}.Format()})))
		jobtest.Same(t, jobtest.Content(t, again), jobtest.Content(t, dst))
	}
}

func TestCopyPadsEdgesOfN5(t *testing.T) {
	src, _ := pattern(t, zarr.ArraySpec{Shape: []int{5}, Chunks: []int{3}, DataType: "uint8", Codecs: json.RawMessage(`["bytes"]`)})
	for padded, size := range map[bool]int{false: 8 + 2, true: 8 + 3} {
		dst := mem.New()
		jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, dst, "", copying.Options{To: jobs.Copy{PadEdges: padded}.Format()})))
		if got := len(jobtest.Content(t, dst)["1"]); got != size {
			t.Errorf("padded %t: %d bytes, want %d", padded, got, size)
		}
	}
}

func TestLevelsOfImagesInN5(t *testing.T) {
	s := mem.New()
	g, err := zarr.CreateGroupIn(ctx, s, "image")
	jobtest.Check(t, err)
	image, err := ngff.Attributes(ngff.Multiscales{
		Axes: []ngff.Axis{{Name: "z", Type: "space", Unit: "micrometer"}, {Name: "y", Type: "space", Unit: "micrometer"}, {Name: "x", Type: "space", Unit: "micrometer"}},
		Levels: []ngff.Level{
			{Path: "s0", Scale: []float64{2, 0.5, 0.25}},
			{Path: "s1", Scale: []float64{2, 1, 0.5}, Translation: []float64{0, 0.25, 0.125}},
		},
	})
	jobtest.Check(t, err)
	attrs := &meta.Attributes{}
	jobtest.Check(t, attrs.Set("ome", image))
	jobtest.Check(t, g.SetAttributes(ctx, attrs))
	for i, path := range []string{"s0", "s1"} {
		_, err := g.CreateArray(ctx, path, zarr.ArraySpec{Shape: []int{4, 8 >> i, 8 >> i}, DataType: "uint8"})
		jobtest.Check(t, err)
	}
	root := open[*zarr.Group](t, s, "", zarr.ImplicitGroup())
	for _, reversed := range []bool{false, true} {
		dst := mem.New()
		jobtest.Check(t, jobtest.Err(copying.Into(ctx, root, dst, "", copying.Options{To: jobs.Copy{Reversed: reversed}.Format()})))
		doc := attributesJSON(t, dst, "image/s1")
		want := map[string]string{
			"axes": `["z","y","x"]`, "resolution": "[2,1,0.5]", "downsamplingFactors": "[1,2,2]",
			"pixelResolution": `{"unit":"um","dimensions":[2,0.5,0.25]}`,
		}
		if reversed {
			want = map[string]string{
				"axes": `["x","y","z"]`, "resolution": "[0.5,1,2]", "downsamplingFactors": "[2,2,1]",
				"pixelResolution": `{"unit":"um","dimensions":[0.25,0.5,2]}`,
			}
		}
		for name, text := range want {
			if string(doc[name]) != text {
				t.Errorf("reversed %t: %s is %s, want %s", reversed, name, doc[name], text)
			}
		}
		opts := []zarr.Option{}
		if reversed {
			opts = append(opts, zarr.With(n5.Reversed))
		}
		if open[*zarr.Group](t, dst, "image", opts...).Attributes().Raw("ome") == nil {
			t.Errorf("reversed %t: the image is lost", reversed)
		}
		// Through Zarr and into the other order; what is said there already stays.
		back, turned := mem.New(), mem.New()
		jobtest.Check(t, jobtest.Err(copying.Into(ctx, open[*zarr.Group](t, dst, "", opts...), back, "", copying.Options{})))
		jobtest.Check(t, jobtest.Err(copying.Into(ctx, open[*zarr.Group](t, back, ""), turned, "", copying.Options{To: jobs.Copy{Reversed: !reversed}.Format()})))
		first := string(attributesJSON(t, dst, "image/s1")["resolution"])
		if got := string(attributesJSON(t, turned, "image/s1")["resolution"]); got == first || len(got) != len(first) {
			t.Errorf("reversed %t: resolution %s, in the other order %s", reversed, first, got)
		}
	}
}

func TestVirtualCopyOfAReversedView(t *testing.T) {
	src, _ := pattern(t, zarr.ArraySpec{Shape: []int{5, 6, 7}, Chunks: []int{2, 3, 4}, DataType: "uint16"})
	dir := t.TempDir()
	jobtest.Check(t, jobtest.Err(copying.Copy(ctx, src, dir+"/a.n5", copying.Options{To: jobs.Copy{Reversed: true}.Format()})))
	n, err := zarr.Open(ctx, dir+"/a.n5", zarr.With(n5.Reversed))
	jobtest.Check(t, err)
	defer n.Close()
	for _, name := range []string{"/a.zarr", "/a.json"} {
		jobtest.Check(t, virtual.Write(ctx, n, dir+name, virtual.Options{}))
		v, err := zarr.Open(ctx, dir+name)
		jobtest.Check(t, err)
		sameElements(t, name, v.(*zarr.Array), src)
		if name := v.(*zarr.Array).Metadata().Keys.Name(); name != "v2" {
			t.Errorf("keys %s", name)
		}
		jobtest.Check(t, v.Close())
	}
}

// verified reads and decodes everything.
func verified(t testing.TB, n zarr.Node) check.Report {
	t.Helper()
	r, err := check.Verify(ctx, n, check.VerifyOptions{})
	jobtest.Check(t, err)
	return r
}
