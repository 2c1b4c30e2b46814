package n5_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/nd"
)

// padded is block with blocks at the edge written whole.
func padded(rank int, more ...string) string {
	return strings.TrimSuffix(block(rank, more...), "}}") + `,"edge_blocks":"padded"}}`
}

func TestBlocksArePaddedAtTheEdge(t *testing.T) {
	b := mustBind(t, padded(2, `"bytes"`), "uint8", "9", 2, 3)
	src := nd.Of([]byte{0, 1, 9, 10, 11, 9}, 1, 2, 3)
	for _, extent := range [][]int{nil, {2, 3}, {2, 2}, {1, 1}, {0, 2}} {
		data, err := b.Encode(context.Background(), chunk(extent), nil, src)
		if got := fmt.Sprintf("%x", data); err != nil || got != "000000020000000200000003"+"000a010b0909" {
			t.Errorf("extent %v: got %s, %v", extent, got, err)
		}
	}
	// What others cut is still read, and comes back padded.
	cut := unhex(t, "000000020000000200000002"+"000a010b")
	data, err := b.Update(context.Background(), chunk([]int{2, 2}), nil, memory(cut), nd.Box{Start: []int{0, 0}, Shape: []int{1, 1}}, nd.Of([]byte{7}, 1, 1, 1))
	if want := "000000020000000200000003" + "070a010b0909"; err != nil || fmt.Sprintf("%x", data) != want {
		t.Errorf("got %x, %v, want %s", data, err, want)
	}
}

func TestPaddedBlocksPassTheSuite(t *testing.T) {
	c := codectest.Case{Codecs: "[" + padded(2, big, `"gzip"`) + "]", Type: "uint16", Shape: []int{9, 7}, Fill: "3", Registry: std.Registry()}
	codectest.Run(t, c)
}

// A block that reaches beyond its chunk is cut when it is read, along the axes
// where it does, whatever the way of reading.
func TestLongerBlocksAreCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rank := rapid.IntRange(1, 3).Draw(t, "rank")
		shape, stored := make([]int, rank), make([]int, rank)
		box := nd.Box{Start: make([]int, rank), Shape: make([]int, rank)}
		common := nd.Whole(make([]int, rank))
		for i := range shape {
			shape[i] = rapid.IntRange(1, 9).Draw(t, "length")
			stored[i] = rapid.IntRange(1, 40).Draw(t, "stored")
			box.Start[i] = rapid.IntRange(0, shape[i]-1).Draw(t, "start")
			box.Shape[i] = rapid.IntRange(0, shape[i]-box.Start[i]).Draw(t, "count")
			common.Shape[i] = min(shape[i], stored[i])
		}
		more := rapid.SampledFrom([][]string{{big}, {big, `"gzip"`}, {big, `"omnizarr.lz4_block"`}}).Draw(t, "codecs")
		writer, err := bind(block(rank, more...), "uint16", "5", stored...)
		if err != nil {
			t.Fatal(err)
		}
		src := nd.Make(2, stored...)
		for i := range src.Data {
			src.Data[i] = byte(i*31 + i>>5)
		}
		data, err := writer.Encode(context.Background(), chunk(nil), nil, src)
		if err != nil {
			t.Fatal(err)
		}
		reader, err := bind(block(rank, more...), "uint16", "5", shape...)
		if err != nil {
			t.Fatal(err)
		}
		want := nd.Make(2, shape...)
		reader.Spec().FillView(want)
		nd.Copy(want.Box(common), src.Box(common))
		for _, from := range []codec.Source{memory(data), &codectest.Source{Data: data, IsNear: true}, &codectest.Source{Data: data, Unsized: true}} {
			got, err := decode(reader, from, box)
			if err != nil || !bytes.Equal(elements(got), elements(want.Box(box))) {
				t.Fatalf("box %v of %v in %v from %T: %v", box, stored, shape, from, err)
			}
		}
	})
}

// Ranges of a large chunk, of which blocks are longer still.
func TestPartsOfLongerBlocks(t *testing.T) {
	stored, shape := []int{100, 130}, []int{90, 80}
	src := nd.Make(4, stored...)
	for i := range src.Data {
		src.Data[i] = byte(i*7 + i>>9)
	}
	data, err := mustBind(t, block(2, big), "uint32", "0", stored...).Encode(context.Background(), chunk(nil), nil, src)
	if err != nil {
		t.Fatal(err)
	}
	b := mustBind(t, block(2, big), "uint32", "0", shape...)
	for _, box := range []nd.Box{{Start: []int{3, 4}, Shape: []int{5, 6}}, {Start: []int{80, 70}, Shape: []int{10, 10}}, nd.Whole(shape)} {
		for _, from := range sources(data) {
			got, err := decode(b, from, box)
			if err != nil || !bytes.Equal(elements(got), elements(src.Box(box))) {
				t.Errorf("box %v from %T: %v", box, from, err)
			}
		}
	}
}
