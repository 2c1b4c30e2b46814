package zarr_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "zarr")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	a, err := zarr.CreateArray(ctx, filepath.Join(dir, "em.zarr"), zarr.ArraySpec{
		Shape: []int{4, 6}, Chunks: []int{2, 3}, DataType: "uint16", DimensionNames: []string{"y", "x"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	if err := zarr.Write(ctx, a, zarr.Slice("1:3, 2:4"), []uint16{1, 2, 3, 4}); err != nil {
		fmt.Println(err)
		return
	}
	again, err := zarr.OpenArray(ctx, filepath.Join(dir, "em.zarr"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer again.Close()
	rows, err := zarr.Read[uint16](ctx, again, zarr.Slice("1:3"))
	fmt.Println(rows.Shape, rows.Data, rows.At(1, 3), err)
	// Output: [2 6] [0 0 1 2 0 0 0 0 3 4 0 0] 4 <nil>
}

// exampleArray is an array of 3 rows and 4 columns that counts from 0.
func exampleArray(name string, opts ...zarr.Option) *zarr.Array {
	a, err := zarr.CreateArray(context.Background(), "mem:"+name, zarr.ArraySpec{
		Shape: []int{3, 4}, Chunks: []int{2, 2}, DataType: "int32", FillValue: json.RawMessage("-1"), Overwrite: true,
	}, opts...)
	if err == nil {
		err = zarr.Write(context.Background(), a, zarr.All(), []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
	}
	if err != nil {
		panic(err)
	}
	return a
}

func ExampleSlice() {
	a := exampleArray("slice")
	for _, text := range []string{"1", ":, 0", "::-1, ::2", "..., -1", "1:2, 1:3"} {
		got, err := zarr.Read[int32](context.Background(), a, zarr.Slice(text))
		fmt.Println(got.Shape, got.Data, err)
	}
	// Output:
	// [4] [4 5 6 7] <nil>
	// [3] [0 4 8] <nil>
	// [3 2] [8 10 4 6 0 2] <nil>
	// [3] [3 7 11] <nil>
	// [1 2] [5 6] <nil>
}

func ExampleSelect() {
	a := exampleArray("select")
	got, err := zarr.Read[int32](context.Background(), a, zarr.Select(zarr.List(2, 0, 0), zarr.Where([]bool{true, false, false, true})))
	fmt.Println(got.Shape, got.Data, err)
	// Output: [3 2] [8 11 0 3 0 3] <nil>
}

func ExamplePoints() {
	a := exampleArray("points")
	ctx := context.Background()
	if err := zarr.Write(ctx, a, zarr.Points([]int{0, 2}, []int{0, -1}), []int32{100, 200}); err != nil {
		fmt.Println(err)
		return
	}
	got, err := zarr.Read[int32](ctx, a, zarr.Points([]int{0, 1, 2}, []int{0, 1, 3}))
	fmt.Println(got.Data, err)
	// Output: [100 5 200] <nil>
}

func ExampleWholeChunks() {
	a := exampleArray("blocks")
	got, err := zarr.Read[int32](context.Background(), a, zarr.WholeChunks(zarr.At(1), zarr.At(0)))
	fmt.Println(got.Shape, got.Data, err)
	// Output: [1 2] [8 9] <nil>
}

func ExampleAppend() {
	a := exampleArray("append")
	ctx := context.Background()
	if err := zarr.Append(ctx, a, 0, []int32{12, 13, 14, 15}); err != nil {
		fmt.Println(err)
		return
	}
	last, err := zarr.Read[int32](ctx, a, zarr.Slice("-1"))
	fmt.Println(a.Shape(), last.Data, err)
	// Output: [4 4] [12 13 14 15] <nil>
}

func ExampleChunks() {
	a := exampleArray("chunks")
	for c, err := range zarr.Chunks[int32](context.Background(), a) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(c.Index, c.Key, c.Box.Start, c.Shape, c.Data)
	}
	// Output:
	// [0 0] c/0/0 [0 0] [2 2] [0 1 4 5]
	// [0 1] c/0/1 [0 2] [2 2] [2 3 6 7]
	// [1 0] c/1/0 [2 0] [1 2] [8 9]
	// [1 1] c/1/1 [2 2] [1 2] [10 11]
}

func ExampleArray_ReadInto() {
	a := exampleArray("into")
	// Memory in Fortran order, of a type that is known only at run time.
	size := a.DataType().Size()
	v := nd.View{Data: make([]byte, 12*size), Size: size, Shape: []int{3, 4}, Strides: []int{size, 3 * size}}
	err := a.ReadInto(context.Background(), zarr.All(), v)
	for i := 0; i < len(v.Data); i += size {
		fmt.Print(v.Data[i], " ")
	}
	fmt.Println(err)
	// Output: 0 4 8 1 5 9 2 6 10 3 7 11 <nil>
}

func ExampleArray_Resize() {
	a := exampleArray("resize")
	ctx := context.Background()
	if err := a.Resize(ctx, 2, 5); err != nil {
		fmt.Println(err)
		return
	}
	got, err := zarr.Read[int32](ctx, a, zarr.All())
	fmt.Println(got.Data, err)
	// Output: [0 1 2 3 -1 4 5 6 7 -1] <nil>
}

func ExampleWithCache() {
	cache := codec.NewCache(64 << 20)
	a := exampleArray("cache", zarr.WithCache(cache))
	for range 3 {
		if _, err := zarr.Read[int32](context.Background(), a, zarr.Slice("0, 0")); err != nil {
			fmt.Println(err)
		}
	}
	bytes, hits := cache.Stats()
	fmt.Println(bytes, hits)
	// Output: 16 2
}

func ExampleGroup() {
	ctx := context.Background()
	g, err := zarr.CreateGroup(ctx, "mem:group")
	if err != nil {
		fmt.Println(err)
		return
	}
	attrs := &meta.Attributes{}
	if err := attrs.Set("unit", "nm"); err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{"raw/s0", "raw/s1", "labels"} {
		if _, err := g.CreateArray(ctx, path, zarr.ArraySpec{Shape: []int{8, 8}, DataType: "uint8", Attributes: attrs}); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := g.Consolidate(ctx); err != nil {
		fmt.Println(err)
		return
	}
	for n, err := range g.Walk(ctx) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(n.Path(), n.Attributes().Names())
	}
	// Output:
	// labels [unit]
	// raw []
	// raw/s0 [unit]
	// raw/s1 [unit]
}

func ExampleCreateArray_sharded() {
	a, err := zarr.CreateArray(context.Background(), "mem:sharded", zarr.ArraySpec{
		Shape: []int{1000, 1000}, Shards: []int{500, 500}, Chunks: []int{100, 100}, DataType: "float32",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.ChunkShape(), a.ShardShape(), a.Metadata().Codecs[0].Name)
	// Output: [100 100] [500 500] sharding_indexed
}

// An array of any numbers is read as the type that a program computes with.
func ExampleReadAs() {
	ctx := context.Background()
	a, err := zarr.CreateArray(ctx, "mem:", zarr.ArraySpec{Shape: []int{4}, DataType: "uint16"})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := zarr.Write(ctx, a, zarr.All(), []uint16{1, 2, 300, 4}); err != nil {
		fmt.Println(err)
		return
	}
	values, err := zarr.ReadAs[float64](ctx, a, zarr.All())
	fmt.Println(values.Data, err)
	_, err = zarr.ReadAs[uint8](ctx, a, zarr.All())
	fmt.Println(errors.Is(err, zarr.ErrRange), err)
	// Output:
	// [1 2 300 4] <nil>
	// true read mem:: element [2] is 300, which uint8 cannot hold
}

// Axes are selected by their names where the array has some.
func ExampleNamed() {
	ctx := context.Background()
	a, err := zarr.CreateArray(ctx, "mem:", zarr.ArraySpec{Shape: []int{3, 4}, DataType: "uint8", DimensionNames: []string{"time", "x"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := zarr.Write(ctx, a, zarr.Slice("time=1"), []uint8{1, 2, 3, 4}); err != nil {
		fmt.Println(err)
		return
	}
	got, err := zarr.Read[uint8](ctx, a, zarr.Named{"time": zarr.At(1), "x": zarr.From(2)})
	fmt.Println(got.Data, err)
	// Output: [3 4] <nil>
}

// Blocks of whole chunks, several at once, changed in place.
func ExampleBlocks() {
	ctx := context.Background()
	a, err := zarr.CreateArray(ctx, "mem:", zarr.ArraySpec{Shape: []int{4, 6}, DataType: "int32", Chunks: []int{2, 3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = zarr.Blocks(ctx, a, zarr.BlockOptions{Mode: zarr.UpdateBlocks}, func(_ context.Context, b *zarr.Block[int32]) error {
		for i := range b.Data {
			b.Data[i] += 7
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	sum, err := zarr.ReduceBlocks(ctx, a, zarr.BlockOptions{}, func(_ context.Context, b *zarr.Block[float64]) (float64, error) {
		part := 0.0
		for _, v := range b.Data {
			part += v
		}
		return part, nil
	}, func(x, y float64) float64 { return x + y })
	fmt.Println(sum, err)
	// Output: 168 <nil>
}
