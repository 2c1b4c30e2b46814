package object_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/codec/object"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

func registry() *codec.Registry {
	r := basic.Registry()
	r.Register(object.ParseJSON, "numcodecs.json2")
	r.Register(object.ParseMsgPack, "numcodecs.msgpack2")
	r.Register(object.ParsePickle, "numcodecs.pickle")
	return r
}

func TestObjectsPassTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: `["numcodecs.json2"]`, Type: "string", Shape: []int{4, 5}},
		{Codecs: `["numcodecs.json2"]`, Type: "string", Shape: nil, Fill: `"☃"`},
		{Codecs: `["numcodecs.json2"]`, Type: "int16", Shape: []int{3, 2, 2}, Fill: "-7"},
		{Codecs: `["numcodecs.json2","gzip"]`, Type: "uint64", Shape: []int{9}},
		{Codecs: `["numcodecs.json2"]`, Type: "bool", Shape: []int{9}, Fill: "true"},
		{Codecs: `[{"name":"numcodecs.json2","configuration":{"ensure_ascii":false,"indent":2}}]`, Type: "string", Shape: []int{2, 3}},
		{Codecs: `["numcodecs.msgpack2"]`, Type: "string", Shape: []int{20}, Fill: `"nothing"`},
		{Codecs: `["numcodecs.msgpack2"]`, Type: "string", Shape: []int{2, 3}},
		{Codecs: `["numcodecs.msgpack2"]`, Type: "uint8", Shape: []int{7, 3}},
		{Codecs: `["numcodecs.msgpack2"]`, Type: "int64", Shape: nil},
		{Codecs: `["numcodecs.pickle"]`, Type: "string", Shape: []int{4, 5}},
		{Codecs: `[{"name":"transpose","configuration":{"order":[1,0]}},"numcodecs.pickle"]`, Type: "string", Shape: []int{4, 5}, Fill: `"x"`},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func bind(t testing.TB, codecs, typ string, shape ...int) *codec.Bound {
	t.Helper()
	b, err := tryBind(codecs, typ, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func tryBind(codecs, typ string, shape ...int) (*codec.Bound, error) {
	chain, err := registry().ParseList(json.RawMessage(codecs))
	if err != nil {
		return nil, err
	}
	dt, err := dtype.Lookup(typ)
	if err != nil {
		return nil, err
	}
	return chain.Bind(codec.Spec{Type: dt, Shape: shape, Fill: make([]byte, dt.Size()), Heap: &nd.Heap{}})
}

func limits() *codec.Chunk { return &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}} }

// decode reads a whole chunk.
func decode(b *codec.Bound, data []byte) (nd.View, error) {
	s := b.Spec()
	v := nd.Make(s.Type.Size(), s.Shape...)
	v.Heap = &nd.Heap{}
	return v, b.Decode(context.Background(), limits(), &codec.Memory{Bytes: data}, nd.Whole(s.Shape), v)
}

// values are the elements as they are printed.
func values(t testing.TB, b *codec.Bound, v nd.View) []any {
	t.Helper()
	out := []any{}
	blobs := v.Heap.Blobs()
	v.Each(func(elem []byte) {
		text, err := b.Spec().Type.AppendValue(nil, elem, blobs)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, parse(t, text))
	})
	return out
}

func parse(t testing.TB, text []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	var x any
	if err := dec.Decode(&x); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return x
}

// vector is a chunk that numcodecs 0.17.1 wrote, with NumPy 2.5.4, msgpack
// 1.2.4 and Python 3.13.
type vector struct {
	Codec  string
	Config json.RawMessage
	Type   string
	Shape  []int
	Data   []byte
	Values []any // missing where the numbers would not be the same in JSON
}

func vectors(t testing.TB) map[string]vector {
	t.Helper()
	f, err := os.Open("testdata/numcodecs.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]vector{}
	if err := json.NewDecoder(z).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func (v vector) bind(t testing.TB) *codec.Bound {
	t.Helper()
	config := v.Config
	if config == nil || string(config) == "null" {
		config = json.RawMessage("{}")
	}
	return bind(t, `[{"name":"numcodecs.`+v.Codec+`","configuration":`+string(config)+`}]`, v.Type, v.Shape...)
}

func TestWhatNumcodecsWroteIsReadAndWrittenAlike(t *testing.T) {
	for name, vec := range vectors(t) {
		if vec.Codec == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			b := vec.bind(t)
			v, err := decode(b, vec.Data)
			if err != nil {
				t.Fatal(err)
			}
			got := values(t, b, v)
			for i, want := range vec.Values {
				if want != nil && !reflect.DeepEqual(got[i], want) {
					t.Errorf("value %d is %v, want %v", i, got[i], want)
				}
			}
			out, err := b.Encode(context.Background(), limits(), nil, v)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(name, "read ") {
				if !bytes.Equal(out, vec.Data) {
					t.Errorf("written as\n%q\nnot as\n%q", out, vec.Data)
				}
				return
			}
			// Written in another way, but with the same meaning.
			again, err := decode(b, out)
			if err != nil {
				t.Fatal(err)
			}
			if second := values(t, b, again); !reflect.DeepEqual(got, second) {
				t.Errorf("%v became %v", got, second)
			}
		})
	}
}

func TestFloatsKeepTheirBits(t *testing.T) {
	for _, c := range []string{"numcodecs.json2", "numcodecs.msgpack2"} {
		b := bind(t, `["`+c+`"]`, "float64", 6)
		in := nd.Make(8, 6)
		for i, x := range []float64{0.1, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64, 1 << 53} {
			put(in.At(i), x)
		}
		data, err := b.Encode(context.Background(), limits(), nil, in)
		if err != nil {
			t.Fatal(err)
		}
		out, err := decode(b, data)
		if err != nil || !bytes.Equal(out.Data, in.Data) {
			t.Errorf("%s: %x became %x, %v", c, in.Data, out.Data, err)
		}
	}
}

func put(elem []byte, x float64) {
	for i := range elem {
		elem[i] = byte(math.Float64bits(x) >> (8 * i))
	}
}
