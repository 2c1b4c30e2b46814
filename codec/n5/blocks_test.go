package n5_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/n5"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/n5block"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/nd"
)

// Blocks that N5 4.0.0 for Java wrote with gzip: an object, and twelve numbers of
// two bytes that are counted.
const (
	objectByJava    = "0002000000251f8b08000000000000ff012500daff8ba70957e33bfbfe54a3db5d9330e432738b07afd3373a69944c5b46d1e6fd2ca8f00d27441455199e25000000"
	varlengthByJava = "0001000200000001000000010000000c1f8b08000000000000fffbff9f8199818d8193819181e54e7aca12062685e50c1c0c0c003303c93218000000"

	objectValue    = "8ba70957e33bfbfe54a3db5d9330e432738b07afd3373a69944c5b46d1e6fd2ca8f00d2744"
	varlengthValue = "ffff00030006000900010004dc6764a4000220a700080000"
)

func payload(t testing.TB, codecs string) n5.Payload {
	t.Helper()
	p, err := n5.ParsePayload(std.Registry(), json.RawMessage(codecs))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func limits() *codec.Limits {
	return &codec.Limits{Workers: par.NewLimiter(2, 1<<30), MaxChunk: 1 << 20}
}

func TestBlocksOfAnyModeByJava(t *testing.T) {
	gzip := payload(t, `["gzip"]`)
	for _, c := range []struct {
		data, want string
		header     n5block.Header
	}{
		{objectByJava, objectValue, n5block.Header{Mode: n5block.Object, Count: 37, Size: 6}},
		{varlengthByJava, varlengthValue, n5block.Header{Mode: n5block.Varlength, Shape: []int{1, 1}, Count: 12, Size: 16}},
	} {
		h, out, err := n5.DecodeBlock(gzip, limits(), unhex(t, c.data))
		if err != nil || h.Mode != c.header.Mode || h.Count != c.header.Count || h.Size != c.header.Size || !slices.Equal(h.Shape, c.header.Shape) {
			t.Errorf("got %+v, %v", h, err)
		}
		if got := fmt.Sprintf("%x", out); got != c.want {
			t.Errorf("got %s", got)
		}
	}
	for text := range stringsByJava {
		h, out, err := n5.DecodeBlock(payload(t, `["zstd"]`), limits(), unhex(t, text))
		if err != nil || h.Mode != n5block.Varlength || len(out) != h.Count || out[len(out)-1] != 0 {
			t.Errorf("got %+v, %q, %v", h, out, err)
		}
	}
	// A raw block of the default mode, and its bytes.
	h, out, err := n5.DecodeBlock(n5.Payload{}, limits(), unhex(t, "00000001000000030000000a0000000b80000000"))
	if err != nil || h.Mode != n5block.Default || h.Shape[0] != 3 || fmt.Sprintf("%x", out) != "0000000a0000000b80000000" {
		t.Errorf("got %+v, %x, %v", h, out, err)
	}
}

// The text of N5 gives objects a shape. They are read where the bytes are as many
// as the shape says.
func TestObjectsWithAShape(t *testing.T) {
	h, out, err := n5.DecodeBlock(n5.Payload{}, limits(), []byte("\x00\x02\x00\x02\x00\x00\x00\x02\x00\x00\x00\x03abcdef"))
	if err != nil || h.Mode != n5block.Object || !slices.Equal(h.Shape, []int{2, 3}) || string(out) != "abcdef" {
		t.Errorf("got %+v, %q, %v", h, out, err)
	}
}

func TestHostileBlocks(t *testing.T) {
	for _, c := range []struct{ what, data, want string }{
		{"nothing", "", "0 bytes are too few"},
		{"mode only", "0001", "2 bytes are too few"},
		{"unknown mode", "0003 00000001 61", "mode 3, which N5 does not know"},
		{"no elements", "0000 0001 00000003", "has 0 bytes, which are not 3 elements"},
		{"no axes", "0000 0000", "has 0 bytes, which are not 1 elements"},
		{"elements of three bytes", "0000 0001 00000001 616263", "has 3 bytes, which are not 1 elements"},
		{"elements of nine bytes", "0000 0001 00000001 616263616263616263", "9 bytes follow the header of the block, at most 8 are possible"},
		{"an empty axis", "0000 0001 00000000", "0 bytes, which are not 0 elements"},
		{"very many axes", "0000 ffff 00000001 61", "too few for the 262144 of the header"},
		{"uncountable", "0000 0003 ffffffff ffffffff ffffffff 61", "more elements than can be counted"},
		{"a number whose multiples wrap around", "0000 0002 80000000 80000000 61616161", "which are not 4611686018427387904 elements"},
		{"count too large", "0001 0001 00000001 ffffffff 61", "has 1 bytes, which are not 4294967295 elements"},
		{"object too short", "0002 00000005 61626364", "has 4 bytes, which are not 5 elements"},
		{"object too long", "0002 00000003 61626364", "4 bytes follow the header of the block, at most 3 are possible"},
		{"object of a wrong shape", "0002 0001 00000003 61626364", "are not 65536 elements"},
	} {
		_, out, err := n5.DecodeBlock(n5.Payload{}, limits(), unhex(t, strings.ReplaceAll(c.data, " ", "")))
		if !errors.Is(err, codec.ErrData) || !strings.Contains(err.Error(), c.want) || out != nil {
			t.Errorf("%s: got %x, %v, want %q", c.what, out, err, c.want)
		}
	}
	// An object that would be more than there may be.
	bomb, err := bindVariable(t, entry("omnizarr.n5_blocks", `"gzip"`), "bytes", `""`, 1).
		Encode(context.Background(), chunk(nil), nil, texts([]string{strings.Repeat("a", 1<<21)}, 1))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = n5.DecodeBlock(payload(t, `["gzip"]`), limits(), bomb)
	if !errors.Is(err, codec.ErrTooLarge) || !strings.Contains(err.Error(), "codec gzip: too large: needs more than 1048576 bytes of memory") {
		t.Errorf("got %v", err)
	}
}

func TestByteBlocksPassTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: "[" + entry("omnizarr.n5_blocks", "") + "]", Type: "bytes", Shape: []int{1, 1}, Fill: `"AAEC"`},
		{Codecs: "[" + entry("omnizarr.n5_blocks", `"gzip"`) + "]", Type: "variable_length_bytes", Shape: []int{1}},
		{Codecs: "[" + entry("omnizarr.n5_blocks", `"zstd"`) + `,"crc32c"]`, Type: "bytes", Shape: nil},
	} {
		c.Registry = std.Registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func TestByteBlocksAreObjectsOfJava(t *testing.T) {
	b := bindVariable(t, entry("omnizarr.n5_blocks", ""), "bytes", `""`, 1, 1)
	data, err := b.Encode(context.Background(), chunk([]int{1, 1}), nil, texts([]string{"abc"}, 1, 1))
	if err != nil || string(data) != "\x00\x02\x00\x00\x00\x03abc" {
		t.Errorf("got %q, %v", data, err)
	}
	b = bindVariable(t, entry("omnizarr.n5_blocks", `"gzip"`), "bytes", `""`, 1)
	for _, src := range sources(unhex(t, objectByJava)) {
		if got, err := readTexts(b, src, nd.Whole([]int{1})); err != nil || fmt.Sprintf("%x", got[0]) != objectValue {
			t.Errorf("got %x, %v", got, err)
		}
	}
	for _, c := range []struct {
		typ, want string
		shape     []int
	}{
		{"string", "cannot write string", []int{1}}, {"bytes", "shape [2]: must be one element", []int{2}}, {"bytes", "shape [1 0]", []int{1, 0}},
	} {
		if _, err := bind(entry("omnizarr.n5_blocks", ""), c.typ, `""`, c.shape...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: got %v", c.typ, c.shape, err)
		}
	}
}

func FuzzDecodeBlock(f *testing.F) {
	f.Add(unhex(f, objectByJava))
	f.Add(unhex(f, varlengthByJava))
	f.Add([]byte("\x00\x02\x00\x02\x00\x00\x00\x02\x00\x00\x00\x03abcdef"))
	f.Add([]byte("\x00\x02\x00\x00\x00\x03abc"))
	f.Add([]byte("\x00\x00\x00\x01\x00\x00\x00\x03abc"))
	f.Add([]byte("\x00\x01\x00\x01\x00\x00\x00\x03\xff\xff\xff\xffabc"))
	packed := payload(f, `["gzip"]`)
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		for _, p := range []n5.Payload{{}, packed} {
			h, out, err := n5.DecodeBlock(p, limits(), data)
			if err != nil {
				if out != nil || !errors.Is(err, codec.ErrData) {
					t.Fatalf("%x, %v", out, err)
				}
				continue
			}
			if len(out) > 1<<20 || h.Size > len(data) || h.Mode > n5block.Object {
				t.Fatalf("%d bytes of %+v", len(out), h)
			}
			if n := len(data) - h.Size; p == (n5.Payload{}) && n != len(out) {
				t.Fatalf("%d bytes of %d", len(out), n)
			}
		}
	})
}

func ExampleDecodeBlock() {
	p, err := n5.ParsePayload(std.Registry(), json.RawMessage(`[]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	block := []byte("\x00\x02\x00\x00\x00\x05hello")
	h, data, err := n5.DecodeBlock(p, &codec.Limits{MaxChunk: 1 << 20}, block)
	fmt.Printf("mode %v: %s %v\n", h.Mode, data, err)
	// Output: mode 2 (object): hello <nil>
}
