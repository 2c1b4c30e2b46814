package conformance_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store/mem"
)

// chainTypes are types with values that every chain drawn for them brings back.
// Whole numbers survive arithmetic that is exact for small ones; the others pass
// through codecs that keep every bit. The first value is the fill value.
var chainTypes = func() []chainType {
	var out []chainType
	for _, name := range []string{
		"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32", "float64",
		"int4", "uint4", "float8_e5m2",
	} {
		out = append(out, chainType{name, []string{"2", "0", "1", "3"}, true})
	}
	for _, name := range []string{"complex64", "complex128"} {
		out = append(out, chainType{name, []string{"[1,2]", "[0,0]", "[3,0]"}, true})
	}
	bits := func(name string, values ...string) { out = append(out, chainType{name, values, false}) }
	bits("int8", "-128", "0", "127", "-1")
	bits("uint16", "65535", "0", "1", "300")
	bits("int32", "-2147483648", "2147483647", "0", "77")
	bits("uint64", "18446744073709551615", "0", "1", "9007199254740993")
	bits("int64", "-9223372036854775808", "9223372036854775807", "0", "1")
	bits("float16", `"NaN"`, "-0.0", "65504", "6e-8")
	bits("float32", `"NaN"`, "-0.0", `"Infinity"`, "1.1754942e-38", "3.25")
	bits("float64", `"0x7ff8000000000001"`, "-0.0", `"-Infinity"`, "5e-324", "1e300", "0.1")
	bits("bool", "true", "false")
	bits("int2", "-2", "1", "0")
	bits("float6_e2m3fn", "1", "0.5", "2")
	bits("complex64", `["NaN",1]`, `[0,"-Infinity"]`, "[0,0]")
	bits("string", `"b"`, `""`, `"a"`, `"žluť"`)
	for _, name := range []string{"bytes", "r*", "raw_bytes", "null_terminated_bytes", "fixed_length_utf32", "numpy.datetime64",
		"numpy.timedelta64", "struct", "structured", "omnizarr.subarray", "omnizarr.json", "omnizarr.list", "zarrs.optional"} {
		s := sample(name)
		bits(s[0], s[1:]...)
	}
	return out
}()

type chainType struct {
	name   string
	values []string // as a fill value is spelled
	small  bool
}

// chain is a list of codecs that grows as far as it can be bound.
type chain struct {
	*rapid.T
	registry *codec.Registry
	in       codec.Spec
	small    bool
	lo, hi   int // of small whole numbers
	list     []any
	used     map[string]bool
}

// An array does what a slice of values does with every codec there is, in chains
// of any kind.
func TestArraysOfAllCodecsAgreeWithASliceOfValues(t *testing.T) {
	for range 8 {
		rapid.Check(t, func(t *rapid.T) { runDrawn(t, mem.New(), drawChainSpec(t, map[string]bool{})) })
	}
}

// seeds are those whose chains have every codec in them, as long as chains are drawn as they
// are; otherwise more are tried.
var seeds = []int{3074, 3391, 1526, 46, 705, 651, 4688, 5003, 506, 379, 1350, 1529, 2663, 3142, 5097, 5226, 16, 24, 34, 56, 155, 254, 374, 448, 563, 1217, 1461}

// The chains that are drawn have every codec of the registry in them.
func TestEveryCodecIsDrawn(t *testing.T) {
	used := map[string]bool{"numcodecs.n5_wrapper": true, "omnizarr.n5_jpeg": true, "omnizarr.hdf5_nbit": true, "omnizarr.hdf5_scaleoffset": true, "omnizarr.hdf5_szip": true, "omnizarr.blosc2": true} // known by name only, and not written
	chains := rapid.Custom(func(t *rapid.T) drawn { return drawChainSpec(t, used) })
	missing := func(name string) bool { return !used[name] }
	names := std.Registry().Names()
	if !thorough.Enabled {
		for _, seed := range seeds {
			chains.Example(seed)
		}
	}
	for seed := 0; seed < 100000 && slices.ContainsFunc(names, missing); seed++ {
		chains.Example(seed)
	}
	for _, name := range names {
		if missing(name) {
			t.Errorf("no chain has %s", name)
		}
	}
}

