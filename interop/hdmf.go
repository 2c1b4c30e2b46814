package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
)

const (
	nwbEnd         = ".nwb.zarr"
	electrodesPath = "/general/extracellular_ephys/electrodes"
)

// writeNWB writes sessions of NWB in a layout below a folder, with schemas that
// another file caches: one by itself, one without consolidated metadata, one that
// links to it, one with references to regions, and, in the layout v2, one with
// pickles.
func writeNWB(ctx context.Context, layout, schemas, dir string) error {
	src, err := hdmf.Open(ctx, schemas)
	if err != nil {
		return err
	}
	defer src.Close()
	texts, err := src.SchemaTexts(ctx)
	if err != nil {
		return err
	}
	opts := write.Options{Layout: nwbLayouts[layout], Schemas: texts}
	if opts.Layout == 0 {
		return fmt.Errorf("no layout %s", layout)
	}
	to := func(name string, root *write.Group, opts write.Options) error {
		return write.Create(ctx, filepath.Join(dir, name+nwbEnd), root, opts)
	}
	plain, pickled := opts, opts
	plain.Plain, pickled.Pickle = true, true
	err = errors.Join(
		to("session", nwbSession("session"), opts),
		to("plain", withoutTrials(nwbSession("plain")), plain),
		to("linked", nwbLinked(), opts),
		to("regions", nwbRegions(), opts),
	)
	if err == nil && opts.Layout == hdmf.V2 {
		err = to("pickled", nwbSession("pickled"), pickled)
	}
	return err
}

var nwbLayouts = map[string]hdmf.Layout{"v2": hdmf.V2, "v3": hdmf.V3}

// typed is an object of NWB.
func typed(name string, attributes map[string]any) write.Object {
	return write.Object{Type: hdmf.Type{Namespace: "core", Name: name}, Attributes: attributes}
}

// common is an object of HDMF's own namespace.
func common(name string, attributes map[string]any) write.Object {
	return write.Object{Type: hdmf.Type{Namespace: "hdmf-common", Name: name}, Attributes: attributes}
}

func columnOf(description string, data write.Data) *write.Dataset {
	return &write.Dataset{Object: common("VectorData", map[string]any{"description": description}), Data: data}
}

// indexOf is the index of a column.
func indexOf(column string, ends ...uint8) *write.Dataset {
	return &write.Dataset{Data: write.Numbers(ends), Object: common("VectorIndex", map[string]any{
		"description": "where rows end", "target": hdmf.Reference{Path: column}})}
}

func ids(n int) *write.Dataset {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i)
	}
	return &write.Dataset{Object: common("ElementIdentifiers", nil), Data: write.Numbers(list)}
}

// regionOf is a list of rows of the electrodes.
func regionOf(rows ...int64) *write.Dataset {
	return &write.Dataset{Data: write.Numbers(rows), Object: common("DynamicTableRegion", map[string]any{
		"description": "some electrodes", "table": hdmf.Reference{Path: electrodesPath}})}
}

func tableOf(typ string, rows int, names []string, columns map[string]*write.Dataset) *write.Group {
	columns["id"] = ids(rows)
	return &write.Group{Object: typed(typ, map[string]any{"description": "a table", "colnames": names}), Datasets: columns}
}

// emptySession has what every session must have.
func emptySession(name string) *write.Group {
	const start = "2026-11-15T09:30:01.250000+01:00"
	groups := func() map[string]*write.Group { return map[string]*write.Group{} }
	return &write.Group{
		Object: typed("NWBFile", map[string]any{"nwb_version": "2.11.0"}),
		Datasets: map[string]*write.Dataset{
			"file_create_date":          {Data: write.Text([]string{start, start})},
			"identifier":                {Data: write.Scalar(name)},
			"session_description":       {Data: write.Scalar("the session " + name + ", für Tests")},
			"session_start_time":        {Data: write.Scalar(start)},
			"timestamps_reference_time": {Data: write.Scalar(start)},
		},
		Groups: map[string]*write.Group{
			"acquisition": {Groups: groups()}, "analysis": {}, "processing": {}, "general": {Groups: groups(), Datasets: map[string]*write.Dataset{
				"keywords": {Data: write.Text([]string{"one", "数据"})}}},
			"stimulus": {Groups: map[string]*write.Group{"presentation": {}, "templates": {}}},
		},
	}
}

