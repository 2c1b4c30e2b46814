package gdeflate_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/gdeflate"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/thorough"
)

const address = "https://codec.zarrs.dev/bytes_to_bytes/gdeflate"

// registry knows the codec under all of its names, whatever std has.
func registry() *codec.Registry {
	return basic.With(gdeflate.Parse, "zarrs.gdeflate", "gdeflate", address)
}

func filter(t testing.TB, level, size int) codec.BytesFilter {
	t.Helper()
	f, err := gdeflate.Codec{Level: level}.BindBytes(codec.Spec{}, codec.Exactly(size))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func encode(t testing.TB, level int, data []byte) []byte {
	t.Helper()
	out, err := filter(t, level, len(data)).Encode(nil, nil, data)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func strict() *codec.Chunk { return &codec.Chunk{Limits: &codec.Limits{Strict: true}} }

func TestGDeflatePassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: `["bytes",{"name":"zarrs.gdeflate","configuration":{"level":6}}]`, Type: "uint8", Shape: []int{20, 30}, Fill: "9"},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"big"}},{"name":"gdeflate","configuration":{"level":0}}]`, Type: "int32", Shape: []int{3, 4, 5}},
		{Codecs: `["bytes",{"name":"` + address + `","configuration":{"level":1}}]`, Type: "uint8", Shape: []int{257, 260}},
		{Codecs: `["vlen-bytes",{"name":"zarrs.gdeflate","configuration":{"level":9}}]`, Type: "bytes", Shape: []int{4, 5}, Fill: `"AAEC"`},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func TestConfigurations(t *testing.T) {
	for config, want := range map[string]string{
		``:                      "level is missing",
		`{}`:                    "level is missing",
		`{"level":0}`:           "",
		`{"level":12}`:          "",
		`{"level":13}`:          "level is 13: must be from 0 to 12",
		`{"level":-1}`:          "level is -1: must be from 0 to 12",
		`{"level":1.5}`:         "must be an integer, not 1.5",
		`{"level":null}`:        "level: must not be null",
		`{"level":1,"page":64}`: `unknown member "page"`,
	} {
		_, err := registry().Parse(codec.Entry{Name: "zarrs.gdeflate", Config: json.RawMessage(config)})
		if want == "" && err != nil {
			t.Errorf("%s: %v", config, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %s", config, err, want)
		}
	}
	if _, err := (gdeflate.Codec{Level: 13}).BindBytes(codec.Spec{}, codec.Size{}); err == nil {
		t.Error("level 13 was bound")
	}
}

func TestACodecKeepsItsName(t *testing.T) {
	for _, name := range []string{"zarrs.gdeflate", "gdeflate", address} {
		c, err := registry().Parse(codec.Entry{Name: name, Config: json.RawMessage(`{"level":3}`)})
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(c)
		if want := `{"name":"` + name + `","configuration":{"level":3}}`; err != nil || string(got) != want {
			t.Errorf("%s, %v", got, err)
		}
	}
	if name := (gdeflate.Codec{}).Name(); name != "zarrs.gdeflate" {
		t.Error(name)
	}
}

// made gives the data of the files in testdata by the first part of their names.
var made = map[string]func(n int) []byte{
	"zeros": func(n int) []byte { return make([]byte, n) },
	"noise": func(n int) []byte {
		r, out := lcg(1), make([]byte, n)
		for i := range out {
			out[i] = byte(r.next())
		}
		return out
	},
	"letters": func(n int) []byte {
		r, out := lcg(1), make([]byte, n)
		for i := range out {
			v := r.next()
			out[i] = "etaoin shrdlu"[(v&(v>>4)&15)%13]
		}
		return out
	},
	"copies": func(n int) []byte {
		r, out := lcg(1), make([]byte, n)
		for i := range out {
			if v := r.next(); i < 700 || v%61 == 0 {
				out[i] = byte(v)
			} else {
				out[i] = out[i-600+i/1000%7]
			}
		}
		return out
	},
}

// lcg makes numbers that other languages make as easily.
type lcg uint32

func (r *lcg) next() int {
	*r = *r*1664525 + 1013904223
	return int(*r >> 16)
}

// The files in testdata were written by the codec of zarrs 0.23.14, with
// gdeflate-sys 0.4.1. Their names are those of the data, its size, and the level.
func TestFilesOfZarrsAreDecoded(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*.*")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		in, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var kind string
		var n, level int
		if _, err := fmt.Sscan(strings.ReplaceAll(filepath.Base(file), ".", " "), &kind, &n, &level); err != nil {
			t.Fatal(err)
		}
		f := filter(t, level, n)
		if most := f.Size(); !most.Known || len(in) > most.N {
			t.Errorf("%s: %d bytes, more than %d", file, len(in), most.N)
		}
		want := made[kind](n)
		out, err := f.Decode(strict(), []byte("pre"), in, n)
		if err != nil || !bytes.Equal(out, append([]byte("pre"), want...)) {
			t.Errorf("%s: %d bytes, %v", file, len(out), err)
		}
		if own := encode(t, level, want); len(own) > len(in)+len(in)/50 {
			t.Errorf("%s: %d bytes became %d, in zarrs %d", file, n, len(own), len(in))
		}
	}
}

func TestEverySizeFitsItsBound(t *testing.T) {
	for _, n := range thorough.Least([]int{0, 1, 127, 65537}, []int{0, 1, 127, 65535, 65536, 65537, 131073}, []int{0, 1, 127, 65535, 65536, 65537, 131073}) {
		for kind, data := range made {
			in := data(n)
			for _, level := range []int{0, 1, 9} {
				if level == 9 && n > 127 && n != 65537 && !thorough.Enabled {
					continue // it takes long
				}
				f := filter(t, level, n)
				out, err := f.Encode(nil, []byte("pre"), in)
				if err != nil || len(out)-3 > f.Size().N {
					t.Fatalf("%s: %d bytes became %d, more than %d, %v", kind, n, len(out)-3, f.Size().N, err)
				}
				back, err := f.Decode(strict(), nil, out[3:], n)
				if err != nil || !bytes.Equal(back, in) {
					t.Fatalf("%s: %d bytes became %d, %v", kind, n, len(back), err)
				}
			}
		}
	}
}

func TestHeadersThatLie(t *testing.T) {
	header := func(words ...uint64) (out []byte) {
		for _, w := range words {
			out = binary.LittleEndian.AppendUint64(out, w)
		}
		return out
	}
	page := make([]byte, 132)
	page[0] = 1 // a stored block of no bytes
	for name, c := range map[string]struct {
		in    []byte
		limit int
		want  string
	}{
		"too much":      {header(1001, 1), 1000, "holds 1001 bytes, at most 1000 are possible"},
		"far too much":  {header(math.MaxUint64, 1), math.MaxInt, "at most"},
		"much of it":    {header(1<<40, 1<<24), math.MaxInt, "16 bytes are too few for 16777216 pages"},
		"other pages":   {header(65537, 1, 128), 70000, "65537 bytes are in 2 pages, not in 1"},
		"many pages":    {header(0, math.MaxUint64), 1000, "0 bytes are in 0 pages"},
		"long page":     {append(header(1, 1, 133), page...), 1000, "page of 133 bytes where 132 are left"},
		"longest page":  {append(header(1, 1, math.MaxUint64), page...), 1000, "where 132 are left"},
		"short page":    {append(header(1, 1, 127), page...), 1000, "127 bytes are too few for a page"},
		"too few bytes": {append(header(1, 1, 132), page...), 1000, "page holds 0 bytes, not 1"},
		"no limit":      {header(1, 1), -1, "holds 1 bytes"},
	} {
		out, err := filter(t, 1, 0).Decode(nil, nil, c.in, c.limit)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d bytes, %v", name, len(out), err)
		}
	}
}

func TestBytesThatMeanNothing(t *testing.T) {
	good := encode(t, 6, []byte("some text"))
	behind := append(bytes.Clone(good), 0)
	padded := append(bytes.Clone(good), 0, 0, 0, 0)
	binary.LittleEndian.PutUint64(padded[16:], uint64(len(padded)-24))
	for want, in := range map[string][]byte{"1 bytes behind the last page": behind, "4 bytes behind a page of": padded} {
		if out, err := filter(t, 6, 9).Decode(nil, nil, in, 9); err != nil || string(out) != "some text" {
			t.Errorf("%q, %v", out, err)
		}
		if _, err := filter(t, 6, 9).Decode(strict(), nil, in, 9); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestDecodingUsesTheRoomThatThereIs(t *testing.T) {
	data := made["copies"](70000)
	in := encode(t, 3, data)
	dst := make([]byte, 3, 70003)
	f := filter(t, 3, len(data))
	out, err := f.Decode(nil, dst, in, len(data))
	if err != nil || !bytes.Equal(out[3:], data) || &out[0] != &dst[0] {
		t.Errorf("%d bytes, %v", len(out), err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, data := range made {
		for level := range 13 {
			f.Add(encode(f, level, data(40*level)))
		}
	}
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		out, err := filter(t, 5, len(data)).Decode(nil, []byte("pre"), data, 1<<17)
		if err == nil && (len(out) > 3+1<<17 || string(out[:3]) != "pre") {
			t.Errorf("%d bytes", len(out))
		}
		level := len(data) % 13
		in := encode(t, level, data)
		if back, err := filter(t, level, len(data)).Decode(strict(), nil, in, len(data)); err != nil || !bytes.Equal(back, data) {
			t.Errorf("%d bytes became %d, %v", len(data), len(back), err)
		}
	})
}

func ExampleCodec() {
	f, err := gdeflate.Codec{Level: 6}.BindBytes(codec.Spec{}, codec.Exactly(100_000))
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := f.Encode(nil, nil, make([]byte, 100_000))
	fmt.Println(len(out), err)
	back, err := f.Decode(nil, nil, out, 100_000)
	fmt.Println(len(back), err)
	// Output:
	// 312 <nil>
	// 100000 <nil>
}
