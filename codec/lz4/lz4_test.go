package lz4_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/codec/lz4"
	"github.com/omnizarr/zarr/internal/fuzzlong"
)

// registry knows the codec under both of its names, whatever std has.
func registry() *codec.Registry {
	r := basic.Registry()
	r.Register(lz4.Parse, "numcodecs.lz4", "lz4")
	r.Register(lz4.ParseBlock, lz4.BlockName)
	r.Register(lz4.ParseHDF5, lz4.HDF5Name)
	return r
}

func TestLZ4PassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: `["bytes",{"name":"numcodecs.lz4","configuration":{"acceleration":1}}]`, Type: "uint8", Shape: []int{20, 30}, Fill: "9"},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"big"}},"lz4"]`, Type: "int32", Shape: []int{3, 4, 5}},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"lz4","configuration":{"acceleration":100}}]`, Type: "float64", Shape: []int{17}, Fill: `"-Infinity"`},
		{Codecs: `["vlen-bytes","numcodecs.lz4"]`, Type: "bytes", Shape: []int{4, 5}, Fill: `"AAEC"`},
		{Codecs: `["bytes","numcodecs.lz4","lz4"]`, Type: "uint8", Shape: []int{64, 64}},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func TestConfigurations(t *testing.T) {
	for config, want := range map[string]string{
		``:                               "",
		`{}`:                             "",
		`{"acceleration":1}`:             "",
		`{"acceleration":0}`:             "",
		`{"acceleration":-3}`:            "",
		`{"acceleration":2147483647}`:    "",
		`{"acceleration":2147483648}`:    "2147483648 is out of range",
		`{"acceleration":1.5}`:           "must be an integer, not 1.5",
		`{"acceleration":"1"}`:           "not a string",
		`{"acceleration":null}`:          "acceleration: must not be null",
		`{"Acceleration":5}`:             `unknown member "Acceleration"`,
		`{"acceleration":1,"level":"9"}`: `unknown member "level"`,
	} {
		_, err := registry().Parse(codec.Entry{Name: "lz4", Config: json.RawMessage(config)})
		if want == "" && err != nil {
			t.Errorf("%s: %v", config, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "codec lz4: ")) {
			t.Errorf("%s: got %v, want %s", config, err, want)
		}
	}
}

func TestTheNameAndTheNumberStay(t *testing.T) {
	for _, name := range []string{"numcodecs.lz4", "lz4"} {
		for config, want := range map[string]string{"": "1", `{"acceleration":-3}`: "-3", `{"acceleration":7}`: "7"} {
			c, err := registry().Parse(codec.Entry{Name: name, Config: json.RawMessage(config)})
			if err != nil {
				t.Fatal(err)
			}
			text, err := c.MarshalJSON()
			if want := `{"name":"` + name + `","configuration":{"acceleration":` + want + `}}`; err != nil || string(text) != want {
				t.Errorf("%s became %s, %v", name, text, err)
			}
		}
	}
	if text, err := (lz4.Codec{Acceleration: 1}).MarshalJSON(); err != nil || !strings.Contains(string(text), `"numcodecs.lz4"`) {
		t.Errorf("%s, %v", text, err)
	}
}

