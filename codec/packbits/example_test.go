package packbits_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/packbits"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

func Example() {
	codecs := codec.NewRegistry()
	codecs.Register(packbits.Parse, "packbits")
	chain, err := codecs.ParseList(json.RawMessage(`[
		{"name": "packbits", "configuration": {"padding_encoding": "last_byte", "last_bit": 2}}
	]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	chunks, err := chain.Bind(codec.Spec{Type: dtype.MustParse("int8"), Shape: []int{5}, Fill: []byte{0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	ctx := context.Background()

	// Five values of three bits: 001 010 011 111 110, from the right.
	minus := func(n int) byte { return byte(-n) }
	out, err := chunks.Encode(ctx, ck, nil, nd.Of([]byte{1, 2, 3, minus(1), minus(2)}, 1, 5))
	fmt.Printf("%08b %v\n", out, err)

	// The fourth value alone.
	one := nd.Make(1, 1)
	err = chunks.Decode(ctx, ck, &codec.Memory{Bytes: out}, nd.Box{Start: []int{3}, Shape: []int{1}}, one)
	fmt.Println(int8(one.Data[0]), err)
	// Output:
	// [11010001 01101110 00000001] <nil>
	// -1 <nil>
}

func ExamplePackBools() {
	bools := []byte{1, 1, 0, 1, 0, 0, 0, 0}
	out := make([]byte, 1)
	packbits.PackBools(out, bools, packbits.LSB)
	fmt.Printf("%08b\n", out)
	packbits.PackBools(out, bools, packbits.MSB)
	fmt.Printf("%08b\n", out)
	// Output:
	// [00001011]
	// [11010000]
}

// The code that the README shows is the example that is run.
func TestTheReadmeShowsTheExample(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(readme), "```go\n")
	code, _, found := strings.Cut(code, "```")
	if !found {
		t.Fatal("no code in the README")
	}
	for line := range strings.Lines(code) {
		if line = strings.TrimSpace(line); !strings.Contains(string(source), line) {
			t.Errorf("not in the example: %s", line)
		}
	}
}
