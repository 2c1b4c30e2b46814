package jobs

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/scene"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/meta"
)

// Exhibited is a name.
func (*Kind) Exhibited() string { return "planet.zarr" }

// Exhibit writes two years of a planet's weather, as xarray writes a dataset.
func (k *Kind) Exhibit(ctx context.Context, dir string, opts []zarr.Option) (kind.Exhibit, error) {
	e := kind.Exhibit{Name: k.Exhibited(), Title: "heights and temperatures of a planet", Array: "/temperature", Slice: "6,60:70,170:180"}
	g, err := zarr.RequireGroup(ctx, filepath.Join(dir, e.Name), append(opts[:len(opts):len(opts)], Format().Options...)...)
	if err != nil {
		return e, err
	}
	defer g.Close()
	const months, rows, columns = 24, 180, 360
	lat, lon, time := make([]float64, rows), make([]float64, columns), make([]int32, months)
	for i := range lat {
		lat[i] = 89.5 - float64(i)
	}
	for i := range lon {
		lon[i] = float64(i) - 179.5
	}
	height, temperature := make([]float32, rows*columns), make([]int16, months*rows*columns)
	for i := range height {
		height[i] = float32(scene.Height(lat[i/columns], lon[i%columns]))
	}
	for m := range months {
		time[m] = int32(float64(m)*30.4375 + 14)
		for i, h := range height {
			t := scene.Temperature(float64(h), lat[i/columns], lon[i%columns], float64(m)/12)
			temperature[m*rows*columns+i] = int16(t * 100)
		}
	}
	err = firstError(
		func() error {
			return variable(ctx, g, "lat", lat, `{"units": "degrees_north", "standard_name": "latitude"}`, "float64", rows)
		},
		func() error {
			return variable(ctx, g, "lon", lon, `{"units": "degrees_east", "standard_name": "longitude"}`, "float64", columns)
		},
		func() error {
			return variable(ctx, g, "time", time, `{"units": "days since 2025-01-01", "calendar": "proleptic_gregorian"}`, "int32", months)
		},
		func() error {
			return variable(ctx, g, "height", height, `{"units": "m", "long_name": "height above the sea"}`, "float32", rows, columns)
		},
		func() error {
			return variable(ctx, g, "temperature", temperature, `{"units": "degrees Celsius", "long_name": "temperature of the air", "scale_factor": 0.01, "_FillValue": -32768}`, "int16", months, rows, columns)
		},
		func() error {
			return g.SetAttributes(ctx, parsed(`{"title": "a planet that nobody has seen", "Conventions": "CF-1.8"}`))
		},
		func() error { return g.Consolidate(ctx) },
	)
	return e, err
}

// firstError calls functions until one fails.
func firstError(calls ...func() error) error {
	for _, call := range calls {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}

// parsed is the JSON of attributes that stands in this file.
func parsed(text string) *meta.Attributes {
	attrs, err := meta.ParseAttributes([]byte(text))
	if err != nil {
		panic(err)
	}
	return attrs
}

// variable writes an array along the last of the dimensions time, lat and lon, or along
// the one that has its name.
func variable[T any](ctx context.Context, g *zarr.Group, name string, data []T, attributes, dataType string, shape ...int) error {
	dims, chunks := []string{name}, shape
	if len(shape) > 1 {
		dims = []string{"time", "lat", "lon"}[3-len(shape):]
		chunks = append([]int{12}, 90, 180)[3-len(shape):]
	}
	attrs := parsed(attributes)
	if err := attrs.Set("_ARRAY_DIMENSIONS", dims); err != nil {
		return err
	}
	a, err := g.CreateArray(ctx, name, zarr.ArraySpec{Shape: shape, Chunks: chunks, DataType: dataType, Attributes: attrs, Overwrite: true, FillValue: json.RawMessage("0"), NoFill: true})
	if err != nil {
		return err
	}
	return zarr.Write(ctx, a, zarr.All(), data)
}
