package gzip_test

import (
	"bytes"
	stdgzip "compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/gzip"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

func TestGzipPassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: `["bytes",{"name":"gzip","configuration":{"level":1}}]`, Type: "uint8", Shape: []int{20, 30}, Fill: "9"},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"big"}},"gzip"]`, Type: "int32", Shape: []int{3, 4, 5}},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"gzip","configuration":{"level":0}}]`, Type: "float64", Shape: []int{17}, Fill: `"-Infinity"`},
		{Codecs: `["bytes",{"name":"gzip","configuration":{"level":9}},{"name":"gzip","configuration":{"level":1}}]`, Type: "bool", Shape: []int{99}},
		{Codecs: `["vlen-bytes","gzip"]`, Type: "bytes", Shape: []int{4, 5}, Fill: `"AAEC"`},
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
		_, err := std.Registry().Parse(codec.Entry{Name: "gzip", Config: json.RawMessage(config)})
		if want == "" && err != nil {
			t.Errorf("%s: %v", config, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "codec gzip: ")) {
			t.Errorf("%s: got %v, want %s", config, err, want)
		}
	}
}

func filter(t testing.TB, level int) codec.BytesFilter {
	t.Helper()
	f, err := gzip.Codec{Level: level}.BindBytes(codec.Spec{}, codec.Size{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func compress(t testing.TB, parts ...[]byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	for _, p := range parts {
		w := stdgzip.NewWriter(&buf)
		if _, err := w.Write(p); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
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
		r, err := stdgzip.NewReader(bytes.NewReader(out))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, data) {
			t.Errorf("level %d: %d bytes, %v", level, len(got), err)
		}
	}
}

func TestSeveralMembersFollowEachOther(t *testing.T) {
	out, err := filter(t, 5).Decode(nil, []byte("x"), compress(t, []byte("one"), []byte("two")), 6)
	if err != nil || string(out) != "xonetwo" {
		t.Errorf("got %q, %v", out, err)
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
		if i == 3 || i >= 4 && i <= 9 {
			continue // flags, time, system
		}
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
	f.Add(compress(f, nil, []byte("x")))
	f.Add([]byte{0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0, 0xff, 0xff})
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

func ExampleCodec() {
	chain, err := std.Registry().ParseList(json.RawMessage(`["bytes", {"name": "gzip", "configuration": {"level": 5}}]`))
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
