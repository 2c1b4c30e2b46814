package command

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/meta"
)

// writeSample writes the hierarchy of the demo, which shows most of what a store
// can hold. It is the same every time.
func writeSample(ctx context.Context, dir string, opts []zarr.Option) (*zarr.Group, error) {
	root, err := zarr.RequireGroup(ctx, dir, opts...)
	if err != nil {
		return nil, err
	}
	if err := root.SetAttributes(ctx, attrs("title", "Omnizarr sample")); err != nil {
		return nil, err
	}
	for _, write := range []func(context.Context, *zarr.Group) error{writeImage, writeCells, writeWeather} {
		if err := write(ctx, root); err != nil {
			return nil, err
		}
	}
	return root, root.Consolidate(ctx)
}

// attrs makes attributes of names and values, which have a JSON form.
func attrs(pairs ...any) *meta.Attributes {
	out := &meta.Attributes{}
	for i := 0; i < len(pairs); i += 2 {
		if err := out.Set(fmt.Sprint(pairs[i]), pairs[i+1]); err != nil {
			panic(err)
		}
	}
	return out
}

// put makes an array and writes all of it.
func put[T any](ctx context.Context, g *zarr.Group, path string, spec zarr.ArraySpec, data []T) error {
	spec.Overwrite = true
	a, err := g.CreateArray(ctx, path, spec)
	if err != nil {
		return err
	}
	return zarr.Write(ctx, a, zarr.All(), data)
}

// writeImage writes the Mandelbrot set: how long points around it stay near.
func writeImage(ctx context.Context, root *zarr.Group) error {
	const height, width, most = 240, 320, 60
	data := make([]uint16, height*width)
	for y := range height {
		for x := range width {
			c := complex(-0.55+(float64(x)/width-0.5)*3.2, (float64(y)/height-0.5)*2.4)
			data[y*width+x] = uint16(1000 * math.Log1p(escape(c, most)) / math.Log1p(most))
		}
	}
	return put(ctx, root, "image", zarr.ArraySpec{
		Shape: []int{height, width}, Chunks: []int{60, 80}, DataType: "uint16", DimensionNames: []string{"y", "x"},
		Attributes: attrs("title", "The Mandelbrot set", "colormap", "magma"),
	}, data)
}

// escape is after how many steps, with a fraction, z² + c leaves the circle; 0
// for points of the set.
func escape(c complex128, most int) float64 {
	z := c
	for n := range most {
		if r := real(z)*real(z) + imag(z)*imag(z); r > 256 {
			return max(float64(n)+1-math.Log2(math.Log(r)/2), 0)
		}
		z = z*z + c
	}
	return 0
}

// writeWeather writes a year of days with a chunk for every month.
func writeWeather(ctx context.Context, root *zarr.Group) error {
	const days, stations = 365, 3
	months := []int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	g, err := root.RequireGroup(ctx, "weather")
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(3, 4))
	time, temperature := make([]int64, days), make([]float32, days*stations)
	for d := range days {
		time[d] = int64(20089 + d) // days since 1970: the year 2025
		for s := range stations {
			season := math.Sin(2 * math.Pi * (float64(d)/days - 0.3))
			temperature[d*stations+s] = float32(math.Round(10*(9+float64(3*s)+11*season+2*rng.NormFloat64())) / 10)
		}
	}
	grid := func(axes ...any) json.RawMessage {
		raw, err := json.Marshal(map[string]any{"name": "rectilinear", "configuration": map[string]any{"kind": "inline", "chunk_shapes": axes}})
		if err != nil {
			panic(err)
		}
		return raw
	}
	day := `{"name": "numpy.datetime64", "configuration": {"unit": "D", "scale_factor": 1}}`
	if err := put(ctx, g, "time", zarr.ArraySpec{Shape: []int{days}, DataType: day, FillValue: json.RawMessage(`"NaT"`), DimensionNames: []string{"time"}}, time); err != nil {
		return err
	}
	return put(ctx, g, "temperature", zarr.ArraySpec{
		Shape: []int{days, stations}, Grid: grid(months, []int{stations}), DataType: "float32", FillValue: json.RawMessage(`"NaN"`),
		DimensionNames: []string{"time", "station"}, Attributes: attrs("units", "degrees Celsius", "stations", []string{"north", "middle", "south"}),
	}, temperature)
}
