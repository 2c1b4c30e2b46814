package zarr_test

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/store/mem"
)

// dated is a chunk key encoding of one's own: a chunk per day, in a folder per
// year of 365 days.
type dated struct{}

func (dated) Name() string                 { return "example.dated" }
func (dated) MarshalJSON() ([]byte, error) { return []byte(`{"name":"example.dated"}`), nil }

func (dated) Append(dst []byte, index []int) []byte {
	return fmt.Appendf(dst, "year%d/day%d", index[0]/365, index[0]%365)
}

func (dated) Parse(key string, index []int) bool {
	var year, day int
	if _, err := fmt.Sscanf(key, "year%d/day%d", &year, &day); err != nil || len(index) != 1 || day < 0 || day >= 365 || year < 0 {
		return false
	}
	index[0] = year*365 + day
	return key == "year"+strconv.Itoa(year)+"/day"+strconv.Itoa(day)
}

func ExampleGrids_keys() {
	registry := grid.NewRegistry()
	registry.RegisterKeys("example.dated", func(json.RawMessage) (grid.Keys, error) { return dated{}, nil })
	s := mem.New()
	a, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{
		Shape: []int{1000 * 24}, Chunks: []int{24}, DataType: "float32", Keys: json.RawMessage(`"example.dated"`),
	}, zarr.Grids(registry))
	if err == nil {
		err = zarr.Write(ctx, a, zarr.Slice("9600:9602"), []float32{20.5, 21})
	}
	for e := range s.List(ctx, "", "") {
		fmt.Println(e.Key)
	}
	back, readErr := zarr.Read[float32](ctx, a, zarr.Slice("9599:9602"))
	fmt.Println(back.Data, err, readErr)
	// Output:
	// year1/day35
	// zarr.json
	// [0 20.5 21] <nil> <nil>
}
