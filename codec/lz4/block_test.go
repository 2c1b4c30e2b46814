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

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/lz4"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/race"
)

func blockFilter(t testing.TB, size int) codec.BytesFilter {
	t.Helper()
	f, err := lz4.Block{Size: size}.BindBytes(codec.Spec{}, codec.Size{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestBlockStreamsPassTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: `["bytes","omnizarr.lz4_block"]`, Type: "uint8", Shape: []int{20, 30}, Fill: "9"},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"big"}},{"name":"omnizarr.lz4_block","configuration":{"block_size":64}}]`, Type: "int32", Shape: []int{30, 4, 5}},
		{Codecs: `["vlen-bytes",{"name":"omnizarr.lz4_block","configuration":{"block_size":100}}]`, Type: "bytes", Shape: []int{4, 5}, Fill: `"AAEC"`},
		{Codecs: `["bytes",{"name":"omnizarr.lz4_block","configuration":{"block_size":33554432}},"crc32c"]`, Type: "uint8", Shape: []int{70, 70}},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func TestBlockConfigurations(t *testing.T) {
	for config, want := range map[string]string{
		``:                                   "",
		`{}`:                                 "",
		`{"block_size":64}`:                  "",
		`{"block_size":33554432}`:            "",
		`{"block_size":63}`:                  "block_size is 63: must be from 64 to 33554432",
		`{"block_size":0}`:                   "block_size is 0",
		`{"block_size":-65536}`:              "block_size is -65536",
		`{"block_size":33554433}`:            "block_size is 33554433",
		`{"block_size":1e30}`:                "must be an integer, not 1e30",
		`{"block_size":9223372036854775807}`: "block_size is 9223372036854775807",
		`{"block_size":"64"}`:                "must be an integer, not a string",
		`{"block_size":null}`:                "block_size: must not be null",
		`{"blockSize":64}`:                   `unknown member "blockSize"`,
	} {
		c, err := registry().Parse(codec.Entry{Name: lz4.BlockName, Config: json.RawMessage(config)})
		if want == "" {
			text, merr := json.Marshal(c)
			if err != nil || merr != nil || !strings.Contains(string(text), `"block_size":`) {
				t.Errorf("%s: %s, %v", config, text, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", config, err, want)
		}
	}
}

// The vectors are those of the specification of xxHash and of its reference
// implementation.
func TestHash(t *testing.T) {
	for _, c := range []struct {
		data string
		seed uint32
		want uint32
	}{
		{"", 0, 0x02cc5d05},
		{"", 2654435761, 0x36b78ae7},
		{"abc", 0, 0x32d153ff},
		{"Nobody inspects the spammish repetition", 0, 0xe2293b2f},
	} {
		if got := lz4.Hash32([]byte(c.data), c.seed); got != c.want {
			t.Errorf("%q with %d: got %#x, want %#x", c.data, c.seed, got, c.want)
		}
	}
}

// The stream of a block that N5 for Java wrote with lz4-java and a block size of
// 64: twelve numbers in two pieces, one packed, one stored, and the end.
const byJava = "4c5a34426c6f636b203e000000400000002bcdc406317ff8000100f11b40171e0868aba4ad40334d3d73f0fc10c049e13ae1d539d3c044b9b758d898" +
	"a240435bf5456f64967ff02f009000405a67d84d70d9c84c5a34426c6f636b1020000000200000009425c605403669376843c294c068426f39e0310e" +
	"406cc9ca40697fd6c05119e13db6c68e4c5a34426c6f636b10000000000000000000000000"

func TestStreamsByJava(t *testing.T) {
	src, err := hex.DecodeString(byJava)
	if err != nil {
		t.Fatal(err)
	}
	f := blockFilter(t, 64)
	data, err := f.Decode(nil, []byte("pre"), src, 96)
	if err != nil || len(data) != 3+96 || string(data[:3]) != "pre" {
		t.Fatalf("got %x, %v", data, err)
	}
	if v := math.Float64frombits(binary.BigEndian.Uint64(data[3+88:])); v != -68.40437262391262 {
		t.Errorf("the last number is %v", v)
	}
	again, err := f.Encode(nil, nil, data[3:])
	if err != nil || len(again) > len(src)+8 {
		t.Errorf("%d bytes became %d, %v", len(src), len(again), err)
	}
}

func TestEveryLengthComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{64, 65, 1000, 1024, 1025, 1 << 16}).Draw(t, "size")
		data := make([]byte, rapid.IntRange(0, 3*min(size, 3000)+1).Draw(t, "length"))
		period := rapid.IntRange(1, 300).Draw(t, "period")
		for i := range data {
			data[i] = byte(i % period * 101)
		}
		c := lz4.Block{Size: size}
		f, err := c.BindBytes(codec.Spec{}, codec.Exactly(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		out, err := f.Encode(nil, []byte("pre"), data)
		if err != nil || string(out[:3]) != "pre" {
			t.Fatal(err)
		}
		if n := f.Size(); len(out)-3 > n.N {
			t.Fatalf("%d bytes, where at most %d were said", len(out)-3, n.N)
		}
		back, err := f.Decode(nil, nil, out[3:], len(data))
		if err != nil || !bytes.Equal(back, data) {
			t.Fatalf("%d bytes of %d, %v", len(back), len(data), err)
		}
		if len(data) > 0 {
			if _, err := f.Decode(nil, nil, out[3:], len(data)-1); err == nil {
				t.Fatal("more than the limit was decoded")
			}
		}
	})
}

func TestDamagedStreams(t *testing.T) {
	f := blockFilter(t, 64)
	good, err := f.Encode(nil, nil, bytes.Repeat([]byte("abcdefgh"), 12))
	if err != nil {
		t.Fatal(err)
	}
	change := func(at int, to ...byte) []byte {
		bad := bytes.Clone(good)
		copy(bad[at:], to)
		return bad
	}
	end := len(good) - 21
	for want, src := range map[string][]byte{
		"0 bytes are too few for the 21 of a header at byte 0 of 0": nil,
		"20 bytes are too few":                 good[:20],
		"of which 0 are there at byte 0 of 21": good[:21],
		fmt.Sprintf("0 bytes are too few for the 21 of a header at byte %d of %d", end, end): good[:end],
		"1 bytes follow the end": append(bytes.Clone(good), 0),
		`begins with "XZ4Block"`: change(0, 'X'),
		"has method 0x30":        change(8, 0x30),
		"a piece of 4294967295 bytes, where they have at most 1024": change(13, 255, 255, 255, 255),
		"has 4294967295 packed bytes, of which":                     change(9, 255, 255, 255, 255),
		"0 bytes hold 64":                                           change(9, 0, 0, 0, 0),
		"the piece at byte 0 of":                                    change(13, 63),
		"holds 64 of the 65 bytes that it claims":                   change(13, 65),
		"checksum":                     change(17, 1, 2, 3, 0),
		"the end has the checksum 0x1": change(len(good)-4, 1),
		"LZ4 block is damaged":         change(30, 0, 0),
	} {
		if got, err := f.Decode(nil, nil, src, 1000); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%x: %d bytes, %v; want %s", src, len(got), err, want)
		}
	}
	if _, err := f.Decode(nil, nil, good, 95); err == nil || !strings.Contains(err.Error(), "holds more than the 95 bytes that are possible") {
		t.Errorf("got %v", err)
	}
}

// Headers that lie allocate nothing, whatever the limit.
func TestStreamsThatLieCostNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("counts allocations")
	}
	f := blockFilter(t, 1<<25)
	src := append([]byte("LZ4Block\x2f\x10\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00"), make([]byte, 16)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := f.Decode(nil, nil, src, math.MaxInt); err == nil {
		t.Error("accepted")
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes allocated", n)
	}
}

func FuzzDecodeBlock(f *testing.F) {
	java, err := hex.DecodeString(byJava)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(java)
	f.Add(java[len(java)-21:])
	f.Add([]byte("LZ4Block\x20\x05\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x1aa\x01\x00\x10b"))
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		filter := blockFilter(t, 64)
		if out, err := filter.Decode(nil, []byte("pre"), data, 1<<16); err == nil && (len(out) > 3+1<<16 || string(out[:3]) != "pre") {
			t.Errorf("%d bytes", len(out))
		}
		enc, err := filter.Encode(nil, nil, data)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := filter.Decode(nil, nil, enc, len(data)); err != nil || !bytes.Equal(back, data) {
			t.Errorf("%d bytes became %d, %v", len(data), len(back), err)
		}
	})
}

func ExampleBlock() {
	f, err := lz4.Block{Size: 64}.BindBytes(codec.Spec{}, codec.Exactly(1000))
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := f.Encode(nil, nil, make([]byte, 1000))
	fmt.Printf("%q, %v\n", out[:8], err)
	back, err := f.Decode(nil, nil, out, 1000)
	fmt.Println(len(back), err)
	// Output:
	// "LZ4Block", <nil>
	// 1000 <nil>
}
