package lzf_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/lzf"
	"github.com/omnizarr/zarr/internal/fuzzlong"
)

func TestLZFPassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: `["bytes","omnizarr.lzf"]`, Type: "uint8", Shape: []int{20, 30}, Fill: "9"},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"big"}},"omnizarr.lzf","crc32c"]`, Type: "int32", Shape: []int{30, 4, 5}},
		{Codecs: `["vlen-bytes","omnizarr.lzf"]`, Type: "bytes", Shape: []int{4, 5}, Fill: `"AAEC"`},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func filter(t testing.TB, in codec.Size) codec.BytesFilter {
	t.Helper()
	f, err := lzf.Codec{}.BindBytes(codec.Spec{}, in)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The chunks were written by h5py 3.16.0; the digests are of the same arrays in other
// files.
func TestChunksOfHDF5(t *testing.T) {
	text, err := os.ReadFile("testdata/chunks.json")
	if err != nil {
		t.Fatal(err)
	}
	var chunks []struct {
		Name, SHA256 string
		Bytes        int
		Chunk        []byte
	}
	if err := json.Unmarshal(text, &chunks); err != nil || len(chunks) < 5 {
		t.Fatal(len(chunks), err)
	}
	f := filter(t, codec.Size{})
	for _, c := range chunks {
		dst := append(make([]byte, 0, 3+c.Bytes), "pre"...)
		data, err := f.Decode(nil, dst, c.Chunk, c.Bytes)
		if err != nil || fmt.Sprintf("%x", sha256.Sum256(data[3:])) != c.SHA256 || &data[0] != &dst[0] {
			t.Errorf("%s: %d bytes, not those of HDF5, %v", c.Name, len(data), err)
			continue
		}
		again, err := f.Encode(nil, nil, data[3:])
		if err != nil || len(again) > len(c.Chunk)+len(c.Chunk)/8 {
			t.Errorf("%s: h5py has %d bytes, here are %d, %v", c.Name, len(c.Chunk), len(again), err)
		}
	}
}

func TestEveryLengthComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := make([]byte, rapid.IntRange(0, 20_000).Draw(t, "length"))
		period, every := rapid.IntRange(1, 9_000).Draw(t, "period"), rapid.IntRange(2, 400).Draw(t, "every")
		for i := range data {
			data[i] = byte(i % period * 101 >> 3)
			if i%every == 0 {
				data[i] = byte(i / every * 31)
			}
		}
		f, err := lzf.Codec{}.BindBytes(codec.Spec{}, codec.Exactly(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		out, err := f.Encode(nil, []byte("pre"), data)
		if err != nil || string(out[:3]) != "pre" || len(out)-3 > f.Size().N {
			t.Fatalf("%d bytes, at most %d were said, %v", len(out), f.Size().N, err)
		}
		back, err := f.Decode(nil, nil, out[3:], len(data))
		if err != nil || !bytes.Equal(back, data) {
			t.Fatalf("%d bytes of %d, %v", len(back), len(data), err)
		}
		if len(data) > 0 {
			if _, err := f.Decode(nil, nil, out[3:], len(data)-1); err == nil || !strings.Contains(err.Error(), "more than") {
				t.Fatalf("more than the limit was decoded: %v", err)
			}
		}
	})
}

func TestDamagedRuns(t *testing.T) {
	f := filter(t, codec.Size{})
	for src, want := range map[string]string{
		"\x01a":               "ends inside of the run at byte 0 of 2",
		"\x00a\xe0":           "ends inside of the run at byte 2 of 3",
		"\x00a\xe0\x01":       "ends inside of the run at byte 2 of 4",
		"\x00a\x20":           "ends inside of the run at byte 2 of 3",
		"\x20\x00":            "the run at byte 0 of 2 repeats what is 1 bytes back, behind 0",
		"\x00a\x20\x01":       "repeats what is 2 bytes back, behind 1",
		"\x00a\xe0\xff\x00":   "holds more than the 200 bytes that are possible",
		"\x00a\x3f\xff\x1fxx": "repeats what is 8192 bytes back",
	} {
		if got, err := f.Decode(nil, nil, []byte(src), 200); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%x: %d bytes, %v; want %s", src, len(got), err, want)
		}
	}
	if got, err := f.Decode(nil, nil, []byte("\x00a\xe0\xff\x00"), math.MaxInt); err != nil || string(got) != strings.Repeat("a", 265) {
		t.Errorf("got %q, %v", got, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x00a\xe0\xff\x00"))
	f.Add([]byte("\x04abcde\x20\x04\x00x"))
	f.Add([]byte{})
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		filter := filter(t, codec.Size{})
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

func ExampleCodec() {
	f, err := lzf.Codec{}.BindBytes(codec.Spec{}, codec.Exactly(1000))
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := f.Encode(nil, nil, make([]byte, 1000))
	fmt.Println(len(out), err)
	back, err := f.Decode(nil, nil, out, 1000)
	fmt.Println(len(back), err)
	// Output:
	// 14 <nil>
	// 1000 <nil>
}
