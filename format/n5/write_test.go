package n5_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// files are those below a folder by name.
func files(t testing.TB, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		out[filepath.ToSlash(name)] = string(data)
		return err
	})
	check(t, err)
	return out
}

// Datasets without compression that are read and written again have the same
// files as those of their writers: cut blocks as Java's, whole ones as
// tensorstore's. Others have the same headers and elements.
func TestWrittenAsOthersWrite(t *testing.T) {
	all := expectations(t)
	for _, name := range []string{"java.n5", "tensorstore.n5"} {
		folder := unpack(t, name)
		same, like := 0, map[string]int{}
		paths := slices.Sorted(maps.Keys(all[name].Arrays))
		for i, path := range paths {
			want := all[name].Arrays[path]
			if want.Mode != nil || want.Edges == "padded with zeros to full block size" {
				continue
			}
			if like[want.Compress.Type]++; like[want.Compress.Type]%2 == 0 && want.Compress.Type != "raw" && !thorough.Enabled {
				continue
			}
			src := openArray(t, folder+"/"+path)
			var opts []zarr.Option
			if name == "tensorstore.n5" {
				opts = append(opts, zarr.With(n5.PadEdges))
			}
			for _, more := range [][]zarr.Option{nil, {zarr.With(n5.Reversed)}} {
				src := src
				if more != nil {
					if i%thorough.Step(4) != 0 {
						continue
					}
					src = openArray(t, folder+"/"+path, zarr.With(n5.Reversed))
				}
				codecs, err := json.Marshal(src.Metadata().Codecs)
				check(t, err)
				out := filepath.Join(t.TempDir(), "copy.n5")
				dst, err := zarr.CreateArray(ctx, out, zarr.ArraySpec{
					Shape: src.Shape(), Chunks: src.Metadata().Grid.Uniform(), DataType: want.Dtype, Codecs: codecs,
				}, slices.Concat(opts, more)...)
				if err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				check(t, dst.WriteFrom(ctx, zarr.All(), nd.Of(read(t, src, zarr.All()), src.DataType().Size(), src.Shape()...)))
				check(t, dst.Close())
				got, theirs := files(t, out), files(t, filepath.Join(folder, filepath.FromSlash(path)))
				delete(got, "attributes.json")
				delete(theirs, "attributes.json")
				header := 4 + 4*len(want.Shape)
				for key, block := range theirs {
					if len(got[key]) < header || got[key][:header] != block[:header] || want.Compress.Type == "raw" && got[key] != block {
						t.Errorf("%s %s: block %s is % x, want % x", name, path, key, got[key], block)
					}
				}
				if len(got) != len(theirs) {
					t.Errorf("%s %s: blocks %q, want %q", name, path, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(theirs)))
				}
				if want.Compress.Type == "raw" && more == nil {
					same++
				}
				if again := openArray(t, out); sum(read(t, again, zarr.All())) != want.Sha256 {
					t.Errorf("%s %s: elements differ", name, path)
				}
			}
		}
		if same < 5 {
			t.Errorf("%s: only %d datasets without compression", name, same)
		}
	}
}

