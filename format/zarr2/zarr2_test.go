package zarr2_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/format/zarr2"
	"github.com/omnizarr/zarr/format/zarr3"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
	"github.com/omnizarr/zarr/store/storetest"
)

var ctx = context.Background()

var formats = format.NewRegistry(zarr3.Describe(), zarr2.Describe())

// either shows nodes of both versions.
func either(s store.Store) *translate.Store { return formats.Open(s, "", format.Env{}) }

// documents are .zarray members and what they are in Zarr v3; those of the first
// column that are not given are as in base.
var documents = []struct {
	name, v2 string
	v3       string // data_type, fill_value, codecs
	oneWay   bool   // is spelled otherwise when it is written again
}{
	{"plain", `"dtype":"<i4"`, `"int32" 0 [{"name":"bytes","configuration":{"endian":"little"}}]`, false},
	{"big", `"dtype":">i4"`, `"int32" 0 [{"name":"bytes","configuration":{"endian":"big"}}]`, false},
	{"bytes", `"dtype":"|u1","fill_value":7`, `"uint8" 7 [{"name":"bytes"}]`, false},
	{"fortran", `"dtype":"<f8","order":"F","fill_value":"NaN"`, `"float64" "NaN" [{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"little"}}]`, false},
	{"null fill", `"dtype":"<i4","fill_value":null`, `"int32" 0 [{"name":"bytes","configuration":{"endian":"little"}}]`, true},
	{"float for int", `"dtype":"<i4","fill_value":5.0`, `"int32" 5 [{"name":"bytes","configuration":{"endian":"little"}}]`, true},
	{"bool by number", `"dtype":"|b1","fill_value":1`, `"bool" true [{"name":"bytes"}]`, true},
	{"blosc", `"dtype":"<i2","compressor":{"id":"blosc","cname":"zstd","clevel":3,"shuffle":2,"blocksize":0}`,
		`"int16" 0 [{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"zstd","clevel":3,"shuffle":"bitshuffle","typesize":2,"blocksize":0}}]`, false},
	{"blosc automatic", `"dtype":"|u1","compressor":{"id":"blosc","shuffle":-1}`,
		`"uint8" 0 [{"name":"bytes"},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"bitshuffle","typesize":1,"blocksize":0}}]`, true},
	{"zstd", `"dtype":"|u1","compressor":{"id":"zstd","level":1}`,
		`"uint8" 0 [{"name":"bytes"},{"name":"zstd","configuration":{"level":1,"checksum":false}}]`, false},
	{"gzip", `"dtype":"|u1","compressor":{"id":"gzip","level":9}`,
		`"uint8" 0 [{"name":"bytes"},{"name":"gzip","configuration":{"level":9}}]`, false},
	{"zlib", `"dtype":"|u1","compressor":{"id":"zlib","level":1}`,
		`"uint8" 0 [{"name":"bytes"},{"name":"numcodecs.zlib","configuration":{"level":1}}]`, false},
	{"unknown", `"dtype":"|u1","compressor":{"id":"own","x":[1]}`,
		`"uint8" 0 [{"name":"bytes"},{"name":"numcodecs.own","configuration":{"x":[1]}}]`, true},
	{"delta", `"dtype":"<i4","filters":[{"id":"delta","dtype":"<i4","astype":">i2"}],"compressor":{"id":"zlib","level":1}`,
		`"int32" 0 [{"name":"numcodecs.delta","configuration":{"dtype":"<i4","astype":">i2"}},{"name":"bytes","configuration":{"endian":"big"}},{"name":"numcodecs.zlib","configuration":{"level":1}}]`, false},
	{"byte filters", `"dtype":"<i4","filters":[{"id":"shuffle","elementsize":4},{"id":"crc32c"}]`,
		`"int32" 0 [{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.shuffle","configuration":{"elementsize":4}},{"name":"crc32c"}]`, false},
	{"packbits", `"dtype":"|b1","fill_value":false,"filters":[{"id":"packbits"}]`, `"bool" false [{"name":"numcodecs.packbits","configuration":{}},{"name":"bytes"}]`, false},
	{"checksum behind", `"dtype":"|u1","filters":[{"id":"zlib","level":1}],"compressor":{"id":"adler32"}`,
		`"uint8" 0 [{"name":"bytes"},{"name":"numcodecs.zlib","configuration":{"level":1}},{"name":"numcodecs.adler32","configuration":{}}]`, false},
	{"text", `"dtype":"|O","fill_value":"","filters":[{"id":"vlen-utf8"}]`, `"string" "" [{"name":"vlen-utf8"}]`, false},
	{"objects", `"dtype":"|O","fill_value":0,"filters":[{"id":"json2","encoding":"utf-8"}]`,
		`"omnizarr.json" 0 [{"name":"numcodecs.json2","configuration":{"encoding":"utf-8"}}]`, false},
	{"lists", `"dtype":"|O","fill_value":null,"filters":[{"id":"vlen-array","dtype":"<i4"}]`,
		`{"name":"omnizarr.list","configuration":{"data_type":"int32"}} [] [{"name":"numcodecs.vlen-array","configuration":{"dtype":"<i4"}}]`, false},
	{"categories", `"dtype":"|O","fill_value":"","filters":[{"id":"categorize","labels":["a"],"dtype":"|O","astype":"|u1"}]`,
		`"string" "" [{"name":"numcodecs.categorize","configuration":{"labels":["a"],"dtype":"|O","astype":"|u1"}},{"name":"bytes"}]`, false},
	{"struct", `"dtype":[["a", ">i2"], ["b", "|u1"]],"fill_value":"AQIF"`,
		`{"name":"struct","configuration":{"fields":[{"name":"a","data_type":"int16"},{"name":"b","data_type":"uint8"}]}} {"a": 258, "b": 5} [{"name":"bytes","configuration":{"endian":"big"}}]`, false},
	{"mixed", `"dtype":[["a",">i2"],["b","<i2"]],"fill_value":"AQIDBA=="`,
		`{"name":"struct","configuration":{"fields":[{"name":"a","data_type":"int16"},{"name":"b","data_type":"int16"}]}} {"a": 258, "b": 1027} [{"name":"omnizarr.numpy","configuration":{"dtype":[["a",">i2"],["b","<i2"]]}}]`, false},
	{"level in quotes", `"dtype":"|u1","compressor":{"id":"zlib","level":"5"}`,
		`"uint8" 0 [{"name":"bytes"},{"name":"numcodecs.zlib","configuration":{"level":5}}]`, true},
	{"default level", `"dtype":"|u1","compressor":{"id":"gzip","level":-1}`,
		`"uint8" 0 [{"name":"bytes"},{"name":"numcodecs.gzip","configuration":{"level":-1}}]`, false},
	{"empty chunk", `"dtype":"|u1","shape":[0,6],"chunks":[0,3]`, `"uint8" 0 [{"name":"bytes"}]`, true},
	{"negative zero", `"dtype":"<f4","fill_value":-0.0`, `"float32" -0.0 [{"name":"bytes","configuration":{"endian":"little"}}]`, false},
	{"blosc behind text", `"dtype":"|O","fill_value":"","filters":[{"id":"vlen-utf8"}],"compressor":{"id":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}`,
		`"string" "" [{"name":"vlen-utf8"},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":1,"blocksize":0}}]`, false},
	{"large integer", `"dtype":"<i8","fill_value":9007199254740993`, `"int64" 9007199254740993 [{"name":"bytes","configuration":{"endian":"little"}}]`, false},
	{"struct with objects", `"dtype":[["i", "<i4"], ["o", "|O"]],"fill_value":"gAVLAC4=","filters":[{"id":"pickle","protocol":5}]`,
		`{"name":"struct","configuration":{"fields":[{"name":"i","data_type":"int32"},{"name":"o","data_type":"omnizarr.json"}]}} {"i":0,"o":0} [{"name":"numcodecs.pickle","configuration":{"protocol":5}}]`, false},
	{"raw", `"dtype":"|V3","fill_value":"AQID"`, `{"name":"raw_bytes","configuration":{"length_bytes":3}} "AQID" [{"name":"bytes"}]`, false},
	{"fixed bytes", `"dtype":"|S3","fill_value":"YWI="`, `{"name":"null_terminated_bytes","configuration":{"length_bytes":3}} "YWI=" [{"name":"bytes"}]`, true},
	{"complex", `"dtype":"<c8","fill_value":[1.5, "NaN"]`, `"complex64" [1.5, "NaN"] [{"name":"bytes","configuration":{"endian":"little"}}]`, false},
	{"time", `"dtype":"<M8[s]","fill_value":-9223372036854775808`,
		`{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}} "NaT" [{"name":"bytes","configuration":{"endian":"little"}}]`, false},
}

