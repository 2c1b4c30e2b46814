package zarr_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store/mem"
)

func TestDefaultChunksAreAboutAMebibyte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(0, 1<<40), 0, 5).Draw(t, "shape")
		size := rapid.SampledFrom([]int{1, 2, 8, 16, 1 << 22}).Draw(t, "size")
		chunks := zarr.DefaultChunks(shape, size, nil)
		n, ok := nd.Bytes(chunks, size)
		if !ok || n > 1<<20 && n > size {
			t.Fatalf("%v of %d bytes: chunks of %v", shape, size, chunks)
		}
		for i, c := range chunks {
			if c < 1 || c > max(shape[i], 1) {
				t.Fatalf("%v: chunks of %v", shape, chunks)
			}
		}
	})
}

func TestDefaultChunksDivideShards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shards := rapid.SliceOfN(rapid.IntRange(1, 3000), 1, 3).Draw(t, "shards")
		chunks := zarr.DefaultChunks(shards, 4, shards)
		for i, c := range chunks {
			if c < 1 || shards[i]%c != 0 {
				t.Fatalf("shards of %v: chunks of %v", shards, chunks)
			}
		}
		if n, _ := nd.Bytes(chunks, 4); n > 1<<20 {
			t.Fatalf("shards of %v: chunks of %v", shards, chunks)
		}
	})
}

func TestShardsOfAnotherRankAreRefused(t *testing.T) {
	for _, shards := range [][]int{{}, {2}, {2, 2, 2}} {
		for _, chunks := range [][]int{nil, {1, 1}, {1}} {
			_, err := zarr.CreateArrayIn(ctx, mem.New(), "a", zarr.ArraySpec{Shape: []int{4, 4}, Shards: shards, Chunks: chunks, DataType: "uint8"})
			wantError(t, err, "create array")
		}
	}
	for _, shards := range [][]int{{0, 2}, {-4, 2}} {
		_, err := zarr.CreateArrayIn(ctx, mem.New(), "a", zarr.ArraySpec{Shape: []int{4, 4}, Shards: shards, DataType: "uint8"})
		wantError(t, err, "create array")
	}
}

func TestCodecGivesTheChainOfAChunk(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{4, 4}, Chunks: []int{2, 2}, DataType: "uint8"})
	b := must[*codec.Bound](t)(a.Codec())
	if !slices.Equal(b.Spec().Shape, []int{2, 2}) {
		t.Errorf("shape %v", b.Spec().Shape)
	}
	check(t, zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}))
	raw := must[[]byte](t)(a.RawChunk(ctx, 1, 0))
	dst := nd.Make(1, 2, 2)
	check(t, b.Decode(ctx, &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}, &codec.Memory{Bytes: raw}, nd.Whole(dst.Shape), dst))
	if !slices.Equal(dst.Data, []byte{9, 10, 13, 14}) {
		t.Errorf("got %v", dst.Data)
	}
}

func TestConfigurationsAreWrittenDown(t *testing.T) {
	for _, c := range []struct {
		spec zarr.ArraySpec
		want string
	}{
		{zarr.ArraySpec{Shape: []int{4}, DataType: "int32", Codecs: json.RawMessage(`[{"name":"bytes","configuration":{"endian":"little"}},"blosc"]`)}, `"typesize": 4`},
		{zarr.ArraySpec{Shape: []int{4}, DataType: "int32", Codecs: json.RawMessage(`[{"name":"cast_value","configuration":{"data_type":"int16"}},{"name":"bytes","configuration":{"endian":"little"}},"blosc"]`)}, `"typesize": 2`},
		{zarr.ArraySpec{Shape: []int{4}, Chunks: []int{2}, Shards: []int{4}, DataType: "uint8", Codecs: json.RawMessage(`["bytes","blosc"]`)}, `"typesize": 1`},
		{zarr.ArraySpec{Shape: []int{4}, DataType: "string", Codecs: json.RawMessage(`["vlen-utf8","blosc"]`)}, `"typesize": 1`},
		{zarr.ArraySpec{Shape: []int{0, 3}, DataType: "int64", Codecs: json.RawMessage(`[{"name":"bytes","configuration":{"endian":"big"}},"blosc"]`)}, `"typesize": 8`},
	} {
		a := newArray(t, c.spec)
		doc := must[[]byte](t)(a.Metadata().Marshal())
		if !strings.Contains(string(doc), c.want) {
			t.Errorf("no %s in %s", c.want, doc)
		}
	}
}
