package coordinates_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/store/mem"
)

func TestAxesInWords(t *testing.T) {
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	check(t, err)
	put(t, g, "time", []int64{0, 6, 12}, zarr.ArraySpec{DataType: "int64", DimensionNames: []string{"time"}, Attributes: attributes(t, `{"units":"hours since 2025-06-30"}`)})
	put(t, g, "lat", []float32{0.1, 0.2, 0.3}, zarr.ArraySpec{DataType: "float32", DimensionNames: []string{"lat"}, Attributes: attributes(t, `{"units":"degrees_north"}`)})
	put(t, g, "level", []int16{1000, 850, 100}, zarr.ArraySpec{DataType: "int16", DimensionNames: []string{"level"}})
	put(t, g, "odd", []float64{1, math.NaN(), 0}, zarr.ArraySpec{DataType: "float64", DimensionNames: []string{"odd"}})
	put(t, g, "name", []string{"a", "b", "c"}, zarr.ArraySpec{DataType: "string", DimensionNames: []string{"name"}})
	a, err := g.CreateArray(ctx, "v", zarr.ArraySpec{Shape: []int{3, 3, 3, 3, 3, 3}, DataType: "int8", DimensionNames: []string{"time", "lat", "level", "odd", "name", "bare"}})
	check(t, err)
	long := func(context.Context, *zarr.Array) ([]coordinates.Axis, error) {
		return []coordinates.Axis{{Dim: 5, Name: "far", Unit: "s", Line: coordinates.Even(1_000_000, 2, 0.5)}}, nil
	}
	list, err := coordinates.Describe(ctx, a, coordinates.Also(long))
	check(t, err)
	var got []string
	for _, s := range list {
		got = append(got, s.Name+": "+s.String())
	}
	want := `time: 2025-06-30 to 2025-06-30T12:00:00, every 6 hours
lat: 0.1 to 0.3 by 0.1 degrees_north
level: 1000 to 100
odd: 1 to 0, in no order
name: a, b, c
far: 2 to 500001.5 by 0.5 s`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}
