package endian_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/nd"
)

// counted is a chunk whose i-th element is i, big-endian, and what it looks like
// in memory.
func counted(n int) (stored, want []byte) {
	stored, want = make([]byte, 0, 4*n), make([]byte, 0, 4*n)
	for i := range uint32(n) {
		stored = binary.BigEndian.AppendUint32(stored, i)
		want = binary.LittleEndian.AppendUint32(want, i)
	}
	return stored, want
}

// Chunks that are larger than what is read at once, into memory that runs like
// them, that has gaps, and that runs the other way.
func TestLargeChunksOfTheOtherByteOrder(t *testing.T) {
	shape := []int{70, 30, 101}
	b, err := bind(t, big, "uint32", shape...)
	if err != nil {
		t.Fatal(err)
	}
	stored, want := counted(70 * 30 * 101)
	whole := nd.Of(want, 4, shape...)
	for _, c := range []struct {
		near     bool
		order    []int
		requests int64
	}{
		{true, []int{0, 1, 2}, 4},
		{false, []int{0, 1, 2}, 1},
		// 16 layers are a cache line of the memory, and less than is read at once.
		{true, []int{2, 1, 0}, 4},
		{true, []int{1, 2, 0}, 4},
		{false, []int{2, 1, 0}, 1},
	} {
		src := &codectest.Source{Data: stored, IsNear: c.near}
		back, lengths := make([]int, 3), make([]int, 3)
		for i, k := range c.order {
			back[k], lengths[i] = i, shape[k]
		}
		// The memory has the axes in the given order; dst sees it as the chunk.
		dst := nd.Make(4, lengths...).Permute(back)
		if err := b.Decode(context.Background(), limits(), src, nd.Whole(shape), dst); err != nil {
			t.Fatal(err)
		}
		got := nd.Make(4, shape...)
		nd.Copy(got, dst)
		if !bytes.Equal(got.Data, whole.Data) || src.Requests.Load() != c.requests {
			t.Errorf("near %v, order %v: right %v, %d requests, want %d", c.near, c.order, bytes.Equal(got.Data, whole.Data), src.Requests.Load(), c.requests)
		}
		again, err := b.Encode(context.Background(), limits(), nil, dst)
		if err != nil || !bytes.Equal(again, stored) {
			t.Errorf("order %v is not written as it was read: %v", c.order, err)
		}
		dst = nd.Make(4, lengths...).Permute(back)
		if err := b.Decode(context.Background(), limits(), &codec.Memory{Bytes: stored}, nd.Whole(shape), dst); err != nil {
			t.Fatal(err)
		}
		nd.Copy(got, dst)
		if !bytes.Equal(got.Data, whole.Data) {
			t.Errorf("order %v from memory", c.order)
		}
	}
}

// Thin layers are read so many at once that whole cache lines are written, where
// the memory runs across them.
func TestTransposedChunksAreReadInDeepPieces(t *testing.T) {
	shape := []int{40, 160, 128} // a layer has 80 KiB, 3 fit in a piece
	b, err := bind(t, big, "uint32", shape...)
	if err != nil {
		t.Fatal(err)
	}
	stored, want := counted(40 * 160 * 128)
	src := &codectest.Source{Data: stored, IsNear: true}
	dst := nd.Make(4, 128, 160, 40).Permute([]int{2, 1, 0})
	if err := b.Decode(context.Background(), &codec.Chunk{}, src, nd.Whole(shape), dst); err != nil {
		t.Fatal(err)
	}
	got := nd.Make(4, shape...)
	nd.Copy(got, dst)
	if !bytes.Equal(got.Data, want) || src.Requests.Load() != 3 {
		t.Errorf("right %v, %d requests, want 3", bytes.Equal(got.Data, want), src.Requests.Load())
	}
}

func BenchmarkDecode(b *testing.B) {
	shape := []int{128, 128, 128}
	stored := make([]byte, 2<<21)
	for _, c := range []struct {
		name  string
		order []int
	}{{"as stored", []int{0, 1, 2}}, {"reversed", []int{2, 1, 0}}} {
		b.Run(c.name, func(b *testing.B) {
			bound, err := bind(b, big, "uint16", shape...)
			if err != nil {
				b.Fatal(err)
			}
			whole := nd.Make(2, 128, 128, 256)
			dst := whole.Box(nd.Whole(shape)).Permute(c.order)
			b.SetBytes(int64(len(stored)))
			for b.Loop() {
				if err := bound.Decode(context.Background(), limits(), &codec.Memory{Bytes: stored}, nd.Whole(shape), dst); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
