package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/nd"
)

// Every element of a selection comes in exactly one block, where the block says; what
// is written is there afterwards, and nothing else has changed.
func TestBlocksAgreeWithASliceOfValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rank := rapid.IntRange(0, 3).Draw(t, "rank")
		spec := zarr.ArraySpec{Shape: make([]int, rank), DataType: "int32", Chunks: make([]int, rank)}
		var shards []int
		n := 1
		for i := range rank {
			spec.Shape[i] = rapid.IntRange(0, 9).Draw(t, "length")
			spec.Chunks[i] = rapid.IntRange(1, 4).Draw(t, "chunk")
			shards = append(shards, spec.Chunks[i]*rapid.IntRange(1, 2).Draw(t, "shard"))
			n *= spec.Shape[i]
		}
		if rank > 0 && rapid.Bool().Draw(t, "sharded") {
			spec.Shards = shards
		}
		a, err := zarr.CreateArray(ctx, "mem:", spec)
		if err != nil {
			t.Fatal(err)
		}
		before := make([]int32, n)
		for i := range before {
			before[i] = int32(i + 1)
		}
		if err := zarr.Write(ctx, a, zarr.All(), before); err != nil {
			t.Fatal(err)
		}
		opt := zarr.BlockOptions{Workers: rapid.IntRange(0, 4).Draw(t, "workers"), Memory: int64(rapid.IntRange(0, 200).Draw(t, "memory"))}
		if rapid.Bool().Draw(t, "shape") {
			opt.Shape = make([]int, rank)
			for i := range opt.Shape {
				opt.Shape[i] = rapid.IntRange(1, 10).Draw(t, "block")
			}
		}
		opt.Select = zarr.All()
		if rank > 0 {
			opt.Select = rapid.SampledFrom([]zarr.Selection{zarr.All(), zarr.Slice("1:7"), zarr.Slice("..., 2:"), zarr.Slice("::2"), zarr.Select(zarr.Full().By(-1))}).Draw(t, "selection")
			if spec.Shape[0] > 0 && rapid.Bool().Draw(t, "drop") {
				opt.Select = zarr.Slice("0")
			}
		}
		opt.Mode = rapid.SampledFrom([]zarr.BlockMode{zarr.ReadBlocks, zarr.UpdateBlocks, zarr.WriteBlocks}).Draw(t, "mode")
		want, err := zarr.Read[int32](ctx, a, opt.Select)
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		seen := make([]int, len(want.Data))
		last, total := 0, 0
		opt.Progress = func(done, all int) {
			if done != last+1 {
				t.Errorf("%d blocks after %d", done, last)
			}
			last, total = done, all
		}
		err = zarr.Blocks(ctx, a, opt, func(_ context.Context, b *zarr.Block[int32]) error {
			mu.Lock()
			defer mu.Unlock()
			idx := make([]int, len(b.Shape))
			for k := range b.Data {
				at := 0
				for i, n := range want.Shape {
					at = at*n + b.Start[i] + idx[i]
				}
				seen[at]++
				value := want.Data[at]
				if opt.Mode == zarr.WriteBlocks {
					value = 0
				}
				if b.Data[k] != value {
					t.Errorf("%v in the block at %v is %d, want %d", idx, b.Start, b.Data[k], value)
				}
				b.Data[k] = -want.Data[at]
				nd.Next(idx, b.Shape)
			}
			return nil
		})
		if opt.Mode != zarr.ReadBlocks && errors.Is(err, zarr.ErrSelection) {
			// Refused before anything has changed.
			got, err := zarr.Read[int32](ctx, a, zarr.All())
			if err != nil || !slices.Equal(got.Data, before) || slices.Contains(seen, 1) {
				t.Errorf("changed nevertheless: %v", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for at, k := range seen {
			if k != 1 {
				t.Errorf("element %d came %d times", at, k)
			}
		}
		if last != total {
			t.Errorf("%d of %d blocks", last, total)
		}
		if opt.Mode != zarr.ReadBlocks {
			for i := range want.Data {
				want.Data[i] = -want.Data[i]
			}
		}
		got, err := zarr.Read[int32](ctx, a, opt.Select)
		if err != nil || !slices.Equal(got.Data, want.Data) {
			t.Errorf("%v, want %v (%v)", got.Data, want.Data, err)
		}
		rest, err := zarr.Read[int32](ctx, a, zarr.All())
		changed := 0
		for i, v := range rest.Data {
			if v != before[i] {
				changed++
			}
		}
		if err != nil || changed > len(want.Data) {
			t.Errorf("%d elements changed (%v)", changed, err)
		}
	})
}

func TestBlocksAlignWithChunksThatDiffer(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{10}, DataType: "uint8",
		Grid: []byte(`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[2,5,3]]}}`)})
	var mu sync.Mutex
	var starts []int
	check(t, zarr.Blocks(ctx, a, zarr.BlockOptions{Mode: zarr.UpdateBlocks, Select: zarr.Slice("1:9")}, func(_ context.Context, b *zarr.Block[uint8]) error {
		mu.Lock()
		defer mu.Unlock()
		starts = append(starts, b.Start[0])
		for i := range b.Data {
			b.Data[i] = uint8(b.Start[0] + 1)
		}
		return nil
	}))
	slices.Sort(starts)
	got := must[nd.Array[uint8]](t)(zarr.Read[uint8](ctx, a, zarr.All()))
	if fmt.Sprint(starts, got.Data) != "[0 1 6] [0 1 2 2 2 2 2 7 7 0]" {
		t.Error(starts, got.Data)
	}
}

