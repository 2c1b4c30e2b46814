package n5_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/n5"
	"github.com/omnizarr/zarr/nd"
)

func TestBlocksAreCutAtTheEdge(t *testing.T) {
	b := mustBind(t, block(2, `"bytes"`), "uint8", "9", 2, 3)
	src := nd.Of([]byte{0, 1, 2, 10, 11, 12}, 1, 2, 3)
	for _, c := range []struct {
		extent     []int
		want, back string
	}{
		{nil, "000000020000000200000003" + "000a010b020c", "0001020a0b0c"},
		{[]int{2, 3}, "000000020000000200000003" + "000a010b020c", "0001020a0b0c"},
		{[]int{2, 2}, "000000020000000200000002" + "000a010b", "0001090a0b09"},
		{[]int{1, 3}, "000000020000000100000003" + "000102", "000102090909"},
		{[]int{1, 1}, "000000020000000100000001" + "00", "000909090909"},
		// Wholly outside, as inner chunks of a shard may be.
		{[]int{0, 2}, "000000020000000100000002" + "0001", "000109090909"},
	} {
		data, err := b.Encode(context.Background(), chunk(c.extent), nil, src)
		if got := fmt.Sprintf("%x", data); err != nil || got != c.want {
			t.Errorf("extent %v: got %s, %v, want %s", c.extent, got, err, c.want)
		}
		v, err := decode(b, memory(data), nd.Whole([]int{2, 3}))
		if got := fmt.Sprintf("%x", v.Data); err != nil || got != c.back {
			t.Errorf("extent %v: decoded to %s, %v, want %s", c.extent, got, err, c.back)
		}
	}
}

// What lies inside the array comes back, and the rest is the fill value, whatever
// the shape, the extent, the compressor, the codecs around and the way of reading.
func TestEveryExtentComesBack(t *testing.T) {
	compressors := []string{"", `"gzip"`, `"zstd"`, `{"name":"numcodecs.bz2","configuration":{"level":1}}`,
		`{"name":"blosc","configuration":{"cname":"zstd","clevel":1,"shuffle":"bitshuffle","typesize":2,"blocksize":0}}`}
	rapid.Check(t, func(t *rapid.T) {
		rank := rapid.IntRange(0, 4).Draw(t, "rank")
		shape, extent := make([]int, rank), make([]int, rank)
		box := nd.Box{Start: make([]int, rank), Shape: make([]int, rank)}
		for i := range shape {
			shape[i] = rapid.IntRange(1, 9).Draw(t, "length")
			extent[i] = rapid.IntRange(1, shape[i]).Draw(t, "extent")
			box.Start[i] = rapid.IntRange(0, shape[i]-1).Draw(t, "start")
			box.Shape[i] = rapid.IntRange(0, shape[i]-box.Start[i]).Draw(t, "count")
		}
		codecs := block(rank, big)
		if c := rapid.SampledFrom(compressors).Draw(t, "compressor"); c != "" {
			codecs = block(rank, big, c)
		}
		if rapid.Bool().Draw(t, "behind transpose") {
			order := rapid.Permutation(indexes(rank)).Draw(t, "order")
			codecs = `{"name":"transpose","configuration":{"order":[` + strings.Trim(strings.ReplaceAll(fmt.Sprint(order), " ", ","), "[]") + `]}},` + codecs
		}
		b, err := bind(codecs, "uint16", "777", shape...)
		if err != nil {
			t.Fatal(err)
		}
		src := nd.Make(2, shape...)
		for i := range src.Data {
			src.Data[i] = byte(rapid.Uint8().Draw(t, "byte"))
		}
		data, err := b.Encode(context.Background(), chunk(extent), nil, src)
		if err != nil {
			t.Fatal(err)
		}
		want := nd.Make(2, shape...)
		b.Spec().FillView(want)
		corner := nd.Whole(extent)
		nd.Copy(want.Box(corner), src.Box(corner))
		for _, from := range []codec.Source{memory(data), &codectest.Source{Data: data}, &codectest.Source{Data: data, Unsized: true}} {
			got, err := decode(b, from, box)
			if err != nil || !bytes.Equal(elements(got), elements(want.Box(box))) {
				t.Fatalf("box %v of extent %v: %v", box, extent, err)
			}
		}
	})
}