func drawChainSpec(t *rapid.T, used map[string]bool) drawn {
	kind := rapid.SampledFrom(chainTypes).Draw(t, "type")
	typ, err := dtype.Lookup(kind.name)
	if err != nil {
		t.Fatal(err)
	}
	d := drawn{typ: typ, uniform: true, pool: map[string]string{}}
	fill, heap := []byte(nil), &nd.Heap{}
	for i, text := range kind.values {
		elem, err := typ.ParseFill(json.RawMessage(text), heap)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			fill = elem
		}
		if dtype.IsReference(typ) {
			elem = heap.Blobs().Value(elem)
		}
		d.pool[text] = string(elem)
	}
	d.spec = zarr.ArraySpec{DataType: kind.name, FillValue: json.RawMessage(kind.values[0])}
	rank, longest := rapid.IntRange(0, 4).Draw(t, "rank"), 9
	if rank < 3 && rapid.Bool().Draw(t, "long") {
		longest = 40
	}
	d.spec.Shape = rapid.SliceOfN(rapid.IntRange(0, longest), rank, rank).Draw(t, "shape")
	d.spec.Chunks = rapid.SliceOfN(rapid.IntRange(1, max(2, longest/(rank+1))), rank, rank).Draw(t, "chunks")
	c := &chain{
		T: t, registry: std.Registry(), small: kind.small, hi: 3, used: used,
		in: codec.Spec{Type: typ, Shape: d.spec.Chunks, Fill: fill, Heap: heap},
	}
	c.draw(2)
	d.spec.Codecs = marshal(c.list)
	return d
}

// value draws an element of those that the chain keeps.
func (d drawn) value(t *rapid.T, fill string) string {
	if d.pool == nil {
		return drawValue(t, d.typ, fill)
	}
	return d.pool[rapid.SampledFrom(slices.Sorted(maps.Keys(d.pool))).Draw(t, "value")]
}

// values draws n elements: each of its own if there are few, so that what fails
// can be made simpler.
func (d drawn) values(t *rapid.T, n int, fill string) []string {
	out := make([]string, n)
	if d.pool == nil || n < 30 {
		for i := range out {
			out[i] = d.value(t, fill)
		}
		return out
	}
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	names := slices.Sorted(maps.Keys(d.pool))
	for i := range out {
		out[i] = d.pool[names[random.IntN(len(names))]]
	}
	return out
}

// draw makes the list, with shards inside shards up to a depth.
func (c *chain) draw(depth int) {
	for range rapid.IntRange(0, 3).Draw(c.T, "array codecs") {
		c.filter()
	}
	size := c.serialize(depth)
	for range rapid.IntRange(0, 3).Draw(c.T, "bytes codecs") {
		entry := c.bytesCodec(size.Exact)
		if f, err := c.parse(entry).(codec.BytesToBytes).BindBytes(c.in, size); err == nil {
			size = f.Size()
			c.add(entry)
		}
	}
}

// add puts an entry that can be bound into the list.
func (c *chain) add(entry any) {
	c.list = append(c.list, entry)
	if m, ok := entry.(map[string]any); ok {
		entry = m["name"]
	}
	c.used[entry.(string)] = true
}

func (c *chain) parse(entry any) codec.Codec {
	e := codec.Entry{}
	switch m := entry.(type) {
	case string:
		e.Name = m
	case map[string]any:
		e.Name = m["name"].(string)
		if m["configuration"] != nil {
			e.Config = marshal(m["configuration"])
		}
	}
	k, err := c.registry.Parse(e)
	if err != nil {
		c.Fatalf("%s of %s %v: %v", marshal(entry), c.in.Type.Name(), c.in.Shape, err)
	}
	return k
}

// serialize adds what turns the array into bytes; one that cannot have the type
// is replaced by another.
func (c *chain) serialize(depth int) codec.Size {
	for range 30 {
		entry := c.serializer(depth)
		s, err := c.parse(entry).(codec.ArrayToBytes).BindSerializer(c.in)
		if err == nil {
			c.add(entry)
			return s.Size()
		}
	}
	var list []any
	if err := json.Unmarshal(zarr.DefaultCodecs(c.in.Type), &list); err != nil {
		c.Fatal(err)
	}
	s, err := c.parse(list[0]).(codec.ArrayToBytes).BindSerializer(c.in)
	if err != nil {
		c.Fatalf("%s of %s %v: %v", marshal(c.list), c.in.Type.Name(), c.in.Shape, err)
	}
	c.add(list[0])
	return s.Size()
}

