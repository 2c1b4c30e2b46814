package zarr_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store/mem"
)

func TestStreamGivesTheResultInCOrder(t *testing.T) {
	ctx := context.Background()
	for _, spec := range []zarr.ArraySpec{
		{Shape: []int{7, 5, 6}, Chunks: []int{3, 2, 4}},
		{Shape: []int{7, 5, 6}, Grid: []byte(`{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[1,4,2],[5],[3,3]]}}`)},
	} {
		spec.DataType = "uint8"
		a, err := zarr.CreateArrayIn(ctx, mem.New(), "", spec)
		if err != nil {
			t.Fatal(err)
		}
		data := make([]uint8, 7*5*6)
		for i := range data {
			data[i] = uint8(i)
		}
		if err := zarr.Write(ctx, a, zarr.All(), data); err != nil {
			t.Fatal(err)
		}
		for name, sel := range map[string]zarr.Selection{
			"all": zarr.All(), "steps": zarr.Slice("::-2, 1:, ::3"), "backwards": zarr.Slice("::-1,::-1,::-1"),
			"index": zarr.Slice("3, :, -1"), "one": zarr.Slice("1,1,1"), "none": zarr.Slice("3:3"),
			"lists":  zarr.Select(zarr.List(6, 0, 0, 5), zarr.Full(), zarr.List(2, 1)),
			"blocks": zarr.WholeChunks(zarr.Span(1, 3)), "points": zarr.Points([]int{1, 6}, []int{0, 4}, []int{5, 5}),
		} {
			want, err := zarr.Read[uint8](ctx, a, sel)
			if err != nil {
				t.Fatal(err)
			}
			shape, err := a.ResultShape(sel)
			if err != nil || !slices.Equal(shape, want.Shape) {
				t.Errorf("%s: shape %v, %v, want %v", name, shape, err, want.Shape)
			}
			for size := 1; size < 300; size += 3 * thorough.Step(2) {
				var got []uint8
				for v, err := range a.Stream(ctx, sel, size) {
					if err != nil {
						t.Fatal(err)
					}
					if v.Len() > size && name != "points" {
						t.Errorf("%s: a part of %d bytes, at most %d were asked for", name, v.Len(), size)
					}
					got = append(got, v.Data...)
				}
				if !slices.Equal(got, want.Data) {
					t.Fatalf("%s by %d: got %v, want %v", name, size, got, want.Data)
				}
			}
		}
	}
}

func ExampleArray_Stream() {
	ctx := context.Background()
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{5, 3}, Chunks: []int{2, 3}, DataType: "uint8", FillValue: []byte("7")})
	if err != nil {
		fmt.Println(err)
		return
	}
	for part, err := range a.Stream(ctx, zarr.All(), 10) {
		fmt.Println(part.Data, err)
	}
	// Output:
	// [7 7 7 7 7 7] <nil>
	// [7 7 7 7 7 7 7 7 7] <nil>
}
