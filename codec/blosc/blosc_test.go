package blosc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/blosc"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/internal/basic"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
)

func registry() *codec.Registry {
	r := basic.Registry()
	r.Register(blosc.Parse, "blosc")
	r.Register(blosc.ParseNumcodecs, "numcodecs.blosc")
	return r
}

// little spells the codec bytes in full.
func little(codecs string) string {
	return strings.ReplaceAll(codecs, `"bytes"`, `{"name":"bytes","configuration":{"endian":"little"}}`)
}

func TestCodec(t *testing.T) {
	run := func(codecs, typ string, fill string, shape ...int) {
		c := codectest.Case{Codecs: little(codecs), Type: typ, Shape: shape, Fill: fill, Registry: registry()}
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
	size, rows := 256, thorough.Of(20, 40)
	if race.Enabled {
		size, rows = 2048, 40 // pools forget under the race detector, so that every block makes an encoder
	}
	entry := `["bytes", {"name": "blosc", "configuration": {"cname": %q, "clevel": %d, "shuffle": %q, "typesize": %d, "blocksize": %d}}]`
	for _, cname := range []string{"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"} {
		for _, shuffle := range []string{"noshuffle", "shuffle", "bitshuffle"} {
			if race.Enabled && shuffle != "shuffle" {
				continue // as slow as all others together
			}
			run(fmt.Sprintf(entry, cname, 5, shuffle, 1, 0), "uint8", "7", 300)
			run(fmt.Sprintf(entry, cname, 1, shuffle, 8, size), "float64", "", rows, 41) // many blocks
		}
		run(fmt.Sprintf(entry, cname, 0, "shuffle", 2, 128), "int16", "3", 20, 30) // stored
	}
	run(fmt.Sprintf(entry, "lz4", 9, "shuffle", 16, 128), "complex128", "", 3, 7, 8)
	run(fmt.Sprintf(entry, "lz4", 5, "bitshuffle", 300, 0), "uint32", "", 40, 3)
	run(`["bytes", "blosc"]`, "uint16", "", 25, 25)
	run(`["bytes", {"name": "numcodecs.blosc", "configuration": {"shuffle": -1, "typesize": null}}]`, "uint8", "", 25, 25)
	run(`["bytes", {"name": "numcodecs.blosc", "configuration": {"cname": "zstd", "clevel": 1, "shuffle": 2, "blocksize": 128}}, "crc32c"]`, "bool", "", 50, 50)
	run(fmt.Sprintf(`["bytes", {"name": "blosc", "configuration": {"blocksize": %d}}, {"name": "blosc", "configuration": {"blocksize": %[1]d}}]`, size), "float32", "", thorough.Least(30, 50, 50), 50)
	run(`["vlen-utf8", "blosc"]`, "string", `"a"`, 30)
	run(`[{"name": "sharding_indexed", "configuration": {"chunk_shape": [8, 8], "codecs": ["bytes", {"name": "blosc", "configuration": {"blocksize": 128, "cname": "lz4"}}], "index_codecs": ["bytes", "crc32c"]}}]`, "uint64", "", 16, 24)
}

func parse(t *testing.T, entry string) (codec.Codec, error) {
	t.Helper()
	var e struct {
		Name          string
		Configuration json.RawMessage
	}
	if err := json.Unmarshal([]byte(entry), &e); err != nil {
		t.Fatal(err)
	}
	return registry().Parse(codec.Entry{Name: e.Name, Config: e.Configuration})
}

func TestMetadataIsAsOthersWriteIt(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		// zarr-python 3.4, tensorstore 0.1.86, zarrs 0.2.3.
		{`{"name":"blosc","configuration":{"typesize":2,"cname":"lz4","clevel":5,"shuffle":"shuffle","blocksize":0}}`, ""},
		// An entry that zarr-python and tensorstore take too.
		{`{"name":"blosc"}`, `{"name":"blosc","configuration":{"cname":"zstd","clevel":5,"blocksize":0}}`},
		{`{"name":"blosc","configuration":{"typesize":null,"cname":"lz4","clevel":5,"shuffle":"bitshuffle","blocksize":0}}`,
			`{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"bitshuffle","blocksize":0}}`},
		{`{"name":"blosc","configuration":{"typesize":0,"cname":"lz4","clevel":5,"shuffle":"noshuffle","blocksize":0}}`,
			`{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"noshuffle","blocksize":0}}`},
		// What numcodecs 0.17.1 gives as its configuration.
		{`{"name":"numcodecs.blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}}`, ""},
		{`{"name":"numcodecs.blosc"}`, `{"name":"numcodecs.blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}}`},
		{`{"name":"numcodecs.blosc","configuration":{"typesize":4,"cname":"zlib","clevel":9,"shuffle":-1,"blocksize":65536}}`, ""},
		{`{"name":"numcodecs.blosc","configuration":{"typesize":null,"cname":"zlib","clevel":9,"shuffle":2,"blocksize":0}}`,
			`{"name":"numcodecs.blosc","configuration":{"cname":"zlib","clevel":9,"shuffle":2,"blocksize":0}}`},
		// n5-zarr, which is written in Java, has one more.
		{`{"name":"numcodecs.blosc","configuration":{"typesize":4,"cname":"lz4","clevel":5,"shuffle":1,"blocksize":0,"nthreads":1}}`,
			`{"name":"numcodecs.blosc","configuration":{"typesize":4,"cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}}`},
	} {
		k, err := parse(t, c.in)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		want := c.out
		if want == "" {
			want = c.in
		}
		if got, err := json.Marshal(k); err != nil || string(got) != want {
			t.Errorf("%s became %s, %v", c.in, got, err)
		}
	}
}

