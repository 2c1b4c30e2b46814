package n5_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

func dataset(kind, compression string) string {
	return fmt.Sprintf(`{"dimensions":[8,6],"blockSize":[4,3],"dataType":%q,"compression":%s}`, kind, compression)
}

const (
	raw    = `{"type":"raw"}`
	header = "\x00\x00\x00\x02\x00\x00\x00\x04\x00\x00\x00\x03"
)

// Blocks that are not what they should be: the error names dataset and block, and
// what a block claims is not believed.
func TestBadBlocks(t *testing.T) {
	gzipped := "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
	for name, c := range map[string]struct{ kind, compression, block, want string }{
		"empty":               {"uint8", raw, "", "0 bytes are too few"},
		"short header":        {"uint8", raw, header[:7], "bytes are too few"},
		"one dimension":       {"uint8", raw, "\x00\x00\x00\x01\x00\x00\x00\x0c" + strings.Repeat("x", 12), "1 dimensions, the array has 2"},
		"many dimensions":     {"uint8", raw, "\x00\x00\xff\xff" + strings.Repeat("\x00\x00\x00\x01", 65535) + "x", "65535 dimensions"},
		"too few elements":    {"uint8", raw, header + "x", "1 bytes follow the header"},
		"too many elements":   {"uint16", raw, header + strings.Repeat("x", 25), "25 bytes follow the header"},
		"no length":           {"uint8", raw, "\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x03", "0 long"},
		"huge":                {"uint8", gzipOf(6), "\x00\x00\x00\x02\xff\xff\xff\xff\xff\xff\xff\xff" + gzipped, "the block has shape [4294967295 4294967295]"},
		"large":               {"uint8", gzipOf(6), "\x00\x00\x00\x02\x00\x01\x00\x00\x00\x01\x00\x00" + gzipped, "the block has shape [65536 65536]"},
		"varlength":           {"uint8", raw, "\x00\x01\x00\x02\x00\x00\x00\x04\x00\x00\x00\x03\xff\xff\xff\xffx", "mode 1 (varlength)"},
		"object":              {"uint8", raw, "\x00\x02\xff\xff\xff\xffx", "mode 2 (object)"},
		"unknown mode":        {"uint8", raw, "\x00\x03\x00\x02\x00\x00\x00\x04\x00\x00\x00\x03", "mode 3"},
		"cut gzip":            {"uint8", gzipOf(6), header + gzipped, "codec gzip"},
		"no zstd":             {"uint8", `{"type":"zstd"}`, header + "garbage", "codec zstd"},
		"no xz":               {"uint8", `{"type":"xz"}`, header + "garbage", "lzma"},
		"no bzip2":            {"uint8", `{"type":"bzip2"}`, header + "garbage", "bz2"},
		"no lz4":              {"uint8", `{"type":"lz4"}`, header + "garbage", "lz4"},
		"no blosc":            {"uint8", `{"type":"blosc"}`, header + "garbage", "codec blosc"},
		"no jpeg":             {"uint8", `{"type":"jpeg","quality":80}`, header + "garbage", "jpeg"},
		"unknown Blosc":       {"uint8", `{"type":"blosc","cname":"density"}`, header + "x", "n5.compression.blosc.density"},
		"unknown compression": {"uint8", `{"type":"brotli","quality":3}`, header + "x", "n5.compression.brotli"},
		"strings by default":  {"string", raw, header + strings.Repeat("x", 12), "mode 0 (default)"},
		"huge strings":        {"string", raw, "\x00\x01\x00\x02\x00\x00\x00\x04\x00\x00\x00\x03\xff\xff\xff\xffx\x00", "4294967295"},
		"few strings":         {"string", raw, "\x00\x01\x00\x02\x00\x00\x00\x04\x00\x00\x00\x03\x00\x00\x00\x04x\x00y\x00", "2 strings"},
		"no UTF-8":            {"string", raw, "\x00\x01\x00\x02\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x02\xff\x00", "UTF-8"},
		"huge object":         {"object", gzipOf(6), "\x00\x02\xff\xff\xff\xff" + gzipped, "codec"},
	} {
		t.Run(name, func(t *testing.T) {
			s := inMemory(t, map[string]string{"deep/set/attributes.json": dataset(c.kind, c.compression), "deep/set/1/1": c.block})
			n, err := zarr.OpenStore(ctx, s, "deep/set")
			check(t, err)
			a := n.(*zarr.Array)
			want := []string{"deep/set", c.want}
			if !strings.HasPrefix(name, "unknown ") || name == "unknown mode" { // which is said before any block is read
				want = append(want, "1/1")
			}
			v := nd.Make(a.DataType().Size(), a.Shape()...)
			v.Heap = &nd.Heap{}
			if used := memoryOf(func() { err = a.ReadInto(ctx, zarr.All(), v) }); used > 8<<20 {
				t.Errorf("%d bytes allocated", used)
			}
			wantError(t, err, want...)
			if used := memoryOf(func() { _, err = n5.ReadBlock(ctx, s, "deep/set", 1, 1) }); used > 8<<20 {
				t.Errorf("%d bytes allocated for the block", used)
			}
			if err != nil {
				wantError(t, err, "deep/set/1/1")
			}
		})
	}
}

