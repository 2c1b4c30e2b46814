package pcodec_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/pcodec"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

const (
	defaultName = "numcodecs.pcodec"
	zarrsName   = "https://codec.zarrs.dev/array_to_bytes/pcodec"
)

func registry() *codec.Registry {
	r := codec.NewRegistry()
	r.Register(pcodec.Parse, defaultName, "pcodec", zarrsName)
	return r
}

func TestConformance(t *testing.T) {
	for _, c := range []codectest.Case{
		{Type: "uint8", Shape: []int{7, 5}, Fill: "3"},
		{Type: "int8", Shape: []int{300}},
		{Type: "uint16", Shape: []int{3, 4, 5}},
		{Type: "int16", Shape: []int{1}},
		{Type: "uint32", Shape: []int{257}},
		{Type: "int32", Shape: []int{16, 17}, Fill: "-1"},
		{Type: "uint64", Shape: []int{2, 2}},
		{Type: "int64", Shape: []int{1000}},
		{Type: "float16", Shape: []int{9, 31}},
		{Type: "float32", Shape: []int{40, 40}, Fill: "1.5"},
		{Type: "float64", Shape: []int{5, 60}, Fill: `"NaN"`},
		{Type: "complex64", Shape: []int{33}},
		{Type: "complex128", Shape: []int{3, 3}},
		{Type: `{"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 1}}`, Shape: []int{50}},
	} {
		for _, config := range []string{`{}`, `{"level": 0, "equal_pages_up_to": 100, "delta_spec": "none", "mode_spec": "classic"}`} {
			c.Codecs = `[{"name": "numcodecs.pcodec", "configuration": ` + config + `}]`
			c.Registry = registry()
			t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
		}
	}
}

func TestConfigurationIsWrittenInFull(t *testing.T) {
	const all = `{"level":8,"mode_spec":"auto","delta_spec":"auto","paging_spec":"equal_pages_up_to","delta_encoding_order":null,"equal_pages_up_to":262144}`
	for _, c := range []struct{ name, config, want string }{
		{defaultName, ``, all},
		{defaultName, `{}`, all},
		{defaultName, all, all},
		// zarr-python writes what was given.
		{defaultName, `{"level": 8, "mode_spec": "auto"}`, all},
		{"pcodec", `{"level": 8}`, all},
		{defaultName, `{"delta_spec": "try_consecutive", "delta_encoding_order": 2, "equal_pages_up_to": 10}`,
			`{"level":8,"mode_spec":"auto","delta_spec":"try_consecutive","paging_spec":"equal_pages_up_to","delta_encoding_order":2,"equal_pages_up_to":10}`},
		{defaultName, `{"delta_encoding_order": 7}`, strings.Replace(all, "null", "7", 1)},
		{defaultName, `{"delta_spec": "none"}`, strings.Replace(all, `"delta_spec":"auto"`, `"delta_spec":"none"`, 1)},
		// zarrs 0.11 to 0.14, and 0.15.
		{"pcodec", `{"level": 8, "delta_encoding_order": null, "int_mult_spec": false, "float_mult_spec": false, "max_page_n": 1024}`,
			strings.Replace(strings.Replace(all, "262144", "1024", 1), `"mode_spec":"auto"`, `"mode_spec":"classic"`, 1)},
		{zarrsName, `{"level": 8, "delta_encoding_order": 2, "mode_spec": "auto", "max_page_n": 1024}`,
			strings.Replace(strings.Replace(all, "262144", "1024", 1), "null", "2", 1)},
	} {
		k, err := pcodec.Parse(nil, c.name, json.RawMessage(c.config))
		if err != nil {
			t.Errorf("%s: %v", c.config, err)
			continue
		}
		got, err := k.MarshalJSON()
		want := `{"name":"` + c.name + `","configuration":` + c.want + `}`
		if string(got) != want || err != nil || k.Name() != c.name {
			t.Errorf("%s: %s as %s, %v", c.config, k.Name(), got, err)
		}
	}
}