func TestWrongConfigurations(t *testing.T) {
	for entry, want := range map[string]string{
		`{"name":"blosc","configuration":{"cname":"lzma"}}`:                      `cname is "lzma"`,
		`{"name":"blosc","configuration":{"clevel":10}}`:                         "clevel is 10",
		`{"name":"blosc","configuration":{"clevel":-1}}`:                         "clevel is -1",
		`{"name":"blosc","configuration":{"clevel":null}}`:                       "clevel: must not be null",
		`{"name":"blosc","configuration":{"shuffle":1}}`:                         "shuffle is 1",
		`{"name":"blosc","configuration":{"shuffle":"auto"}}`:                    `shuffle is "auto"`,
		`{"name":"blosc","configuration":{"shuffle":"shuffle","typesize":0}}`:    "typesize is 0",
		`{"name":"blosc","configuration":{"shuffle":"noshuffle","typesize":-1}}`: "typesize is -1",
		`{"name":"blosc","configuration":{"typesize":"2"}}`:                      `typesize is "2"`,
		`{"name":"blosc","configuration":{"blocksize":-1}}`:                      "blocksize is -1",
		`{"name":"blosc","configuration":{"level":1}}`:                           `unknown member "level"`,
		`{"name":"numcodecs.blosc","configuration":{"shuffle":"shuffle"}}`:       `shuffle is "shuffle"`,
		`{"name":"numcodecs.blosc","configuration":{"shuffle":3}}`:               "shuffle is 3",
		`{"name":"numcodecs.blosc","configuration":{"typesize":0}}`:              "typesize is 0",
	} {
		if _, err := parse(t, entry); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", entry, err, want)
		}
	}
}

// The header says what the codec made of the configuration and the data type.
func TestShuffleFollowsTheDataType(t *testing.T) {
	const bytesShuffled, bitsShuffled = 1, 4
	for _, c := range []struct {
		entry, typ     string
		size, shuffled byte
	}{
		{`"blosc"`, "uint8", 1, bitsShuffled},
		{`"blosc"`, "uint32", 4, bytesShuffled},
		{`{"name":"numcodecs.blosc","configuration":{"shuffle":-1}}`, "bool", 1, bitsShuffled},
		{`{"name":"numcodecs.blosc","configuration":{"shuffle":-1}}`, "complex128", 16, bytesShuffled},
		{`{"name":"numcodecs.blosc","configuration":{"shuffle":1}}`, "uint8", 1, bytesShuffled},
		{`{"name":"numcodecs.blosc","configuration":{"shuffle":0,"typesize":3}}`, "uint8", 3, 0},
	} {
		b := bind(t, `["bytes", `+c.entry+`]`, c.typ, 600)
		v := nd.Make(b.Spec().Type.Size(), 600)
		v.Data[1] = 1
		out, err := b.Encode(context.Background(), chunk(), nil, v)
		if err != nil {
			t.Fatal(err)
		}
		if out[3] != c.size || out[2]&5 != c.shuffled {
			t.Errorf("%s of %s: elements of %d bytes, flags %b", c.entry, c.typ, out[3], out[2])
		}
	}
}

