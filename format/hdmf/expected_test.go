package hdmf_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
)

// expected is what the reader of hdmf_zarr sees in a file.
type expected struct {
	Specifications struct {
		Location   string
		Namespaces map[string]map[string]map[string]string
	}
	Nodes map[string]expectedNode
}

type expectedNode struct {
	Kind       string
	Attributes map[string]any
	Members    []string
	Target     *struct{ File, Path string }
	TargetKind string `json:"target_kind"`
	HDMF       any    `json:"hdmf_dtype"`
	Scalar     bool
	Stored     []int `json:"stored_shape"`
	Chunks     []int `json:"stored_chunks"`
	Shape      []int
	expectedValues
	Fields []struct {
		Name string
		expectedValues
	}
}

type expectedValues struct {
	DType  string
	SHA256 string
	Values []any
}

// relative names a file as seen from another, "." for itself.
func relative(t testing.TB, from, to *hdmf.File) string {
	t.Helper()
	if from == to {
		return "."
	}
	rel, err := filepath.Rel(from.URL(), to.URL())
	check(t, err)
	if from.Zarr().Format() == "hdf5" { // the file is none of the folders on the way
		rel = strings.TrimPrefix(filepath.ToSlash(rel), "../")
	}
	return filepath.ToSlash(rel)
}

// reference is a reference in the form of the expectations.
func reference(t testing.TB, f *hdmf.File, seen *hdmf.File, r hdmf.Reference) any {
	t.Helper()
	o, err := f.Resolve(context.Background(), r)
	if err != nil {
		t.Errorf("%s: %v", r, err)
		return nil
	}
	return map[string]any{"$ref": map[string]any{"file": relative(t, seen, o.File()), "path": o.Path()}}
}

// plain is a decoded value in the form of the expectations.
func plain(v any) any {
	switch v := v.(type) {
	case float64:
		switch {
		case math.IsNaN(v):
			return map[string]any{"$float": "NaN"}
		case math.IsInf(v, 1):
			return map[string]any{"$float": "Infinity"}
		case math.IsInf(v, -1):
			return map[string]any{"$float": "-Infinity"}
		}
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	}
	return v
}

func attributes(t testing.TB, o hdmf.Object, seen *hdmf.File) map[string]any {
	t.Helper()
	out := map[string]any{}
	for _, a := range o.Attributes() {
		if a.References != nil {
			var list []any
			for _, r := range a.References {
				list = append(list, reference(t, o.File(), seen, r))
			}
			out[a.Name] = list
			if !a.List {
				out[a.Name] = list[0]
			}
			continue
		}
		var v any
		check(t, strictjson.Decode(a.Raw, &v))
		out[a.Name] = plain(v)
	}
	return out
}

// element is one value in the form of the expectations.
func element(t testing.TB, v *hdmf.Values, i int, f *hdmf.File) any {
	t.Helper()
	switch v.Kind {
	case hdmf.ObjectRef, hdmf.RegionRef:
		r, err := v.Reference(i)
		check(t, err)
		return reference(t, f, f, r)
	case hdmf.Bytes:
		return map[string]any{"$bytes": hex.EncodeToString(v.Blob(i))}
	case hdmf.Text:
		return v.Text(i)
	}
	raw, err := v.JSON(i)
	check(t, err)
	var x any
	check(t, json.Unmarshal(raw, &x))
	if pair, ok := x.([]any); ok && strings.HasPrefix(v.Name, "complex") {
		return map[string]any{"$complex": pair}
	}
	if s, ok := x.(string); ok {
		return map[string]any{"$float": s}
	}
	return x
}

// digest is the sum of all values, "" for references.
func digest(t testing.TB, v *hdmf.Values) string {
	t.Helper()
	h := sha256.New()
	switch v.Kind {
	case hdmf.Text, hdmf.Bytes:
		for i := range v.Len() {
			b := v.Blob(i)
			h.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(b))))
			h.Write(b)
		}
	case hdmf.Number:
		mem, _, ok := v.Memory()
		if !ok { // a field
			for i := range v.Len() {
				raw, err := v.JSON(i)
				check(t, err)
				typ, err := dtype.Lookup(v.Name)
				check(t, err)
				elem, err := typ.ParseFill(raw, nil)
				check(t, err)
				mem = append(mem, elem...)
			}
		}
		h.Write(mem)
	default:
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// stored is the type as the real reader has it: in the layout V3 it makes up what
// is not stored.
func stored(t testing.TB, d *hdmf.Dataset) (said any) {
	t.Helper()
	if raw := d.Stored(); raw != nil {
		check(t, json.Unmarshal(raw, &said))
	}
	if said == "object_reference" {
		return "object"
	}
	if d.DType().Kind != hdmf.Compound || said != nil {
		return said
	}
	list := []any{}
	for _, f := range d.DType().Fields {
		name := f.DType.Name
		switch f.Kind {
		case hdmf.Text:
			name = "str_"
		case hdmf.ObjectRef:
			name = "object"
		}
		list = append(list, map[string]any{"name": f.Name, "dtype": name})
	}
	return list
}

// chunks is the shape of the chunks, of those in shards if there are shards.
func chunks(t testing.TB, a *zarr.Array) []int {
	t.Helper()
	for _, c := range a.Metadata().Codecs {
		var config struct {
			Shape []int `json:"chunk_shape"`
		}
		if c.Name == "sharding_indexed" {
			check(t, json.Unmarshal(c.Configuration, &config))
			return config.Shape
		}
	}
	return a.ChunkShape()
}
