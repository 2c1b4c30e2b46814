package optional_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/codec/optional"
	"github.com/omnizarr/zarr/codec/packbits"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/nd"
)

func registry() *codec.Registry {
	r := basic.Registry()
	r.Register(packbits.Parse, "packbits")
	r.Register(optional.Parse, "zarrs.optional")
	return r
}

// codecs is a list with nothing but the codec.
func codecs(mask, data string) string {
	return `[{"name":"zarrs.optional","configuration":{"mask_codecs":` + mask + `,"data_codecs":` + data + `}}]`
}

func optionalOf(name string) string {
	return `{"name":"zarrs.optional","configuration":{"name":"` + name + `","configuration":{}}}`
}

const little = `[{"name":"bytes","configuration":{"endian":"little"}}]`

func TestOptionalPassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: codecs(`["bytes"]`, little), Type: optionalOf("uint16"), Shape: []int{4, 5}},
		{Codecs: codecs(`["packbits"]`, `["bytes"]`), Type: optionalOf("uint8"), Shape: []int{33}, Fill: "[7]"},
		{Codecs: codecs(`["bytes","gzip"]`, `[{"name":"bytes","configuration":{"endian":"big"}},"gzip"]`), Type: optionalOf("int64"), Shape: []int{3, 3}, Fill: "[-1]"},
		{Codecs: codecs(`["bytes"]`, `["bytes"]`), Type: optionalOf("bool"), Shape: nil},
		{Codecs: codecs(`["bytes"]`, codecs(`["packbits"]`, little)), Type: `{"name":"zarrs.optional","configuration":` + optionalOf("int32") + `}`, Shape: []int{20}, Fill: "[null]"},
		{Codecs: `[{"name":"transpose","configuration":{"order":[1,0]}},` + codecs(`["bytes"]`, little)[1:], Type: optionalOf("float32"), Shape: []int{3, 5}},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
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

func bind(t testing.TB, codecs, typ string, shape ...int) *codec.Bound {
	t.Helper()
	b, err := tryBind(codecs, typ, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func limits() *codec.Chunk { return &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}} }

func decode(b *codec.Bound, data []byte) (nd.View, error) {
	s := b.Spec()
	v := nd.Make(s.Type.Size(), s.Shape...)
	v.Heap = &nd.Heap{}
	return v, b.Decode(context.Background(), limits(), &codec.Memory{Bytes: data}, nd.Whole(s.Shape), v)
}

// vector is a chunk that zarrs 0.23.14 wrote.
type vector struct {
	Codecs, Type, Fill json.RawMessage
	Shape              []int
	Data               []byte
	Values             []any
}

func TestWhatZarrsWroteIsReadAndWrittenAlike(t *testing.T) {
	f, err := os.Open("testdata/zarrs.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var vectors map[string]vector
	if err := json.NewDecoder(z).Decode(&vectors); err != nil {
		t.Fatal(err)
	}
	for name, vec := range vectors {
		t.Run(name, func(t *testing.T) {
			b := bind(t, string(vec.Codecs), string(vec.Type), vec.Shape...)
			v, err := decode(b, vec.Data)
			if err != nil {
				t.Fatal(err)
			}
			var got []any
			blobs := v.Heap.Blobs()
			v.Each(func(elem []byte) {
				text, err := b.Spec().Type.AppendValue(nil, elem, blobs)
				var x any
				if err == nil {
					err = json.Unmarshal(text, &x)
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, x)
			})
			if !reflect.DeepEqual(got, vec.Values) {
				t.Errorf("got %v, want %v", got, vec.Values)
			}
			out, err := b.Encode(context.Background(), limits(), nil, v)
			if err != nil || !strings.Contains(name, "gzip") && !bytes.Equal(out, vec.Data) {
				t.Errorf("written as %x, not as %x, %v", out, vec.Data, err)
			}
			fill, err := b.Spec().Type.ParseFill(vec.Fill, v.Heap)
			if err != nil {
				t.Fatal(err)
			}
			spelled, err := b.Spec().Type.AppendFill(nil, fill, v.Heap.Blobs())
			if err != nil || string(spelled) != string(vec.Fill) {
				t.Errorf("fill value %s became %s, %v", vec.Fill, spelled, err)
			}
		})
	}
}

func TestConfigurations(t *testing.T) {
	for want, c := range map[string][2]string{
		"":                                {codecs(`["bytes"]`, `["bytes"]`), optionalOf("uint8")},
		"configuration lacks mask_codecs": {`["zarrs.optional"]`, optionalOf("uint8")},
		"configuration lacks data_codecs": {`[{"name":"zarrs.optional","configuration":{"mask_codecs":["bytes"]}}]`, optionalOf("uint8")},
		"mask_codecs: no codec":           {codecs(`[]`, `["bytes"]`), optionalOf("uint8")},
		"data_codecs: codec nothing":      {codecs(`["bytes"]`, `["nothing"]`), optionalOf("uint8")},
		"whose values are never missing":  {codecs(`["bytes"]`, `["bytes"]`), "uint8"},
		"data_codecs: codec bytes: conf":  {codecs(`["bytes"]`, `["bytes"]`), optionalOf("uint16")},
		"mask_codecs: codec vlen-utf8":    {codecs(`["vlen-utf8"]`, `["bytes"]`), optionalOf("uint8")},
	} {
		_, err := tryBind(c[0], c[1], 3)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s of %s: got %v, want %s", c[0], c[1], err, want)
		}
	}
}