// whole adds the members that every .zarray has.
func whole(t *testing.T, members string) []byte {
	t.Helper()
	doc := map[string]json.RawMessage{}
	for _, text := range []string{
		`{"zarr_format":2,"shape":[5,6],"chunks":[2,3],"compressor":null,"fill_value":0,"order":"C","filters":null,"dimension_separator":"."}`,
		`{` + members + `}`,
	} {
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
	}
	return plain(t, doc)
}

// plain spells JSON without escapes that it does not ask for.
func plain(t *testing.T, v any) []byte {
	t.Helper()
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(text.Bytes())
}

func TestArraysAreReadAsZarr3AndWrittenAgain(t *testing.T) {
	for _, c := range documents {
		t.Run(c.name, func(t *testing.T) {
			zarray := whole(t, c.v2)
			m, err := zarr2.ParseArray(zarray, nil)
			if err != nil {
				t.Fatal(err)
			}
			typ, _ := m.DataType.MarshalJSON()
			codecs := plain(t, m.Codecs)
			if got := fmt.Sprintf("%s %s %s", typ, m.FillValue, codecs); got != c.v3 {
				t.Errorf("got\n%s, want\n%s", got, c.v3)
			}
			doc, err := m.Marshal()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := meta.Parse(doc, meta.Registry{}); err != nil {
				t.Errorf("%v in\n%s", err, doc)
			}
			again, _, err := zarr2.MarshalArray(m)
			if err != nil {
				t.Fatal(err)
			}
			if !c.oneWay && !sameJSON(t, again, zarray) {
				t.Errorf("written again it is\n%s, want\n%s", again, zarray)
			}
			second, err := zarr2.ParseArray(again, nil)
			if err != nil {
				t.Fatal(err)
			}
			if text, _ := second.Marshal(); !bytes.Equal(text, doc) {
				t.Errorf("read again it is\n%s, want\n%s", text, doc)
			}
		})
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(x) == fmt.Sprint(y)
}

func TestBrokenArraysAreRefused(t *testing.T) {
	for members, want := range map[string]string{
		`"zarr_format":3`: "zarr_format", `"zarr_format":"2"`: "zarr_format", `"dtype":"<i4","shape":[1]`: "chunks: 2 dimensions", `"dtype":"<i4","shape":[-1,2]`: "shape",
		`"dtype":"<i4","chunks":[0,1]`: "chunks", `"shape":[1]`: "missing member", `"dtype":"i4"`: "dtype", `"dtype":"|O"`: "dtype: object array without", `"dtype":"|O","filters":[{"id":"delta","dtype":"<i4"}]`: "does not say how",
		`"dtype":"<i4","fill_value":"NaN"`: "fill_value", `"dtype":"<i4","fill_value":3000000000`: "fill_value", `"dtype":"<i4","order":"X"`: "order",
		`"dtype":">i4","filters":[{"id":"delta","dtype":"<i4"}]`: "byte order", `"dtype":"<i4","filters":[{"id":"astype","encode_dtype":"<i2","decode_dtype":">i4"}]`: "byte order",
		`"dtype":"<i4","fill_value":5.5`: "fill_value", `"dtype":"<i4","fill_value":1e300`: "fill_value",
		`"dtype":"<i4","filters":{}`: "filters", `"dtype":"<i4","filters":[{}]`: `missing member "id"`, `"dtype":"<i4","compressor":[]`: "compressor",
		`"dtype":"<i4","dimension_separator":"-"`: "dimension_separator", `"dtype":"<i4","filters":[{"id":"delta","dtype":"?"}]`: "filter delta",
		`"dtype":"<i4","compressor":{"id":"blosc","shuffle":9}`: "shuffle", `"dtype":[["a","|O"]]`: "no filter says how",
		`"dtype":[["a","<i4"]],"fill_value":"AQ=="`: "fill_value", `"dtype":"|V3","fill_value":"AQIDBA=="`: "fill_value",
	} {
		if _, err := zarr2.ParseArray(whole(t, members), nil); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), ".zarray") {
			t.Errorf("%s: got %v, want %s", members, err, want)
		}
	}
	for _, doc := range []string{`{"zarr_format":2}`, `[]`, ``, `{`} {
		if _, err := zarr2.ParseArray([]byte(doc), nil); err == nil {
			t.Errorf("%q was taken", doc)
		}
	}
	if _, err := zarr2.ParseArray(whole(t, `"dtype":"<i4"`), []byte(`[1]`)); err == nil || !strings.Contains(err.Error(), ".zattrs") {
		t.Errorf("got %v", err)
	}
}

