package transpose_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

func chain(order, rest string) string {
	return fmt.Sprintf(`[{"name":"transpose","configuration":{"order":%s}},%s]`, order, rest)
}

func TestTransposePassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: chain("[1,0]", `"bytes"`), Type: "uint8", Shape: []int{5, 6}, Fill: "9"},
		{Codecs: chain("[2,0,1]", `{"name":"bytes","configuration":{"endian":"big"}}`), Type: "int32", Shape: []int{3, 4, 5}},
		{Codecs: chain("[0,1,2]", `{"name":"bytes","configuration":{"endian":"little"}}`), Type: "uint16", Shape: []int{3, 4, 5}},
		{Codecs: chain("[1,0]", `{"name":"transpose","configuration":{"order":[1,0]}},"bytes","crc32c"`), Type: "uint8", Shape: []int{4, 7}},
		{Codecs: chain("[1,2,0]", `{"name":"transpose","configuration":{"order":[0,2,1]}},"vlen-utf8",{"name":"gzip"}`), Type: "string", Shape: []int{2, 3, 4}, Fill: `"none"`},
		{Codecs: chain("[0]", `"bytes"`), Type: "int8", Shape: []int{12}},
		{Codecs: chain("[]", `"bytes"`), Type: "bool", Shape: nil},
	} {
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func bind(codecs string, shape ...int) (*codec.Bound, error) {
	c, err := basic.Registry().ParseList(json.RawMessage(codecs))
	if err != nil {
		return nil, err
	}
	return c.Bind(codec.Spec{Type: dtype.MustParse("uint8"), Shape: shape, Fill: []byte{0}})
}

func TestConfigurations(t *testing.T) {
	for config, want := range map[string]string{
		`{"order":[1,0]}`:       "",
		`{"order":[0,1]}`:       "",
		`{"order":[1,1]}`:       "order [1 1] is no permutation of the axes",
		`{"order":[0,2]}`:       "order [0 2] is no permutation of the axes",
		`{"order":[-1,0]}`:      "order[0]: -1 is less than 0",
		`{"order":[0]}`:         "order [0] has 1 axes, the array has 2",
		`{"order":[2,1,0]}`:     "has 3 axes, the array has 2",
		`{"order":"F"}`:         "",
		`{"order":"C"}`:         "",
		`{"order":"K"}`:         `configuration.order: is "K", must be an array of axes, "C" or "F"`,
		`{"order":7}`:           "configuration.order: must be an array, not a number",
		`{"order":[0.5,1]}`:     "configuration.order[0]: must be an integer, not 0.5",
		`{"order":null}`:        "order: must not be null",
		`{}`:                    "configuration lacks order",
		`{"order":[1,0],"x":0}`: `unknown member "x"`,
	} {
		_, err := bind(`[{"name":"transpose","configuration":`+config+`},"bytes"]`, 2, 3)
		if want == "" && err != nil {
			t.Errorf("%s: %v", config, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "codec transpose")) {
			t.Errorf("%s: got %v, want %s", config, err, want)
		}
	}
}

// The example of the specification: order says which axis of the array is the
// i-th of what is encoded.
func TestOrderSaysWhereAxesComeFrom(t *testing.T) {
	b, err := bind(chain("[1,2,0]", `"bytes"`), 2, 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	src := nd.Make(1, 2, 3, 4)
	for i := range src.Data {
		src.Data[i] = byte(i)
	}
	out, err := b.Encode(context.Background(), &codec.Chunk{Limits: &codec.Limits{}}, nil, src)
	if err != nil {
		t.Fatal(err)
	}
	k := 0
	for i := range 3 {
		for j := range 4 {
			for l := range 2 {
				if want := src.At(l, i, j)[0]; out[k] != want {
					t.Fatalf("byte %d is %d, want %d", k, out[k], want)
				}
				k++
			}
		}
	}
}

// A Fortran-ordered chunk that is read into Fortran-ordered memory is read in one
// go.
func TestMemoryOfTheSameOrderIsReadStraight(t *testing.T) {
	b, err := bind(chain("[1,0]", `"bytes"`), 100, 100)
	if err != nil {
		t.Fatal(err)
	}
	dst := nd.View{Data: make([]byte, 10000), Size: 1, Shape: []int{100, 100}, Strides: []int{1, 100}}
	src := &codectest.Source{Data: make([]byte, 10000)}
	ck := &codec.Chunk{Limits: &codec.Limits{}}
	if err := b.Decode(context.Background(), ck, src, nd.Whole([]int{100, 100}), dst); err != nil {
		t.Fatal(err)
	}
	if src.Requests.Load() != 1 {
		t.Errorf("%d requests", src.Requests.Load())
	}
}

func ExampleCodec() {
	chain, err := basic.Registry().ParseList(json.RawMessage(`[{"name": "transpose", "configuration": {"order": [1, 0]}}, "bytes"]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, err := chain.Bind(codec.Spec{Type: dtype.MustParse("uint8"), Shape: []int{2, 3}, Fill: []byte{0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	out, err := bound.Encode(context.Background(), ck, nil, nd.Of([]byte{1, 2, 3, 4, 5, 6}, 1, 2, 3))
	fmt.Println(out, err)
	// Output: [1 4 2 5 3 6] <nil>
}
