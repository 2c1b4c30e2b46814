package plain_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/serve/plain"
	"github.com/omnizarr/zarr/store/mem"
)

// Types that clients do not know are shown as the smallest that has the same values.
func TestTypes(t *testing.T) {
	for _, c := range []struct {
		name, codecs string // "" are the usual ones
		v3, v2       string // what it is shown as, "" if it stays
		fill         string
	}{
		{name: "bool"}, {name: "int8"}, {name: "uint16"}, {name: "int64", fill: "-9007199254740993"}, {name: "float16"}, {name: "float64", fill: `"NaN"`}, {name: "complex64"}, {name: "complex128"},
		{name: "int4", v3: "int8", v2: "int8", fill: "-3"}, {name: "uint4", v3: "uint8", v2: "uint8"}, {name: "int2", v3: "int8", v2: "int8"}, {name: "uint2", v3: "uint8", v2: "uint8", fill: "3"},
		{name: "bfloat16", v3: "float32", v2: "float32", fill: `"NaN"`}, {name: "float8_e4m3", v3: "float32", v2: "float32", fill: "1.5"}, {name: "float8_e5m2", v3: "float32", v2: "float32"}, {name: "float4_e2m1fn", v3: "float32", v2: "float32"},
		{name: "complex_bfloat16", v3: "complex64", v2: "complex64"}, {name: "complex_float16", v3: "complex64", v2: "complex64"},
		{name: "r24", v2: "raw_bytes"}, {name: "string"}, {name: "bytes", v2: "variable_length_bytes"},
		{name: `{"name":"fixed_length_utf32","configuration":{"length_bytes":20}}`, v3: "string"},
		{name: `{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}`},
		{name: `{"name":"struct","configuration":{"fields":[{"name":"x","data_type":"int16"},{"name":"y","data_type":"float32"}]}}`},
		{name: `{"name":"struct","configuration":{"fields":[{"name":"x","data_type":"int4"},{"name":"y","data_type":"float32"}]}}`, v3: "string", v2: "string"},
		{name: "omnizarr.json", v3: "string", v2: "string"},
		{name: `{"name":"omnizarr.list","configuration":{"data_type":"int16"}}`, v3: "string", v2: "string"},
		{name: `{"name":"zarrs.optional","configuration":{"name":"int16","configuration":{}}}`, v3: "string", v2: "string"},
	} {
		// A codec that nobody has makes all of them be written anew.
		for _, foreign := range []bool{false, true} {
			spec := zarr.ArraySpec{Shape: []int{7, 5}, DataType: c.name, Chunks: []int{3, 5}}
			if c.fill != "" {
				spec.FillValue = json.RawMessage(c.fill)
			}
			a, err := zarr.CreateArrayIn(t.Context(), mem.New(), "", spec)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				break
			}
			if foreign {
				list := slices.Clone(a.Metadata().Codecs)
				list[len(list)-1] = meta.Extension{Name: "numcodecs.lz4"}
				spec.Codecs, err = json.Marshal(list)
				check(t, err)
				a, err = zarr.CreateArrayIn(t.Context(), mem.New(), "", spec)
				check(t, err)
			}
			v, err := a.Make(3, 5)
			check(t, err)
			rng := rand.New(rand.NewPCG(1, 2))
			i := 0
			v.Each(func(elem []byte) {
				value := sample(a.DataType().Name(), i, rng)
				if value == "" {
					for k := range elem {
						elem[k] = byte(rng.IntN(128))
					}
				} else {
					e, err := a.DataType().ParseFill(json.RawMessage(value), v.Heap)
					if err != nil {
						t.Fatalf("%s: %v", c.name, err)
					}
					copy(elem, e)
				}
				i++
			})
			check(t, a.WriteFrom(t.Context(), zarr.Box([]int{3, 0}, []int{3, 5}), v)) // the first and the last chunk are not stored
			for version, want := range map[int]string{3: c.v3, 2: c.v2} {
				s := shown(t, given(t, a), plain.Options{Version: version})
				n, err := zarr.OpenStore(t.Context(), s, "")
				if err != nil {
					t.Errorf("%s as v%d: %v", c.name, version, err)
					continue
				}
				is := n.(*zarr.Array)
				if want == "" {
					want = a.DataType().Name()
				}
				if is.DataType().Name() != want {
					t.Errorf("%s as v%d is %s, want %s", c.name, version, is.DataType().Name(), want)
				}
				same(t, a, is)
			}
		}
	}
}

// A NaN that Zarr v2 cannot spell is NaN there; the numbers stay numbers.
func TestNaNsAsZarr2(t *testing.T) {
	for _, name := range []string{"float32", "bfloat16"} {
		for _, codecs := range []string{"", `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.lz4"}]`} {
			spec := zarr.ArraySpec{Shape: []int{2}, DataType: name, FillValue: json.RawMessage(`"0x7fc1"`), Codecs: json.RawMessage(codecs)}
			if name == "float32" {
				spec.FillValue = json.RawMessage(`"0x7fc00001"`)
			}
			a, err := zarr.CreateArrayIn(t.Context(), mem.New(), "", spec)
			check(t, err)
			n, err := zarr.OpenStore(t.Context(), shown(t, given(t, a), plain.Options{Version: 2}), "")
			check(t, err)
			is := n.(*zarr.Array)
			if got := values(t, is); is.DataType().Name() != "float32" || got[0] != `"NaN"` {
				t.Errorf("%s is %s with %s", name, is.DataType().Name(), got)
			}
		}
	}
}