func TestWhatZarr2CannotSayIsRefused(t *testing.T) {
	for changed, want := range map[string]string{
		`"chunk_key_encoding":{"name":"default"}`:                                                          "chunk keys",
		`"chunk_grid":{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[2,3],[6]]}}`: "regular chunks",
		`"codecs":[{"name":"transpose","configuration":{"order":[0,1]}},"bytes","crc32c","gzip","pad"]`:    `no codec "pad"`,
		`"codecs":["packbits"]`: `no codec "packbits"`,
		`"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[1,1],"codecs":["bytes"],"index_codecs":["bytes"]}}]`: `no codec "sharding_indexed"`,
		`"data_type":"uint4"`:                             "no data type uint4",
		`"data_type":"float32","fill_value":"0x7fc00001"`: "0x7fc00001",
		`"extra":{"must_understand":false}`:               `no member "extra"`,
	} {
		doc := map[string]json.RawMessage{}
		for _, text := range []string{`{"zarr_format":3,"node_type":"array","shape":[5,6],"data_type":"uint8","fill_value":0,"codecs":["bytes"],
			"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,3]}},"chunk_key_encoding":{"name":"v2"}}`, `{` + changed + `}`} {
			if err := json.Unmarshal([]byte(text), &doc); err != nil {
				t.Fatal(err)
			}
		}
		text, _ := json.Marshal(doc)
		m, err := meta.Parse(text, meta.Registry{})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := zarr2.MarshalArray(m.(*meta.Array)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", changed, err, want)
		}
	}
}

