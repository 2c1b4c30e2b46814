package conditional_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/conditional"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/codec/zstd"
	"github.com/omnizarr/zarr/internal/fuzzlong"
)

func registry(rule conditional.Rule) *codec.Registry {
	r := basic.Registry()
	r.Register(zstd.Parse, "zstd")
	r.Register(conditional.Parser(rule), "conditional")
	r.Register(func(_ *codec.Registry, _ string, _ json.RawMessage) (codec.Codec, error) { return reverse{}, nil }, "reverse")
	return r
}

// reverse leaves the length as it is.
type reverse struct{}

func (reverse) Name() string                 { return "reverse" }
func (reverse) MarshalJSON() ([]byte, error) { return codec.MarshalEntry("reverse", nil) }
func (reverse) BindBytes(_ codec.Spec, size codec.Size) (codec.BytesFilter, error) {
	return reversed{size}, nil
}

type reversed struct{ size codec.Size }

func (r reversed) Size() codec.Size { return r.size }
func (r reversed) Encode(_ *codec.Chunk, dst, src []byte) ([]byte, error) {
	n := len(dst)
	dst = append(dst, src...)
	slices.Reverse(dst[n:])
	return dst, nil
}

func (r reversed) Decode(ck *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	if len(src) > limit {
		return nil, codec.Bad("%d bytes", len(src))
	}
	return r.Encode(ck, dst, src)
}

const little = `{"name":"bytes","configuration":{"endian":"little"}}`

func list(more string, codecs ...string) string {
	return `{"name":"conditional","configuration":{"codecs":[` + strings.Join(codecs, ",") + `]` + more + `}}`
}

func alternating(q conditional.Question) (bool, error) { return q.Index%2 == 0, nil }

func bySize(q conditional.Question) (bool, error) {
	out, err := q.Trial()
	return len(out) < len(q.Data), err
}

func TestConditionalPassesTheSuite(t *testing.T) {
	rules := map[string]conditional.Rule{"if smaller": nil, "always": conditional.Always, "never": conditional.Never, "alternating": alternating, "by size": bySize}
	for name, rule := range rules {
		for _, c := range []codectest.Case{
			{Codecs: `[` + little + `,` + list("", `"reverse"`, `"zstd"`) + `]`, Type: "int32", Shape: []int{5, 6}, Fill: "9"},
			{Codecs: `[` + little + `,` + list(`,"header_bits":24`, `"reverse"`, `"crc32c"`, `"zstd"`, `"reverse"`, `"gzip"`) + `,"crc32c"]`, Type: "int16", Shape: []int{40}},
			{Codecs: `[` + little + `,` + list("", list("", `"zstd"`), `"gzip"`) + `]`, Type: "uint8", Shape: []int{5, 6}},
			{Codecs: `[` + little + `,` + list("") + `]`, Type: "uint8", Shape: []int{5, 6}},
			{Codecs: `["vlen-utf8",` + list("", `"gzip"`, `"crc32c"`) + `]`, Type: "string", Shape: []int{7}},
			{Codecs: `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,3],"codecs":[` + little + `,` + list("", `"zstd"`) +
				`],"index_codecs":[` + little + `,"crc32c"]}},` + list("", `"gzip"`) + `]`, Type: "int32", Shape: []int{4, 6}, Fill: "7"},
		} {
			c.Registry = registry(rule)
			t.Run(name+" "+c.Name(), func(t *testing.T) { codectest.Run(t, c) })
		}
	}
}

