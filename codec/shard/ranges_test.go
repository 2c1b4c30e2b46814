package shard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/nd"
)

// A shard of 64 inner chunks of 4 KiB each.
func bigShard(t testing.TB) (*codec.Bound, []byte) {
	t.Helper()
	b, err := bind("["+sharded("[4096]", `"bytes","crc32c"`, checked, "end")+"]", "uint8", 64*4096)
	if err != nil {
		t.Fatal(err)
	}
	out, err := b.Encode(context.Background(), limits(), nil, nd.Of(bytes.Repeat([]byte{1, 2, 3, 4}, 16*4096), 1, 64*4096))
	if err != nil {
		t.Fatal(err)
	}
	return b, out
}

func TestInnerChunksAreReadByRange(t *testing.T) {
	b, data := bigShard(t)
	const index = 64*16 + 4
	for _, c := range []struct {
		name            string
		start, n        int
		requests, bytes int64
	}{
		{"one inner chunk", 7 * 4096, 4096, 2, index + 4100},
		{"a part of one", 7*4096 + 100, 10, 2, index + 4100},
		{"neighbours are joined", 7*4096 + 100, 8192, 2, index + 3*4100},
		{"the whole shard", 0, 64 * 4096, 1, int64(len(data))},
		{"most of it", 4096, 40 * 4096, 1, int64(len(data))},
	} {
		for _, near := range []bool{false, true} {
			src := &codectest.Source{Data: data, IsNear: near}
			box := nd.Box{Start: []int{c.start}, Shape: []int{c.n}}
			if err := b.Decode(context.Background(), limits(), src, box, nd.Make(1, c.n)); err != nil {
				t.Fatal(err)
			}
			if near && c.requests == 1 {
				// A local file is read in pieces that stay in the processor's cache.
				whole := int64(index + (c.n+4095)/4096*4100)
				if src.Requests.Load() < 2 || src.Requests.Load() > 12 || src.Bytes.Load() != whole {
					t.Errorf("%s, near: %d requests of %d bytes, want %d bytes", c.name, src.Requests.Load(), src.Bytes.Load(), whole)
				}
				continue
			}
			if src.Requests.Load() != c.requests || src.Bytes.Load() != c.bytes {
				t.Errorf("%s: %d requests of %d bytes, want %d of %d", c.name, src.Requests.Load(), src.Bytes.Load(), c.requests, c.bytes)
			}
		}
	}
}

// Bytes between wanted ones are fetched along over a network only where there are more requests than
// can be under way at once.
func TestGapsAreFetchedWhereThereAreMany(t *testing.T) {
	const inner = 160 << 10
	b, err := bind("["+sharded(fmt.Sprintf("[1,%d]", inner), `"bytes","crc32c"`, checked, "end")+"]", "uint8", 64, 2*inner)
	if err != nil {
		t.Fatal(err)
	}
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 64 << 20}}
	data, err := b.Encode(context.Background(), ck, nil, nd.Of(bytes.Repeat([]byte{1, 2, 3, 4}, 32*inner), 1, 64, 2*inner))
	if err != nil {
		t.Fatal(err)
	}
	const index = 128*16 + 4
	for rows, want := range map[int]struct{ requests, bytes int64 }{
		8:  {1 + 8, index + 8*(inner+4)},
		64: {1 + 2, index + 126*(inner+4)}, // in two pieces of at most 16 MiB, each up to the last that is wanted
	} {
		src := &codectest.Source{Data: data}
		box := nd.Box{Start: []int{0, 0}, Shape: []int{rows, inner}}
		if err := b.Decode(context.Background(), ck, src, box, nd.Make(1, rows, inner)); err != nil {
			t.Fatal(err)
		}
		if src.Requests.Load() != want.requests || src.Bytes.Load() != want.bytes {
			t.Errorf("%d rows: %d requests of %d bytes, want %d of %d", rows, src.Requests.Load(), src.Bytes.Load(), want.requests, want.bytes)
		}
	}
}

// An inner chunk that could be read in parts is fetched whole over a network, up to a megabyte.
func TestSmallInnerChunksAreNotReadInParts(t *testing.T) {
	const inner = 300 << 10
	b, err := bind("["+sharded(fmt.Sprintf("[%d]", inner), `"bytes"`, checked, "end")+"]", "uint8", 4*inner)
	if err != nil {
		t.Fatal(err)
	}
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 4 << 20}}
	data, err := b.Encode(context.Background(), ck, nil, nd.Of(bytes.Repeat([]byte{1, 2, 3, 4}, inner), 1, 4*inner))
	if err != nil {
		t.Fatal(err)
	}
	src := &codectest.Source{Data: data}
	if err := b.Decode(context.Background(), ck, src, nd.Box{Start: []int{inner + 7}, Shape: []int{10}}, nd.Make(1, 10)); err != nil {
		t.Fatal(err)
	}
	if want := int64(4*16 + 4 + inner); src.Requests.Load() != 2 || src.Bytes.Load() != want {
		t.Errorf("%d requests of %d bytes, want 2 of %d", src.Requests.Load(), src.Bytes.Load(), want)
	}
}

