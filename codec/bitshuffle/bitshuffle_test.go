package bitshuffle_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/bitshuffle"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/internal/fuzzlong"
)

func TestBitshufflePassesTheSuite(t *testing.T) {
	const entry = `{"name":"omnizarr.bitshuffle","configuration":{"element_size":%d,"block_size":%d,"compressor":%q}}`
	for _, compressor := range []bitshuffle.Compressor{bitshuffle.None, bitshuffle.LZ4, bitshuffle.Zstd} {
		for _, c := range []codectest.Case{
			{Codecs: `["bytes",` + fmt.Sprintf(entry, 1, 0, compressor) + `]`, Type: "uint8", Shape: []int{20, 30}, Fill: "9"},
			{Codecs: `[{"name":"bytes","configuration":{"endian":"big"}},` + fmt.Sprintf(entry, 4, 16, compressor) + `,"crc32c"]`, Type: "int32", Shape: []int{7, 5, 5}},
			{Codecs: `["vlen-bytes",` + fmt.Sprintf(entry, 3, 8, compressor) + `]`, Type: "bytes", Shape: []int{4, 5}, Fill: `"AAEC"`},
		} {
			c.Registry = registry()
			t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
		}
	}
}

func TestConfigurations(t *testing.T) {
	for config, want := range map[string]string{
		``: `{"name":"omnizarr.bitshuffle","configuration":{"element_size":1,"block_size":0,"compressor":"none"}}`,
		`{"element_size":4,"block_size":64,"compressor":"zstd","level":3}`: `{"name":"omnizarr.bitshuffle","configuration":{"element_size":4,"block_size":64,"compressor":"zstd","level":3}}`,
		`{"element_size":0}`:                         "element_size is 0: must be from 1 to 8388608",
		`{"element_size":8388609}`:                   "element_size is 8388609",
		`{"block_size":7}`:                           "block_size is 7: must be a multiple of 8",
		`{"block_size":-8}`:                          "block_size is -8",
		`{"element_size":8,"block_size":1073741824}`: "from 0 to 134217728",
		`{"compressor":"lzma"}`:                      `compressor is "lzma": must be none, lz4 or zstd`,
		`{"compressor":"zstd","level":23}`:           "level is 23: must be from 0 to 22",
		`{"elementsize":4}`:                          `unknown member "elementsize"`,
	} {
		c, err := registry().Parse(codec.Entry{Name: bitshuffle.Name, Config: json.RawMessage(config)})
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
}

func filter(t testing.TB, c bitshuffle.Codec) codec.BytesFilter {
	t.Helper()
	f, err := c.BindBytes(codec.Spec{}, codec.Size{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The chunks were written by HDF5 2.0.0 with hdf5plugin 7.1.0; the digests are of the
// same arrays in other files.
func TestChunksOfHDF5(t *testing.T) {
	text, err := os.ReadFile("testdata/chunks.json")
	if err != nil {
		t.Fatal(err)
	}
	var chunks []struct {
		Name, SHA256 string
		Values       []int
		Bytes        int
		Chunk        []byte
	}
	if err := json.Unmarshal(text, &chunks); err != nil || len(chunks) < 5 {
		t.Fatal(len(chunks), err)
	}
	compressors := map[int]bitshuffle.Compressor{0: bitshuffle.None, 2: bitshuffle.LZ4, 3: bitshuffle.Zstd}
	for _, c := range chunks {
		f := filter(t, bitshuffle.Codec{ElementSize: c.Values[2], BlockSize: c.Values[3], Compressor: compressors[c.Values[4]]})
		dst := append(make([]byte, 0, 3+c.Bytes), "pre"...)
		data, err := f.Decode(nil, dst, c.Chunk, c.Bytes)
		if err != nil || fmt.Sprintf("%x", sha256.Sum256(data[3:])) != c.SHA256 || &data[0] != &dst[0] {
			t.Errorf("%s: %d bytes, not those of HDF5, %v", c.Name, len(data), err)
			continue
		}
		again, err := f.Encode(nil, nil, data[3:])
		if err != nil || !bytes.Equal(again[:12], c.Chunk[:12]) {
			t.Errorf("%s begins with %x, not %x, %v", c.Name, again[:12], c.Chunk[:12], err)
		}
		if c.Values[4] == 0 && !bytes.Equal(again, c.Chunk) {
			t.Errorf("%s is not as HDF5 wrote it", c.Name)
		}
	}
}

func TestEveryLengthComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := bitshuffle.Codec{
			ElementSize: rapid.SampledFrom([]int{1, 2, 3, 8, 16, 1000}).Draw(t, "element"),
			BlockSize:   rapid.SampledFrom([]int{0, 8, 64}).Draw(t, "block"),
			Compressor:  rapid.SampledFrom([]bitshuffle.Compressor{bitshuffle.None, bitshuffle.LZ4, bitshuffle.Zstd}).Draw(t, "compressor"),
		}
		data := make([]byte, rapid.IntRange(0, 20_000).Draw(t, "length"))
		period := rapid.IntRange(1, 300).Draw(t, "period")
		for i := range data {
			data[i] = byte(i % period * 101)
		}
		f, err := c.BindBytes(codec.Spec{}, codec.Exactly(len(data)))
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
			if _, err := f.Decode(nil, nil, out[3:], len(data)-1); err == nil {
				t.Fatal("more than the limit was decoded")
			}
		}
	})
}

