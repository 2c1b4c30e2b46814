package deflate_test

import (
	"bytes"
	stdgzip "compress/gzip"
	stdzlib "compress/zlib"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/deflate"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
)

func registry() *codec.Registry {
	return basic.With(deflate.Parse, "gzip", "numcodecs.gzip", "zlib", "numcodecs.zlib")
}

func TestDeflatePassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: `["bytes",{"name":"gzip","configuration":{"level":1}}]`, Type: "uint8", Shape: []int{20, 30}, Fill: "9"},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"big"}},"gzip"]`, Type: "int32", Shape: []int{3, 4, 5}},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"numcodecs.gzip","configuration":{"level":0}}]`, Type: "float64", Shape: []int{17}, Fill: `"-Infinity"`},
		{Codecs: `["bytes",{"name":"gzip","configuration":{"level":9}},{"name":"gzip","configuration":{"level":1}}]`, Type: "bool", Shape: []int{99}},
		{Codecs: `["vlen-bytes","gzip"]`, Type: "bytes", Shape: []int{4, 5}, Fill: `"AAEC"`},
		{Codecs: `["bytes",{"name":"numcodecs.zlib","configuration":{"level":-1}}]`, Type: "uint8", Shape: []int{20, 30}, Fill: "9"},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"big"}},"zlib"]`, Type: "int32", Shape: []int{3, 4, 5}},
		{Codecs: `["vlen-bytes","numcodecs.zlib"]`, Type: "bytes", Shape: []int{4, 5}, Fill: `"AAEC"`},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func TestConfigurations(t *testing.T) {
	for _, name := range []string{"gzip", "numcodecs.gzip", "zlib", "numcodecs.zlib"} {
		least := "-1"
		if name == "gzip" {
			least = "0"
		}
		for config, want := range map[string]string{
			``:                      "",
			`{}`:                    "",
			`{"level":0}`:           "",
			`{"level":9}`:           "",
			`{"level":-2}`:          "level is -2: must be from " + least + " to 9",
			`{"level":10}`:          "level is 10: must be from " + least + " to 9",
			`{"level":5.0}`:         "must be an integer, not 5.0",
			`{"level":"5"}`:         "not a string",
			`{"level":null}`:        "level: must not be null",
			`{"Level":5}`:           `unknown member "Level"`,
			`{"level":5,"mtime":0}`: `unknown member "mtime"`,
		} {
			_, err := registry().Parse(codec.Entry{Name: name, Config: json.RawMessage(config)})
			if want == "" && err != nil {
				t.Errorf("%s %s: %v", name, config, err)
			}
			if want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "codec "+name+": ")) {
				t.Errorf("%s %s: got %v, want %s", name, config, err, want)
			}
		}
	}
}

func TestNamesAndDefaultLevelsStay(t *testing.T) {
	for entry, want := range map[[2]string]string{
		{"gzip"}:                           `{"name":"gzip","configuration":{"level":5}}`,
		{"numcodecs.gzip"}:                 `{"name":"numcodecs.gzip","configuration":{"level":1}}`,
		{"zlib"}:                           `{"name":"zlib","configuration":{"level":1}}`,
		{"numcodecs.zlib"}:                 `{"name":"numcodecs.zlib","configuration":{"level":1}}`,
		{"numcodecs.zlib", `{"level":-1}`}: `{"name":"numcodecs.zlib","configuration":{"level":-1}}`,
	} {
		c, err := registry().Parse(codec.Entry{Name: entry[0], Config: json.RawMessage(entry[1])})
		if err != nil {
			t.Fatal(err)
		}
		if text, err := c.MarshalJSON(); err != nil || string(text) != want {
			t.Errorf("%s became %s, %v", entry, text, err)
		}
	}
	for c, want := range map[deflate.Codec]string{{}: "gzip", {Format: deflate.Zlib}: "numcodecs.zlib"} {
		if c.Name() != want {
			t.Errorf("%v is called %s", c, c.Name())
		}
	}
}

var formats = map[string]deflate.Format{"gzip": deflate.Gzip, "zlib": deflate.Zlib}

func filter(t testing.TB, f deflate.Format, level int) codec.BytesFilter {
	t.Helper()
	out, err := deflate.Codec{Format: f, Level: level}.BindBytes(codec.Spec{}, codec.Size{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// compress is the standard library's.
func compress(t testing.TB, f deflate.Format, parts ...[]byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	for _, p := range parts {
		var w io.WriteCloser = stdgzip.NewWriter(&buf)
		if f == deflate.Zlib {
			w = stdzlib.NewWriter(&buf)
		}
		if _, err := w.Write(p); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return buf.Bytes()
}

func decompress(f deflate.Format, data []byte) ([]byte, error) {
	var r io.Reader
	var err error
	if r, err = stdgzip.NewReader(bytes.NewReader(data)); f == deflate.Zlib {
		r, err = stdzlib.NewReader(bytes.NewReader(data))
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func TestOthersReadWhatIsWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, f := range formats {
		for level := -1; level < 10; level++ {
			for _, n := range []int{0, 1, 2, 3, 1000, 70_000} {
				if n > 1000 && level%thorough.Least(6, 3, 1) != 0 {
					continue
				}
				data := make([]byte, n)
				for i := range data {
					data[i] = byte(r.IntN(i%7 + 1))
				}
				out, err := filter(t, f, level).Encode(nil, []byte("pre"), data)
				if err != nil || string(out[:3]) != "pre" {
					t.Fatal(err)
				}
				if got, err := decompress(f, out[3:]); err != nil || !bytes.Equal(got, data) {
					t.Errorf("%s, level %d: %d bytes of %d, %v", name, level, len(got), n, err)
				}
			}
		}
	}
}

// What numcodecs 0.17.1 makes of the numbers below 48 and 30 times "abc", and
// two files of Python's gzip with a name and zeros behind them.
func TestWhatNumcodecsWritesIsRead(t *testing.T) {
	data := make([]byte, 48)
	for i := range data {
		data[i] = byte(i)
	}
	data = append(data, strings.Repeat("abc", 30)...)
	const body = "6360646266616563e7e0e4e2e6e1e5e3171014121611151397909492969195935750545256515553d7d0d4d2d6d1d5d34f4c4aa6110200"
	for _, c := range []struct {
		format    deflate.Format
		hex, want string
	}{
		{deflate.Zlib, "785e" + body + "f4dd26dd", string(data)},
		{deflate.Gzip, "1f8b08007358f96a00ff" + body + "77a773168a000000", string(data)},
		{deflate.Gzip, "1f8b08083930000002ff6ee46d6500cbcf4b0500f1866c7a0300000000000000001f8b08000000000002ff2b29cf0700668aca1103000000000000", "onetwo"},
	} {
		in, err := hex.DecodeString(c.hex)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := filter(t, c.format, 1).Decode(nil, nil, in, len(c.want)); err != nil || string(out) != c.want {
			t.Errorf("%s: got %q, %v", c.hex, out, err)
		}
	}
}

func TestSeveralMembersFollowEachOther(t *testing.T) {
	members := compress(t, deflate.Gzip, []byte("one"), nil, []byte("two"))
	out, err := filter(t, deflate.Gzip, 5).Decode(nil, []byte("x"), members, 6)
	if err != nil || string(out) != "xonetwo" {
		t.Errorf("got %q, %v", out, err)
	}
	if _, err := filter(t, deflate.Gzip, 5).Decode(nil, nil, members, 5); err == nil || !strings.Contains(err.Error(), "more than the 5 bytes") {
		t.Errorf("got %v", err)
	}
	if _, err := filter(t, deflate.Gzip, 5).Decode(nil, nil, append(members, 7), 6); err == nil {
		t.Error("a byte behind the members was accepted")
	}
	out, err = filter(t, deflate.Zlib, 5).Decode(nil, nil, append(compress(t, deflate.Zlib, []byte("one")), 7), 3)
	if err != nil || string(out) != "one" {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestHeadersOfEveryKindAreRead(t *testing.T) {
	body := compress(t, deflate.Gzip, []byte("text"))[10:]
	header := func(flags byte, rest string) []byte {
		return append(append([]byte{0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 5, 6}, rest...), body...)
	}
	for _, c := range []struct {
		data []byte
		want string
	}{
		{header(0, ""), ""},
		{header(1, ""), ""},
		{header(4, "\x03\x00abc"), ""},
		{header(8, "name\x00"), ""},
		{header(8|16|4, "\x00\x00name\x00comment\x00"), ""},
		{header(8|2, "n\x00\x23\xc3"), ""},
		{header(8|2, "n\x00\x23\xc4"), "checksum of the header is c423, the header has c323"},
		{header(32, ""), "header 1f8b0820 has flags that gzip reserves"},
		{header(4, "\xff\xff"), "ends within the header"},
		{header(4|8, "\xff\xff"), "ends within the header"},
		{[]byte{0x1f, 0x8b, 8, 8, 1, 2, 3, 4, 5, 6, 7}, "ends within the header"},
		{[]byte{0x1f, 0x8b, 8, 4, 1, 2, 3, 4, 5, 6, 7}, "ends within the header"},
		{[]byte{0x1f, 0x8b, 8, 2, 1, 2, 3, 4, 5, 6, 7}, "ends within the header"},
		{[]byte{0x1f}, "1 bytes are too few for a header"},
	} {
		out, err := filter(t, deflate.Gzip, 5).Decode(nil, nil, c.data, 4)
		if c.want == "" && (err != nil || string(out) != "text") {
			t.Errorf("%x: %q, %v", c.data, out, err)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%x: %v, want %s", c.data, err, c.want)
		}
	}
	for data, want := range map[string]string{
		"":                  "0 bytes are too few for a header",
		"x\x9d":             "header 789d is not that of zlib",
		"\x88\x1c":          "header 881c is not that of zlib",
		"\x78\xbb":          "needs a dictionary",
		"x\x9c\x03\x00\x00": "ends within the checksum behind 0 bytes",
	} {
		if _, err := filter(t, deflate.Zlib, 5).Decode(nil, nil, []byte(data), 4); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", data, err, want)
		}
	}
}

func TestABombStopsAtItsLimit(t *testing.T) {
	most := thorough.Least(1<<20, 2<<20, 8<<20)
	for name, f := range formats {
		bomb := compress(t, f, make([]byte, most))
		for _, limit := range []int{0, 1, 4096} {
			n := testing.AllocsPerRun(1, func() {
				out, err := filter(t, f, 5).Decode(nil, nil, bomb, limit)
				if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("holds more than the %d bytes", limit)) {
					t.Errorf("%s: got %d bytes, %v", name, len(out), err)
				}
			})
			if n > 100 {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
		for _, limit := range []int{most, math.MaxInt} {
			if out, err := filter(t, f, 5).Decode(nil, nil, bomb, limit); err != nil || len(out) != most {
				t.Errorf("%s: limit %d: %d bytes, %v", name, limit, len(out), err)
			}
		}
	}
}

func TestDecodingUsesTheRoomThatThereIs(t *testing.T) {
	data := bytes.Repeat([]byte{7}, 1000)
	for name, f := range formats {
		dst := make([]byte, 3, 1003)
		out, err := filter(t, f, 5).Decode(nil, dst, compress(t, f, data), 1000)
		if err != nil || !bytes.Equal(out[3:], data) {
			t.Fatalf("%s: %d bytes, %v", name, len(out), err)
		}
		if &out[0] != &dst[0] {
			t.Errorf("%s: other memory than the caller's", name)
		}
	}
}

// Of a chunk of unknown size the room grows with what comes out.
func TestDecodingFindsTheRoomItNeeds(t *testing.T) {
	data := make([]byte, thorough.Least(300_000, 1<<20, 3<<20))
	for i := range data {
		data[i] = byte(i>>9) & byte(i)
	}
	for name, f := range formats {
		in := compress(t, f, data)
		for _, room := range []int{0, 1, 1000, len(data) / 3, len(data) - 1} {
			out, err := filter(t, f, 5).Decode(nil, make([]byte, 3, 3+room), in, math.MaxInt)
			if err != nil || !bytes.Equal(out[3:], data) || cap(out) > 3*len(data) {
				t.Errorf("%s: room for %d: %d bytes in %d, %v", name, room, len(out), cap(out), err)
			}
		}
	}
}

func TestTheBeginningOfAFrame(t *testing.T) {
	data := bytes.Repeat([]byte("some text"), 1000)
	frame := compress(t, deflate.Zlib, data)
	damaged := bytes.Clone(frame)
	damaged[len(damaged)-1]++
	dst := make([]byte, len(data)+1)
	for _, room := range []int{0, 1, 4000, len(data) - 1} {
		if n, err := deflate.DecodeZlib(dst[:room], damaged); err != nil || n != room || !bytes.Equal(dst[:n], data[:n]) {
			t.Errorf("room for %d: %d bytes, %v", room, n, err)
		}
	}
	for _, room := range []int{len(data), len(dst)} {
		if n, err := deflate.DecodeZlib(dst[:room], append(frame, "behind"...)); err != nil || n != len(data) || !bytes.Equal(dst[:n], data) {
			t.Errorf("room for %d: %d bytes, %v", room, n, err)
		}
		for _, in := range [][]byte{damaged, frame[:len(frame)-1], frame[:len(frame)-5]} {
			if n, err := deflate.DecodeZlib(dst[:room], in); !errors.Is(err, codec.ErrData) || n > len(data) {
				t.Errorf("%d bytes of %d, room for %d: %d bytes, %v", len(in), len(frame), room, n, err)
			}
		}
	}
	for _, in := range []string{"", "x", "\x78\x9d\x03\x00\x00\x00\x00\x01", "\x78\xbb\x03\x00\x00\x00\x00\x01"} {
		if n, err := deflate.DecodeZlib(dst, []byte(in)); !errors.Is(err, codec.ErrData) || n != 0 {
			t.Errorf("%x: %d bytes, %v", in, n, err)
		}
	}
}

func TestDecodingAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector lets pools forget")
	}
	data := bytes.Repeat([]byte("some text"), 1000)
	for name, f := range formats {
		in, dst, decoder := compress(t, f, data), make([]byte, 0, len(data)), filter(t, f, 5)
		if n := testing.AllocsPerRun(50, func() {
			if _, err := decoder.Decode(nil, dst, in, len(data)); err != nil {
				t.Fatal(err)
			}
		}); n >= 1 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestErrorsTellWhere(t *testing.T) {
	for name, f := range formats {
		in := compress(t, f, []byte("some text"))
		if _, err := filter(t, f, 5).Decode(nil, nil, in[:len(in)-12], 1000); err == nil || !strings.Contains(err.Error(), "decoded ones") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDamageIsNoticed(t *testing.T) {
	for name, f := range formats {
		good := compress(t, f, []byte("some text that is compressed"))
		for i := range good {
			if f == deflate.Gzip && i >= 3 && i <= 9 {
				continue // flags, time, system
			}
			bad := bytes.Clone(good)
			bad[i] ^= 0x10
			if out, err := filter(t, f, 5).Decode(nil, nil, bad, 1000); err == nil && string(out) != "some text that is compressed" {
				t.Errorf("%s: byte %d changed: %q", name, i, out)
			}
		}
		for n := range good {
			if _, err := filter(t, f, 5).Decode(nil, nil, good[:n], 1000); err == nil {
				t.Errorf("%s: %d of %d bytes accepted", name, n, len(good))
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(compress(f, deflate.Gzip, []byte("some text")))
	f.Add(compress(f, deflate.Gzip, nil, []byte("x")))
	f.Add([]byte{0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0, 0xff, 0xff})
	flagged := compress(f, deflate.Gzip, []byte("some text"))
	flagged[3] = 0x41
	f.Add(flagged)
	f.Add(compress(f, deflate.Zlib, []byte("some text")))
	f.Add([]byte{0x78, 0xbb, 0, 0, 0, 1, 3})
	f.Add([]byte("x\xbb\x00\x00\x00\x01\x03@\x00\x00\x00\x01"))
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		for _, format := range formats {
			out, err := filter(t, format, 5).Decode(nil, []byte("pre"), data, 1<<16)
			if err == nil && (len(out) > 3+1<<16 || string(out[:3]) != "pre") {
				t.Errorf("%d bytes", len(out))
			}
			// The standard library reads on where RFC 1952 asks for an error, and has the
			// dictionary that is empty.
			other := err != nil && (strings.Contains(err.Error(), "reserves") || strings.Contains(err.Error(), "dictionary"))
			if peer, bad := decompress(format, data); bad == nil && !other && len(peer) <= 1<<16 && (err != nil || !bytes.Equal(peer, out[3:])) {
				t.Errorf("%d bytes where the standard library gives %d, %v", len(out)-3, len(peer), err)
			}
			enc, err := filter(t, format, 1).Encode(nil, nil, data)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := filter(t, format, 1).Decode(nil, nil, enc, len(data)); err != nil || !bytes.Equal(back, data) {
				t.Errorf("%d bytes became %d, %v", len(data), len(back), err)
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	data := make([]byte, 1<<20)
	for i := range data {
		data[i] = byte(i/8) & byte(i)
	}
	for name, f := range formats {
		b.Run(name, func(b *testing.B) {
			in := compress(b, f, data)
			dst := make([]byte, 0, len(data))
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := filter(b, f, 5).Decode(nil, dst, in, len(data)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ExampleCodec() {
	chain, err := registry().ParseList(json.RawMessage(`["bytes", {"name": "gzip", "configuration": {"level": 5}}]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, err := chain.Bind(codec.Spec{Type: dtype.MustParse("uint8"), Shape: []int{1000}, Fill: []byte{0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	out, err := bound.Encode(context.Background(), ck, nil, nd.Make(1, 1000))
	fmt.Println(len(out) < 100, err)
	// Output: true <nil>
}