func gzipOf(level int) string { return fmt.Sprintf(`{"type":"gzip","level":%d}`, level) }

// memoryOf is how many bytes f allocates.
func memoryOf(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Documents that are wrong: an error for that node, which names the member.
func TestBadDatasets(t *testing.T) {
	for text, want := range map[string]string{
		`{`:    "attributes.json",
		`[]`:   "attributes.json",
		`null`: "attributes.json",
		`{"dimensions":[4,-1],"dataType":"uint8"}`:                                                        "dimensions[1]",
		`{"dimensions":[],"dataType":"uint8"}`:                                                            "dimensions: must not be empty",
		`{"dimensions":"4","dataType":"uint8"}`:                                                           "dimensions",
		`{"dimensions":[4],"blockSize":[4,4],"dataType":"uint8"}`:                                         "blockSize: 2 lengths, the dataset has 1 dimensions",
		`{"dimensions":[4],"blockSize":[0],"dataType":"uint8"}`:                                           "blockSize",
		`{"dimensions":[4],"blockSize":[1.5],"dataType":"uint8"}`:                                         "blockSize",
		`{"dimensions":[4],"dataType":"float16"}`:                                                         `dataType: N5 has no type "float16"`,
		`{"dimensions":[4],"dataType":7}`:                                                                 "dataType",
		`{"dimensions":[4],"dataType":"uint8","compression":7}`:                                           "compression",
		`{"dimensions":[4],"dataType":"uint8","compression":{}}`:                                          "compression.type",
		`{"dimensions":[4],"dataType":"uint8","compression":{"type":"gzip","level":10}}`:                  "compression.level: 10, must be -1 to 9",
		`{"dimensions":[4],"dataType":"uint8","compression":{"type":"gzip","level":"x"}}`:                 "compression.level",
		`{"dimensions":[4],"dataType":"uint8","compression":{"type":"gzip","useZlib":1}}`:                 "compression.useZlib",
		`{"dimensions":[4],"dataType":"uint8","compression":{"type":"bzip2","blockSize":0}}`:              "compression.blockSize: 0, must be 1 to 9",
		`{"dimensions":[4],"dataType":"uint8","compression":{"type":"xz","preset":99}}`:                   "compression.preset",
		`{"dimensions":[4],"dataType":"uint8","compression":{"type":"zstd","level":1000}}`:                "compression.level",
		`{"dimensions":[4],"dataType":"uint8","compression":{"type":"lz4","blockSize":-5}}`:               "compression.blockSize",
		`{"dimensions":[4],"dataType":"uint8","compression":{"type":"blosc","shuffle":9}}`:                "compression.shuffle",
		`{"dimensions":[4],"dataType":"uint8","compression":{"type":"a b"}}`:                              `compression.type: "a b" is no name of a compression`,
		`{"dimensions":[4],"dataType":"uint8","compression":{"type":"jpeg","gamma":0}}`:                   "gamma",
		`{"dimensions":[4],"dataType":"uint8","compression":{"type":"jpeg","dataType":"string"}}`:         "data_type",
		`{"dimensions":[4],"dataType":"uint8","compressionType":["raw"]}`:                                 "compressionType.type",
		`{"dimensions":[` + strings.Repeat("1,", 99) + `1],"dataType":"uint8"}`:                           "dimensions",
		`{"dimensions":[4611686018427387904,4],"blockSize":[4611686018427387904,4],"dataType":"float64"}`: "a block of N5 is 1 to 4294967295 long",
	} {
		s := inMemory(t, map[string]string{"attributes.json": `{"n5":"2.5.1"}`, "set/attributes.json": text})
		_, err := zarr.OpenStore(ctx, s, "set", zarr.As("n5"))
		wantError(t, err, "open mem:/set", want)
	}
}

// A broken document is an error of its own node; others are found, also those
// below it.
func TestBrokenAttributesHideNothing(t *testing.T) {
	s := inMemory(t, map[string]string{
		"attributes.json":               `{"n5":"2.5.1"}`,
		"a/attributes.json":             dataset("uint8", raw),
		"broken/attributes.json":        `{"x":`,
		"broken/set/attributes.json":    dataset("uint8", raw),
		"broken/set/0/0":                header + "abcdefghijkl",
		"unknown/attributes.json":       dataset("uint7", raw),
		"unknown/0/0":                   header,
		"unknown/12/0":                  header,
		"z/deep/inside/attributes.json": dataset("int64", raw),
	})
	g, err := zarr.OpenStore(ctx, s, "")
	check(t, err)
	var seen []string
	for n, err := range g.(*zarr.Group).Walk(ctx) {
		if err != nil {
			seen = append(seen, "error")
			wantError(t, err, "attributes.json")
			continue
		}
		seen = append(seen, n.Path())
	}
	want := []string{"a", "error", "broken/set", "error", "z", "z/deep", "z/deep/inside"}
	if !slices.Equal(seen, want) {
		t.Errorf("%q", seen)
	}
}

// Without a name or a document at the root a container is found by what lies in
// it; a folder of something else is none.
func TestContainersAreFoundByLooking(t *testing.T) {
	for name, c := range map[string]struct {
		values map[string]string
		found  bool
	}{
		"group":        {map[string]string{"attributes.json": `{"resolution":[4,4,40]}`}, true},
		"dataset":      {map[string]string{"attributes.json": dataset("uint8", raw)}, true},
		"datasets":     {map[string]string{"a/b/c/attributes.json": dataset("uint8", raw)}, true},
		"too deep":     {map[string]string{"a/b/c/d/e/f/attributes.json": dataset("uint8", raw)}, false},
		"no JSON":      {map[string]string{"attributes.json": "text"}, false},
		"other files":  {map[string]string{"a/b.txt": "text", "c": "d"}, false},
		"nothing":      {nil, false},
		"zarr below":   {map[string]string{"attributes.json": `{"hello":1}`, "g/zarr.json": `{"zarr_format":3,"node_type":"group"}`}, false},
		"zarr":         {map[string]string{"zarr.json": `{"zarr_format":3,"node_type":"group"}`, "attributes.json": "{}"}, true},
		"zarr 2":       {map[string]string{".zgroup": `{"zarr_format":2}`, "attributes.json": "{}"}, true},
		"some of many": {many(), false},
	} {
		s := inMemory(t, c.values)
		n, err := zarr.OpenStore(ctx, s, "")
		if (err == nil) != c.found {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err == nil && (n.Format() == "n5") == strings.HasPrefix(name, "zarr") {
			t.Errorf("%s is %s", name, n.Format())
		}
	}
	for url, want := range map[string]bool{"/a/x.n5": true, "/a/x.n5/b/c": true, "file:///x.N5.zip/b": true, "http://h/x.n5|n5:a": true, "/a/n5": false, "/x.n5y": false, "/a.n5.b/c": false, "/x.n5/out.zarr": false, "/x.n5/a.zarr/b.n5/c": true} {
		if f := std.Registry().NamedIn(url); (f != nil && f.Name == n5.Format) != want {
			t.Errorf("%s: %v", url, !want)
		}
	}
}

func many() map[string]string {
	out := map[string]string{}
	for i := range 200 {
		out[fmt.Sprintf("f%03d/x", i)] = ""
	}
	out["z/attributes.json"] = dataset("uint8", raw)
	return out
}

func TestNewContainersByName(t *testing.T) {
	dir := t.TempDir()
	for url, want := range map[string]string{"/x.n5": "n5", "/y.n5/a/b": "n5", "/z.n5.zip": "n5", "/w|n5:": "n5", "/v.zarr": "zarr3"} {
		g, err := zarr.CreateGroup(ctx, dir+url)
		check(t, err)
		if g.Format() != want {
			t.Errorf("%s is %s", url, g.Format())
		}
		check(t, g.Close())
		again, err := zarr.Open(ctx, dir+url)
		check(t, err)
		if again.Format() != want {
			t.Errorf("%s is %s when it is opened", url, again.Format())
		}
		check(t, again.Close())
	}
	// What lies in a container is opened and made with all that is above it.
	a, err := zarr.CreateArray(ctx, dir+"/deep.n5/a/b", zarr.ArraySpec{Shape: []int{3}, DataType: "int16"})
	check(t, err)
	defer a.Close()
	again, err := zarr.Open(ctx, dir+"/deep.n5/a/b")
	check(t, err)
	defer again.Close()
	if a.Path() != "a/b" || again.Path() != "a/b" || !strings.HasSuffix(again.URL(), "/deep.n5/a/b") {
		t.Errorf("%s, %s, %s", a.Path(), again.Path(), again.URL())
	}
	for name, want := range map[string]string{"attributes.json": `{"n5":"4.0.0"}`, "a/attributes.json": `{}`} {
		if text, err := os.ReadFile(filepath.Join(dir, "deep.n5", name)); err != nil || string(text) != want {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
	g, err := zarr.CreateGroup(ctx, dir+"/three.n5", zarr.As("zarr3"))
	check(t, err)
	defer g.Close()
	if g.Format() != "zarr3" {
		t.Error(g.Format())
	}
}

// The store itself, as a server sees it.
func TestDocumentsAndListing(t *testing.T) {
	s := inMemory(t, map[string]string{
		"attributes.json": `{"n5":"4.0.0","a":1}`, "set/attributes.json": dataset("uint8", raw), "set/0/0": header, "set/zarr.json": "old", "z": "",
	})
	g, err := zarr.OpenStore(ctx, s, "", zarr.As("n5"))
	check(t, err)
	var keys []string
	for e, err := range g.Store().List(ctx, "", "") {
		check(t, err)
		keys = append(keys, e.Key)
	}
	if want := []string{"set/0/0", "set/zarr.json", "z", "zarr.json"}; !slices.Equal(keys, want) {
		t.Errorf("%q", keys)
	}
	if text := value(g.Store(), "zarr.json"); !strings.Contains(text, `"node_type": "group"`) || !strings.Contains(text, `"a": 1`) || strings.Contains(text, "4.0.0") {
		t.Error(text)
	}
	text := value(g.Store(), "set/zarr.json")
	_, err = g.Store().Put(ctx, "copy/zarr.json", []byte(text), store.PutOptions{})
	check(t, err)
	if got := value(s, "copy/attributes.json"); got != `{"dataType":"uint8","compression":{"type":"raw"},"blockSize":[4,3],"dimensions":[8,6]}` {
		t.Error(got)
	}
	check(t, g.Store().Delete(ctx, "copy/zarr.json"))
	if value(s, "copy/attributes.json") != "" {
		t.Error("the dataset is still there")
	}
}
