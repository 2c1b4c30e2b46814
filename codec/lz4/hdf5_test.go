package lz4_test

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
	"github.com/omnizarr/zarr/codec/lz4"
	"github.com/omnizarr/zarr/internal/fuzzlong"
)

func hdf5Filter(t testing.TB, size int) codec.BytesFilter {
	t.Helper()
	f, err := lz4.HDF5{BlockSize: size}.BindBytes(codec.Spec{}, codec.Size{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestHDF5PassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: `["bytes","omnizarr.lz4_hdf5"]`, Type: "uint8", Shape: []int{20, 30}, Fill: "9"},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"big"}},{"name":"omnizarr.lz4_hdf5","configuration":{"block_size":100}},"crc32c"]`, Type: "int32", Shape: []int{30, 4, 5}},
		{Codecs: `["vlen-bytes",{"name":"omnizarr.lz4_hdf5","configuration":{"block_size":1}}]`, Type: "bytes", Shape: []int{4, 5}, Fill: `"AAEC"`},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func TestHDF5Configurations(t *testing.T) {
	for config, want := range map[string]string{
		``:                          `{"name":"omnizarr.lz4_hdf5","configuration":{"block_size":0}}`,
		`{"block_size":512}`:        `{"name":"omnizarr.lz4_hdf5","configuration":{"block_size":512}}`,
		`{"block_size":-1}`:         "block_size is -1: must be from 0 to 2113929216",
		`{"block_size":2113929217}`: "block_size is 2113929217",
		`{"level":1}`:               `unknown member "level"`,
	} {
		c, err := registry().Parse(codec.Entry{Name: lz4.HDF5Name, Config: json.RawMessage(config)})
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

// The chunks were written by HDF5 2.0.0 with hdf5plugin 7.1.0; the digests are of the
// same arrays in other files.
func TestChunksOfHDF5(t *testing.T) {
	text, err := os.ReadFile("testdata/hdf5.json")
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
	for _, c := range chunks {
		f := hdf5Filter(t, c.Values[0])
		dst := append(make([]byte, 0, 3+c.Bytes), "pre"...)
		data, err := f.Decode(nil, dst, c.Chunk, c.Bytes)
		if err != nil || fmt.Sprintf("%x", sha256.Sum256(data[3:])) != c.SHA256 || &data[0] != &dst[0] {
			t.Errorf("%s: %d bytes, not those of HDF5, %v", c.Name, len(data), err)
			continue
		}
		again, err := f.Encode(nil, nil, data[3:])
		if err != nil || !bytes.Equal(again[:12], c.Chunk[:12]) {
			t.Errorf("%s: the header is %x, not %x, %v", c.Name, again[:12], c.Chunk[:12], err)
		}
	}
}

func TestHDF5ComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{0, 1, 2, 13, 1000, 1 << 16}).Draw(t, "size")
		data := make([]byte, rapid.IntRange(0, 3001).Draw(t, "length"))
		period := rapid.IntRange(1, 300).Draw(t, "period")
		for i := range data {
			data[i] = byte(i % period * 101)
		}
		f, err := lz4.HDF5{BlockSize: size}.BindBytes(codec.Spec{}, codec.Exactly(len(data)))
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
	})
}

func TestDamagedHDF5(t *testing.T) {
	f := hdf5Filter(t, 64)
	good, err := f.Encode(nil, nil, bytes.Repeat([]byte("abcdefgh"), 12))
	if err != nil {
		t.Fatal(err)
	}
	change := func(at int, to ...byte) []byte {
		bad := bytes.Clone(good)
		copy(bad[at:], to)
		return bad
	}
	for want, src := range map[string][]byte{
		"0 bytes, too few for a header of 12":                    nil,
		"holds 9223372036854775807 bytes, at most 1000":          change(0, 255),
		"in blocks of none":                                      change(8, 0, 0, 0, 0),
		"4278190080 packed bytes, of which":                      change(12, 255, 0, 0, 0),
		"holds more than 63 bytes":                               change(11, 63),
		"holds 64 of 65 bytes":                                   change(11, 65),
		"LZ4 block is damaged":                                   change(16, 0, 0),
		"claims to hold 999 bytes: 1 packed ones cannot":         {0, 0, 0, 0, 0, 0, 3, 231, 0, 0, 0, 9, 0},
		"ends at byte 13, where a block of 9 bytes should begin": {0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0, 9, 0},
	} {
		if got, err := f.Decode(nil, nil, src, 1000); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%x: %d bytes, %v; want %s", src, len(got), err, want)
		}
	}
	strict := &codec.Chunk{Limits: &codec.Limits{Strict: true}}
	if _, err := f.Decode(strict, nil, append(good, 0), 1000); err == nil || !strings.Contains(err.Error(), "1 bytes follow the last block") {
		t.Errorf("got %v", err)
	}
	if _, err := f.Decode(nil, nil, []byte("\x7f\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x01a"), math.MaxInt); err == nil {
		t.Error("a header that lies was believed")
	}
}

func FuzzDecodeHDF5(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x02\x00\x00\x00\x02ab\x00\x00\x00\x01c"), 2)
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x20\x00\x00\x00\x20\x00\x00\x00\x08\x1fa\x01\x00\x06\x20ab"), 0)
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte, size int) {
		filter := hdf5Filter(t, max(size&0xffff, 0))
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

func ExampleHDF5() {
	f, err := lz4.HDF5{BlockSize: 512}.BindBytes(codec.Spec{}, codec.Exactly(1000))
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := f.Encode(nil, nil, make([]byte, 1000))
	fmt.Println(len(out) < 60, err)
	back, err := f.Decode(nil, nil, out, 1000)
	fmt.Println(len(back), err)
	// Output:
	// true <nil>
	// 1000 <nil>
}
