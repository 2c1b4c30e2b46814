package main

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// layouts are shapes of arrays and chunks for packed elements. Chunks have 15
// elements, so that most need padding bits; inner chunks have two.
var layouts = map[string]struct{ shape, chunks []int }{
	"full":       {[]int{6, 15}, []int{3, 5}},
	"edge":       {[]int{7, 13}, []int{3, 5}},
	"shard":      {[]int{8, 9}, []int{4, 3}},
	"shard-edge": {[]int{7, 8}, []int{4, 3}},
}

// packedField is a part of a type's bits with a fill value that has no others.
type packedField struct {
	name, fill  string
	first, last int
}

var packedFields = []packedField{
	{"bool", "true", 0, 0},
	{"int2", "-1", 0, 0}, {"int2", "-2", 1, 1}, {"uint2", "2", 1, 1},
	{"int4", "-2", 0, 2}, {"int4", "-2", 1, 3}, {"uint4", "2", 1, 2},
	{"int8", "-2", 0, 5}, {"int8", "-4", 2, 6}, {"uint8", "3", 0, 5}, {"uint8", "2", 1, 6},
	{"int16", "-2", 0, 11}, {"int16", "-2", 0, 5}, {"int16", "-8", 3, 9}, {"uint16", "3", 0, 11}, {"uint16", "16", 4, 11},
	{"int32", "-2", 0, 25}, {"int32", "-2", 0, 19}, {"uint32", "3", 0, 20}, {"uint32", "32", 5, 30},
	{"int64", "-2", 0, 60}, {"int64", "-2", 0, 40}, {"uint64", "3", 0, 63}, {"uint64", "128", 7, 50},
	{"numpy.timedelta64", "-5", 0, 59}, {"numpy.timedelta64", "-5", 0, 47},
	{"float4_e2m1fn", "2.0", 2, 3}, {"float6_e2m3fn", "2.0", 2, 5}, {"float8_e5m2", "2.0", 2, 7},
	{"float16", "2.0", 10, 15}, {"bfloat16", "2.0", 7, 15}, {"float32", "2.0", 16, 31}, {"float64", "2.0", 0, 62},
	{"complex_bfloat16", "[1.0,2.0]", 0, 14}, {"complex_float32", "[1.0,2.0]", 8, 31}, {"complex128", "[1.0,2.0]", 32, 63},
}

// packbits spells the codec; text holds members of its configuration.
func packbits(text string) string { return `[{"name":"packbits","configuration":{` + text + `}}]` }

func padded(how string) string { return `"padding_encoding":"` + how + `"` }

// packCases are arrays of all types that can be packed, and of fields of them.
func packCases() []spec {
	var out []spec
	kinds := []dtype.Kind{dtype.Bool, dtype.Int, dtype.Uint, dtype.Float, dtype.Complex, dtype.Time, dtype.Duration}
	types := map[string]string{}
	add := func(name, typ, fill, layout, chain, codecs string, bits ...int) {
		l := layouts[layout]
		out = append(out, spec{
			name: name + "/" + layout + "/" + chain, typ: typ, fill: fill,
			shape: l.shape, chunks: l.chunks, codecs: codecs, bits: bits,
		})
	}
	none, first, last := packbits(padded("none")), packbits(padded("first_byte")), packbits(padded("last_byte"))
	for _, t := range dataTypes() {
		if !slices.Contains(kinds, dtype.MustParse(t.json).Kind()) {
			continue
		}
		types[t.name] = t.json
		name := "packbits/" + t.name
		for _, layout := range []string{"full", "edge"} {
			add(name, t.json, t.fill, layout, "none", none)
			add(name, t.json, t.fill, layout, "first_byte", first)
			add(name, t.json, t.fill, layout, "last_byte", last)
		}
		add(name, t.json, t.fill, "full", "gzip", after(none, gzip))
		add(name, t.json, t.fill, "full", "transpose-crc32c", before(swapAxes, after(none, crc32c)))
		add(name, t.json, t.fill, "edge", "zstd", after(none, zstd))
		add(name, t.json, t.fill, "shard", "none", shard("[2,1]", none, indexLittle, "end"))
		add(name, t.json, t.fill, "shard", "first_byte", shard("[2,1]", first, indexLittle, "end"))
		add(name, t.json, t.fill, "shard", "zstd", shard("[2,1]", after(none, zstd), indexLittle, "end"))
		add(name, t.json, t.fill, "shard-edge", "none", shard("[2,1]", none, indexLittle, "end"))
	}
	add("packbits/index", types["uint16"], "3", "shard", "none", shard("[2,1]", none, after(none, crc32c), "end"))
	for _, f := range packedFields {
		name := fmt.Sprintf("packbits-field/%s.%d-%d", f.name, f.first, f.last)
		bits := fmt.Sprintf(`,"first_bit":%d,"last_bit":%d`, f.first, f.last)
		none, last := packbits(padded("none")+bits), packbits(padded("last_byte")+bits)
		for layout, chains := range map[string]map[string]string{
			"full":  {"none": none, "last_byte": last, "zstd": after(none, zstd)},
			"edge":  {"none": none, "last_byte": last},
			"shard": {"gzip": shard("[2,1]", after(none, gzip), indexLittle, "end")},
		} {
			for chain, codecs := range chains {
				add(name, types[f.name], f.fill, layout, chain, codecs, f.first, f.last)
			}
		}
	}
	return append(out, numcodecsCases()...)
}

// numcodecsCases are arrays of truth values that are packed as numcodecs does.
func numcodecsCases() []spec {
	var out []spec
	e := `[{"name":"numcodecs.packbits","configuration":{}},{"name":"bytes"}]`
	for layout, chains := range map[string]map[string]string{
		"full":       {"plain": e, "gzip": after(e, gzip), "transpose-zstd": before(swapAxes, after(e, zstd))},
		"edge":       {"plain": e, "crc32c": after(e, crc32c)},
		"shard":      {"plain": shard("[2,1]", e, indexLittle, "end"), "zstd": shard("[2,1]", after(e, zstd), indexLittle, "end")},
		"shard-edge": {"plain": shard("[2,1]", e, indexLittle, "end")},
	} {
		for chain, codecs := range chains {
			l := layouts[layout]
			for _, fill := range []string{"true", "false"} {
				out = append(out, spec{
					name: "numcodecs.packbits/" + layout + "/" + chain + "-" + fill, typ: `"bool"`, fill: fill,
					shape: l.shape, chunks: l.chunks, codecs: codecs,
				})
			}
		}
	}
	return out
}

// keepBits changes elements so that the bits first to last of each component
// tell everything: those above repeat a sign or are zero, those below are zero.
func keepBits(t dtype.Type, v nd.View, first, last int) {
	u := t.Units()[0]
	v.Each(func(elem []byte) {
		for i := range u.Count {
			var word [8]byte
			b := elem[u.Offset+i*u.Width:][:u.Width]
			copy(word[:], b)
			x := binary.LittleEndian.Uint64(word[:]) << (63 - last)
			if u.Signed {
				x = uint64(int64(x) >> (63 - last + first))
			} else {
				x >>= 63 - last + first
			}
			binary.LittleEndian.PutUint64(word[:], x<<first)
			copy(b, word[:])
		}
	})
}