// inner draws a list for a part of what flows here.
func (c *chain) inner(typ dtype.Type, shape []int, depth int) []any {
	in := &chain{T: c.T, registry: c.registry, small: c.small, lo: c.lo, hi: c.hi, used: c.used, in: c.in}
	in.in.Shape = shape
	if typ != c.in.Type {
		in.in.Type, in.in.Fill, in.in.Heap, in.small = typ, make([]byte, typ.Size()), &nd.Heap{}, false
	}
	in.draw(depth)
	return in.list
}

// numpyNames spell types as NumPy does.
var numpyNames = map[string]string{
	"int8": "i1", "int16": "i2", "int32": "i4", "int64": "i8", "uint8": "u1", "uint16": "u2", "uint32": "u4", "uint64": "u8",
	"float16": "f2", "float32": "f4", "float64": "f8", "complex64": "c8", "complex128": "c16", "bool": "b1",
}

func (c *chain) numpy(typ string) string {
	n := numpyNames[typ]
	if strings.HasSuffix(n, "1") && len(n) == 2 {
		return "|" + n
	}
	return rapid.SampledFrom([]string{"<", ">"}).Draw(c.T, "order") + n
}

// exact are the largest whole numbers up to which types have all of them.
var exact = map[string][2]int{
	"int2": {-2, 1}, "int4": {-8, 7}, "int8": {-128, 127}, "int16": {-32768, 32767}, "int32": {-1 << 24, 1 << 24}, "int64": {-1 << 24, 1 << 24},
	"uint2": {0, 3}, "uint4": {0, 15}, "uint8": {0, 255}, "uint16": {0, 65535}, "uint32": {0, 1 << 24}, "uint64": {0, 1 << 24},
	"float8_e5m2": {-8, 8}, "float16": {-2048, 2048}, "bfloat16": {-256, 256}, "float32": {-1 << 24, 1 << 24}, "float64": {-1 << 24, 1 << 24},
	"complex64": {-1 << 24, 1 << 24}, "complex128": {-1 << 24, 1 << 24},
}

// holds reports whether all numbers in a range are exact in a type.
func holds(typ string, lo, hi int) bool {
	r, ok := exact[typ]
	return ok && r[0] <= lo && hi <= r[1]
}

// filter adds an array to array codec if one that is drawn fits.
func (c *chain) filter() {
	entry, lo, hi := c.move()
	if rapid.Bool().Draw(c.T, "compute") {
		entry, lo, hi = c.compute()
	}
	if entry == nil {
		return
	}
	f, err := c.parse(entry).(codec.ArrayToArray).BindArray(c.in)
	if err != nil {
		return
	}
	c.in, c.lo, c.hi = f.Out(), lo, hi
	c.add(entry)
}

// move draws a codec that changes where elements stand.
func (c *chain) move() (any, int, int) {
	order := make([]int, len(c.in.Shape))
	for i := range order {
		order[i] = i
	}
	var entry any
	switch rapid.IntRange(0, 3).Draw(c.T, "move") {
	case 0:
		entry = "zarrs.squeeze"
	case 1:
		shape := rapid.SampledFrom([]any{[]any{-1}, []any{1, -1, 1}, []any{order}, []any{-1, 2}, []any{3, -1}, c.in.Shape}).Draw(c.T, "shape")
		if len(order) > 1 && rapid.Bool().Draw(c.T, "join") {
			shape = []any{order[:1], 1, order[1:]}
		}
		entry = named("reshape", map[string]any{"shape": shape})
	default:
		if len(order) == 0 {
			return nil, c.lo, c.hi
		}
		entry = named("transpose", map[string]any{"order": rapid.Permutation(order).Draw(c.T, "order")})
	}
	return entry, c.lo, c.hi
}

