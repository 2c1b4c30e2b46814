package conformance_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/mem"
)

// model is an array as simple as can be: its values in C order.
type model struct {
	shape  []int
	fill   string
	values []string
}

func newModel(shape []int, fill string) *model {
	m := &model{shape: slices.Clone(shape), fill: fill}
	n, _ := nd.Len(shape)
	m.values = slices.Repeat([]string{fill}, n)
	return m
}

// at is the position of an element in values.
func (m *model) at(idx []int) int {
	k := 0
	for i, n := range m.shape {
		k = k*n + idx[i]
	}
	return k
}

func (m *model) resize(shape []int) {
	out := newModel(shape, m.fill)
	forEach(shape, func(idx []int) {
		for i, k := range idx {
			if k >= m.shape[i] {
				return
			}
		}
		out.values[out.at(idx)] = m.values[m.at(idx)]
	})
	*m = *out
}

// forEach calls f with every index of a shape in C order.
func forEach(shape []int, f func(idx []int)) {
	if slices.Contains(shape, 0) {
		return
	}
	idx := make([]int, len(shape))
	for {
		f(idx)
		if !nd.Next(idx, shape) {
			return
		}
	}
}

// drawn is metadata for a random array.
type drawn struct {
	spec    zarr.ArraySpec
	typ     dtype.Type
	uniform bool
	pool    map[string]string // values to draw from, by spelling; nil: any
}

var modelTypes = []struct{ typ, fill string }{
	{"uint8", "7"}, {"bool", "true"}, {"int16", "-300"}, {"float32", `"NaN"`}, {"float64", `"0x7ff8000000000001"`},
	{"complex64", `[1.5,"-Infinity"]`}, {"r24", "[1,2,3]"}, {"int4", "-8"}, {"uint64", "18446744073709551615"}, {"bfloat16", "1.0"},
	{"string", `"none ☃"`}, {"bytes", `"AAEC"`},
	{`{"name":"numpy.datetime64","configuration":{"unit":"ns","scale_factor":1}}`, `"NaT"`},
	{`{"name":"fixed_length_utf32","configuration":{"length_bytes":8}}`, `"aß"`},
	{`{"name":"struct","configuration":{"fields":[["a","uint8"],["b","int32"],["c","bool"]]}}`, `{"a":1,"b":-5,"c":true}`},
}