// The bytes of the blocks that are held at once stay below the bound.
func TestBlocksAreBounded(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{64, 64}, DataType: "float64", Chunks: []int{8, 8}})
	for _, c := range []struct {
		workers int
		memory  int64
		most    int64
	}{{8, 3*8*8*8 + 5, 3}, {2, 1 << 20, 2}, {1, 1 << 20, 1}, {8, 1, 1}} {
		var now, most atomic.Int64
		gate := make(chan struct{})
		var once sync.Once
		opt := zarr.BlockOptions{Shape: []int{8, 8}, Workers: c.workers, Memory: c.memory}
		check(t, zarr.Blocks(ctx, a, opt, func(context.Context, *zarr.Block[float64]) error {
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			if n == c.most {
				once.Do(func() { close(gate) })
			}
			<-gate // until as many are there as may be
			now.Add(-1)
			return nil
		}))
		if most.Load() > c.most {
			t.Errorf("%+v: %d at once", c, most.Load())
		}
	}
}

func TestBlocksEndWithTheContextAndTheFirstError(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{100}, DataType: "uint8", Chunks: []int{1}})
	ctx, cancel := context.WithCancel(ctx)
	opt := zarr.BlockOptions{Shape: []int{1}, Workers: 1}
	calls := 0
	err := zarr.Blocks(ctx, a, opt, func(context.Context, *zarr.Block[uint8]) error {
		if calls++; calls == 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || calls != 3 {
		t.Errorf("%d calls, %v", calls, err)
	}
	calls = 0
	err = zarr.Blocks(t.Context(), a, opt, func(context.Context, *zarr.Block[uint8]) error {
		if calls++; calls == 5 {
			return errDisk
		}
		return nil
	})
	if !errors.Is(err, errDisk) || calls != 5 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

func TestMapAndReduce(t *testing.T) {
	src := newArray(t, zarr.ArraySpec{Shape: []int{20, 30}, DataType: "uint16", Chunks: []int{7, 4}})
	dst := newArray(t, zarr.ArraySpec{Shape: []int{20, 30}, DataType: "float32", Chunks: []int{5, 9}})
	data := make([]uint16, 600)
	for i := range data {
		data[i] = uint16(i)
	}
	check(t, zarr.Write(ctx, src, zarr.All(), data))
	check(t, zarr.MapBlocks(ctx, dst, src, zarr.BlockOptions{Shape: []int{5, 9}}, func(_ context.Context, out *zarr.Block[float32], in []uint16) error {
		for i, v := range in {
			out.Data[i] = float32(v) / 2
		}
		return nil
	}))
	got := must[nd.Array[float32]](t)(zarr.Read[float32](ctx, dst, zarr.All()))
	for i, v := range got.Data {
		if v != float32(i)/2 {
			t.Fatalf("element %d is %v", i, v)
		}
	}
	// The order of joining is that of the blocks.
	first := must[string](t)(zarr.ReduceBlocks(ctx, src, zarr.BlockOptions{Shape: []int{7, 30}, Workers: 4}, func(_ context.Context, b *zarr.Block[float64]) (string, error) {
		return fmt.Sprint(b.Start[0], ":", b.Data[0], " "), nil
	}, func(x, y string) string { return x + y }))
	if first != "0:0 7:210 14:420 " {
		t.Error(first)
	}
}

// Options that mean nothing are refused before anything is read or written.
func TestBlockOptionsThatCannotBe(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{4}, DataType: "int16"})
	b := newArray(t, zarr.ArraySpec{Shape: []int{4}, DataType: "int16"})
	for _, opt := range []zarr.BlockOptions{{Mode: 9}, {Workers: -1}, {Memory: -1}} {
		called := false
		f := func(context.Context, *zarr.Block[int16]) error { called = true; return nil }
		for name, err := range map[string]error{
			"Blocks":   zarr.Blocks(ctx, a, opt, f),
			"BlocksAs": zarr.BlocksAs(ctx, a, opt, f),
			"ReduceBlocks": of(zarr.ReduceBlocks(ctx, a, opt, func(ctx context.Context, b *zarr.Block[int16]) (int, error) { return 0, f(ctx, b) },
				func(x, _ int) int { return x })),
			"MapBlocks": zarr.MapBlocks(ctx, a, b, opt, func(ctx context.Context, b *zarr.Block[int16], _ []int16) error { return f(ctx, b) }),
		} {
			var known *zarr.Error
			if !errors.As(err, &known) || called {
				t.Errorf("%s, %+v: %v, called: %v", name, opt, err, called)
			}
		}
	}
}

// An array that shrinks while its chunks are read is said to have done so; one that
// grows can be read as it was.
func TestChunksOfAnArrayThatShrinks(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{20}, DataType: "int16", Chunks: []int{8}}, zarr.Workers(1))
	over := func(to int) (n int, err error) {
		for _, err = range zarr.Chunks[int16](ctx, a) {
			if n++; n == 1 {
				check(t, a.Resize(ctx, to))
			}
		}
		return n, err
	}
	if n, err := over(14); !errors.Is(err, zarr.ErrRange) || !strings.Contains(err.Error(), "the shape [20] has become [14] meanwhile") {
		t.Errorf("%d chunks: %v", n, err)
	}
	if n, err := over(30); n != 2 || err != nil {
		t.Errorf("%d chunks: %v", n, err)
	}
}