// series is a time series with a rate.
func series(typ string, attributes map[string]any, data *write.Dataset) *write.Group {
	if attributes == nil {
		attributes = map[string]any{}
	}
	attributes["description"], attributes["comments"] = "a series", "none"
	return &write.Group{Object: typed(typ, attributes), Datasets: map[string]*write.Dataset{
		"data":          data,
		"starting_time": {Object: write.Object{Attributes: map[string]any{"rate": 100.0, "unit": "seconds"}}, Data: write.Scalar(1.5)},
	}}
}

func samples(unit string, data write.Data, dims ...string) *write.Dataset {
	return &write.Dataset{Data: data, Dims: dims, Object: write.Object{Attributes: map[string]any{
		"unit": unit, "conversion": 1.0, "offset": 0.0, "resolution": math.NaN()}}}
}

// nwbSession has series, electrodes, units, trials, links and scratch.
func nwbSession(name string) *write.Group {
	root := emptySession(name)
	root.Groups["general"].Groups["devices"] = &write.Group{Groups: map[string]*write.Group{
		"probe": {Object: typed("Device", map[string]any{"description": "of silicon"})}}}
	shank := func(i int) *write.Group {
		return &write.Group{Object: typed("ElectrodeGroup", map[string]any{"description": fmt.Sprint("shank ", i), "location": "CA1"}),
			Links: map[string]hdmf.Reference{"device": {Path: "/general/devices/probe"}}}
	}
	group := func(i int) hdmf.Reference {
		return hdmf.Reference{Path: fmt.Sprint("/general/extracellular_ephys/shank", i)}
	}
	root.Groups["general"].Groups["extracellular_ephys"] = &write.Group{Groups: map[string]*write.Group{
		"shank0": shank(0), "shank1": shank(1),
		"electrodes": tableOf("ElectrodesTable", 3, []string{"location", "group", "group_name", "x", "good"}, map[string]*write.Dataset{
			"location":   columnOf("where", write.Text([]string{"CA1", "CA1", "unbekännt"})),
			"group":      columnOf("which group", write.References([]hdmf.Reference{group(0), group(1), group(0)})),
			"group_name": columnOf("its name", write.Text([]string{"shank0", "shank1", "shank0"})),
			"x":          columnOf("to the front", write.Numbers([]float32{1, float32(math.Inf(1)), 3})),
			"good":       columnOf("is it", write.Numbers([]bool{true, false, true})),
		}),
	}}
	recording := make([]int16, 3*500)
	for i := range recording {
		recording[i] = int16(i * 7919)
	}
	acquisition := root.Groups["acquisition"].Groups
	electrical := series("ElectricalSeries", map[string]any{"filtering": "none"}, samples("volts", write.Numbers(recording, 500, 3), "num_times", "num_channels"))
	electrical.Datasets["data"].Chunks = []int{200, 2}
	electrical.Datasets["electrodes"] = regionOf(0, 1, 2)
	acquisition["recording"] = electrical
	trace := series("TimeSeries", nil, samples("V", write.Numbers([]float64{1, math.NaN(), 3, 4}), "num_times"))
	delete(trace.Datasets, "starting_time")
	trace.Datasets["timestamps"] = &write.Dataset{Data: write.Numbers([]float64{0.5, 1, 1.5, 2}), Dims: []string{"num_times"},
		Object: write.Object{Attributes: map[string]any{"interval": int32(1), "unit": "seconds"}}}
	acquisition["trace"] = trace
	same := series("TimeSeries", map[string]any{}, samples("V", write.Numbers([]uint64{1 << 63, 2, 3, 4}), "num_times"))
	delete(same.Datasets, "starting_time")
	same.Links = map[string]hdmf.Reference{"timestamps": {Path: "/acquisition/trace/timestamps"}}
	acquisition["same-times"] = same
	root.Groups["intervals"] = &write.Group{Groups: map[string]*write.Group{"trials": trials()}}
	root.Groups["units"] = units(group)
	root.Groups["scratch"] = &write.Group{Datasets: map[string]*write.Dataset{
		"numbers": {Object: typed("ScratchData", map[string]any{"notes": "not of any schema"}), Data: write.Numbers([]complex128{1 + 2i})},
		"text":    {Object: typed("ScratchData", map[string]any{"notes": "nor is this"}), Data: write.Scalar("some text")},
	}}
	return root
}