func TestTheCacheKeepsTheIndex(t *testing.T) {
	b, data := bigShard(t)
	ck := limits()
	ck.Cache = codec.NewCache(1 << 20).Lease("c/0")
	defer ck.Cache.Close()
	src := &codectest.Source{Data: data}
	for k := range 10 {
		box := nd.Box{Start: []int{k % 5 * 4096}, Shape: []int{10}}
		if err := b.Decode(context.Background(), ck, src, box, nd.Make(1, 10)); err != nil {
			t.Fatal(err)
		}
	}
	if src.Requests.Load() != 6 {
		t.Errorf("%d requests for an index and five inner chunks", src.Requests.Load())
	}
}

// The bytes of inner chunks that do not change are copied, not decoded: what is
// damaged in one does not hinder a change of another.
func TestOtherInnerChunksAreNotDecoded(t *testing.T) {
	b, data := bigShard(t)
	bad := bytes.Clone(data)
	bad[5*4100] ^= 1
	box := nd.Box{Start: []int{9 * 4096}, Shape: []int{100}}
	out, err := b.Update(context.Background(), limits(), nil, &codec.Memory{Bytes: bad}, box, nd.Make(1, 100))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out[:9*4100], bad[:9*4100]) {
		t.Error("inner chunks before the change differ")
	}
	box.Start[0] = 5 * 4096
	if _, err := b.Update(context.Background(), limits(), nil, &codec.Memory{Bytes: bad}, box, nd.Make(1, 100)); err == nil {
		t.Error("a damaged inner chunk was changed")
	}
}

// The number of axes of the index is one more than that of the array.
func TestAShardMayHaveAsManyAxesAsAnArray(t *testing.T) {
	shape, inner := make([]int, nd.MaxRank), make([]int, nd.MaxRank)
	for i := range shape {
		shape[i], inner[i] = 1, 1
	}
	shape[0], shape[nd.MaxRank-1] = 3, 2
	in, err := json.Marshal(inner)
	if err != nil {
		t.Fatal(err)
	}
	for _, index := range []string{le, be, checked} {
		b, err := bind("["+sharded(string(in), `"bytes"`, index, "end")+"]", "uint8", shape...)
		if err != nil {
			t.Fatal(err)
		}
		out, err := b.Encode(context.Background(), limits(), nil, nd.Of([]byte{1, 0, 3, 4, 5, 6}, 1, shape...))
		if err != nil {
			t.Fatal(err)
		}
		dst := nd.Make(1, shape...)
		if err := b.Decode(context.Background(), limits(), &codec.Memory{Bytes: out}, nd.Whole(shape), dst); err != nil || !bytes.Equal(dst.Data, []byte{1, 0, 3, 4, 5, 6}) {
			t.Errorf("got %v, %v", dst.Data, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	flat, err := bind("["+sharded("[2,2]", `"bytes"`, le, "end")+"]", "uint8", 4, 4)
	if err != nil {
		f.Fatal(err)
	}
	nested, err := bind("["+sharded("[4,4]", sharded("[2,2]", `"vlen-utf8","gzip"`, checked, "start"), le, "end")+"]", "string", 4, 4)
	if err != nil {
		f.Fatal(err)
	}
	src := nd.Make(1, 4, 4)
	for i := range src.Data {
		src.Data[i] = byte(i)
	}
	good, err := flat.Encode(context.Background(), limits(), nil, src)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add(u64(0, 4, gone, gone, 1<<63, 4, 0, 1<<62))
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		for _, src := range []codec.Source{&codec.Memory{Bytes: data}, &codectest.Source{Data: data}, &codectest.Source{Data: data, Unsized: true}} {
			for _, box := range []nd.Box{nd.Whole([]int{4, 4}), {Start: []int{1, 1}, Shape: []int{2, 3}}} {
				_ = flat.Decode(context.Background(), limits(), src, box, nd.Make(1, box.Shape...))
				dst := nd.Make(nd.RefSize, box.Shape...)
				dst.Heap = &nd.Heap{}
				if nested.Decode(context.Background(), limits(), src, box, dst) == nil {
					blobs := dst.Heap.Blobs()
					dst.Each(func(elem []byte) { blobs.Value(elem) })
				}
				_, _ = flat.Update(context.Background(), limits(), nil, src, box, nd.Make(1, box.Shape...))
			}
		}
	})
}

func ExampleCodec() {
	chain, err := std.Registry().ParseList(json.RawMessage(`[{"name": "sharding_indexed", "configuration": {
		"chunk_shape": [2], "codecs": ["bytes"], "index_location": "end",
		"index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}}]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, err := chain.Bind(codec.Spec{Type: dtype.MustParse("uint8"), Shape: []int{6}, Fill: []byte{0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	out, err := bound.Encode(context.Background(), ck, nil, nd.Of([]byte{1, 2, 0, 0, 3, 4}, 1, 6))
	fmt.Println(out[:4], len(out), err)
	// Output: [1 2 3 4] 52 <nil>
}
