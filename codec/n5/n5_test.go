package n5_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/nd"
)

func TestBlocksPassTheSuite(t *testing.T) {
	shard := func(shape, inner string) string {
		return `{"name":"sharding_indexed","configuration":{"chunk_shape":` + shape + `,"codecs":[` + inner +
			`],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},"crc32c"]}}`
	}
	for _, c := range []codectest.Case{
		{Codecs: block(2, `"bytes"`), Type: "uint8", Shape: []int{5, 6}, Fill: "9"},
		{Codecs: block(1, big), Type: "int16", Shape: []int{40}},
		{Codecs: block(3, big), Type: "float64", Shape: []int{3, 4, 5}, Fill: `"NaN"`},
		{Codecs: block(2, big), Type: "uint32", Shape: []int{70, 50}, Fill: "7"}, // large enough for ranges
		{Codecs: block(0, big), Type: "int32", Shape: nil, Fill: "-3"},
		{Codecs: block(2, big, `"gzip"`), Type: "uint16", Shape: []int{9, 7}},
		{Codecs: block(2, `"bytes"`, `{"name":"numcodecs.zlib","configuration":{"level":3}}`), Type: "int8", Shape: []int{9, 7}, Fill: "-1"},
		{Codecs: block(3, big, `{"name":"numcodecs.bz2","configuration":{"level":5}}`), Type: "int64", Shape: []int{2, 3, 4}},
		{Codecs: block(2, big, `{"name":"numcodecs.lzma","configuration":{"format":1,"check":-1,"preset":1,"filters":null}}`), Type: "float32", Shape: []int{6, 7}},
		{Codecs: block(4, big, `{"name":"zstd","configuration":{"level":3,"checksum":false}}`), Type: "uint64", Shape: []int{2, 3, 2, 4}, Fill: "5"},
		{Codecs: block(2, big, `{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":4,"blocksize":0}}`), Type: "uint32", Shape: []int{80, 40}},
		{Codecs: shard("[3,4]", block(2, big)), Type: "int32", Shape: []int{6, 8}, Fill: "5"},
		{Codecs: shard("[60,50]", block(2, big)), Type: "int32", Shape: []int{120, 50}, Fill: "5"},
		{Codecs: shard("[3,2]", block(2, big, `"gzip"`)) + `,"crc32c"`, Type: "float32", Shape: []int{6, 8}},
		{Codecs: `{"name":"transpose","configuration":{"order":[1,2,0]}},` + block(3, big, `"zstd"`), Type: "uint16", Shape: []int{3, 4, 5}},
		{Codecs: `{"name":"numcodecs.delta","configuration":{"dtype":"<i4"}},` + block(2, big), Type: "int32", Shape: []int{4, 5}},
		{Codecs: block(2, big) + `,"crc32c"`, Type: "uint16", Shape: []int{8, 5}},
	} {
		c.Codecs, c.Registry = "["+c.Codecs+"]", std.Registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func TestConfigurationsAreRefused(t *testing.T) {
	const transpose = `{"name":"transpose","configuration":{"order":[1,0]}}`
	inner := func(codecs string) string {
		return `{"name":"n5_default","configuration":{"codecs":[` + codecs + `]}}`
	}
	for _, c := range []struct{ codecs, typ, want string }{
		{`"n5_default"`, "uint8", "lacks codecs"},
		{`{"name":"n5_default","configuration":{"codecs":null}}`, "uint8", "must be an array"},
		{`{"name":"n5_default","configuration":{"codecs":[` + transpose + `,"bytes"],"pad":true}}`, "uint8", `unknown member "pad"`},
		{`{"name":"n5_default","configuration":{"codecs":[` + transpose + `,"bytes"],"edge_blocks":"cut"}}`, "uint8", `edge_blocks is "cut": must be "truncated" or "padded"`},
		{inner(``), "uint8", "no codec in the list turns arrays into bytes"},
		{inner(`"bytes"`), "uint8", "only bytes: must be transpose and bytes"},
		{inner(`"bytes","gzip"`), "uint8", "the first is bytes: must be transpose"},
		{inner(transpose), "uint8", "no codec in the list turns arrays into bytes"},
		{inner(transpose + `,` + transpose + `,"bytes"`), "uint8", "the second is transpose: must be bytes"},
		{inner(transpose + `,"packbits"`), "uint8", "the second is packbits: must be bytes"},
		{inner(transpose + `,"bytes","gzip","crc32c"`), "uint8", "there are 4: one may follow"},
		{inner(`{"name":"transpose","configuration":{"order":[0,1]}},"bytes"`), "uint8", "order of transpose is [0 1]: must reverse all axes"},
		{inner(`{"name":"transpose","configuration":{"order":[2,0,1]}},"bytes"`), "uint8", "order of transpose is [2 0 1]"},
		{inner(`{"name":"transpose","configuration":{"order":[2,1,0]}},"bytes"`), "uint8", "has 3 axes, the array has 2"},
		{inner(transpose + `,{"name":"bytes","configuration":{"endian":"little"}}`), "uint16", `endian of bytes is "little": must be "big"`},
		{inner(transpose + `,{"name":"bytes","configuration":{"endian":"little"}}`), "uint8", `endian of bytes is "little": must be "big"`},
		{inner(transpose + `,"bytes"`), "uint16", "lacks endian"},
		{block(2, `"bytes"`), "bool", "N5 has no data type bool"},
		{block(2, big), "complex64", "N5 has no data type complex64"},
		{block(2, big), "float16", "N5 has no data type float16"},
		{block(2, big, `"bytes"`), "uint16", "codecs"},
	} {
		fill := "0"
		switch c.typ {
		case "bool":
			fill = "false"
		case "complex64":
			fill = "[0,0]"
		}
		if _, err := bind(c.codecs, c.typ, fill, 2, 3); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %s: got %v, want %q", c.codecs, c.typ, err, c.want)
		}
	}
	for _, c := range []struct {
		shape []int
		want  string
	}{
		{[]int{3, 0}, "0 long along axis 1"},
		{[]int{1 << 31, 1 << 31}, "more bytes than can be counted"},
	} {
		if _, err := bind(block(2, big), "uint32", "0", c.shape...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("shape %v: got %v, want %q", c.shape, err, c.want)
		}
	}
}

func TestMetadataIsExplicit(t *testing.T) {
	chain, err := std.Registry().ParseList(json.RawMessage("[" + block(2, big, `"gzip"`) + "]"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(chain)
	want := `[{"name":"n5_default","configuration":{"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},` +
		`{"name":"bytes","configuration":{"endian":"big"}},{"name":"gzip","configuration":{"level":`
	if err != nil || !strings.HasPrefix(string(got), want) {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestThePaddedEdgeStaysInMetadata(t *testing.T) {
	for edge, want := range map[string]bool{`,"edge_blocks":"padded"`: true, `,"edge_blocks":"truncated"`: false, "": false} {
		chain, err := std.Registry().ParseList(json.RawMessage(`[{"name":"n5_default","configuration":{"codecs":[{"name":"transpose","configuration":{"order":[0]}},"bytes"]` + edge + `}}]`))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(chain); err != nil || strings.Contains(string(got), `"edge_blocks":"padded"`) != want || !want && strings.Contains(string(got), "edge") {
			t.Errorf("got %s, %v", got, err)
		}
	}
}

func TestInnerCodecsAreCompleted(t *testing.T) {
	b := mustBind(t, block(2, big), "uint32", "0", 2, 3)
	chain, err := std.Registry().ParseList(json.RawMessage("[" + block(2, big, `{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","blocksize":0}}`) + "]"))
	if err != nil {
		t.Fatal(err)
	}
	complete, err := chain.Complete(b.Spec())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(complete); err != nil || !strings.Contains(string(got), `"typesize":4`) {
		t.Errorf("got %s, %v", got, err)
	}
}

// A part of a raw block is read as the header and the rows that hold it.
func TestPartsOfRawBlocksAreReadByRanges(t *testing.T) {
	shape := []int{64, 64, 64}
	b := mustBind(t, block(3, big), "uint32", "0", shape...)
	want := nd.Make(4, shape...)
	for i := range want.Data {
		want.Data[i] = byte(i*7 + i>>9)
	}
	data, err := b.Encode(context.Background(), chunk(nil), nil, want)
	if err != nil {
		t.Fatal(err)
	}
	box := nd.Box{Start: []int{5, 6, 7}, Shape: []int{9, 2, 1}}
	for _, unsized := range []bool{false, true} {
		src := &codectest.Source{Data: data, IsNear: true, Unsized: unsized}
		got, err := decode(b, src, box)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(elements(got), elements(want.Box(box))) {
			t.Error("the elements are others")
		}
		if n := src.Bytes.Load(); n > 4<<10 || !b.Ranges(box) {
			t.Errorf("%d of %d bytes were read, unsized %v", n, len(data), unsized)
		}
	}
	local := &codectest.Source{Data: data, IsNear: true}
	got, err := decode(b, local, nd.Whole(shape))
	if err != nil || !bytes.Equal(got.Data, want.Data) || local.Requests.Load() < 4 {
		t.Errorf("all of a local block took %d requests, %v", local.Requests.Load(), err)
	}
	far := &codectest.Source{Data: data}
	if err := b.Decode(context.Background(), &codec.Chunk{}, far, nd.Whole(shape), nd.Make(4, shape...)); err != nil || far.Requests.Load() != 1 {
		t.Errorf("all of a block over a network took %d requests, %v", far.Requests.Load(), err)
	}
	b = mustBind(t, block(3, big, `"gzip"`), "uint32", "0", shape...)
	if b.Ranges(box) {
		t.Error("a compressed block cannot be read in parts")
	}
	if data, err = b.Encode(context.Background(), chunk(nil), nil, want); err != nil {
		t.Fatal(err)
	}
	near := &codectest.Source{Data: data, IsNear: true}
	if _, err := decode(b, near, box); err != nil || near.Requests.Load() != 1 {
		t.Errorf("a compressed block took %d requests, %v", near.Requests.Load(), err)
	}
}

// elements are those of a view, one after the other.
func elements(v nd.View) []byte {
	var out []byte
	v.Each(func(elem []byte) { out = append(out, elem...) })
	return out
}
