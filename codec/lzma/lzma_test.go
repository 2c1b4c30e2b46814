package lzma_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/codec/lzma"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/thorough"
)

func registry() *codec.Registry { return basic.With(lzma.Parse, "numcodecs.lzma", "lzma") }

func TestLZMAPassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: `["bytes","numcodecs.lzma"]`, Type: "uint8", Shape: []int{20, 30}, Fill: "9"},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"big"}},{"name":"lzma","configuration":{"format":2,"preset":1}}]`, Type: "int32", Shape: []int{3, 4, 5}},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"lzma","configuration":{"check":10,"filters":[{"id":3,"dist":8},{"id":33}]}}]`, Type: "float64", Shape: []int{17}},
		{Codecs: `["bytes",{"name":"lzma","configuration":{"format":3,"filters":[{"id":33}]}},"crc32c"]`, Type: "bool", Shape: []int{99}},
		{Codecs: `["vlen-bytes",{"name":"lzma","configuration":{"format":3,"filters":[{"id":3},{"id":4611686018427387905,"lc":0}]}}]`, Type: "bytes", Shape: []int{4, 5}, Fill: `"AAEC"`},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func TestConfigurations(t *testing.T) {
	const all = `{"name":"lzma","configuration":{"format":%d,"check":%d,"preset":%s,"filters":%s}}`
	for config, want := range map[string]string{
		``: fmt.Sprintf(all, 1, -1, "null", "null"),
		`{"format":1,"check":-1,"preset":null,"filters":null}`:  fmt.Sprintf(all, 1, -1, "null", "null"),
		`{"format":2,"check":0,"preset":9}`:                     fmt.Sprintf(all, 2, 0, "9", "null"),
		`{"preset":2147483654}`:                                 fmt.Sprintf(all, 1, -1, "2147483654", "null"),
		`{"filters":[{"id":3,"dist":4}, {"id":33,"preset":1}]}`: fmt.Sprintf(all, 1, -1, "null", `[{"id":3,"dist":4},{"id":33,"preset":1}]`),
		`{"format":3,"filters":[{"id":4611686018427387905,"dict_size":4096,"lc":0,"lp":4,"pb":4,"mode":1,"nice_len":64,"mf":3,"depth":0}]}`: fmt.Sprintf(all, 3, -1, "null",
			`[{"id":4611686018427387905,"dict_size":4096,"lc":0,"lp":4,"pb":4,"mode":1,"nice_len":64,"mf":3,"depth":0}]`),
		`{"format":0}`:                              "format is 0: must be 1 (xz), 2 (alone) or 3 (raw)",
		`{"format":"xz"}`:                           "not a string",
		`{"check":2}`:                               "check is 2: must be",
		`{"format":2,"check":4}`:                    "check is 4: only format 1 (xz) has checks",
		`{"preset":10}`:                             "preset is 10: must be from 0 to 9",
		`{"preset":-1}`:                             "must be from 0 to 9",
		`{"preset":"6"}`:                            "preset must be a whole number or null",
		`{"preset":6.5}`:                            "preset must be a whole number or null",
		`{"preset":6,"filters":[{"id":33}]}`:        "preset and filters must not both be given",
		`{"filters":{}}`:                            "filters must be an array or null",
		`{"filters":[]}`:                            "there are 0 filters: must be from 1 to 4",
		`{"filters":[7]}`:                           "filters[0]: must be an object with a number as id",
		`{"filters":[{}]}`:                          "filters[0]: must be an object with a number as id",
		`{"filters":[{"id":33},{"id":33}]}`:         "filters[0]: only the last filter can be LZMA1 or LZMA2",
		`{"filters":[{"id":3}]}`:                    "filters[0]: the last filter must be LZMA1 or LZMA2",
		`{"filters":[{"id":4},{"id":33}]}`:          "filters[0]: the branch filter for x86 (4) is not supported",
		`{"filters":[{"id":99},{"id":33}]}`:         "filters[0]: filter 99 is not supported",
		`{"filters":[{"id":3,"dist":0},{"id":33}]}`: "filters[0]: dist is 0: must be from 1 to 256",
		`{"filters":[{"id":3,"size":1},{"id":33}]}`: `filters[0]: configuration: unknown member "size"`,
		`{"filters":[{"id":33,"lc":4,"lp":1}]}`:     "filters[0]: lc 4, lp 1 and pb 2 are not possible",
		`{"filters":[{"id":33,"lc":-1,"lp":1}]}`:    "filters[0]: lc -1, lp 1 and pb 2 are not possible",
		`{"filters":[{"id":33,"dict_size":4095}]}`:  "filters[0]: dict_size is 4095: must be at least 4096",
		`{"filters":[{"id":33,"preset":11}]}`:       "filters[0]: preset is 11",
		`{"filters":[{"id":4611686018427387905}]}`:  "format 1 (xz) has LZMA2 as its last filter",
		`{"format":2,"filters":[{"id":33}]}`:        "format 2 (alone) has LZMA1 as its only filter",
		`{"format":3}`:                              "format 3 (raw) needs filters",
		`{"format":3,"preset":6}`:                   "format 3 (raw) needs filters",
		`{"level":6}`:                               `unknown member "level"`,
	} {
		c, err := registry().Parse(codec.Entry{Name: "lzma", Config: json.RawMessage(config)})
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %s", config, err, want)
			}
			continue
		}
		if text, err := c.MarshalJSON(); err != nil || string(text) != want {
			t.Errorf("%s: became %s, %v, want %s", config, text, err, want)
		}
	}
	if name := (lzma.Codec{}).Name(); name != "numcodecs.lzma" {
		t.Error(name)
	}
	if _, err := (lzma.Codec{}).BindBytes(codec.Spec{}, codec.Size{}); err == nil {
		t.Error("a codec without a format was bound")
	}
}