// compute draws a codec that changes elements, and the range of what comes out.
func (c *chain) compute() (any, int, int) {
	typ := c.in.Type.Name()
	lo, hi := c.lo, c.hi
	to := rapid.SampledFrom(slices.Sorted(maps.Keys(exact))).Draw(c.T, "to")
	switch kind := rapid.SampledFrom([]string{"delta", "bool", "text", "bitround", "quantize", "fixed", "offset", "cast", "astype"}).Draw(c.T, "computes"); {
	case kind == "delta" && numpyNames[typ] != "" && typ != "bool":
		unsigned := strings.HasPrefix(typ, "uint")
		if !c.small && strings.Contains(typ, "int") || c.small && unsigned {
			return named("numcodecs.delta", map[string]any{"dtype": c.numpy(typ)}), -1 << 40, 1 << 40 // differences wrap around
		}
		if lo, hi = min(lo, lo-hi), max(hi, hi-lo); c.small && numpyNames[to] != "" && holds(typ, lo, hi) && holds(to, lo, hi) && isComplex(typ) == isComplex(to) {
			return named("numcodecs.delta", map[string]any{"dtype": c.numpy(typ), "astype": c.numpy(to)}), lo, hi
		}
	case kind == "bool" && typ == "bool":
		return "numcodecs.packbits", 0, 1
	case kind == "text" && c.in.Type.Kind() == dtype.String:
		return named("numcodecs.categorize", map[string]any{"labels": []string{"a", "b", "žluť"}, "dtype": "|O", "astype": c.numpy("int16")}), 0, 3
	case !c.small:
	case kind == "bitround" && strings.Contains(typ, "float") && !strings.Contains(typ, "8") && -256 <= lo && hi <= 256:
		name := rapid.SampledFrom([]string{"bitround", "numcodecs.bitround"}).Draw(c.T, "name")
		return named(name, map[string]any{"keepbits": rapid.IntRange(7, 10).Draw(c.T, "bits")}), lo, hi
	case kind == "quantize" && strings.HasPrefix(typ, "float") && strings.HasPrefix(to, "float") && numpyNames[to] != "" && numpyNames[typ] != "" && -100 <= lo && hi <= 100:
		return named("numcodecs.quantize", map[string]any{"digits": 1, "dtype": c.numpy(typ), "astype": c.numpy(to)}), lo, hi
	case kind == "fixed" && numpyNames[typ] != "" && numpyNames[to] != "" && !isComplex(to) && !isComplex(typ):
		offset, scale := rapid.IntRange(-1, 1).Draw(c.T, "offset"), rapid.IntRange(1, 3).Draw(c.T, "scale")
		lo, hi = (lo-offset)*scale, (hi-offset)*scale
		if holds(typ, c.lo-offset, c.hi-offset) && holds(typ, offset, offset) && holds(typ, lo, hi) && holds(to, lo, hi) && -500 < lo && hi < 500 {
			return named("numcodecs.fixedscaleoffset", map[string]any{"offset": offset, "scale": scale, "dtype": c.numpy(typ), "astype": c.numpy(to)}), lo, hi
		}
	case kind == "offset":
		offset, scale := rapid.IntRange(-1, 1).Draw(c.T, "offset"), rapid.SampledFrom([]int{1, 2, 4}).Draw(c.T, "scale")
		lo, hi = (lo-offset)*scale, (hi-offset)*scale
		if holds(typ, c.lo-offset, c.hi-offset) && holds(typ, offset, offset) && holds(typ, lo, hi) && !isComplex(typ) {
			return named("scale_offset", map[string]any{"offset": offset, "scale": scale}), lo, hi
		}
	case kind == "cast" && holds(to, lo, hi) && !isComplex(to):
		return named("cast_value", map[string]any{"data_type": to}), lo, hi
	case kind == "astype" && numpyNames[to] != "" && numpyNames[typ] != "" && holds(to, lo, hi) && isComplex(to) == isComplex(typ):
		return named("numcodecs.astype", map[string]any{"encode_dtype": c.numpy(to), "decode_dtype": c.numpy(typ)}), lo, hi
	}
	return nil, c.lo, c.hi
}

func isComplex(typ string) bool { return strings.HasPrefix(typ, "complex") }

// pick draws one of several entries.
func (c *chain) pick(entries ...any) any {
	return entries[rapid.IntRange(0, len(entries)-1).Draw(c.T, fmt.Sprintf("one of %d", len(entries)))]
}