// What an N5 program finds in attributes.json, and what comes back.
func TestAttributesAreWrittenAsJavaDoes(t *testing.T) {
	s := mem.New()
	g, err := zarr.CreateGroupIn(ctx, s, "", zarr.As("n5"))
	check(t, err)
	a, err := g.CreateArray(ctx, "deep/set", zarr.ArraySpec{
		Shape: []int{5, 4}, Chunks: []int{2, 3}, DataType: "uint16", DimensionNames: []string{"x", "y"},
		Codecs: json.RawMessage(`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"gzip","configuration":{"level":4}}]`),
	})
	check(t, err)
	for key, want := range map[string]string{
		"attributes.json":          `{"n5":"4.0.0"}`,
		"deep/attributes.json":     `{}`,
		"deep/set/attributes.json": `{"dataType":"uint16","compression":{"type":"gzip","useZlib":false,"level":4},"blockSize":[2,3],"dimensions":[5,4],"axes":["x","y"]}`,
	} {
		if got := value(s, key); got != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
	if value(s, "deep/set/zarr.json") != "" || a.Format() != "n5" {
		t.Error("the dataset is Zarr")
	}
	attrs := a.Attributes()
	for name, raw := range map[string]string{"units": `"K"`, "dimensions": `[1]`, "note": `{"a": NaN}`, "resolution": `[1,2.5]`} {
		check(t, attrs.Set(name, json.RawMessage(raw)))
	}
	check(t, a.SetAttributes(ctx, attrs))
	text := value(s, "deep/set/attributes.json")
	for _, part := range []string{`"dimensions":[5,4]`, `"resolution":[1,2.5]`, `"note":{"a": NaN}`, `"omnizarr_attributes":{`, `"axes":["x","y"]`} {
		if !strings.Contains(text, part) {
			t.Errorf("%s lacks %s", text, part)
		}
	}
	if strings.Contains(text, `,"units":"K"`) && !strings.Contains(text, `{"units":"K"`) && !strings.Contains(text, `[1],"units":"K"`) {
		t.Errorf("%s has units that tensorstore cannot read", text)
	}
	again, err := zarr.OpenStore(ctx, s, "deep/set")
	check(t, err)
	for _, name := range []string{"units", "dimensions", "note", "resolution"} {
		if got, want := string(again.Attributes().Raw(name)), string(attrs.Raw(name)); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	// What others said of the compression stays.
	spelled := strings.Replace(text, `"level":4`, `"level":4,"extra":1`, 1)
	_, err = s.Put(ctx, "deep/set/attributes.json", []byte(spelled), store.PutOptions{})
	check(t, err)
	other, err := zarr.OpenStore(ctx, s, "deep/set")
	check(t, err)
	check(t, other.(*zarr.Array).Resize(ctx, 9, 9))
	if text := value(s, "deep/set/attributes.json"); !strings.Contains(text, `"level":4,"extra":1`) || !strings.Contains(text, `"dimensions":[9,9]`) {
		t.Error(text)
	}
}

func TestWhatN5LacksIsRefused(t *testing.T) {
	for want, spec := range map[string]zarr.ArraySpec{
		"no data type bool in N5":                          {Shape: []int{4}, DataType: "bool"},
		"no data type complex64 in N5":                     {Shape: []int{4}, DataType: "complex64"},
		"no arrays without dimensions in N5":               {Shape: []int{}, DataType: "int8"},
		"the fill value is 7: a missing block":             {Shape: []int{4}, DataType: "int8", FillValue: json.RawMessage("7")},
		"no shards in N5":                                  {Shape: []int{4}, DataType: "int8", Chunks: []int{2}, Shards: []int{4}},
		"no grid rectilinear in N5":                        {Shape: []int{4}, DataType: "int8", Grid: json.RawMessage(`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[1,3]]}}`)},
		"N5 has no compression for the codec crc32c":       {Shape: []int{4}, DataType: "int8", Codecs: json.RawMessage(`["bytes","crc32c"]`)},
		"2 codecs behind bytes, N5 has at most one":        {Shape: []int{4}, DataType: "int8", Codecs: json.RawMessage(`["bytes","gzip","zstd"]`)},
		"no codec transpose in N5":                         {Shape: []int{4}, DataType: "int8", Codecs: json.RawMessage(`[{"name":"transpose","configuration":{"order":[0]}},"bytes"]`)},
		"chunks must be 1 long along every axis":           {Shape: []int{4}, Chunks: []int{2}, DataType: "variable_length_bytes"},
		`no chunk keys in N5 but those of the encoding v2`: {Shape: []int{4}, DataType: "int8", Keys: json.RawMessage(`"default"`)},
	} {
		s := mem.New()
		_, err := zarr.CreateArrayIn(ctx, s, "a", spec, zarr.As("n5"))
		wantError(t, err, "create array", want)
		for e := range s.List(ctx, "", "") {
			t.Errorf("%s: left %s", want, e.Key)
		}
	}
}

// Random writes and changes of shape through both views against memory.
func TestWritesOfParts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, pad := range []bool{false, true} {
		for _, codecs := range []string{"", `,"zstd"`, `,{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":2,"blocksize":0}}`} {
			s := mem.New()
			opts := []zarr.Option{zarr.As("n5")}
			if pad {
				opts = append(opts, zarr.With(n5.PadEdges))
			}
			shape := []int{7, 5, 6}
			a, err := zarr.CreateArrayIn(ctx, s, "set", zarr.ArraySpec{Shape: shape, Chunks: []int{3, 2, 4}, DataType: "uint16",
				Codecs: json.RawMessage(`[{"name":"bytes","configuration":{"endian":"big"}}` + codecs + `]`)}, opts...)
			check(t, err)
			n, err := zarr.OpenStore(ctx, s, "set", append(opts, zarr.With(n5.Reversed))...)
			check(t, err)
			back := n.(*zarr.Array)
			model := nd.Make(2, shape...)
			for step := range thorough.Of(30, 60) {
				if step%15 == 14 { // another shape; what is new is zero
					next := []int{1 + r.IntN(9), 1 + r.IntN(9), 1 + r.IntN(9)}
					check(t, a.Resize(ctx, next...))
					check(t, back.Refresh(ctx))
					grown := nd.Make(2, next...)
					common := nd.Box{Start: make([]int, 3), Shape: []int{min(next[0], shape[0]), min(next[1], shape[1]), min(next[2], shape[2])}}
					nd.Copy(grown.Box(common), model.Box(common))
					model, shape = grown, next
				}
				start, part := make([]int, 3), make([]int, 3)
				for i, n := range shape {
					start[i] = r.IntN(n)
					part[i] = 1 + r.IntN(n-start[i])
				}
				v := nd.Make(2, part...)
				for i := range v.Data {
					v.Data[i] = byte(r.IntN(3))
				}
				nd.Copy(model.Box(nd.Box{Start: start, Shape: part}), v)
				if step%2 == 0 {
					check(t, a.WriteFrom(ctx, zarr.Box(start, part), v))
				} else {
					check(t, back.WriteFrom(ctx, zarr.Box(reversed(start), reversed(part)), nd.Of(transposed(v), 2, reversed(part)...)))
				}
				if got := read(t, a, zarr.All()); !bytes.Equal(got, model.Data) {
					t.Fatalf("%s, step %d: elements differ", codecs, step)
				}
				if got := read(t, back, zarr.All()); !bytes.Equal(got, transposed(model)) {
					t.Fatalf("%s, step %d: reversed elements differ", codecs, step)
				}
			}
		}
	}
}

func TestTextAndObjectsAreWritten(t *testing.T) {
	s := mem.New()
	a, err := zarr.CreateArrayIn(ctx, s, "text", zarr.ArraySpec{Shape: []int{5}, Chunks: []int{3}, DataType: "string"}, zarr.As("n5"))
	check(t, err)
	want := []string{"alpha", "", "βeta", "x", "a\tb"}
	check(t, zarr.Write(ctx, a, zarr.All(), want))
	b, err := n5.ReadBlock(ctx, s, "text", 1)
	check(t, err)
	if b.Mode != n5.Varlength || string(b.Data) != "x\x00a\tb\x00" || b.Count != len(b.Data) || !slices.Equal(b.Shape, []int{2}) {
		t.Errorf("%+v", b)
	}
	o, err := zarr.CreateArrayIn(ctx, s, "objects", zarr.ArraySpec{Shape: []int{2}, Chunks: []int{1}, DataType: "variable_length_bytes"}, zarr.As("n5"))
	check(t, err)
	check(t, zarr.Write(ctx, o, zarr.All(), [][]byte{{1, 2, 3}, []byte("text")}))
	if text := value(s, "objects/attributes.json"); !strings.Contains(text, `"dataType":"object"`) {
		t.Error(text)
	}
	for i, want := range []string{"\x01\x02\x03", "text"} {
		b, err := n5.ReadBlock(ctx, s, "objects", i)
		check(t, err)
		if b.Mode != n5.Object || string(b.Data) != want {
			t.Errorf("%+v", b)
		}
	}
	_, err = n5.ReadBlock(ctx, s, "objects", 2)
	wantError(t, err, "objects/2")
	_, err = n5.ReadBlock(ctx, s, "objects", 0, 0)
	wantError(t, err, "an index of 2 numbers, the dataset has 1 dimensions")
	_, err = n5.ReadBlock(ctx, s, "none", 0)
	wantError(t, err, `there is no dataset "none"`)
}

func TestVarlengthBlocksOfJava(t *testing.T) {
	n, err := zarr.OpenGroup(ctx, "testdata/java.n5.zip", zarr.ReadOnly())
	check(t, err)
	defer n.Close()
	b, err := n5.ReadBlock(ctx, n.Store(), "modes/varlength_uint16", 0, 0)
	check(t, err)
	// The sum is over little-endian elements.
	data := slices.Clone(b.Data)
	for i := 0; i+1 < len(data); i += 2 {
		data[i], data[i+1] = data[i+1], data[i]
	}
	const want = "f08ae48f53cf78729199744b566342c15296ecdba8baa620b16bb788364cc6ab"
	if b.Mode != n5.Varlength || b.Count != 12 || !slices.Equal(b.Shape, []int{1, 1}) || sum(data) != want {
		t.Errorf("%+v", b)
	}
}

func ExampleReadBlock() {
	s := mem.New()
	put := func(key, value string) { s.Put(ctx, key, []byte(value), store.PutOptions{}) }
	put("labels/attributes.json", `{"dimensions":[64],"blockSize":[64],"dataType":"uint8","compression":{"type":"raw"}}`)
	put("labels/0", "\x00\x01\x00\x01\x00\x00\x00\x40\x00\x00\x00\x03abc")
	b, err := n5.ReadBlock(ctx, s, "labels", 0)
	fmt.Println(b.Mode == n5.Varlength, b.Shape, b.Count, string(b.Data), err)
	// Output: true [64] 3 abc <nil>
}

// A compression that N5 does not have stays as it is when the dataset changes.
func TestForeignCompressionsStay(t *testing.T) {
	for _, compression := range []string{`{"type":"lz4","id":"lz4","acceleration":2}`, `{"type":"brotli","quality":3}`, `{"type":"lzma","format":3,"check":0,"preset":null,"filters":[{"id":33,"preset":1}]}`} {
		s := inMemory(t, map[string]string{"set/attributes.json": dataset("uint16", compression)})
		n, err := zarr.OpenStore(ctx, s, "set")
		check(t, err)
		attrs := n.Attributes()
		check(t, attrs.Set("note", 1))
		check(t, n.SetAttributes(ctx, attrs))
		check(t, n.(*zarr.Array).Resize(ctx, 9, 9))
		if text := value(s, "set/attributes.json"); !strings.Contains(text, `"compression":`+compression) || !strings.Contains(text, `"dimensions":[9,9]`) || !strings.Contains(text, `"note":1`) {
			t.Error(text)
		}
		if strings.Contains(compression, "brotli") {
			continue
		}
		a := n.(*zarr.Array)
		check(t, zarr.Write(ctx, a, zarr.Slice("0:2,0"), []uint16{7, 8}))
		if got, err := zarr.Read[uint16](ctx, a, zarr.Slice("0:3,0")); err != nil || !slices.Equal(got.Data, []uint16{7, 8, 0}) {
			t.Errorf("%v, %v", got.Data, err)
		}
	}
}
