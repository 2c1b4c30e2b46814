package command

import (
	"archive/zip"
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/meta"
)

// TestTours runs testdata/tours/*.txtar: the first hour of somebody with data of a
// trade, and what the program says. With OMNIZARR_UPDATE=1 what it says is written
// down anew.
func TestTours(t *testing.T) {
	scripts(t, "testdata/tours", []string{"electronmicroscopy", "maps", "microscopy"}, testscript.Params{
		UpdateScripts: os.Getenv("OMNIZARR_UPDATE") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("COLUMNS", "100")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"nwb": unpack, "tiff": unpackTIFF, "weather": makeWeather,
		},
	})
}

// unpackTIFF puts a file of other programs into the folder of a script: tiff
// ome_tczyx.ome.tif cells.ome.tif.
func unpackTIFF(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tiff name file")
	}
	r, err := zip.OpenReader(filepath.FromSlash("../../format/tiff/testdata/files.zip"))
	ts.Check(err)
	defer r.Close()
	in, err := r.Open(args[0])
	ts.Check(err)
	defer in.Close()
	b, err := io.ReadAll(in)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b, 0o666))
}

// makeWeather makes what a weather service has: packed temperatures by time,
// latitude and longitude, as CF says it: weather air.zarr.
func makeWeather(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: weather file")
	}
	ctx := context.Background()
	g, err := zarr.CreateGroup(ctx, ts.MkAbs(args[0]))
	ts.Check(err)
	defer g.Close()
	add := func(name, typ, attrs string, dims []string, chunks []int, values any, shape ...int) {
		var said map[string]json.RawMessage
		ts.Check(json.Unmarshal([]byte(attrs), &said))
		var a meta.Attributes
		for _, name := range slices.Sorted(maps.Keys(said)) {
			ts.Check(a.Set(name, said[name]))
		}
		arr, err := g.CreateArray(ctx, name, zarr.ArraySpec{Shape: shape, Chunks: chunks, DataType: typ, DimensionNames: dims, Attributes: &a})
		ts.Check(err)
		switch v := values.(type) {
		case []int16:
			err = zarr.Write(ctx, arr, zarr.All(), v)
		case []int64:
			err = zarr.Write(ctx, arr, zarr.All(), v)
		case []float64:
			err = zarr.Write(ctx, arr, zarr.All(), v)
		}
		ts.Check(err)
	}
	const days, rows, cols = 4, 5, 6
	lat, lon, when := make([]float64, rows), make([]float64, cols), make([]int64, days)
	air := make([]int16, days*rows*cols)
	for i := range lat {
		lat[i] = 60 - 5*float64(i)
	}
	for i := range lon {
		lon[i] = 5 * float64(i)
	}
	for i := range when {
		when[i] = int64(24 * i)
	}
	for i := range air {
		air[i] = int16(1000 + 37*i%400)
	}
	air[7] = -32767
	add("lat", "float64", `{"units":"degrees_north","standard_name":"latitude"}`, []string{"lat"}, nil, lat, rows)
	add("lon", "float64", `{"units":"degrees_east","standard_name":"longitude"}`, []string{"lon"}, nil, lon, cols)
	add("time", "int64", `{"units":"hours since 2025-06-28","calendar":"standard"}`, []string{"time"}, nil, when, days)
	add("air", "int16", `{"units":"K","long_name":"air temperature","scale_factor":0.01,"add_offset":273.15,"_FillValue":-32767}`,
		[]string{"time", "lat", "lon"}, []int{1, rows, cols}, air, days, rows, cols)
	ts.Check(g.Consolidate(ctx))
}