func TestDamagedBlocks(t *testing.T) {
	f := filter(t, bitshuffle.Codec{ElementSize: 2, BlockSize: 32, Compressor: bitshuffle.LZ4})
	good, err := f.Encode(nil, nil, bytes.Repeat([]byte("abcdefgh"), 12)[:94]) // a block, a short one, and seven elements
	if err != nil {
		t.Fatal(err)
	}
	change := func(at int, to ...byte) []byte {
		bad := bytes.Clone(good)
		copy(bad[at:], to)
		return bad
	}
	for want, src := range map[string][]byte{
		"0 bytes, too few for a header of 12":                        nil,
		"holds 9223372036854775807 bytes, at most 1000":              change(0, 255),
		"claims blocks of 33 elements, which is no multiple of 8":    change(11, 66),
		"4278190080 packed bytes, of which":                          change(12, 255, 0, 0, 0),
		"holds more than there is room for":                          change(11, 48),
		"holds 64 bytes instead of 80":                               change(11, 96),
		"claims to hold 999 bytes: 1 packed ones cannot":             {0, 0, 0, 0, 0, 0, 3, 231, 0, 0, 0, 32, 0},
		"ends at byte 13, where a block of 32 bytes should begin":    {0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0, 32, 0},
		"where 14 bytes should follow the last block":                good[:len(good)-1],
		fmt.Sprintf("ends at byte %d, where 14 bytes", len(good)-14): good[:len(good)-14],
	} {
		if got, err := f.Decode(nil, nil, src, 1000); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%x: %d bytes, %v; want %s", src, len(got), err, want)
		}
	}
	strict := &codec.Chunk{Limits: &codec.Limits{Strict: true}}
	if _, err := f.Decode(strict, nil, append(good, 0), 1000); err == nil || !strings.Contains(err.Error(), "1 bytes follow the end") {
		t.Errorf("got %v", err)
	}
	plain := filter(t, bitshuffle.Codec{ElementSize: 2, Compressor: bitshuffle.None})
	if _, err := plain.Decode(nil, nil, make([]byte, 8), 7); err == nil || err.Error() != "8 bytes, at most 7 are possible" {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	for kind := range byte(3) {
		f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x12\x00\x00\x00\x10\x00\x00\x00\x07\x1fa\x01\x00\x20abxy"), 1, kind)
		f.Add([]byte("0123456789abcdefghi"), 2, kind)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte, element int, kind byte) {
		c := bitshuffle.Codec{ElementSize: element&0xff + 1, BlockSize: int(kind) &^ 7}
		c.Compressor = []bitshuffle.Compressor{bitshuffle.None, bitshuffle.LZ4, bitshuffle.Zstd}[kind%3]
		filter := filter(t, c)
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
	f, err := bitshuffle.Codec{ElementSize: 1, Compressor: bitshuffle.None}.BindBytes(codec.Spec{}, codec.Exactly(10))
	if err != nil {
		fmt.Println(err)
		return
	}
	// Eight elements have only their lowest bit; two more are left as they are.
	fmt.Println(f.Encode(nil, nil, []byte{1, 0, 1, 0, 1, 0, 1, 0, 8, 9}))
	// Output: [85 0 0 0 0 0 0 0 8 9] <nil>
}
