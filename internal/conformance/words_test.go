package conformance_test

import (
	"errors"
	"github.com/omnizarr/zarr/internal/thorough"
	"io/fs"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/wrongjson"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// Whatever stands in a document where something else must, the error speaks of
// JSON and of the member, not of Go.
func TestErrorsSpeakOfDocuments(t *testing.T) {
	const (
		head  = `{"zarr_format":3,"node_type":"array","shape":[4,6],"attributes":{"a":1},"dimension_names":["x",null],"storage_transformers":[],`
		plain = `"chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],`
		grid  = `"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,3]}},`
		rest  = `"data_type":"int16","fill_value":0}`
		v2    = `{"zarr_format":2,"shape":[4,6],"chunks":[2,3],"order":"C","dimension_separator":"/",`
		array = head + plain + grid + rest
	)
	for _, c := range []struct {
		key, doc string
		beside   map[string]string // other documents that the store has
		path     string
	}{
		{"zarr.json", array, nil, ""},
		{"zarr.json", head + plain + `"chunk_grid":{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[[2,2]],[1,5]]}},` + rest, nil, ""},
		{"zarr.json", head + grid + `"chunk_key_encoding":{"name":"zarrs.default_suffix","configuration":{"suffix":".x","separator":"/"}},"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],` +
			`"data_type":{"name":"struct","configuration":{"fields":[{"name":"p","data_type":"int8"},{"name":"q","data_type":{"name":"fixed_length_utf32","configuration":{"length_bytes":8}}}]}},"fill_value":{"p":1,"q":"ab"}}`, nil, ""},
		{"zarr.json", head + plain + grid + `"data_type":{"name":"numpy.datetime64","configuration":{"unit":"ns","scale_factor":1}},"fill_value":"NaT"}`, nil, ""},
		{"zarr.json", head + plain + grid + `"data_type":"complex64","fill_value":[1.5,"NaN"]}`, nil, ""},
		{"zarr.json", strings.Replace(array, `[]`, `[{"name":"omnizarr.references","configuration":{"manifest":"refs.json"}}]`, 1), map[string]string{"refs.json": `{"version":1,"refs":{}}`}, ""},
		{"refs.json", `{"version":1,"refs":{"c/0/0":"base64:AAECAwQFBgcICQoL"}}`,
			map[string]string{"zarr.json": strings.Replace(array, `[]`, `[{"name":"omnizarr.references","configuration":{"manifest":"refs.json"}}]`, 1)}, ""},
		{"zarr.json", `{"zarr_format":3,"node_type":"group","attributes":{},"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{"a":` + array + `}}}`, nil, "a"},
		{".zarray", v2 + `"dtype":"<i4","fill_value":0,"filters":[{"id":"delta","dtype":"<i4","astype":"<i2"}],"compressor":{"id":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}}`, nil, ""},
		{".zarray", v2 + `"dtype":[["a","<i2"],["b","|S3",[2]]],"fill_value":"AAAAAAAAAAA=","filters":null,"compressor":{"id":"zlib","level":1}}`, nil, ""},
		{".zarray", v2 + `"dtype":"|O","fill_value":"","filters":[{"id":"vlen-array","dtype":"<i4"}],"compressor":null}`, nil, ""},
		{".zarray", v2 + `"dtype":"|O","fill_value":"","filters":[{"id":"categorize","labels":["a"],"dtype":"|O","astype":"|u1"}],"compressor":null}`, nil, ""},
		{".zgroup", `{"zarr_format":2}`, nil, ""},
		{".zattrs", `{"_ARRAY_DIMENSIONS":["x","y"],"a":1}`, map[string]string{".zarray": v2 + `"dtype":"<i4","fill_value":0,"filters":null,"compressor":null}`}, ""},
		{".zmetadata", `{"zarr_consolidated_format":1,"metadata":{".zgroup":{"zarr_format":2},"a/.zarray":` + v2 + `"dtype":"<i4","fill_value":0,"filters":null,"compressor":null},"a/.zattrs":{"x":1}}}`,
			map[string]string{".zgroup": `{"zarr_format":2}`}, "a"},
		{"a/attributes.json", `{"dimensions":[4,6],"blockSize":[2,3],"dataType":"int16","compression":{"type":"gzip","level":1,"useZlib":false},"axes":["x","y"],"resolution":[1,2],"units":["m","m"]}`,
			map[string]string{"attributes.json": `{"n5":"2.5.1"}`}, "a"},
		{"a/attributes.json", `{"dimensions":[4,6],"blockSize":[2,3],"dataType":"int16","compression":{"type":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0,"nthreads":1}}`,
			map[string]string{"attributes.json": `{"n5":"2.5.1"}`}, "a"},
		{"attributes.json", `{"n5":"2.5.1"}`, map[string]string{"a/attributes.json": `{"dimensions":[4,6],"blockSize":[2,3],"dataType":"int16","compressionType":"gzip"}`}, "a"},
	} {
		tried := 0
		for v := range wrongjson.Variants(c.doc) {
			if tried++; tried%thorough.Step(7) != 0 { // there are 13 for each place, so that each is tried somewhere
				continue
			}
			s := mem.New()
			for key, doc := range c.beside {
				put(t, s, key, doc)
			}
			put(t, s, c.key, string(v.Doc))
			// Consolidated metadata of an unknown kind is passed over.
			if err := openAndRead(s, c.path); !errors.Is(err, fs.ErrNotExist) {
				wrongjson.Check(t, v, err)
			}
		}
		s := mem.New()
		for key, doc := range c.beside {
			put(t, s, key, doc)
		}
		put(t, s, c.key, c.doc)
		if err := openAndRead(s, c.path); err != nil {
			t.Errorf("%s: %v", c.doc, err)
		}
	}
}

func openAndRead(s store.Store, path string) error {
	n, err := zarr.OpenStore(ctx, s, "")
	if g, ok := n.(*zarr.Group); ok && path != "" {
		n, err = g.Open(ctx, path)
	}
	if err != nil {
		return err
	}
	if a, ok := n.(*zarr.Array); ok {
		_, err = readAny(a, zarr.All())
	}
	return err
}
