package conformance_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// samples are types whose name does not tell what their values look like, with a
// spelling of the type and three values.
var samples = map[string][4]string{
	"bool":                  {`"bool"`, `true`, `false`, `true`},
	"string":                {`"string"`, `""`, `"žluť"`, `"none ☃"`},
	"bytes":                 {`"bytes"`, `""`, `"AAEC"`, `"/w=="`},
	"variable_length_bytes": {`"variable_length_bytes"`, `""`, `"AAEC"`, `"/w=="`},
	"r*":                    {`"r24"`, `[1,2,3]`, `[0,0,0]`, `[255,0,7]`},
	"raw_bytes":             {`{"name":"raw_bytes","configuration":{"length_bytes":3}}`, `"AQID"`, `"AAAA"`, `"/wAB"`},
	"null_terminated_bytes": {`{"name":"null_terminated_bytes","configuration":{"length_bytes":3}}`, `"YWI="`, `""`, `"AQID"`},
	"fixed_length_utf32":    {`{"name":"fixed_length_utf32","configuration":{"length_bytes":8}}`, `"aß"`, `""`, `"☃"`},
	"numpy.datetime64":      {`{"name":"numpy.datetime64","configuration":{"unit":"ns","scale_factor":1}}`, `"NaT"`, `0`, `-5`},
	"numpy.timedelta64":     {`{"name":"numpy.timedelta64","configuration":{"unit":"s","scale_factor":10}}`, `"NaT"`, `0`, `7`},
	"struct":                {`{"name":"struct","configuration":{"fields":[["a","int16"],["s",{"name":"struct","configuration":{"fields":[["b","bool"]]}}]]}}`, `{"a":1,"s":{"b":true}}`, `{"a":0,"s":{"b":false}}`, `{"a":-1,"s":{"b":true}}`},
	"structured":            {`{"name":"structured","configuration":{"fields":[["a","int16"],["c","complex64"]]}}`, `{"a":1,"c":[1,2]}`, `{"a":0,"c":[0,0]}`, `{"a":-1,"c":["NaN",1]}`},
	"omnizarr.subarray":     {`{"name":"omnizarr.subarray","configuration":{"data_type":"int16","shape":[2,2]}}`, `[[1,2],[3,4]]`, `[[0,0],[0,0]]`, `[[-1,0],[0,1]]`},
	"omnizarr.json":         {`"omnizarr.json"`, `{"a":[1,null,"x"]}`, `0`, `"☃"`},
	"omnizarr.list":         {`{"name":"omnizarr.list","configuration":{"data_type":"float32"}}`, `[1.5]`, `[]`, `[1,2,-3]`},
	"zarrs.optional":        {`{"name":"zarrs.optional","configuration":{"name":"zarrs.optional","configuration":{"name":"int16","configuration":{}}}}`, `[[5]]`, `null`, `[null]`},
}

// sample gives a type and three of its values.
func sample(name string) [4]string {
	s, ok := samples[name]
	switch {
	case ok:
		return s
	case strings.HasPrefix(name, "complex"):
		return [4]string{`"` + name + `"`, "[1,0.5]", "[2,1]", "[0.5,1]"}
	case strings.Contains(name, "float"):
		return [4]string{`"` + name + `"`, "1", "0.5", "2"}
	}
	return [4]string{`"` + name + `"`, "1", "0", "1"}
}

// Every data type is written and read back: as it is, in shards, and behind a
// transpose.
func TestEveryTypeIsStored(t *testing.T) {
	names := dtype.NewRegistry().Names()
	if len(names) < 60 {
		t.Fatalf("only %v", names)
	}
	for _, name := range slices.Sorted(maps.Keys(samples)) {
		if !slices.Contains(names, name) {
			t.Errorf("there is no type %s", name)
		}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			s := sample(name)
			typ := must[dtype.Type](t)(dtype.Parse(json.RawMessage(s[0])))
			codecs := zarr.DefaultCodecs(typ)
			turned := append(json.RawMessage(`[{"name":"transpose","configuration":{"order":[1,0]}},`), codecs[1:]...)
			for _, spec := range []zarr.ArraySpec{
				{Codecs: codecs}, {Codecs: codecs, Shards: []int{2, 4}}, {Codecs: turned},
			} {
				spec.DataType, spec.Shape, spec.Chunks, spec.FillValue = s[0], []int{3, 5}, []int{2, 2}, json.RawMessage(s[3])
				a := newArray(t, spec)
				src := nd.Make(typ.Size(), 3, 5)
				src.Heap = &nd.Heap{}
				k := 0
				src.Each(func(elem []byte) {
					copy(elem, must[[]byte](t)(typ.ParseFill(json.RawMessage(s[1+k%2]), src.Heap)))
					k++
				})
				check(t, a.WriteFrom(ctx, zarr.Slice("1:"), src.Box(nd.Box{Start: []int{1, 0}, Shape: []int{2, 5}})))
				back := must[nd.View](t)(readAny(reopen(t, a), zarr.All()))
				k = 0
				back.Each(func(elem []byte) {
					want := must[[]byte](t)(typ.ParseFill(json.RawMessage(s[1+k%2]), src.Heap))
					if k < 5 { // the first row was not written
						want = must[[]byte](t)(typ.ParseFill(json.RawMessage(s[3]), src.Heap))
					}
					spelled := must[[]byte](t)(typ.AppendFill(nil, want, src.Heap.Blobs()))
					if got := must[[]byte](t)(typ.AppendFill(nil, elem, back.Heap.Blobs())); string(got) != string(spelled) {
						t.Errorf("element %d is %s, want %s", k, got, spelled)
					}
					k++
				})
			}
		})
	}
}

func TestDefaultCodecsTakeEveryType(t *testing.T) {
	for _, c := range modelTypes {
		a := newArray(t, zarr.ArraySpec{Shape: []int{3}, DataType: c.typ})
		if !dtype.Equal(a.DataType(), dtype.MustParse(c.typ)) {
			t.Errorf("%s became %s", c.typ, a.DataType().Name())
		}
		v := must[nd.View](t)(readAny(a, zarr.All()))
		for i, b := range values(a.DataType(), v) {
			if slices.Max(append(b, 0)) != 0 {
				t.Errorf("%s: element %d of a new array is %x", c.typ, i, b)
			}
		}
	}
}
