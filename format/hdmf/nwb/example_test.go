package nwb_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/nwb"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/nwbtest"
)

// session makes a file with a series, electrodes and units.
func session(ctx context.Context, url, schemas string, samples [][]int16) error {
	texts, err := hdmf.SchemasOf(ctx, schemas)
	if err != nil {
		return err
	}
	f := nwb.New(texts, nwb.Session{Identifier: "m17-0312", Description: "a walk in the dark", Start: time.Now()})
	probe := f.Add("/general/devices/probe", "Device", nwb.Fields{"description": "of silicon"})
	shank := f.Add("/general/extracellular_ephys/shank", "ElectrodeGroup", nwb.Fields{"description": "the only one", "location": "CA1", "device": probe})
	electrodes := f.Electrodes(
		nwb.Col("location", []string{"CA1", "CA1"}),
		nwb.Col("group", []hdmf.Reference{shank, shank}),
		nwb.Col("group_name", []string{"shank", "shank"}),
		nwb.Col("depth", []float64{0.5, 1.5}, "below the surface, in mm"),
	)
	f.ElectricalSeries("/acquisition/raw", nwb.Series{Data: samples, Rate: 30000, Conversion: 1e-6})
	f.Units(
		nwb.Col("spike_times", [][]float64{{0.1, 0.2}, {}, {0.3}}),
		nwb.Col("electrodes", nwb.Rows(electrodes, [][]int{{0}, {0, 1}, {1}})),
	)
	return f.Create(ctx, url, write.Options{})
}

func Example() {
	dir, err := os.MkdirTemp("", "nwb")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := nwbtest.UnpackTo(dir, "session_v3_plain.nwb.zarr"); err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	url := filepath.Join(dir, "m17.nwb.zarr")
	samples := [][]int16{{1, 2}, {3, 4}, {5, 6}}
	if err := session(ctx, url, filepath.Join(dir, "session_v3_plain.nwb.zarr"), samples); err != nil {
		fmt.Println(err)
		return
	}
	f, err := hdmf.Open(ctx, url)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	o, err := f.Object(ctx, "/units")
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := hdmf.OpenTable(ctx, o.(*hdmf.Group))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Rows(), "units")
	// Output: 3 units
}