func drawSpec(t *rapid.T) drawn {
	kind := rapid.SampledFrom(modelTypes).Draw(t, "type")
	d := drawn{typ: dtype.MustParse(kind.typ), uniform: true}
	shape := rapid.SliceOfN(rapid.IntRange(0, 9), 0, 3).Draw(t, "shape")
	d.spec = zarr.ArraySpec{Shape: shape, DataType: kind.typ}
	if rapid.Bool().Draw(t, "has fill") {
		d.spec.FillValue = json.RawMessage(kind.fill)
	}
	d.spec.Keys = json.RawMessage(fmt.Sprintf(`{"name":%q,"configuration":{"separator":%q}}`,
		rapid.SampledFrom([]string{"default", "v2"}).Draw(t, "keys"), rapid.SampledFrom([]string{"/", "."}).Draw(t, "separator")))
	chunks := make([]int, len(shape))
	for i := range chunks {
		chunks[i] = rapid.IntRange(1, 6).Draw(t, "chunk")
	}
	if len(shape) > 0 && rapid.IntRange(0, 3).Draw(t, "rectilinear") == 0 {
		d.uniform = false
		d.spec.Grid = drawRectilinear(t, shape)
		slices.Sort(chunks)
		for i := range chunks {
			chunks[i] = 1 // inner chunks must divide chunks of any length
		}
	} else {
		d.spec.Grid = marshal(map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": chunks}})
	}
	d.spec.Codecs = marshal(drawCodecs(t, d.typ, chunks, 2))
	return d
}

func marshal(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

func drawRectilinear(t *rapid.T, shape []int) json.RawMessage {
	axes := make([]any, len(shape))
	for i, n := range shape {
		if rapid.IntRange(0, 3).Draw(t, "even") == 0 {
			axes[i] = rapid.IntRange(1, 5).Draw(t, "length")
			continue
		}
		lengths := []int{rapid.IntRange(1, 4).Draw(t, "length")}
		for sum := lengths[0]; sum < n; sum += lengths[len(lengths)-1] {
			lengths = append(lengths, rapid.IntRange(1, 4).Draw(t, "length"))
		}
		axes[i] = lengths
	}
	return marshal(map[string]any{"name": "rectilinear", "configuration": map[string]any{"kind": "inline", "chunk_shapes": axes}})
}

func named(name string, config any) any {
	return map[string]any{"name": name, "configuration": config}
}

// drawCodecs makes a chain for chunks of a shape, with shards inside shards.
func drawCodecs(t *rapid.T, typ dtype.Type, chunks []int, depth int) []any {
	var list []any
	if len(chunks) > 0 && rapid.IntRange(0, 2).Draw(t, "transpose") == 0 {
		order := make([]int, len(chunks))
		for i := range order {
			order[i] = i
		}
		order = rapid.Permutation(order).Draw(t, "order")
		list = append(list, named("transpose", map[string]any{"order": order}))
		turned := make([]int, len(chunks))
		for i, k := range order {
			turned[i] = chunks[k]
		}
		chunks = turned
	}
	endian := rapid.SampledFrom([]string{"little", "big"}).Draw(t, "endian")
	switch {
	case depth > 0 && rapid.IntRange(0, 2).Draw(t, "shard") == 0:
		inner := make([]int, len(chunks))
		for i, n := range chunks {
			inner[i] = rapid.SampledFrom(divisors(n)).Draw(t, "inner")
		}
		index := []any{named("bytes", map[string]any{"endian": endian})}
		if rapid.Bool().Draw(t, "index checksum") {
			index = append(index, "crc32c")
		}
		list = append(list, named("sharding_indexed", map[string]any{
			"chunk_shape": inner, "codecs": drawCodecs(t, typ, inner, depth-1), "index_codecs": index,
			"index_location": rapid.SampledFrom([]string{"start", "end"}).Draw(t, "index at"),
		}))
	case typ.Kind() == dtype.String:
		list = append(list, "vlen-utf8")
	case typ.Kind() == dtype.Bytes:
		list = append(list, "vlen-bytes")
	default:
		list = append(list, named("bytes", map[string]any{"endian": endian}))
	}
	for range rapid.IntRange(0, 2).Draw(t, "filters") {
		list = append(list, rapid.SampledFrom([]any{"crc32c", named("gzip", map[string]any{"level": 1}), named("zstd", map[string]any{"level": 1, "checksum": true})}).Draw(t, "filter"))
	}
	return list
}

func divisors(n int) []int {
	var out []int
	for d := 1; d <= n; d++ {
		if n%d == 0 {
			out = append(out, d)
		}
	}
	return out
}

// drawValue makes an element as bytes.
func drawValue(t *rapid.T, typ dtype.Type, fill string) string {
	if rapid.IntRange(0, 2).Draw(t, "fill") == 0 {
		return fill
	}
	switch typ.Kind() {
	case dtype.String:
		return rapid.SampledFrom([]string{"", "a", "žluť", "𝄞 clef", "none ☃", "a longer value than the others have"}).Draw(t, "text")
	case dtype.Bytes:
		return string(rapid.SliceOfN(rapid.Byte(), 0, 5).Draw(t, "bytes"))
	}
	b := []byte(fmt.Sprintf("%-*d", typ.Size(), rapid.IntRange(0, 99999999).Draw(t, "value"))[:typ.Size()])
	for _, u := range typ.Units() {
		if u.Bits == 1 {
			b[u.Offset] &= 1
		}
	}
	if c, ok := typ.(dtype.Canonicaliser); ok {
		if err := c.Canonicalise(nd.Of(b, len(b))); err != nil {
			t.Fatal(err)
		}
	}
	return string(b)
}

// view makes memory that holds values, in C or Fortran order.
func view(typ dtype.Type, shape []int, vals []string, fortran bool) nd.View {
	v := nd.Make(typ.Size(), shape...)
	if fortran {
		step := v.Size
		for i, n := range shape {
			v.Strides[i] = step
			step *= n
		}
	}
	v.Heap = &nd.Heap{}
	k := 0
	v.Each(func(elem []byte) {
		if vals == nil {
			return
		}
		if dtype.IsReference(typ) {
			nd.PutRef(elem, v.Heap.Add([]byte(vals[k])), 0, len(vals[k]))
		} else {
			copy(elem, vals[k])
		}
		k++
	})
	return v
}

func drawOptions(t *rapid.T, cache *codec.Cache) []zarr.Option {
	opts := []zarr.Option{zarr.Workers(rapid.IntRange(1, 3).Draw(t, "workers"))}
	if rapid.Bool().Draw(t, "keep empty") {
		opts = append(opts, zarr.KeepEmpty())
	}
	if cache != nil {
		opts = append(opts, zarr.WithCache(cache))
	}
	return opts
}

// An array does what a slice of values does, whatever its metadata.
func TestArraysAgreeWithASliceOfValues(t *testing.T) {
	for range 8 {
		rapid.Check(t, func(t *rapid.T) { runModel(t, mem.New()) })
	}
}

func TestArraysInFilesAgreeWithASliceOfValues(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		s, err := file.Create(fmt.Sprintf("%s/%d", dir, n), file.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		runModel(rt, s)
	})
}

func runModel(t *rapid.T, s store.Store) { runDrawn(t, s, drawSpec(t)) }

func runDrawn(t *rapid.T, s store.Store, d drawn) {
	var cache *codec.Cache // for all who use the array, or for none
	if rapid.Bool().Draw(t, "cache") {
		cache = codec.NewCache(1 << 12)
	}
	a, err := zarr.CreateArrayIn(ctx, s, "some/array", d.spec, drawOptions(t, cache)...)
	if err != nil {
		t.Fatalf("%s: %v", d.spec.Codecs, err)
	}
	h := &nd.Heap{}
	fill := string(a.FillValue())
	if dtype.IsReference(d.typ) {
		elem, err := d.typ.ParseFill(a.Metadata().FillValue, h)
		if err != nil {
			t.Fatal(err)
		}
		fill = string(h.Blobs().Value(elem))
	}
	r := &run{T: t, a: a, s: s, m: newModel(d.spec.Shape, fill), drawn: d, cache: cache}
	for range rapid.IntRange(1, 10).Draw(t, "steps") {
		r.step()
	}
	r.finish()
}
