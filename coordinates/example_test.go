package coordinates_test

import (
	"context"
	"fmt"
	"log"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store/mem"
)

// weather makes temperatures with times and latitudes, as xarray stores them.
func weather(ctx context.Context) (*zarr.Array, error) {
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	if err != nil {
		return nil, err
	}
	since := &meta.Attributes{}
	if err := since.Set("units", "days since 2025-06-28"); err != nil {
		return nil, err
	}
	time, err := g.CreateArray(ctx, "time", zarr.ArraySpec{Shape: []int{4}, DataType: "int32", DimensionNames: []string{"time"}, Attributes: since})
	if err == nil {
		err = zarr.Write(ctx, time, zarr.All(), []int32{0, 1, 2, 3})
	}
	if err != nil {
		return nil, err
	}
	lat, err := g.CreateArray(ctx, "lat", zarr.ArraySpec{Shape: []int{3}, DataType: "float32", DimensionNames: []string{"lat"}})
	if err == nil {
		err = zarr.Write(ctx, lat, zarr.All(), []float32{60, 50, 40})
	}
	if err != nil {
		return nil, err
	}
	t, err := g.CreateArray(ctx, "temperature", zarr.ArraySpec{Shape: []int{4, 3}, DataType: "int16", DimensionNames: []string{"time", "lat"}})
	if err != nil {
		return nil, err
	}
	return t, zarr.Write(ctx, t, zarr.All(), []int16{10, 20, 30, 11, 21, 31, 12, 22, 32, 13, 23, 33})
}

func ExampleSelect() {
	ctx := context.Background()
	a, err := weather(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"time=2025-06-30, lat=52", "time=2025-06, lat=40:55", "lat=@0", "-1, ::2"} {
		sel, err := coordinates.Select(ctx, a, text)
		if err != nil {
			log.Fatal(err)
		}
		data, err := zarr.Read[int16](ctx, a, sel)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(text, data.Data)
	}
	_, err = coordinates.Select(ctx, a, "lat=70")
	fmt.Println(err)
	// Output:
	// time=2025-06-30, lat=52 [22]
	// time=2025-06, lat=40:55 [20 30 21 31 22 32]
	// lat=@0 [10 11 12 13]
	// -1, ::2 [13 33]
	// select mem:/temperature: selection "lat=70": axis lat: 70 lies outside of the coordinates, which are 60 to 40
}