func filter(t testing.TB) codec.BytesFilter {
	t.Helper()
	f, err := lz4.Codec{Acceleration: 1}.BindBytes(codec.Spec{}, codec.Size{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func rising() []byte {
	b := make([]byte, 40)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

// Made by numcodecs 0.17.1. It writes an empty chunk in this way, but does not
// read it.
func TestChunksOfNumcodecs(t *testing.T) {
	for chunk, want := range map[string][]byte{
		"0000000000":       {},
		"0300000030616263": []byte("abc"),
		"a00000008f6162636465666768080080506465666768":                                                 bytes.Repeat([]byte("abcdefgh"), 20),
		"28000000f019000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021222324252627": rising(),
	} {
		src, err := hex.DecodeString(chunk)
		if err != nil {
			t.Fatal(err)
		}
		got, err := filter(t).Decode(nil, []byte("pre"), src, len(want))
		if err != nil || string(got) != "pre"+string(want) {
			t.Errorf("%s: %x, %v", chunk, got, err)
		}
		if out, err := filter(t).Encode(nil, nil, want); err != nil || hex.EncodeToString(out) != chunk {
			t.Errorf("%x becomes %x, %v; want %s", want, out, err, chunk)
		}
	}
}

func TestDamage(t *testing.T) {
	good, err := filter(t).Encode(nil, nil, bytes.Repeat([]byte("abcdefgh"), 20))
	if err != nil {
		t.Fatal(err)
	}
	claim := func(n uint32) []byte { return append(binary.LittleEndian.AppendUint32(nil, n), good[4:]...) }
	for want, src := range map[string][]byte{
		"0 bytes, too few for a header of 4":                        nil,
		"3 bytes, too few for a header of 4":                        good[:3],
		"claims to hold 160 bytes: 0 packed ones cannot":            good[:4],
		"damaged at byte 13 of 17: ends inside of literals":         good[:21],
		"holds 4294967295 bytes, at most 1000 are possible":         claim(math.MaxUint32),
		"holds 1001 bytes, at most 1000 are possible":               claim(1001),
		"holds 160 of the 161 bytes that it claims":                 claim(161),
		"holds more than the 159 bytes that it claims":              claim(159),
		"holds more than the 0 bytes that it claims":                claim(0),
		"claims to hold 256 bytes: 1 packed ones cannot":            {0, 1, 0, 0, 0},
		"damaged at byte 0 of 0: ends where literals should follow": {0, 0, 0, 0},
		"damaged at byte 18 of 19: ends inside of a distance":       append(bytes.Clone(good[:22]), 1),
	} {
		if got, err := filter(t).Decode(nil, nil, src, 1000); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%x: %d bytes, %v; want %s", src, len(got), err, want)
		}
	}
}

// A header that lies allocates nothing: neither beyond the limit nor below.
func TestAHeaderThatLiesCostsNothing(t *testing.T) {
	src := []byte{0, 0, 0, 0x7e, 0x10, 'a'}
	f := filter(t)
	for _, limit := range []int{1 << 20, math.MaxInt} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := f.Decode(nil, nil, src, limit); err == nil {
			t.Error("accepted")
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%d bytes allocated", n)
		}
	}
}

func TestRoomThatThereIsIsUsed(t *testing.T) {
	data := bytes.Repeat([]byte{7}, 1000)
	chunk, err := filter(t).Encode(nil, make([]byte, 0, 2000), data)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]byte, 3, 1003)
	out, err := filter(t).Decode(nil, dst, chunk, 1000)
	if err != nil || !bytes.Equal(out[3:], data) || &out[0] != &dst[0] {
		t.Errorf("%d bytes, %v", len(out), err)
	}
}

func TestChunksThatAreTooLarge(t *testing.T) {
	if _, err := (lz4.Codec{}).BindBytes(codec.Spec{}, codec.Exactly(0x7e000001)); err == nil {
		t.Error("accepted")
	}
	if _, err := (lz4.Codec{}).BindBytes(codec.Spec{}, codec.Exactly(0x7e000000)); err != nil {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0})
	f.Add([]byte("\x10\x00\x00\x00\x1aa\x01\x00\x10b"))
	f.Add([]byte("\xff\xff\xff\x7f\x1fa\x01\x00\xff\xff\xff\xff"))
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		out, err := filter(t).Decode(nil, []byte("pre"), data, 1<<16)
		if err == nil && (len(out) > 3+1<<16 || string(out[:3]) != "pre") {
			t.Errorf("%d bytes", len(out))
		}
		enc, err := filter(t).Encode(nil, nil, data)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := filter(t).Decode(nil, nil, enc, len(data)); err != nil || !bytes.Equal(back, data) {
			t.Errorf("%d bytes became %d, %v", len(data), len(back), err)
		}
	})
}

func ExampleCodec() {
	f, err := lz4.Codec{Acceleration: 1}.BindBytes(codec.Spec{}, codec.Exactly(1000))
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := f.Encode(nil, nil, make([]byte, 1000))
	fmt.Println(len(out) < 30, err)
	back, err := f.Decode(nil, nil, out, 1000)
	fmt.Println(len(back), err)
	// Output:
	// true <nil>
	// 1000 <nil>
}