func bind(t testing.TB, rule conditional.Rule, config string, size codec.Size) codec.BytesFilter {
	t.Helper()
	c, err := registry(rule).Parse(codec.Entry{Name: "conditional", Config: json.RawMessage(config)})
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.(codec.BytesToBytes).BindBytes(codec.Spec{}, size)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// "Bit 0 of the mask corresponds to the first codec in the codecs list, bit 1 to
// the second, and so on (using a little-endian bit order)."
func TestTheHeaderNamesTheCodecs(t *testing.T) {
	ten := `{"codecs":[` + strings.Repeat(`"reverse",`, 9) + `"reverse"]}`
	only := func(want ...int) conditional.Rule {
		return func(q conditional.Question) (bool, error) { return slices.Contains(want, q.Index), nil }
	}
	for _, c := range []struct {
		config string
		rule   conditional.Rule
		want   string
	}{
		{`{"codecs":["reverse"]}`, conditional.Never, "\x00abc"},
		{`{"codecs":["reverse"]}`, conditional.Always, "\x01cba"},
		{`{"codecs":["reverse","reverse"]}`, only(1), "\x02cba"},
		{`{"codecs":["reverse","reverse"]}`, conditional.Always, "\x03abc"},
		{`{"codecs":["reverse"],"header_bits":32}`, conditional.Always, "\x01\x00\x00\x00cba"},
		{ten, only(8), "\x00\x01cba"},
		{ten, only(0, 7, 9), "\x81\x02cba"},
		{`{"codecs":[]}`, conditional.Always, "abc"},
		{`{"codecs":[],"header_bits":8}`, conditional.Always, "\x00abc"},
	} {
		f := bind(t, c.rule, c.config, codec.Exactly(3))
		got, err := f.Encode(nil, nil, []byte("abc"))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %q, %v, want %q", c.config, got, err, c.want)
		}
		// Whatever rule a reader has, the header counts.
		back, err := bind(t, nil, c.config, codec.Exactly(3)).Decode(nil, []byte("-"), got, 3)
		if err != nil || string(back) != "-abc" {
			t.Errorf("%s: %q was read, %v", c.config, back, err)
		}
		if size := f.Size(); !size.Known || size.N != len(c.want) {
			t.Errorf("%s: %d bytes, said to be %+v", c.config, len(c.want), size)
		}
	}
}

