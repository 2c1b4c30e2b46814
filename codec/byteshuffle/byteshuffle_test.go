package byteshuffle_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/byteshuffle"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/internal/fuzzlong"
)

func registry() *codec.Registry { return basic.With(byteshuffle.Parse, "numcodecs.shuffle", "shuffle") }

func TestShufflePassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: `[{"name":"bytes","configuration":{"endian":"little"}},"numcodecs.shuffle"]`, Type: "int32", Shape: []int{30, 7}, Fill: "9"},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"big"}},{"name":"shuffle","configuration":{"elementsize":8}},"gzip"]`, Type: "float64", Shape: []int{3, 4, 5}},
		{Codecs: `["bytes",{"name":"numcodecs.shuffle","configuration":{"elementsize":1}},"crc32c"]`, Type: "uint8", Shape: []int{35}},
		{Codecs: `["bytes",{"name":"numcodecs.shuffle","configuration":{"elementsize":7}}]`, Type: "uint8", Shape: []int{35}},
		{Codecs: `["vlen-utf8",{"name":"numcodecs.shuffle","configuration":{"elementsize":0}}]`, Type: "string", Shape: []int{4, 5}},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func TestConfigurations(t *testing.T) {
	for config, want := range map[string]string{
		``:                     `{"name":"shuffle","configuration":{"elementsize":4}}`,
		`{"elementsize":0}`:    `{"name":"shuffle","configuration":{"elementsize":0}}`,
		`{"elementsize":16}`:   `{"name":"shuffle","configuration":{"elementsize":16}}`,
		`{"elementsize":null}`: "elementsize: must not be null",
		`{"elementsize":"4"}`:  "not a string",
		`{"typesize":4}`:       `unknown member "typesize"`,
	} {
		c, err := registry().Parse(codec.Entry{Name: "shuffle", Config: json.RawMessage(config)})
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %s", config, err, want)
			}
			continue
		}
		if text, err := c.MarshalJSON(); err != nil || string(text) != want {
			t.Errorf("%s became %s, %v", config, text, err)
		}
	}
	if name := (byteshuffle.Codec{}).Name(); name != "numcodecs.shuffle" {
		t.Error(name)
	}
}

func filter(t testing.TB, element int) codec.BytesFilter {
	t.Helper()
	f, err := byteshuffle.Codec{ElementSize: element}.BindBytes(codec.Spec{}, codec.Size{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What numcodecs 0.17.1 makes of the numbers below 24.
func TestBytesStandWhereNumcodecsPutsThem(t *testing.T) {
	data := make([]byte, 24)
	for i := range data {
		data[i] = byte(i)
	}
	for element, want := range map[int]string{
		2:  "00020406080a0c0e1012141601030507090b0d0f11131517",
		3:  "000306090c0f12150104070a0d1013160205080b0e111417",
		4:  "0004080c10140105090d111502060a0e121603070b0f1317",
		8:  "000810010911020a12030b13040c14050d15060e16070f17",
		12: "000c010d020e030f0410051106120713081409150a160b17",
		1:  "000102030405060708090a0b0c0d0e0f1011121314151617",
		0:  "000102030405060708090a0b0c0d0e0f1011121314151617",
		-1: "000102030405060708090a0b0c0d0e0f1011121314151617",
		24: "000102030405060708090a0b0c0d0e0f1011121314151617",
	} {
		out, err := filter(t, element).Encode(nil, []byte("pre"), data)
		if err != nil || hex.EncodeToString(out[3:]) != want || string(out[:3]) != "pre" {
			t.Errorf("%d: got %x, %v", element, out, err)
			continue
		}
		dst := append(make([]byte, 0, 27), "pre"...)
		back, err := filter(t, element).Decode(nil, dst, out[3:], 24)
		if err != nil || string(back) != "pre"+string(data) || &back[0] != &dst[0] {
			t.Errorf("%d: got %x, %v", element, back, err)
		}
	}
}

func TestWhatIsNotWholeElementsIsRefused(t *testing.T) {
	if _, err := (byteshuffle.Codec{ElementSize: 4}).BindBytes(codec.Spec{}, codec.Exactly(10)); err == nil || err.Error() != "chunks of 10 bytes are not whole elements of 4" {
		t.Error(err)
	}
	for _, n := range []int{1, 3, 5} {
		want := fmt.Sprintf("%d bytes are not whole elements of 4", n)
		if _, err := filter(t, 4).Encode(nil, nil, make([]byte, n)); err == nil || err.Error() != want {
			t.Error(err)
		}
		if _, err := filter(t, 4).Decode(nil, nil, make([]byte, n), 100); err == nil || err.Error() != want {
			t.Error(err)
		}
	}
	if _, err := filter(t, 4).Decode(nil, nil, make([]byte, 8), 7); err == nil || err.Error() != "8 bytes, at most 7 are possible" {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("12345678"), 4)
	f.Add([]byte{}, 0)
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte, element int) {
		out, err := filter(t, element).Decode(nil, []byte("pre"), data, 1<<12)
		if err != nil {
			return
		}
		back, err := filter(t, element).Encode(nil, nil, out[3:])
		if err != nil || !bytes.Equal(back, data) {
			t.Errorf("%d bytes became %d, %v", len(data), len(back), err)
		}
	})
}

func ExampleCodec() {
	f, err := byteshuffle.Codec{ElementSize: 2}.BindBytes(codec.Spec{}, codec.Exactly(6))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Encode(nil, nil, []byte{1, 0, 2, 0, 3, 0}))
	// Output: [1 2 3 0 0 0] <nil>
}