func filter(t testing.TB, config string) codec.BytesFilter {
	t.Helper()
	c, err := lzma.Parse(nil, "lzma", json.RawMessage(config))
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.(lzma.Codec).BindBytes(codec.Spec{}, codec.Size{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var configs = []string{
	`{}`, `{"check":0,"preset":0}`, `{"check":1}`, `{"check":10,"preset":9}`, `{"format":2}`, `{"format":2,"preset":0}`,
	`{"filters":[{"id":3,"dist":4},{"id":3},{"id":33,"lc":0,"lp":2,"pb":0,"dict_size":5000}]}`,
	`{"format":3,"filters":[{"id":33,"pb":4,"lc":4}]}`,
	`{"format":3,"filters":[{"id":3,"dist":256},{"id":4611686018427387905,"lp":4,"lc":0,"pb":1}]}`,
}

// Data of every kind passes each way of writing: noise fills chunks that are
// stored as they are, zeros make the longest matches, and lengths pass the ends
// of chunks.
func TestEverythingComesBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i, config := range configs {
		f := filter(t, config)
		for _, n := range []int{0, 1, 2, 3, 4, 5, 10, 273, 274, 1000, 65_537, 90_000, 2<<20 + 5} {
			for kind := range 5 {
				if n == 90_000 && kind != 1 && !thorough.Enabled {
					continue // what is packed begins anew after 64 KiB, as it did in what was one byte longer
				}
				if n == 65_537 && (i/3+kind)%thorough.Of(2, 1) != 0 {
					continue
				}
				if n > 1<<20 && (thorough.Least(true, false, false) || kind%2 == 1 || kind < 4 && !thorough.Enabled || config != `{}`) || n > 1<<16 && i%thorough.Least(9, 3, 1) != 0 {
					continue
				}
				data := make([]byte, n)
				for i := range data {
					switch kind {
					case 1:
						data[i] = byte(r.Uint32())
					case 2:
						data[i] = byte(r.IntN(3))
					case 3:
						if i > 0 {
							data[i] = data[i-1] + byte(r.IntN(2))
						}
					case 4: // noise that comes again, after a while
						data[i] = byte(r.Uint32())
						if i > 40_000 {
							data[i] = data[i-40_000]
						}
					}
				}
				if n > 1<<20 && !thorough.Enabled {
					clear(data[100_000 : n-150_000]) // takes no time; the noise at the end is what begins anew
				}
				out, err := f.Encode(nil, []byte("pre"), data)
				if err != nil || string(out[:3]) != "pre" {
					t.Fatal(err)
				}
				if len(out) > n+n/16+200 {
					t.Errorf("%s: %d bytes of kind %d became %d", config, n, kind, len(out))
				}
				for _, room := range []int{0, n} {
					back, err := f.Decode(nil, append(make([]byte, 0, 1+room), 'x'), out[3:], n)
					if err != nil || !bytes.Equal(back[1:], data) {
						t.Fatalf("%s: %d bytes of kind %d: %v", config, n, kind, err)
					}
				}
			}
		}
	}
}

func TestRepeatedDataBecomesSmall(t *testing.T) {
	data := []byte(strings.Repeat("All that is repeated is written once. ", 1000))
	for _, config := range configs {
		out, err := filter(t, config).Encode(nil, nil, data)
		if err != nil || len(out) > 500 {
			t.Errorf("%s: %d bytes, %v", config, len(out), err)
		}
	}
}

func TestABombStopsAtItsLimit(t *testing.T) {
	for i, config := range configs {
		if i%thorough.Step(2) != 0 {
			continue
		}
		data := make([]byte, thorough.Of(1<<18, 3<<20))
		if i == 0 {
			data = make([]byte, thorough.Least(1<<20, 3<<20, 3<<20)) // LZMA2 begins anew after 2 MiB
		}
		f := filter(t, config)
		bomb, err := f.Encode(nil, nil, data)
		if err != nil {
			t.Fatal(err)
		}
		for _, limit := range []int{0, 1, 4096, len(data) - 1} {
			if out, err := f.Decode(nil, nil, bomb, limit); err == nil || !strings.Contains(err.Error(), "possible") {
				t.Errorf("%s: limit %d: %d bytes, %v", config, limit, len(out), err)
			}
		}
		if out, err := f.Decode(nil, nil, bomb, math.MaxInt); err != nil || !bytes.Equal(out, data) {
			t.Errorf("%s: %d bytes, %v", config, len(out), err)
		}
	}
}

func TestDamageIsNoticed(t *testing.T) {
	data := []byte("some text that is compressed, and compressed text that is some")
	for _, config := range configs {
		f := filter(t, config)
		good, err := f.Encode(nil, nil, data)
		if err != nil {
			t.Fatal(err)
		}
		for n := range good {
			if _, err := f.Decode(nil, nil, good[:n], 1000); err == nil {
				t.Errorf("%s: %d of %d bytes accepted", config, n, len(good))
			}
		}
		if !strings.HasPrefix(config, `{"check"`) && config != `{}` || strings.Contains(config, `"check":0`) {
			continue // nothing checks the data
		}
		for i := 0; i < 8*len(good); i += thorough.Step(3) {
			bad := bytes.Clone(good)
			bad[i/8] ^= 1 << (i % 8)
			if out, err := f.Decode(nil, nil, bad, 1000); err == nil {
				t.Errorf("%s: bit %d changed: %q", config, i, out)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for i, config := range configs {
		out, err := filter(f, config).Encode(nil, nil, []byte("some text, and some text"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(i, out)
	}
	for _, v := range vectors {
		f.Add(4, v.bytes(f))
		f.Add(0, v.bytes(f))
	}
	fuzzlong.Fuzz(f, func(t *testing.T, i int, data []byte) {
		if i < 0 || i >= len(configs) {
			return
		}
		c := filter(t, configs[i])
		out, err := c.Decode(nil, []byte("pre"), data, 1<<16)
		if err == nil && (len(out) > 3+1<<16 || string(out[:3]) != "pre") {
			t.Errorf("%d bytes", len(out))
		}
		enc, err := c.Encode(nil, nil, data)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := c.Decode(nil, nil, enc, len(data)); err != nil || !bytes.Equal(back, data) {
			t.Errorf("%d bytes became %d, %v", len(data), len(back), err)
		}
	})
}

func numbers() []byte {
	data, sum := make([]byte, 0, 1<<20), 0
	r := rand.New(rand.NewPCG(1, 2))
	for len(data) < 1<<20 {
		sum += r.IntN(20) - 10
		data = append(data, byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24))
	}
	return data
}

func BenchmarkDecode(b *testing.B) {
	data := numbers()
	f := filter(b, `{}`)
	in, err := f.Encode(nil, nil, data)
	if err != nil {
		b.Fatal(err)
	}
	dst := make([]byte, 0, len(data))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Decode(nil, dst, in, len(data)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	data := numbers()
	for _, preset := range []int{1, 6} {
		b.Run(fmt.Sprint(preset), func(b *testing.B) {
			f := filter(b, fmt.Sprintf(`{"preset":%d}`, preset))
			dst := make([]byte, 0, len(data))
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				out, err := f.Encode(nil, dst, data)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(data))/float64(len(out)), "ratio")
			}
		})
	}
}

func ExampleCodec() {
	c, err := lzma.Parse(nil, "numcodecs.lzma", json.RawMessage(`{"format": 1, "check": -1, "preset": 1, "filters": null}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := c.(codec.BytesToBytes).BindBytes(codec.Spec{}, codec.Exactly(1000))
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := f.Encode(nil, nil, make([]byte, 1000))
	fmt.Printf("%q %v %v\n", out[1:5], len(out) < 100, err)
	back, err := f.Decode(nil, nil, out, 1000)
	fmt.Println(len(back), err)
	// Output:
	// "7zXZ" true <nil>
	// 1000 <nil>
}
