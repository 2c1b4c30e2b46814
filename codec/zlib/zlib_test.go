package zlib_test

import (
	"bytes"
	stdzlib "compress/zlib"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/codec/zlib"
)

func TestZlibPassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: `["bytes",{"name":"numcodecs.zlib","configuration":{"level":1}}]`, Type: "uint8", Shape: []int{20, 30}, Fill: "9"},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"big"}},"zlib"]`, Type: "int32", Shape: []int{3, 4, 5}},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"zlib","configuration":{"level":0}}]`, Type: "float64", Shape: []int{17}, Fill: `"-Infinity"`},
		{Codecs: `["vlen-bytes","numcodecs.zlib"]`, Type: "bytes", Shape: []int{4, 5}, Fill: `"AAEC"`},
	} {
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func TestConfigurations(t *testing.T) {
	for config, want := range map[string]string{
		``:                      "",
		`{}`:                    "",
		`{"level":0}`:           "",
		`{"level":9}`:           "",
		`{"level":-1}`:          "level is -1: must be from 0 to 9",
		`{"level":10}`:          "level is 10: must be from 0 to 9",
		`{"level":5.0}`:         "cannot unmarshal number 5.0",
		`{"level":"5"}`:         "cannot unmarshal string",
		`{"level":null}`:        "level must not be null",
		`{"Level":5}`:           `unknown member "Level"`,
		`{"level":5,"mtime":0}`: `unknown member "mtime"`,
	} {
		_, err := std.Registry().Parse(codec.Entry{Name: "zlib", Config: json.RawMessage(config)})
		if want == "" && err != nil {
			t.Errorf("%s: %v", config, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "codec zlib: ")) {
			t.Errorf("%s: got %v, want %s", config, err, want)
		}
	}
}

func filter(t testing.TB, level int) codec.BytesFilter {
	t.Helper()
	f, err := zlib.Codec{Level: level}.BindBytes(codec.Spec{}, codec.Size{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func compress(t testing.TB, data []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := stdzlib.NewWriter(&buf)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestOthersReadWhatIsWritten(t *testing.T) {
	data := bytes.Repeat([]byte("abcdefgh"), 1000)
	for level := range 10 {
		out, err := filter(t, level).Encode(nil, nil, data)
		if err != nil {
			t.Fatal(err)
		}
		r, err := stdzlib.NewReader(bytes.NewReader(out))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, data) {
			t.Errorf("level %d: %d bytes, %v", level, len(got), err)
		}
	}
}

func TestABombStopsAtItsLimit(t *testing.T) {
	bomb := compress(t, make([]byte, 64<<20))
	for _, limit := range []int{0, 1, 4096} {
		n := testing.AllocsPerRun(1, func() {
			out, err := filter(t, 5).Decode(nil, nil, bomb, limit)
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("holds more than the %d bytes", limit)) {
				t.Errorf("got %d bytes, %v", len(out), err)
			}
		})
		if n > 100 {
			t.Errorf("%v allocations", n)
		}
	}
	for _, limit := range []int{64 << 20, math.MaxInt} {
		if out, err := filter(t, 5).Decode(nil, nil, bomb, limit); err != nil || len(out) != 64<<20 {
			t.Errorf("limit %d: %d bytes, %v", limit, len(out), err)
		}
	}
}

func TestDecodingUsesTheRoomThatThereIs(t *testing.T) {
	data := bytes.Repeat([]byte{7}, 1000)
	dst := make([]byte, 3, 1003)
	out, err := filter(t, 5).Decode(nil, dst, compress(t, data), 1000)
	if err != nil || !bytes.Equal(out[3:], data) {
		t.Fatalf("%d bytes, %v", len(out), err)
	}
	if &out[0] != &dst[0] {
		t.Error("other memory than the caller's")
	}
}

func TestDamageIsNoticed(t *testing.T) {
	good := compress(t, []byte("some text that is compressed"))
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 0x10
		if out, err := filter(t, 5).Decode(nil, nil, bad, 1000); err == nil && string(out) != "some text that is compressed" {
			t.Errorf("byte %d changed: %q", i, out)
		}
	}
	for n := range good {
		if _, err := filter(t, 5).Decode(nil, nil, good[:n], 1000); err == nil {
			t.Errorf("%d of %d bytes accepted", n, len(good))
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(compress(f, []byte("some text")))
	f.Add(compress(f, nil))
	f.Add([]byte{0x78, 0xbb, 0, 0, 0, 1, 3})
	f.Fuzz(func(t *testing.T, data []byte) {
		out, err := filter(t, 5).Decode(nil, []byte("pre"), data, 1<<16)
		if err == nil && (len(out) > 3+1<<16 || string(out[:3]) != "pre") {
			t.Errorf("%d bytes", len(out))
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

func TestTheNameOfTheEntryStays(t *testing.T) {
	for _, name := range []string{"numcodecs.zlib", "zlib"} {
		c, err := std.Registry().Parse(codec.Entry{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		text, err := c.MarshalJSON()
		if want := `{"name":"` + name + `","configuration":{"level":1}}`; err != nil || string(text) != want {
			t.Errorf("%s became %s, %v", name, text, err)
		}
	}
}

func ExampleCodec() {
	f, err := zlib.Codec{Level: 1}.BindBytes(codec.Spec{}, codec.Exactly(1000))
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