func units(group func(int) hdmf.Reference) *write.Group {
	return tableOf("Units", 3, []string{"spike_times", "quality", "electrodes", "electrode_group"}, map[string]*write.Dataset{
		"spike_times":       columnOf("in seconds", write.Numbers([]float64{0.1, 0.2, 0.3, 0.4, 0.5})),
		"spike_times_index": indexOf("/units/spike_times", 2, 2, 5),
		"quality":           columnOf("how sure", write.Text([]string{"good", "mäßig", ""})),
		"electrodes":        regionOf(0, 1, 2, 2),
		"electrodes_index":  indexOf("/units/electrodes", 2, 3, 4),
		"electrode_group":   columnOf("which group", write.References([]hdmf.Reference{group(0), group(1), group(1)})),
	})
}

// trials refer to parts of time series.
func trials() *write.Group {
	parts := write.Compounds(
		write.Field{Name: "idx_start", Data: write.Numbers([]int32{0, 1, 10})},
		write.Field{Name: "count", Data: write.Numbers([]int32{2, 1, 5})},
		write.Field{Name: "timeseries", Data: write.References([]hdmf.Reference{
			{Path: "/acquisition/trace"}, {Path: "/acquisition/same-times"}, {Path: "/acquisition/recording"}})},
	)
	return tableOf("TimeIntervals", 2, []string{"start_time", "stop_time", "tags", "timeseries"}, map[string]*write.Dataset{
		"start_time":       columnOf("in seconds", write.Numbers([]float64{0, 1})),
		"stop_time":        columnOf("in seconds", write.Numbers([]float64{0.5, 1.5})),
		"tags":             columnOf("of the user", write.Text([]string{"a", "ö", "c"})),
		"tags_index":       indexOf("/intervals/trials/tags", 1, 3),
		"timeseries":       {Object: typed("TimeSeriesReferenceVectorData", map[string]any{"description": "parts of series"}), Data: parts},
		"timeseries_index": indexOf("/intervals/trials/timeseries", 1, 3),
	})
}

func withoutTrials(root *write.Group) *write.Group {
	delete(root.Groups, "intervals")
	return root
}

// nwbLinked takes data and a whole series of the file session beside it.
func nwbLinked() *write.Group {
	root := emptySession("linked")
	beside := func(path string) hdmf.Reference { return hdmf.Reference{Source: "../session" + nwbEnd, Path: path} }
	own := series("TimeSeries", nil, nil)
	delete(own.Datasets, "data")
	own.Links = map[string]hdmf.Reference{"data": beside("/acquisition/trace/data")}
	root.Groups["acquisition"].Groups["own"] = own
	root.Groups["acquisition"].Links = map[string]hdmf.Reference{"trace": beside("/acquisition/trace")}
	return root
}

// nwbRegions refers to parts of a series.
func nwbRegions() *write.Group {
	root := emptySession("regions")
	root.Groups["acquisition"].Groups["trace"] = series("TimeSeries", nil, samples("V", write.Numbers(make([]float32, 20), 10, 2), "num_times", "num_channels"))
	part := func(r *hdmf.Region) hdmf.Reference { return hdmf.Reference{Path: "/acquisition/trace/data", Region: r} }
	root.Groups["scratch"] = &write.Group{Datasets: map[string]*write.Dataset{"regions": {
		Object: typed("ScratchData", map[string]any{"notes": "parts of a series"}),
		Data: write.References([]hdmf.Reference{
			part(&hdmf.Region{Axes: []hdmf.RegionAxis{{Start: 2, Stop: 8, Step: 2}, {Indices: []int{1}}}}),
			part(&hdmf.Region{Points: [][]int{{0, 1}, {9, 0}}}),
		}),
	}}}
	return root
}