func TestDamageIsNamed(t *testing.T) {
	b := bind(t, codecs(`["bytes"]`, `["bytes"]`), optionalOf("uint8"), 3)
	length := func(mask, data byte, rest ...byte) []byte {
		return append([]byte{mask, 0, 0, 0, 0, 0, 0, 0, data, 0, 0, 0, 0, 0, 0, 0}, rest...)
	}
	for want, data := range map[string][]byte{
		"15 bytes are too few for two lengths":           make([]byte, 15),
		"parts of 3 and 2 bytes, there are 4":            length(3, 2, 1, 1, 0, 9),
		"parts of 255 and 0 bytes, there are 3":          length(255, 0, 1, 1, 0),
		"mask_codecs: codec bytes: got 2 bytes, want 3":  length(2, 0, 1, 1),
		"mask_codecs: codec bytes: value 2 for bool":     length(3, 1, 2, 0, 0, 5),
		"2 values in 1 bytes":                            length(3, 1, 1, 1, 0, 9),
		"1 bytes of values, all are missing":             length(3, 1, 0, 0, 0, 9),
		"parts of 18446744073709551615 and 0 bytes, the": append(bytes.Repeat([]byte{255}, 8), make([]byte, 9)...),
	} {
		if _, err := decode(b, data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	plain := bind(f, codecs(`["packbits"]`, `["bytes"]`), optionalOf("uint8"), 3)
	text := bind(f, codecs(`["bytes"]`, `["vlen-utf8"]`), optionalOf("string"), 3)
	f.Add([]byte("\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x05\x07\x08"))
	f.Add([]byte("\x03\x00\x00\x00\x00\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x01\x00\x00\x00\x01\x00\x00\x00a"))
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		for _, b := range []*codec.Bound{plain, text} {
			v, err := decode(b, data)
			if err != nil {
				continue
			}
			out, err := b.Encode(context.Background(), limits(), nil, v)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := decode(b, out); err != nil || len(again.Data) != len(v.Data) {
				t.Errorf("%x became %x, %v", data, out, err)
			}
		}
	})
}

func Example() {
	r := registry()
	r.Register(optional.Parse, "zarrs.optional")
	chain, err := r.ParseList(json.RawMessage(codecs(`["bytes"]`, `["bytes"]`)))
	if err != nil {
		fmt.Println(err)
		return
	}
	typ := dtype.MustParse(optionalOf("uint8"))
	bound, err := chain.Bind(codec.Spec{Type: typ, Shape: []int{3}, Fill: make([]byte, typ.Size())})
	if err != nil {
		fmt.Println(err)
		return
	}
	// Each element is a byte that says whether there is a value, and the value.
	src := nd.Of([]byte{1, 7, 0, 0, 1, 8}, 2, 3)
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	out, err := bound.Encode(context.Background(), ck, nil, src)
	fmt.Println(out[16:], err)
	// Output: [1 0 1 7 8] <nil>
}
