package hdmf_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/nwbtest"
)

// session puts an NWB file into a folder for the examples.
func session() (path string, remove func()) {
	dir, err := os.MkdirTemp("", "nwb")
	if err == nil {
		err = nwbtest.UnpackTo(dir, "session_v3.nwb.zarr")
	}
	if err != nil {
		panic(err)
	}
	return filepath.Join(dir, "session_v3.nwb.zarr"), func() { os.RemoveAll(dir) }
}

func ExampleOpen() {
	path, remove := session()
	defer remove()
	ctx := context.Background()
	f, err := hdmf.Open(ctx, path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	fmt.Println(f.Layout(), f.Root().Type())
	for m, err := range f.Root().Members(ctx) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		if g, ok := m.Object.(*hdmf.Group); ok {
			fmt.Println(g.Path())
		}
	}
	// Output:
	// v3 core.NWBFile
	// /acquisition
	// /analysis
	// /general
	// /intervals
	// /processing
	// /scratch
	// /stimulus
	// /units
}

func ExampleFile_All() {
	path, remove := session()
	defer remove()
	ctx := context.Background()
	f, err := hdmf.Open(ctx, path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	for o, err := range f.All(ctx, "ElectricalSeries") {
		if err != nil {
			fmt.Println(err)
			continue
		}
		s, err := hdmf.OpenSeries(ctx, o.(*hdmf.Group))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(o.Path(), s.Data().Shape(), s.Unit)
	}
	// Output:
	// /acquisition/ElectricalSeries [400 6] volts
	// /processing/ecephys/LFP/LFPSeries [400 2] volts
}

func ExampleOpenTable() {
	path, remove := session()
	defer remove()
	ctx := context.Background()
	f, err := hdmf.Open(ctx, path)
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
	units, err := hdmf.OpenTable(ctx, o.(*hdmf.Group))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range units.Columns() {
		fmt.Println(c.Name(), c.Dataset().DType().Name, c.Depth())
	}
	times, err := units.Column("spike_times")
	if err != nil {
		fmt.Println(err)
		return
	}
	cells, err := times.ReadRows(ctx, []int{2, 0}) // in this order
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range cells.Rows() {
		row, err := hdmf.SliceOf[float64](cells.Row(i))
		fmt.Println(len(row), err)
	}
	// Output:
	// quality string 0
	// spike_times float64 1
	// obs_intervals float64 1
	// electrodes int64 1
	// electrode_group reference 0
	// waveform_mean float64 0
	// waveforms float64 2
	// 1 <nil>
	// 2 <nil>
}

func ExampleFile_Resolve() {
	path, remove := session()
	defer remove()
	ctx := context.Background()
	f, err := hdmf.Open(ctx, path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	o, err := f.Object(ctx, "/units/electrode_group")
	if err != nil {
		fmt.Println(err)
		return
	}
	groups, err := o.(*hdmf.Dataset).Read(ctx, zarr.All())
	if err != nil {
		fmt.Println(err)
		return
	}
	ref, err := groups.Reference(0)
	if err != nil {
		fmt.Println(err)
		return
	}
	target, err := f.Resolve(ctx, ref)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(target.Path(), target.Type())
	// Output: /general/extracellular_ephys/shank0 core.ElectrodeGroup
}