func TestConfigurationsThatMeanNothing(t *testing.T) {
	for config, want := range map[string]string{
		`{"level": 13}`:                                      "level is 13: must be from 0 to 12",
		`{"level": -1}`:                                      "level is -1",
		`{"mode_spec": "try_int_mult"}`:                      `mode_spec is "try_int_mult"`,
		`{"delta_spec": "later"}`:                            `unknown delta_spec "later"`,
		`{"paging_spec": "exact"}`:                           `paging_spec is "exact"`,
		`{"delta_encoding_order": 8}`:                        "delta_encoding_order is 8",
		`{"delta_encoding_order": true}`:                     "delta_encoding_order is true",
		`{"delta_encoding_order": 1, "delta_spec": "no_op"}`: `does not go with a delta_spec of "no_op"`,
		`{"equal_pages_up_to": 0}`:                           "equal_pages_up_to is 0",
		`{"max_page_n": 5}`:                                  "max_page_n",
		`{"speed": 5}`:                                       "speed",
		`[]`:                                                 "must be an object",
	} {
		if _, err := pcodec.Parse(nil, defaultName, json.RawMessage(config)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", config, err, want)
		}
	}
}

func TestTypesThatAreNotNumbers(t *testing.T) {
	c, err := pcodec.New(8)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bool", "string", "int4", "bfloat16", "r16"} {
		typ, err := dtype.Lookup(name)
		if err != nil {
			continue
		}
		if _, err := c.BindSerializer(codec.Spec{Type: typ, Shape: []int{2}, Fill: make([]byte, typ.Size())}); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if _, err := pcodec.New(13); err == nil {
		t.Error("level 13 was taken")
	}
}

// A chunk of normally distributed numbers, written by zarrs 0.23.14.
func TestAChunkOfZarrs(t *testing.T) {
	const file = "70636f21030003030401050b000000100000000000000120c98f40eddbd1bfb5883c41c7677e40" +
		"e66f34bca2f241bf51107b422201f7bf48fd5dbf7ec977bfca135b40ab6d9fbf00"
	want := []float32{
		-0.93833727, 1.6395241, -0.38176948, -1.0124578, 0.011013007, 0.75760853,
		-0.06491028, 1.9297221, 0.867146, 0.9679183, -1.2884585, 1.2455343,
	}
	data, err := hex.DecodeString(file)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := registry().ParseList(json.RawMessage(`[{"name": "numcodecs.pcodec", "configuration": {
		"level": 8, "mode_spec": "auto", "delta_spec": "auto", "paging_spec": "equal_pages_up_to",
		"delta_encoding_order": null, "equal_pages_up_to": 262144}}]`))
	if err != nil {
		t.Fatal(err)
	}
	typ, _ := dtype.Lookup("float32")
	b, err := chain.Bind(codec.Spec{Type: typ, Shape: []int{3, 4}, Fill: make([]byte, 4)})
	if err != nil {
		t.Fatal(err)
	}
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20, Strict: true}}
	dst := nd.Make(4, 3, 4)
	if err := b.Decode(context.Background(), ck, &codec.Memory{Bytes: data}, nd.Whole([]int{3, 4}), dst); err != nil {
		t.Fatal(err)
	}
	for i, f := range want {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(dst.Data[4*i:])); got != f {
			t.Errorf("number %d is %v, want %v", i, got, f)
		}
	}
}

func TestBytesBehindTheEndAreBadIfStrict(t *testing.T) {
	c, _ := pcodec.New(8)
	typ, _ := dtype.Lookup("int32")
	s, err := c.BindSerializer(codec.Spec{Type: typ, Shape: []int{3}, Fill: make([]byte, 4)})
	if err != nil {
		t.Fatal(err)
	}
	src := nd.Of([]byte{1, 0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0}, 4, 3)
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	out, err := s.Encode(context.Background(), ck, nil, src)
	if err != nil {
		t.Fatal(err)
	}
	m := &codec.Memory{Bytes: append(out, 0)}
	dst := nd.Make(4, 3)
	if err := s.Decode(context.Background(), ck, m, nd.Whole([]int{3}), dst); err != nil || !bytes.Equal(dst.Data, src.Data) {
		t.Errorf("%v, %v", dst.Data, err)
	}
	ck.Limits.Strict = true
	if err := s.Decode(context.Background(), ck, m, nd.Whole([]int{3}), dst); err == nil {
		t.Error("went unnoticed")
	}
}