func indexes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// A block that was cut is also read by ranges where it is large.
func TestPartsOfLargeBlocksThatWereCut(t *testing.T) {
	shape, extent := []int{90, 80}, []int{71, 53}
	for _, more := range []string{"", `{"name":"blosc","configuration":{"cname":"lz4","clevel":1,"shuffle":"noshuffle","typesize":4,"blocksize":1024}}`} {
		codecs := block(2, big)
		if more != "" {
			codecs = block(2, big, more)
		}
		b := mustBind(t, codecs, "int32", "-5", shape...)
		src := nd.Make(4, shape...)
		for i := 0; i < len(src.Data); i += 4 {
			binary.LittleEndian.PutUint32(src.Data[i:], uint32(i*i))
		}
		data, err := b.Encode(context.Background(), chunk(extent), nil, src)
		if err != nil {
			t.Fatal(err)
		}
		want := nd.Make(4, shape...)
		b.Spec().FillView(want)
		corner := nd.Whole(extent)
		nd.Copy(want.Box(corner), src.Box(corner))
		for _, box := range []nd.Box{
			{Start: []int{3, 4}, Shape: []int{5, 6}}, {Start: []int{70, 50}, Shape: []int{5, 6}},
			{Start: []int{71, 0}, Shape: []int{9, 80}}, {Start: []int{0, 0}, Shape: []int{71, 53}}, nd.Whole(shape),
		} {
			for _, unsized := range []bool{false, true} {
				got, err := decode(b, &codectest.Source{Data: data, IsNear: true, Unsized: unsized}, box)
				if err != nil || !bytes.Equal(elements(got), elements(want.Box(box))) {
					t.Errorf("%s box %v, unsized %v: %v", more, box, unsized, err)
				}
			}
		}
	}
}

// A shard passes the extent of its inner chunks on: those at the edge are cut,
// those outside, if they are kept, still have a block.
func TestBlocksInAShardAreCut(t *testing.T) {
	index := `"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]`
	b := mustBind(t, `{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":[`+block(1, `"bytes"`)+`],`+index+`}}`, "uint8", "0", 6)
	ck := chunk([]int{3})
	ck.Limits.KeepEmpty = true
	data, err := b.Encode(context.Background(), ck, nil, nd.Of([]byte{1, 2, 3, 0, 0, 0}, 1, 6))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\x00\x00\x00\x01\x00\x00\x00\x02\x01\x02", "\x00\x00\x00\x01\x00\x00\x00\x01\x03", "\x00\x00\x00\x01\x00\x00\x00\x01\x00"} {
		if !bytes.Contains(data, []byte(want)) {
			t.Errorf("no block %x in %x", want, data)
		}
	}
	v, err := decode(b, memory(data), nd.Whole([]int{6}))
	if err != nil || !bytes.Equal(v.Data, []byte{1, 2, 3, 0, 0, 0}) {
		t.Errorf("got %v, %v", v.Data, err)
	}
}

// An update of an edge chunk keeps what it does not touch, and a block that is
// shorter than the chunk grows with the array.
func TestUpdatesOfBlocksThatWereCut(t *testing.T) {
	b := mustBind(t, block(2, `"bytes"`), "uint8", "9", 3, 3)
	old, err := b.Encode(context.Background(), chunk([]int{1, 2}), nil, nd.Make(1, 3, 3))
	if err != nil {
		t.Fatal(err)
	}
	data, err := b.Update(context.Background(), chunk([]int{2, 3}), nil, memory(old), nd.Box{Start: []int{1, 2}, Shape: []int{1, 1}}, nd.Of([]byte{5}, 1, 1, 1))
	if want := "000000020000000200000003" + "000900090905"; err != nil || fmt.Sprintf("%x", data) != want {
		t.Errorf("got %x, %v, want %s", data, err, want)
	}
}

// More shapes than are kept, from several goroutines.
func TestManyShapes(t *testing.T) {
	shape := []int{12, 12}
	b := mustBind(t, block(2, `"bytes"`), "uint8", "1", shape...)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for i := range 144 {
				extent := []int{1 + i/12, 1 + i%12}
				data, err := b.Encode(context.Background(), chunk(extent), nil, nd.Make(1, shape...))
				if err != nil || len(data) != 12+extent[0]*extent[1] {
					t.Errorf("extent %v: %d bytes, %v", extent, len(data), err)
					return
				}
				v, err := decode(b, memory(data), nd.Whole(shape))
				if n := bytes.Count(v.Data, []byte{0}); err != nil || n != extent[0]*extent[1] {
					t.Errorf("extent %v: %d elements came back, %v", extent, n, err)
				}
			}
		})
	}
	wg.Wait()
	if n := n5.Edges(b.Serializer()); n == 0 || n > n5.MaxEdges {
		t.Errorf("%d chains are kept, want 1 to %d", n, n5.MaxEdges)
	}
}