func bind(t testing.TB, codecs, typ string, shape ...int) *codec.Bound {
	t.Helper()
	chain, err := registry().ParseList(json.RawMessage(little(codecs)))
	if err != nil {
		t.Fatal(err)
	}
	typed, err := dtype.Lookup(typ)
	if err != nil {
		t.Fatal(err)
	}
	b, err := chain.Bind(codec.Spec{Type: typed, Shape: shape, Fill: make([]byte, typed.Size())})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func chunk() *codec.Chunk {
	return &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
}

// sample is a chunk of several blocks.
func sample(t testing.TB, codecs string) (*codec.Bound, nd.View, []byte) {
	t.Helper()
	b := bind(t, codecs, "uint16", 64, 64, 64)
	v := nd.Make(2, 64, 64, 64)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range v.Data {
		v.Data[i] = byte(r.Uint32()) >> (7 * (i % 2))
	}
	out, err := b.Encode(context.Background(), chunk(), nil, v)
	if err != nil {
		t.Fatal(err)
	}
	return b, v, out
}

const blocked = `["bytes", {"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":2,"blocksize":16384}}]`

func TestPartsReadTheirBlocksOnly(t *testing.T) {
	b, v, data := sample(t, blocked)
	box := nd.Box{Start: []int{20, 3, 4}, Shape: []int{2, 5, 6}}
	for _, near := range []bool{true, false} {
		src := &codectest.Source{Data: data, IsNear: near}
		dst := nd.Make(2, 2, 5, 6)
		if err := b.Decode(context.Background(), chunk(), src, box, dst); err != nil {
			t.Fatal(err)
		}
		requests, bytes := src.Requests.Load(), src.Bytes.Load()
		if near && (bytes > int64(len(data)/4) || requests > 2) {
			t.Errorf("near: %d bytes of %d in %d requests", bytes, len(data), requests)
		}
		if !near && requests != 1 {
			t.Errorf("far: %d requests", requests)
		}
		want := nd.Make(2, 2, 5, 6)
		nd.Copy(want, v.Box(box))
		if string(want.Data) != string(dst.Data) {
			t.Error("got something else")
		}
	}
}

func TestBlocksAreKeptForTheNextPart(t *testing.T) {
	b, _, data := sample(t, blocked)
	cache := codec.NewPartCache(1 << 20)
	src := &codectest.Source{Data: data, IsNear: true}
	var first int64
	for i := range 3 {
		ck := chunk()
		ck.Cache = cache.Lease("c/0")
		box := nd.Box{Start: []int{20, i, 4}, Shape: []int{1, 5, 6}}
		if err := b.Decode(context.Background(), ck, src, box, nd.Make(2, 1, 5, 6)); err != nil {
			t.Fatal(err)
		}
		ck.Cache.Close()
		if i == 0 {
			first = src.Requests.Load()
		}
	}
	if n := src.Requests.Load(); n != first {
		t.Errorf("%d requests after %d for the first part", n, first)
	}
}

func TestStrictReadersWantNothingBehind(t *testing.T) {
	b, v, data := sample(t, blocked)
	data = append(data, 0)
	ck := chunk()
	if err := b.Decode(context.Background(), ck, &codec.Memory{Bytes: data}, nd.Whole(v.Shape), v); err != nil {
		t.Error(err)
	}
	ck.Limits.Strict = true
	err := b.Decode(context.Background(), ck, &codec.Memory{Bytes: data}, nd.Whole(v.Shape), v)
	if !errors.Is(err, codec.ErrData) || !strings.Contains(err.Error(), "1 bytes behind") {
		t.Errorf("got %v", err)
	}
}

func TestSizeIsCheckedBeforeAnythingElse(t *testing.T) {
	b, v, data := sample(t, blocked)
	data[7] = 0x7f // two gigabytes
	box := nd.Box{Start: []int{20, 3, 4}, Shape: []int{2, 5, 6}}
	for _, src := range []codec.Source{&codec.Memory{Bytes: data}, &codectest.Source{Data: data, IsNear: true}, &codectest.Source{Data: data}} {
		if err := b.Decode(context.Background(), chunk(), src, nd.Whole(v.Shape), v); !errors.Is(err, codec.ErrData) {
			t.Errorf("whole: got %v", err)
		}
		if err := b.Decode(context.Background(), chunk(), src, box, nd.Make(2, 2, 5, 6)); !errors.Is(err, codec.ErrData) {
			t.Errorf("part: got %v", err)
		}
	}
}

func Example() {
	r := codec.NewRegistry()
	r.Register(blosc.Parse, "blosc")
	k, err := r.Parse(codec.Entry{Name: "blosc", Config: json.RawMessage(`{"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 2}`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	spec := codec.Spec{Type: dtype.MustParse("uint16"), Shape: []int{1000}}
	f, err := k.(codec.BytesToBytes).BindBytes(spec, codec.Exactly(2000))
	if err != nil {
		fmt.Println(err)
		return
	}
	ck := &codec.Chunk{Limits: &codec.Limits{}}
	frame, _ := f.Encode(ck, nil, make([]byte, 2000))
	data, err := f.Decode(ck, nil, frame, 2000)
	fmt.Println(len(frame) < 100, len(data), err)
	// Output: true 2000 <nil>
}
