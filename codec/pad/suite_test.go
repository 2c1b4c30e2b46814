package pad_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/nd"
)

const (
	little   = `{"name":"bytes","configuration":{"endian":"little"}}`
	bigOrder = `{"name":"bytes","configuration":{"endian":"big"}}`
	header   = `{"name":"pad","configuration":{"location":"start","nbytes":5,"padding":"aGVhZDo="}}`
	footer   = `{"name":"pad","configuration":{"location":"end","nbytes":3}}`
	prefix   = `{"name":"offset","configuration":{"offset":7}}`
)

// sharded is a shard whose chunks and index have these codecs behind "bytes".
func sharded(chunk, inner, index, location string) string {
	return `{"name":"sharding_indexed","configuration":{"chunk_shape":` + chunk + `,"codecs":[` + little + inner + `],"index_codecs":[` +
		little + index + `],"index_location":"` + location + `"}}`
}

func TestPadPassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: `["bytes",` + header + `]`, Type: "uint8", Shape: []int{20, 30}, Fill: "9"},
		{Codecs: `[` + little + `,` + footer + `]`, Type: "int32", Shape: []int{3, 4, 5}},
		{Codecs: `[` + bigOrder + `,` + prefix + `,` + header + `,` + footer + `]`, Type: "float64", Shape: []int{17}},
		{Codecs: `[` + little + `,` + footer + `,"zstd",` + header + `]`, Type: "int16", Shape: []int{9, 5}},
		{Codecs: `[` + little + `,` + header + `,"crc32c"]`, Type: "int16", Shape: []int{9, 5}},
		{Codecs: `[` + little + `,"crc32c",` + header + `]`, Type: "int16", Shape: []int{9, 5}},
		{Codecs: `["vlen-utf8",` + header + `,` + footer + `]`, Type: "string", Shape: []int{4, 5}, Fill: `"-"`},
		{Codecs: `[` + sharded("[2,5]", ","+header, `,`+footer+`,"crc32c"`, "end") + `]`, Type: "int32", Shape: []int{6, 10}},
		{Codecs: `[` + sharded("[2,5]", `,"zstd",`+prefix, `,`+prefix+`,`+footer, "start") + `,` + header + `]`, Type: "int32", Shape: []int{6, 10}},
		{Codecs: `[` + sharded("[2,5]", ","+footer, `,"crc32c",`+prefix, "end") + `,` + footer + `,` + prefix + `]`, Type: "int32", Shape: []int{6, 10}},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func limits() *codec.Chunk {
	return &codec.Chunk{Limits: &codec.Limits{MaxChunk: 2 << 20}}
}

