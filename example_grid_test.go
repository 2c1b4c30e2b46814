package zarr_test

import (
	"encoding/json"
	"fmt"
	"math/bits"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/store/mem"
)

// doubling is a chunk grid of one's own, for a log that grows: chunk i starts at
// 2^i-1 and is 2^i long.
type doubling struct{ length int }

func parseDoubling(_ json.RawMessage, shape []int) (grid.Grid, error) {
	if len(shape) != 1 {
		return nil, fmt.Errorf("a log has one axis, not %d", len(shape))
	}
	return doubling{shape[0]}, nil
}

func (doubling) Name() string                 { return "example.doubling" }
func (doubling) MarshalJSON() ([]byte, error) { return []byte(`{"name":"example.doubling"}`), nil }

func (g doubling) Count() []int                          { return []int{bits.Len(uint(g.length))} }
func (g doubling) Span(_, i int) (start, length int)     { return 1<<i - 1, 1 << i }
func (g doubling) Find(_, pos int) int                   { return bits.Len(uint(pos+1)) - 1 }
func (g doubling) Uniform() []int                        { return nil }
func (g doubling) Resize(shape []int) (grid.Grid, error) { return doubling{shape[0]}, nil }

func ExampleGrids() {
	registry := grid.NewRegistry()
	registry.RegisterGrid("example.doubling", parseDoubling)
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{
		Shape: []int{0}, DataType: "int32", Grid: json.RawMessage(`"example.doubling"`),
	}, zarr.Grids(registry))
	for i := range 6 {
		if err == nil {
			err = zarr.Append(ctx, a, 0, []int32{int32(i), int32(i * i)})
		}
	}
	back, readErr := zarr.Read[int32](ctx, a, zarr.Slice("3:9"))
	fmt.Println(a.Shape(), a.Metadata().Grid.Count(), back.Data, err, readErr)
	// Output: [12] [4] [1 2 4 3 9 4] <nil> <nil>
}
