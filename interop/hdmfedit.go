package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
)

// editNWB changes sessions that pynwb wrote: it appends rows and samples, and adds
// attributes, a group with a link, and a dataset. peers/hdmf_peer.py knows what must
// be there then.
func editNWB(ctx context.Context, dir string, names []string) error {
	for _, name := range names {
		e, err := write.Edit(ctx, filepath.Join(dir, name+nwbEnd), write.Options{Pickle: true})
		if err != nil {
			return err
		}
		err = editSession(ctx, e)
		if err == nil {
			err = e.Commit(ctx)
		}
		if err = errors.Join(err, e.Close()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func editSession(ctx context.Context, e *write.Editor) error {
	for _, step := range []func(context.Context, *write.Editor) error{appendUnits, appendTrials, appendSeries, addObjects} {
		if err := step(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// appendUnits adds two units, of which the first has no spikes. In the layout v3 the
// second has so many that the index of spikes needs a wider type.
func appendUnits(ctx context.Context, e *write.Editor) error {
	shank := hdmf.Reference{Path: "/general/extracellular_ephys/shank1"}
	spikes := []float64{7.25, 7.5}
	if e.File().Layout() == hdmf.V3 {
		for i := range 298 {
			spikes = append(spikes, float64(8+i))
		}
	}
	return e.AppendRows(ctx, "/units", write.Rows{Columns: map[string]write.Column{
		"spike_times":     {Data: write.Numbers(spikes), Counts: [][]int{{0, len(spikes)}}},
		"obs_intervals":   {Data: write.Numbers([]float64{0, 1, 2, 3}, 2, 2), Counts: [][]int{{1, 1}}},
		"electrodes":      {Data: write.Numbers([]int64{5, 4, 3}), Counts: [][]int{{1, 2}}},
		"electrode_group": {Data: write.References([]hdmf.Reference{shank, shank})},
		"quality":         {Data: write.Text([]string{"new", "nöch neuer"})},
		"spikes_note":     {Data: write.Text([]string{"note"}), Counts: [][]int{{0, 1}}},
		"waveform_mean":   {Data: write.Numbers(make([]float64, 16), 2, 4, 2)},
		"waveforms":       {Data: write.Numbers([]float64{1, 2, 3, 4, 5, 6, 7, 8}, 2, 4), Counts: [][]int{{0, 1}, {2}}},
	}})
}

// appendTrials adds a trial with two parts of series.
func appendTrials(ctx context.Context, e *write.Editor) error {
	parts := write.Compounds(
		write.Field{Name: "idx_start", Data: write.Numbers([]int32{3, 4})},
		write.Field{Name: "count", Data: write.Numbers([]int32{2, 1})},
		write.Field{Name: "timeseries", Data: write.References([]hdmf.Reference{{Path: "/acquisition/trace"}, {Path: "/acquisition/recording"}})},
	)
	return e.AppendRows(ctx, "/intervals/trials", write.Rows{IDs: []int64{40}, Columns: map[string]write.Column{
		"start_time": {Data: write.Numbers([]float64{40})},
		"stop_time":  {Data: write.Numbers([]float64{41})},
		"tags":       {Data: write.Text([]string{"späť", ""}), Counts: [][]int{{2}}},
		"timeseries": {Data: parts, Counts: [][]int{{2}}},
	}})
}

func appendSeries(ctx context.Context, e *write.Editor) error {
	err := e.AppendSamples(ctx, "/acquisition/trace", write.Numbers([]float32{1, 2, 3, 4}, 2, 2), []float64{2, 2.5})
	if err != nil {
		return err
	}
	// It is in several chunks, with a filter or in shards.
	more := make([]uint16, 20*5)
	for i := range more {
		more[i] = uint16(i)
	}
	if err := e.AppendSamples(ctx, "/acquisition/chunked", write.Numbers(more, 20, 5), nil); err != nil {
		return err
	}
	return e.AppendSamples(ctx, "/acquisition/recording", write.Numbers([]int16{1, 2, 3, 4, 5, -6}, 1, 6), nil)
}

func addObjects(ctx context.Context, e *write.Editor) error {
	if err := e.SetAttribute(ctx, "/acquisition/trace", "comments", "changed, für immer"); err != nil {
		return err
	}
	added := series("TimeSeries", nil, samples("V", write.Numbers([]int32{1, 2, 3}), "num_times"))
	if err := e.AddGroup(ctx, "/acquisition/added", added); err != nil {
		return err
	}
	linked := series("TimeSeries", nil, nil)
	delete(linked.Datasets, "data")
	linked.Links = map[string]hdmf.Reference{"data": {Path: "/acquisition/added/data"}}
	if err := e.AddGroup(ctx, "/acquisition/added-link", linked); err != nil {
		return err
	}
	if err := e.Link(ctx, "/stimulus/presentation/shown", hdmf.Reference{Path: "/acquisition/added"}); err != nil {
		return err
	}
	return e.AddDataset(ctx, "/scratch/added", &write.Dataset{
		Object: typed("ScratchData", map[string]any{"notes": "new"}), Data: write.Numbers([]uint8{1, 2, 3}), Dims: []string{"dim0"}})
}