func bindChain(t testing.TB, codecs string, typ string, shape ...int) *codec.Bound {
	t.Helper()
	chain, err := registry().ParseList(json.RawMessage(codecs))
	if err != nil {
		t.Fatal(err)
	}
	typed := dtype.MustParse(typ)
	b, err := chain.Bind(codec.Spec{Type: typed, Shape: shape, Fill: make([]byte, typed.Size())})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// cost reads a box and says how many requests and bytes that took.
func cost(t *testing.T, b *codec.Bound, box nd.Box, near bool) (requests, bytes int64) {
	t.Helper()
	shape := b.Spec().Shape
	v := nd.Make(1, shape...)
	for i := range v.Data {
		v.Data[i] = byte(i) | 1
	}
	data, err := b.Encode(context.Background(), limits(), nil, v)
	if err != nil {
		t.Fatal(err)
	}
	src := &codectest.Source{Data: data, IsNear: near}
	dst := nd.Make(1, box.Shape...)
	if err := b.Decode(context.Background(), limits(), src, box, dst); err != nil {
		t.Fatal(err)
	}
	want := nd.Make(1, box.Shape...)
	nd.Copy(want, v.Box(box))
	if string(dst.Data) != string(want.Data) {
		t.Fatal("other elements")
	}
	return src.Requests.Load(), src.Bytes.Load()
}

// "A partial read through them costs nothing extra."
func TestPartialReadsCostNothingExtra(t *testing.T) {
	inner := sharded("[64,64]", "", `,"crc32c"`, "end")
	first := sharded("[64,64]", "", `,"crc32c"`, "start")
	for _, c := range []struct {
		name, plain, padded string
		extra               int64 // bytes that cannot be avoided
	}{
		{"header", little, little + "," + header, 0},
		{"footer", little, little + "," + footer, 0},
		{"several", little, little + "," + prefix + "," + header + "," + footer, 0},
		{"shard behind a header", inner, inner + "," + header, 0},
		{"shard with its index first", first, first + "," + header + "," + footer, 0},
		// Where the end of the data is, only the end of the whole tells: the
		// request for the index brings the footer along.
		{"shard before a footer", inner, inner + "," + footer, 3},
	} {
		plain := bindChain(t, "["+c.plain+"]", "uint8", 256, 256)
		padded := bindChain(t, "["+c.padded+"]", "uint8", 256, 256)
		for _, near := range []bool{true, false} {
			for _, box := range []nd.Box{
				{Start: []int{70, 70}, Shape: []int{1, 1}},
				{Start: []int{255, 0}, Shape: []int{1, 256}},
				{Start: []int{0, 0}, Shape: []int{64, 64}},
				{Start: []int{10, 30}, Shape: []int{200, 2}},
			} {
				r1, b1 := cost(t, plain, box, near)
				r2, b2 := cost(t, padded, box, near)
				if r1 != r2 || b1+c.extra != b2 {
					t.Errorf("%s, %v, near %v: %d requests of %d bytes, %d of %d without", c.name, box, near, r2, b2, r1, b1)
				}
			}
		}
	}
}

func TestDecodingAPartAllocatesNoChunk(t *testing.T) {
	b := bindChain(t, "["+little+","+header+","+footer+"]", "uint8", 1024, 1024)
	data, err := b.Encode(context.Background(), limits(), nil, nd.Make(1, 1024, 1024))
	if err != nil {
		t.Fatal(err)
	}
	ck, dst := limits(), nd.Make(1, 1, 16)
	box := nd.Box{Start: []int{500, 500}, Shape: []int{1, 16}}
	src := &codectest.Source{Data: data, IsNear: true}
	const times = 100
	if n := alloctest.Bytes(func() {
		for range times {
			if err := b.Decode(context.Background(), ck, src, box, dst); err != nil {
				t.Fatal(err)
			}
		}
	}) / times; n > 4096 {
		t.Errorf("%d bytes were allocated for 16", n)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("head:some data\x00\x00\x00"), uint8(5), true)
	f.Add([]byte(""), uint8(1), false)
	f.Add([]byte("abc"), uint8(0), false)
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte, n uint8, start bool) {
		where := "end"
		if start {
			where = "start"
		}
		fl := bind(t, "pad", fmt.Appendf(nil, `{"location":"%s","nbytes":%d}`, where, n), codec.Size{})
		out, err := fl.Decode(nil, []byte("pre"), data, 1<<10)
		if err == nil && (len(out) != 3+len(data)-int(n) || len(out) > 3+1<<10) {
			t.Errorf("%d bytes of %d", len(out), len(data))
		}
		if err == nil {
			want := data[:len(data)-int(n)]
			if start {
				want = data[n:]
			}
			if !bytes.Equal(out[3:], want) {
				t.Errorf("got %x, want %x", out[3:], want)
			}
		} else if len(data) >= int(n) && len(data)-int(n) <= 1<<10 {
			t.Error(err)
		}
		enc, err := fl.Encode(nil, nil, data)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := fl.Decode(nil, nil, enc, len(data)); err != nil || !bytes.Equal(back, data) {
			t.Errorf("%d bytes became %d, %v", len(data), len(back), err)
		}
	})
}