func TestChunksAreNeverLargerThanTheirBytesAndTheHeader(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	noise, zeros := make([]byte, 1000), make([]byte, 1000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	f := bind(t, nil, `{"codecs":["reverse","crc32c","zstd","reverse","gzip"]}`, codec.Exactly(1000))
	for _, c := range []struct {
		data []byte
		mask byte
	}{
		{noise, 0},           // the checksum and both compressors make it larger
		{zeros, 1<<0 | 1<<2}, // zstd makes use of what is before it
		{append(noise[:500:500], zeros[:500]...), 1<<0 | 1<<2},
	} {
		out, err := f.Encode(nil, nil, c.data)
		if err != nil || len(out) > 1+len(c.data) || out[0]&^(1<<3|1<<4) != c.mask {
			t.Errorf("%d bytes with mask %b, %v", len(out), out[0], err)
		}
		if back, err := f.Decode(nil, nil, out, 1000); err != nil || !bytes.Equal(back, c.data) {
			t.Errorf("%d bytes were read, %v", len(back), err)
		}
	}
}

func TestARuleSeesWhatTheCodecWouldGet(t *testing.T) {
	var seen []string
	rule := func(q conditional.Question) (bool, error) {
		trial, err := q.Trial()
		seen = append(seen, fmt.Sprintf("%v %d %s %s %s", q.Chunk, q.Index, q.Codec.Name(), q.Data, trial))
		return q.Index == 1, err
	}
	f := bind(t, rule, `{"codecs":["reverse","reverse","reverse"]}`, codec.Exactly(3))
	if _, err := f.Encode(&codec.Chunk{Index: []int{4, 5}}, nil, []byte("abc")); err != nil {
		t.Fatal(err)
	}
	want := []string{"[4 5] 0 reverse abc cba", "[4 5] 1 reverse abc cba", "[4 5] 2 reverse cba abc"}
	if !slices.Equal(seen, want) {
		t.Errorf("got %q", seen)
	}
	fails := errors.New("no decision")
	f = bind(t, func(conditional.Question) (bool, error) { return true, fails }, `{"codecs":["reverse"]}`, codec.Exactly(3))
	if _, err := f.Encode(nil, nil, []byte("abc")); !errors.Is(err, fails) {
		t.Errorf("got %v", err)
	}
}

func TestMetadata(t *testing.T) {
	for in, want := range map[string]string{
		`{"codecs":["crc32c"]}`:                                 `{"codecs":[{"name":"crc32c"}],"header_bits":8}`,
		`{"codecs":["crc32c"],"header_bits":16}`:                `{"codecs":[{"name":"crc32c"}],"header_bits":16}`,
		`{"codecs":[{"name":"crc32c","must_understand":true}]}`: `{"codecs":[{"name":"crc32c"}],"header_bits":8}`,
		`{"codecs":[]}`:                                         `{"codecs":[],"header_bits":0}`,
	} {
		c, err := registry(nil).Parse(codec.Entry{Name: "conditional", Config: json.RawMessage(in)})
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if raw, err := c.MarshalJSON(); err != nil || string(raw) != `{"name":"conditional","configuration":`+want+`}` {
			t.Errorf("%s became %s, %v", in, raw, err)
		}
	}
	for in, want := range map[string]string{
		`{}`:                                     "lacks codecs",
		`{"codecs":null}`:                        "must be an array",
		`{"codecs":["bytes"]}`:                   "codec bytes does not turn bytes into bytes",
		`{"codecs":["none"]}`:                    "unknown codec",
		`{"codecs":[7]}`:                         "must be a name or an object",
		`{"codecs":["crc32c"],"header_bits":0}`:  "header_bits is 0, for 1 codecs",
		`{"codecs":["crc32c"],"header_bits":12}`: "must be a multiple of 8",
		`{"codecs":["crc32c"],"header_bits":-8}`: "for 1 codecs",
		`{"codecs":[],"header_bits":8000000000}`: "at most",
		`{"codecs":["crc32c"],"bits":8}`:         "unknown member",
	} {
		if _, err := registry(nil).Parse(codec.Entry{Name: "conditional", Config: json.RawMessage(in)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", in, err)
		}
	}
	if _, err := registry(nil).ParseList(json.RawMessage(`[` + list("", `"crc32c"`) + `,"bytes"]`)); err == nil {
		t.Error("stood before the serializer")
	}
}

func TestBadChunks(t *testing.T) {
	f := bind(t, nil, `{"codecs":["reverse","crc32c"],"header_bits":16}`, codec.Exactly(3))
	for data, want := range map[string]string{
		"":                "0 bytes are too few for a header of 2",
		"\x00":            "1 bytes are too few",
		"\x04\x00abc":     "bit 2 of the header is set, but there are 2 codecs",
		"\x00\x80abc":     "bit 15 of the header",
		"\x00\x00abcd":    "holds 4 bytes, at most 3",
		"\x02\x00abcdefg": "codec crc32c",
	} {
		if out, err := f.Decode(nil, nil, []byte(data), 3); !errors.Is(err, codec.ErrData) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %q, %v", data, out, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x00abc"))
	f.Add([]byte("\x01cba"))
	f.Add([]byte("\x06abcdefgh"))
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		const limit = 1 << 12
		fl := bind(t, nil, `{"codecs":["reverse","zstd","gzip","crc32c"]}`, codec.Size{})
		ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 14}}
		out, err := fl.Decode(ck, []byte("pre"), data, limit)
		if err != nil {
			return
		}
		if len(out) > 3+limit || string(out[:3]) != "pre" {
			t.Fatalf("%d bytes", len(out))
		}
		enc, err := fl.Encode(ck, nil, out[3:])
		if err != nil {
			t.Fatal(err)
		}
		if back, err := fl.Decode(ck, nil, enc, limit); err != nil || !bytes.Equal(back, out[3:]) {
			t.Errorf("%d bytes became %d, %v", len(out)-3, len(back), err)
		}
	})
}
