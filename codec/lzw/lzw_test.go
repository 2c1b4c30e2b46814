package lzw_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/lzw"
	"github.com/omnizarr/zarr/format/tiff/tiletest"
	"github.com/omnizarr/zarr/internal/fuzzlong"
)

func TestLZWPassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: `["bytes", "imagecodecs_lzw"]`, Type: "uint8", Shape: []int{50, 7}},
		{Codecs: `[{"name": "bytes", "configuration": {"endian": "big"}}, "lzw"]`, Type: "int32", Shape: []int{5, 6, 7}},
		{Codecs: `["bytes", "lzw", "crc32c"]`, Type: "bool", Shape: []int{4000}},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

// What imagecodecs, which follows libtiff, makes of the same data.
func TestBytesAreThoseOfTIFF(t *testing.T) {
	for text, want := range map[string]string{
		"":           "804040",
		"a":          "80186020",
		"aaaaaaaaaa": "80186050382404",
	} {
		if got := hex.EncodeToString(lzw.AppendEncode(nil, []byte(text))); got != want {
			t.Errorf("%q gives %s, want %s", text, got, want)
		}
	}
}

// Noise fills the table of strings over and over, runs make long strings, and
// every length passes each change of width.
func TestEverythingComesBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 0; n < 60000; n += 1 + n/7 {
		for _, values := range []int{1, 2, 7, 256} {
			data := make([]byte, n)
			for i := range data {
				data[i] = byte(r.IntN(values))
			}
			packed := lzw.AppendEncode([]byte("before"), data)
			if !bytes.HasPrefix(packed, []byte("before")) {
				t.Fatal("what was there is gone")
			}
			got, err := lzw.AppendDecode([]byte("x"), packed[6:], n)
			if err != nil || !bytes.Equal(got[1:], data) {
				t.Fatalf("%d bytes of %d values: %v", n, values, err)
			}
		}
	}
}

func TestBadDataIsRefused(t *testing.T) {
	whole := lzw.AppendEncode(nil, bytes.Repeat([]byte("abc"), 1000))
	for _, c := range []struct {
		name, want string
		data       []byte
		limit      int
	}{
		{"empty", "data ends", nil, 10},
		{"cut", "data ends", whole[:len(whole)-2], 3001},
		{"a bomb", "more than the 2999 bytes", whole, 2999},
		{"a code that nothing has", "code 300 stands where 258", []byte{0x80, 0x18, 0x65, 0x80}, 10},
	} {
		if _, err := lzw.AppendDecode(nil, c.data, c.limit); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{0x80, 0x18, 0x60, 0x20})
	f.Add(lzw.AppendEncode(nil, bytes.Repeat([]byte("abcd"), 3000)))
	for seed := range uint64(8) {
		f.Add(stream(rand.New(rand.NewPCG(seed, 0)), 600, seed%2 == 1))
	}
	for _, tile := range tiletest.Compressed(5) {
		f.Add(tile)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		comparePlain(t, data, 1<<16)
		out, err := lzw.AppendDecode(nil, data, 1<<16)
		if err != nil {
			return
		}
		if len(out) > 1<<16 {
			t.Fatalf("%d bytes", len(out))
		}
		again, err := lzw.AppendDecode(nil, lzw.AppendEncode(nil, out), len(out))
		if err != nil || !bytes.Equal(again, out) {
			t.Fatal(err)
		}
	})
}

func Example() {
	packed := lzw.AppendEncode(nil, []byte("tobeornottobeortobeornot"))
	text, err := lzw.AppendDecode(nil, packed, 24)
	fmt.Println(len(packed), string(text), err)
	_, err = lzw.AppendDecode(nil, packed, 10)
	fmt.Println(err)
	// Output:
	// 21 tobeornottobeortobeornot <nil>
	// holds more than the 10 bytes that are possible
}

var _ codec.BytesToBytes = lzw.Codec{}
