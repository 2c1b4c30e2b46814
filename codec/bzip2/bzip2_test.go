package bzip2_test

import (
	"bytes"
	stdbzip2 "compress/bzip2"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/bzip2"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/thorough"
)

func registry() *codec.Registry { return basic.With(bzip2.Parse, "numcodecs.bz2", "bz2") }

func TestBzip2PassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: `["bytes",{"name":"numcodecs.bz2","configuration":{"level":9}}]`, Type: "uint8", Shape: []int{20, 30}, Fill: "9"},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"big"}},"bz2"]`, Type: "int32", Shape: []int{3, 4, 5}},
		{Codecs: `["vlen-bytes","numcodecs.bz2","crc32c"]`, Type: "bytes", Shape: []int{4, 5}, Fill: `"AAEC"`},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func TestConfigurations(t *testing.T) {
	for config, want := range map[string]string{
		``:               `{"name":"bz2","configuration":{"level":1}}`,
		`{"level":9}`:    `{"name":"bz2","configuration":{"level":9}}`,
		`{"level":0}`:    "level is 0: must be from 1 to 9",
		`{"level":10}`:   "level is 10: must be from 1 to 9",
		`{"level":5.5}`:  "must be an integer, not 5.5",
		`{"level":null}`: "level: must not be null",
		`{"blocks":5}`:   `unknown member "blocks"`,
	} {
		c, err := registry().Parse(codec.Entry{Name: "bz2", Config: json.RawMessage(config)})
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
	if name := (bzip2.Codec{}).Name(); name != "numcodecs.bz2" {
		t.Error(name)
	}
	if _, err := (bzip2.Codec{}).BindBytes(codec.Spec{}, codec.Size{}); err == nil {
		t.Error("level 0 accepted")
	}
}

func filter(t testing.TB, level int) codec.BytesFilter {
	t.Helper()
	f, err := bzip2.Codec{Level: level}.BindBytes(codec.Spec{}, codec.Size{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func sequence(n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte((i*i*31 + i*7) >> 3)
	}
	return out
}

// What numcodecs 0.17.1 and Python's bz2 write: numbers with a long run, nothing,
// and three streams, the second of them empty.
var vectors = []struct{ hex, want string }{
	{"425a683531415926535907f942310000007fffcc002100c26000402000100023010200008c405600a00022840204210001018ca0002334d3400687a86803131a9ea186864c819188313268698a54745e09a3ec1c92520c407366d10284bbaf86b1de8bd6f61088c07522fc5dc914e142401fe508c4",
		string(sequence(40)) + strings.Repeat("a", 300)},
	{"425a683917724538509000000000", ""},
	{"425a6831314159265359bb701b1000000101000201a000219819816177245385090bb701b100425a683917724538509000000000425a6839314159265359cddc8d9a0000008180000084802000219819846177245385090cddc8d9a0",
		"onetwo"},
}

func vector(t testing.TB, i int) []byte {
	t.Helper()
	out, err := hex.DecodeString(vectors[i].hex)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWhatNumcodecsWritesIsRead(t *testing.T) {
	for i, v := range vectors {
		dst := append(make([]byte, 0, 3+len(v.want)), "pre"...)
		out, err := filter(t, 1).Decode(nil, dst, vector(t, i), len(v.want))
		if err != nil || string(out) != "pre"+v.want {
			t.Errorf("%s: got %q, %v", v.hex, out, err)
		} else if &out[0] != &dst[0] {
			t.Errorf("%s: other memory than the caller's", v.hex)
		}
	}
}

func TestOthersReadWhatIsWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, level := range []int{1, 9} {
		for _, n := range []int{0, 1, 2, 3, 4, 5, 255, 256, 1000, 99_999, 100_001} {
			for _, values := range []int{1, 3, 256} {
				if thorough.Least(n > 1000 && (level == 9 || values != 3), n > 1000 && (level == 9 || n < 100_000 && values < 256), false) { // blocks are of 100,000 bytes at level 1
					continue
				}
				data := make([]byte, n)
				for i := range data {
					data[i] = byte(r.IntN(values))
				}
				out, err := filter(t, level).Encode(nil, []byte("pre"), data)
				if err != nil || string(out[:3]) != "pre" {
					t.Fatal(err)
				}
				if got, err := io.ReadAll(stdbzip2.NewReader(bytes.NewReader(out[3:]))); err != nil || !bytes.Equal(got, data) {
					t.Errorf("level %d: %d bytes of %d, %v", level, len(got), n, err)
				}
				if got, err := filter(t, level).Decode(nil, nil, out[3:], n); err != nil || !bytes.Equal(got, data) {
					t.Errorf("level %d: %d bytes of %d, %v", level, len(got), n, err)
				}
			}
		}
	}
}

func TestABombStopsAtItsLimit(t *testing.T) {
	most := thorough.Least(1<<20, 2<<20, 8<<20)
	bomb, err := filter(t, 9).Encode(nil, nil, make([]byte, most))
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int{0, 1, 4096} {
		if out, err := filter(t, 1).Decode(nil, nil, bomb, limit); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("more than the %d bytes", limit)) {
			t.Errorf("limit %d: %d bytes, %v", limit, len(out), err)
		}
	}
	for _, limit := range []int{most, math.MaxInt} {
		if out, err := filter(t, 1).Decode(nil, nil, bomb, limit); err != nil || len(out) != most {
			t.Errorf("limit %d: %d bytes, %v", limit, len(out), err)
		}
	}
}

func TestDamageIsNoticed(t *testing.T) {
	good, want := vector(t, 0), vectors[0].want
	for i := 0; i < 8*len(good); i += 11 * thorough.Step(5) {
		bad := bytes.Clone(good)
		bad[i/8] ^= 1 << (i % 8)
		if out, err := filter(t, 1).Decode(nil, nil, bad, 1000); err == nil && string(out) != want {
			t.Errorf("bit %d changed: %q", i, out)
		}
	}
	for n := 0; n < len(good); n += thorough.Step(3) {
		if _, err := filter(t, 1).Decode(nil, nil, good[:n], 1000); err == nil {
			t.Errorf("%d of %d bytes accepted", n, len(good))
		}
	}
	if _, err := filter(t, 1).Decode(nil, nil, append(good, "more"...), 1000); err == nil {
		t.Error("what is no stream was accepted behind one")
	}
}

func FuzzDecode(f *testing.F) {
	for i := range vectors {
		f.Add(vector(f, i))
	}
	f.Add([]byte("BZh11AY&SY\xbbp\x1b\x10\x00\x00\x01\x01\x00\x02\x01\xa0\x00!\x98\b\x81aw$S\x85\t\v\xb7\x01\xb1\x00BZh9\x17rE8P\x90\x00\x00\x00\x00BZh91AY&SY\xcd\u070d\x9a\x00\x00\x00\x81\x80\x00\x00\x84\x80 \x00!\x98\x19\x84aw$S\x85\t\f\xdd\xc8\u0660"))
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		out, err := filter(t, 1).Decode(nil, []byte("pre"), data, 1<<16)
		if err == nil && (len(out) > 3+1<<16 || string(out[:3]) != "pre") {
			t.Errorf("%d bytes", len(out))
		}
		peer, bad := io.ReadAll(io.LimitReader(stdbzip2.NewReader(bytes.NewReader(data)), 1<<16+1))
		// As libbz2, it takes codes that are not whole as long as they are not used.
		lax := bad != nil && strings.Contains(bad.Error(), "Huffman tree")
		if err == nil && !lax && (bad != nil || !bytes.Equal(peer, out[3:])) {
			t.Errorf("%d bytes where the standard library gives %d, %v", len(out)-3, len(peer), bad)
		}
		enc, err := filter(t, 1).Encode(nil, nil, data)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := filter(t, 1).Decode(nil, nil, enc, len(data)); err != nil || !bytes.Equal(back, data) {
			t.Errorf("%d bytes became %d, %v", len(data), len(back), err)
		}
	})
}

func ExampleCodec() {
	f, err := bzip2.Codec{Level: 1}.BindBytes(codec.Spec{}, codec.Exactly(1000))
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := f.Encode(nil, nil, make([]byte, 1000))
	fmt.Println(len(out) < 100, err)
	back, err := f.Decode(nil, nil, out, 1000)
	fmt.Println(len(back), err)
	// Output:
	// true <nil>
	// 1000 <nil>
}