// sample is a value of a type as fill values are spelled; "" stands for any bytes.
func sample(name string, i int, rng *rand.Rand) string {
	switch {
	case name == "bool":
		return []string{"true", "false"}[i%2]
	case strings.HasPrefix(name, "uint"):
		return fmt.Sprint(i % 4)
	case strings.HasPrefix(name, "int"):
		return fmt.Sprint(i%4 - 2)
	case strings.HasPrefix(name, "float"), name == "bfloat16":
		return []string{"1.5", "-0.5", "0", "2", "-0.0"}[i%5]
	case strings.HasPrefix(name, "complex"):
		return []string{"[1.5,-1]", "[0,2]", "[-0.5,1]"}[i%3]
	case name == "string", name == "fixed_length_utf32":
		return []string{`"ä"`, `""`, `"a b"`, `"🙂"`}[i%4]
	case name == "bytes":
		return []string{`"AAEC"`, `""`}[i%2]
	case name == "struct":
		return fmt.Sprintf(`{"x":%d,"y":%d}`, i%8, rng.IntN(9))
	case name == "omnizarr.json":
		return []string{`{"a":[1,2]}`, `null`, `"text"`, `1.5`}[i%4]
	case name == "omnizarr.list":
		return []string{`[1,2,3]`, `[]`, `[-7]`}[i%3]
	case name == "zarrs.optional":
		return []string{`null`, `[5]`}[i%2]
	}
	return ""
}

// Arrays of any shape, grid, type and codecs read back from either version.
func TestAnyArrayReadsBack(t *testing.T) {
	codecs := []string{
		"", "", lz4, `[{"name":"transpose","configuration":{"order":%s}},{"name":"bytes","configuration":{"endian":"big"}},{"name":"gzip","configuration":{"level":1}}]`,
		`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}]`, `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.zlib","configuration":{"level":1}}]`,
		`[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"lz4","clevel":1,"shuffle":"shuffle","typesize":2,"blocksize":0}}]`,
		`[{"name":"numcodecs.delta","configuration":{"dtype":"<u2"}},{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.bz2"}]`,
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for k := range thorough.Rounds(400) {
		rank := rng.IntN(4)
		spec := zarr.ArraySpec{DataType: "uint16", Shape: make([]int, rank), Chunks: make([]int, rank)}
		order := rng.Perm(rank)
		for i := range spec.Shape {
			spec.Shape[i] = rng.IntN(40)
			spec.Chunks[i] = 1 + rng.IntN(12)
		}
		if c := codecs[rng.IntN(len(codecs))]; c != "" {
			if strings.Contains(c, "%s") {
				if rank == 0 {
					continue
				}
				text, _ := json.Marshal(order)
				c = fmt.Sprintf(c, text)
			}
			spec.Codecs = json.RawMessage(c)
		}
		if rank > 0 && rng.IntN(3) == 0 {
			spec.Shards = make([]int, rank)
			for i := range spec.Shards {
				spec.Shards[i] = spec.Chunks[i] * (1 + rng.IntN(3))
			}
		} else if rank == 1 && spec.Shape[0] > 3 && rng.IntN(2) == 0 {
			spec.Chunks, spec.Grid = nil, json.RawMessage(fmt.Sprintf(`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[1,2,%d]]}}`, spec.Shape[0]-3))
		}
		spec.FillValue = json.RawMessage(fmt.Sprint(rng.IntN(3)))
		a, err := zarr.CreateArrayIn(t.Context(), mem.New(), "", spec)
		if err != nil {
			t.Fatalf("%d: %+v: %v", k, spec, err)
		}
		part, err := a.Make(spec.Shape...)
		check(t, err)
		for i := range part.Data {
			part.Data[i] = byte(rng.IntN(2))
		}
		check(t, a.WriteFrom(t.Context(), zarr.All(), part))
		for _, version := range []int{3, 2} {
			s := shown(t, given(t, a), plain.Options{Version: version})
			n, err := zarr.OpenStore(t.Context(), s, "", zarr.As(fmt.Sprint("zarr", version)))
			if err != nil {
				t.Fatalf("%d: v%d: %+v: %v", k, version, spec, err)
			}
			same(t, a, n.(*zarr.Array))
			// What is listed is there, and all that is there is listed.
			listed := map[string]bool{}
			for e, err := range s.List(t.Context(), "", "") {
				check(t, err)
				listed[e.Key] = true
			}
			for c := range n.(*zarr.Array).Grid() {
				_, stored := lookup(t, s, c.Key)
				if stored && !listed[c.Key] {
					t.Errorf("%d: v%d: %s is not listed", k, version, c.Key)
				}
			}
		}
		if t.Failed() {
			t.Fatalf("%d: %+v", k, spec)
		}
	}
}