func TestDimensionNamesOfXarray(t *testing.T) {
	m, err := zarr2.ParseArray(whole(t, `"dtype":"<i4"`), []byte(`{"x":NaN,"_ARRAY_DIMENSIONS":["t","y"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.DimensionNames) != 2 || *m.DimensionNames[0] != "t" {
		t.Errorf("names %v", m.DimensionNames)
	}
	m.Attributes.Delete("_ARRAY_DIMENSIONS")
	_, zattrs, err := zarr2.MarshalArray(m)
	if err != nil || !strings.Contains(string(zattrs), "_ARRAY_DIMENSIONS") || !strings.Contains(string(zattrs), "NaN") {
		t.Errorf("%s, %v", zattrs, err)
	}
}

func TestAStoreOfZarr2IsAStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store {
		return either(mem.New())
	})
}

func put(t *testing.T, s store.Store, key, text string) {
	t.Helper()
	if _, err := s.Put(ctx, key, []byte(text), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, s store.Store, key string) string {
	t.Helper()
	text, _, err := s.Get(ctx, key, store.All(), nil)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func keys(t *testing.T, s store.Store, prefix, delimiter string) string {
	t.Helper()
	var out []string
	for e, err := range s.List(ctx, prefix, delimiter) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e.Key)
	}
	if !slices.IsSorted(out) {
		t.Errorf("not sorted: %v", out)
	}
	return strings.Join(out, " ")
}

const group2 = `{"zarr_format":2}`

func TestBothFormatsInOneStore(t *testing.T) {
	inner := mem.New()
	array := string(whole(t, `"dtype":"<i4"`))
	put(t, inner, ".zgroup", group2)
	put(t, inner, "a/.zarray", array)
	put(t, inner, "a/0.0", "chunk")
	put(t, inner, "both/.zgroup", group2)
	put(t, inner, "both/zarr.json", `{"zarr_format":3,"node_type":"group","attributes":{"three":3}}`)
	put(t, inner, "zz/.zarray", array)
	both, only := either(inner), formats.Open(inner, zarr2.Format, format.Env{})
	if got := get(t, both, "both/zarr.json"); !strings.Contains(got, "three") {
		t.Errorf("either: %s", got)
	}
	if got := get(t, only, "both/zarr.json"); strings.Contains(got, "three") || !strings.Contains(got, "group") {
		t.Errorf("only: %s", got)
	}
	for _, s := range []store.Store{both, only} {
		if got, want := keys(t, s, "", ""), "a/0.0 a/zarr.json both/zarr.json zarr.json zz/zarr.json"; got != want {
			t.Errorf("keys %s, want %s", got, want)
		}
		if got, want := keys(t, s, "", "/"), "a/ both/ zarr.json zz/"; got != want {
			t.Errorf("keys %s, want %s", got, want)
		}
		if got, want := keys(t, s, "a/", "/"), "a/0.0 a/zarr.json"; got != want {
			t.Errorf("keys %s, want %s", got, want)
		}
	}
	// A new node is what the group above it is.
	put(t, both, "both/new/zarr.json", `{"zarr_format":3,"node_type":"group"}`)
	put(t, both, "new/zarr.json", `{"zarr_format":3,"node_type":"group","attributes":{"x":1}}`)
	if got := keys(t, inner, "both/new/", "") + " " + keys(t, inner, "new/", ""); got != "both/new/zarr.json new/.zattrs new/.zgroup" {
		t.Errorf("keys %s", got)
	}
	if err := both.Delete(ctx, "new/zarr.json"); err != nil || keys(t, inner, "new/", "") != "" {
		t.Errorf("%v, left %s", err, keys(t, inner, "new/", ""))
	}
}

func TestWhatStaysIsNotWrittenAnew(t *testing.T) {
	inner := mem.New()
	own := strings.Replace(string(whole(t, `"dtype":"<i4","fill_value":null`)), "{", `{"_own":{"x":[1]},`, 1)
	put(t, inner, "a/.zarray", own)
	put(t, inner, "a/.zattrs", "{}")
	s := either(inner)
	put(t, s, "a/zarr.json", strings.Replace(get(t, s, "a/zarr.json"), `"attributes": {}`, `"attributes": {"n": 1}`, 1))
	if get(t, inner, "a/.zarray") != own {
		t.Errorf("changed: %s", get(t, inner, "a/.zarray"))
	}
	if got := get(t, inner, "a/.zattrs"); !strings.Contains(got, `"n": 1`) {
		t.Errorf("attributes: %s", got)
	}
	doc := get(t, s, "a/zarr.json")
	put(t, s, "a/zarr.json", strings.Replace(doc, "5", "9", 1))
	got := get(t, inner, "a/.zarray")
	if !strings.Contains(got, `"_own"`) || !strings.Contains(got, `"fill_value": null`) || !strings.Contains(strings.Join(strings.Fields(got), ""), `"shape":[9,6]`) {
		t.Errorf("resized: %s", got)
	}
}

func TestOtherChunksAreWritten(t *testing.T) {
	inner := mem.New()
	put(t, inner, ".zarray", string(whole(t, `"dtype":"<i4"`)))
	s := formats.Open(inner, zarr2.Format, format.Env{})
	for was, now := range map[string]string{`"chunk_shape": [2, 3]`: `"chunk_shape": [4, 3]`, `"fill_value": 0`: `"fill_value": 9`} {
		put(t, s, "zarr.json", strings.Replace(get(t, s, "zarr.json"), was, now, 1))
		if got := get(t, s, "zarr.json"); !strings.Contains(got, now) {
			t.Errorf("no %s in %s", now, got)
		}
	}
}

func TestConsolidatingKeepsDocumentsAsTheyAre(t *testing.T) {
	inner := mem.New()
	put(t, inner, ".zgroup", `{"zarr_format":2,"_nczarr_group":{"x":1}}`)
	put(t, inner, "a/.zarray", strings.Replace(string(whole(t, `"dtype":"<i4","fill_value":null`)), "{", `{"_nczarr_array":[1],`, 1))
	s := either(inner)
	a, _, err := s.Node(ctx, "a", true)
	if err != nil {
		t.Fatal(err)
	}
	g := &meta.Group{}
	if g.Consolidated, err = meta.NewConsolidated(map[string]meta.Node{"a": a}); err != nil {
		t.Fatal(err)
	}
	if err := s.PutNode(ctx, "", g, zarr2.Format, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	// Then an attribute of the group, by one who read the consolidated metadata.
	n, info, err := s.Node(ctx, "", true)
	if err != nil || info.Format != zarr2.Format {
		t.Fatal(err)
	}
	if err := n.Attrs().Set("title", "x"); err != nil {
		t.Fatal(err)
	}
	if err := s.PutNode(ctx, "", n, zarr2.Format, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(get(t, inner, ".zmetadata")), "")
	for _, want := range []string{`"_nczarr_group"`, `"_nczarr_array"`, `"fill_value":null`, `"title":"x"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	// A node that cannot be read is an error of its own.
	put(t, inner, ".zmetadata", strings.Replace(get(t, inner, ".zmetadata"), `"<i4"`, `"<f16"`, 1))
	if n, _, err = s.Node(ctx, "", true); err != nil {
		t.Fatal(err)
	}
	if _, err := n.(*meta.Group).Consolidated.Get("a"); err == nil || !strings.Contains(err.Error(), "<f16") {
		t.Errorf("got %v", err)
	}
}

func TestFewBytesDoNotBecomeMany(t *testing.T) {
	zarray := whole(t, `"dtype":[["a","|u1",[4000,4000]]],"fill_value":null`)
	m, err := zarr2.ParseArray(zarray, nil)
	if err != nil || len(m.FillValue) > 32<<20 {
		t.Errorf("%d bytes, %v", len(m.FillValue), err)
	}
}

func TestConsolidatedMetadata(t *testing.T) {
	inner := mem.New()
	put(t, inner, ".zgroup", group2)
	put(t, inner, ".zmetadata", `{"zarr_consolidated_format":1,"metadata":{".zgroup":`+group2+`,"../x/.zarray":`+string(whole(t, `"dtype":"<i4"`))+
		`,"a/.zarray":`+string(whole(t, `"dtype":"<i4"`))+`,"a/.zattrs":{"nan":NaN},"g/.zgroup":`+group2+`}}`)
	s := either(inner)
	n, err := meta.Parse([]byte(get(t, s, "zarr.json")), meta.Registry{})
	if err != nil {
		t.Fatal(err)
	}
	g := n.(*meta.Group)
	if got := slices.Collect(g.Consolidated.Paths("")); !slices.Equal(got, []string{"a", "g"}) {
		t.Errorf("nodes %v", got)
	}
	if err := g.Attrs().Set("title", "x"); err != nil {
		t.Fatal(err)
	}
	text, err := g.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, "zarr.json", string(text))
	got := get(t, inner, ".zmetadata")
	for _, want := range []string{`"a/.zarray"`, `"a/.zattrs"`, `NaN`, `"g/.zgroup"`, `"title": "x"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if strings.Contains(got, "../x") {
		t.Errorf("a path that is none was written: %s", got)
	}
	// One that cannot be read counts as none, and stays.
	for i, bad := range []string{``, `{`, `{}`, `{"zarr_consolidated_format":2,"metadata":{}}`, `{"zarr_consolidated_format":1}`, `7`} {
		put(t, inner, ".zmetadata", bad)
		if _, err := zarr2.ParseConsolidated([]byte(bad)); err == nil || !strings.Contains(err.Error(), ".zmetadata") {
			t.Errorf("%s: %v", bad, err)
		}
		if got := get(t, s, "zarr.json"); !strings.Contains(got, `"group"`) || strings.Contains(got, "consolidated") {
			t.Errorf("%s: %s", bad, got)
		}
		put(t, s, "zarr.json", `{"zarr_format":3,"node_type":"group","attributes":{"bad":`+strconv.Itoa(i)+`}}`)
		if get(t, inner, ".zmetadata") != bad {
			t.Errorf("%s was changed", bad)
		}
	}
}

func TestWritesAreConditional(t *testing.T) {
	s := formats.Open(mem.New(), zarr2.Format, format.Env{})
	doc := []byte(`{"zarr_format":3,"node_type":"group","attributes":{"a":1}}`)
	if _, err := s.Put(ctx, "g/zarr.json", doc, store.PutOptions{IfAbsent: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(ctx, "g/zarr.json", doc, store.PutOptions{IfAbsent: true}); !errors.Is(err, store.ErrPrecondition) {
		t.Errorf("got %v", err)
	}
	_, info, err := s.Get(ctx, "g/zarr.json", store.All(), nil)
	if err != nil || info.Format != zarr2.Format {
		t.Fatalf("%+v, %v", info, err)
	}
	change := []byte(`{"zarr_format":3,"node_type":"group","attributes":{"a":2}}`)
	if _, err := s.Put(ctx, "g/zarr.json", change, store.PutOptions{IfMatch: info.ETag}); err != nil {
		t.Fatal(err)
	}
	if info.ETag == "" {
		t.Error("no tag")
	} else {
		if _, err := s.Put(ctx, "g/zarr.json", doc, store.PutOptions{IfMatch: info.ETag}); !errors.Is(err, store.ErrPrecondition) {
			t.Errorf("got %v", err)
		}
	}
}

func TestAttributesOfAnotherAreNotLost(t *testing.T) {
	inner := mem.New()
	put(t, inner, ".zgroup", group2)
	s := formats.Open(inner, zarr2.Format, format.Env{})
	n, info, err := s.Node(ctx, "", false)
	if err != nil {
		t.Fatal(err)
	}
	put(t, inner, ".zattrs", `{"keep":"me"}`)
	if err := s.PutNode(ctx, "", n, zarr2.Format, store.PutOptions{IfMatch: info.ETag}); !errors.Is(err, store.ErrPrecondition) {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(get(t, inner, ".zattrs"), "me") {
		t.Error(get(t, inner, ".zattrs"))
	}
}

func FuzzParseArray(f *testing.F) {
	for _, c := range documents {
		f.Add([]byte(`{"zarr_format":2,"shape":[5,6],"chunks":[2,3],"compressor":null,"fill_value":0,"order":"C","filters":null,` + c.v2 + `}`))
	}
	f.Add([]byte(`{"zarr_format":2,"shape":[1],"chunks":[1],"fill_value":0,"order":"C","dtype":"<i2","compressor":{"id":"x","a":"007","b":"+7","c":"-0","d":"7"}}`))
	fuzzlong.Fuzz(f, func(t *testing.T, doc []byte) {
		m, err := zarr2.ParseArray(doc, nil)
		if err != nil {
			return
		}
		text, err := m.Marshal()
		if err != nil {
			t.Fatalf("no document for %s: %v", doc, err)
		}
		if _, err := meta.Parse(text, meta.Registry{}); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		zarray, _, err := zarr2.MarshalArray(m)
		if err != nil {
			return
		}
		again, err := zarr2.ParseArray(zarray, nil)
		if err != nil {
			t.Fatalf("%v in %s", err, zarray)
		}
		if second, _ := again.Marshal(); !bytes.Equal(text, second) {
			t.Fatalf("%s\nbecame %s\nthen %s", doc, text, second)
		}
	})
}

func ExampleParseArray() {
	m, err := zarr2.ParseArray([]byte(`{"zarr_format": 2, "shape": [100, 100], "chunks": [10, 10], "dtype": ">u2",
		"order": "F", "fill_value": 0, "filters": null, "compressor": {"id": "zlib", "level": 1}}`), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range m.Codecs {
		fmt.Println(c.Name, string(c.Configuration))
	}
	// Output:
	// transpose {"order":[1,0]}
	// bytes {"endian":"big"}
	// numcodecs.zlib {"level":1}
}
