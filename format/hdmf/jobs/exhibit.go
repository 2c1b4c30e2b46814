package jobs

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/scene"
	"github.com/omnizarr/zarr/kind"
)

// Exhibited is a name.
func (*Kind) Exhibited() string { return "session.nwb.zarr" }

// Exhibit writes a session of a mouse with a probe in its brain. It caches no schemas,
// which are not ours to hand on; programs for NWB have them.
func (k *Kind) Exhibit(ctx context.Context, dir string, opts []zarr.Option) (kind.Exhibit, error) {
	e := kind.Exhibit{Name: k.Exhibited(), Title: "two minutes of a mouse with a probe in its brain", Array: "/acquisition/lfp/data", Slice: ":1250,0"}
	session := &exhibited{Session: scene.NewSession(120, 40)}
	err := write.Create(ctx, filepath.Join(dir, e.Name), session.file(), write.Options{Overwrite: true, Zarr: opts})
	return e, err
}

// exhibited is the session that is shown, as objects of NWB.
type exhibited struct{ *scene.Session }

type attributes = map[string]any

func typed(namespace, name string, attrs attributes) write.Object {
	return write.Object{Type: hdmf.Type{Namespace: namespace, Name: name}, Attributes: attrs}
}

func core(name string, attrs attributes) write.Object   { return typed("core", name, attrs) }
func common(name string, attrs attributes) write.Object { return typed("hdmf-common", name, attrs) }

func dataset(data write.Data, dims ...string) *write.Dataset {
	return &write.Dataset{Data: data, Dims: dims}
}

func group(o write.Object, groups map[string]*write.Group, datasets map[string]*write.Dataset) *write.Group {
	return &write.Group{Object: o, Groups: groups, Datasets: datasets}
}

// column is one of a table.
func column(description string, data write.Data) *write.Dataset {
	return &write.Dataset{Object: common("VectorData", attributes{"description": description}), Data: data, Dims: []string{"rows"}}
}

// index says where the entries of a ragged column end.
func index(column string, counts []int) *write.Dataset {
	ends, end := make([]uint32, len(counts)), 0
	for i, n := range counts {
		end += n
		ends[i] = uint32(end)
	}
	o := common("VectorIndex", attributes{"description": "where each row ends", "target": hdmf.Reference{Source: ".", Path: column}})
	return &write.Dataset{Object: o, Data: write.Numbers(ends), Dims: []string{"rows"}}
}

// ids are the numbers of rows.
func ids(n int) *write.Dataset {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i)
	}
	return &write.Dataset{Object: common("ElementIdentifiers", nil), Data: write.Numbers(list), Dims: []string{"rows"}}
}

func repeated[T any](v T, n int) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = v
	}
	return list
}

func (s *exhibited) file() *write.Group {
	const start = "2025-06-30T09:30:00+00:00"
	f := group(core("NWBFile", attributes{"nwb_version": "2.8.0"}), map[string]*write.Group{
		"acquisition": group(write.Object{}, map[string]*write.Group{"lfp": s.lfp()}, nil),
		"analysis":    group(write.Object{}, nil, nil),
		"general":     s.general(),
		"intervals":   group(write.Object{}, map[string]*write.Group{"trials": s.trials()}, nil),
		"processing":  group(write.Object{}, map[string]*write.Group{"behavior": s.behaviour()}, nil),
		"stimulus":    group(write.Object{}, map[string]*write.Group{"presentation": group(write.Object{}, nil, nil), "templates": group(write.Object{}, nil, nil)}, nil),
		"units":       s.units(),
	}, map[string]*write.Dataset{
		"file_create_date":          dataset(write.Text([]string{start}), "num_modifications"),
		"identifier":                dataset(write.Scalar("omnizarr-demo")),
		"session_description":       dataset(write.Scalar("a mouse runs to the side where a light goes on")),
		"session_start_time":        dataset(write.Scalar(start)),
		"timestamps_reference_time": dataset(write.Scalar(start)),
	})
	// What is analysed is what was recorded.
	f.Groups["analysis"].Links = map[string]hdmf.Reference{"analysed_lfp": {Source: ".", Path: "/acquisition/lfp"}}
	return f
}

const electrodes = "/general/extracellular_ephys/electrodes"

// region is a column, or a member of a series, that names rows of the electrodes.
func region(rows []int64) *write.Dataset {
	o := common("DynamicTableRegion", attributes{"description": "rows of the electrodes", "table": hdmf.Reference{Source: ".", Path: electrodes}})
	return &write.Dataset{Object: o, Data: write.Numbers(rows), Dims: []string{"rows"}}
}

func (s *exhibited) lfp() *write.Group {
	rows := make([]int64, scene.Probes)
	for i := range rows {
		rows[i] = int64(i)
	}
	data := dataset(write.Numbers(s.Field, len(s.Field)/scene.Probes, scene.Probes), "num_times", "num_channels")
	data.Attributes = attributes{"unit": "volts", "conversion": 1e-6, "offset": 0.0, "resolution": -1.0}
	data.Chunks = []int{1250, scene.Probes} // neuroglancer has room for no more than 2048 in a row
	start := dataset(write.Scalar(0.0))
	start.Attributes = attributes{"rate": float32(s.Rate), "unit": "seconds"}
	return group(core("ElectricalSeries", attributes{"description": "local field potentials along the probe", "comments": "made up"}), nil,
		map[string]*write.Dataset{"data": data, "starting_time": start, "electrodes": region(rows)})
}

func (s *exhibited) general() *write.Group {
	depth := make([]float64, scene.Probes)
	for i := range depth {
		depth[i] = 400 + 50*float64(i)
	}
	device := group(core("Device", attributes{"description": "a probe of sixteen channels"}), nil, nil)
	shank := group(core("ElectrodeGroup", attributes{"description": "the only shank", "location": "CA1"}), nil, nil)
	shank.Links = map[string]hdmf.Reference{"device": {Source: ".", Path: "/general/devices/probe"}}
	const at = "/general/extracellular_ephys/shank"
	table := group(common("DynamicTable", attributes{"description": "what the channels of the probe are", "colnames": []string{"depth", "location", "group", "group_name"}}), nil,
		map[string]*write.Dataset{
			"id":         ids(scene.Probes),
			"depth":      column("below the surface, in micrometres", write.Numbers(depth)),
			"location":   column("in the brain", write.Text(repeated("CA1", scene.Probes))),
			"group":      column("the shank", write.References(repeated(hdmf.Reference{Source: ".", Path: at}, scene.Probes))),
			"group_name": column("its name", write.Text(repeated("shank", scene.Probes))),
		})
	subject := group(core("Subject", nil), nil, map[string]*write.Dataset{
		"age": dataset(write.Scalar("P90D")), "sex": dataset(write.Scalar("F")), "species": dataset(write.Scalar("Mus musculus")), "subject_id": dataset(write.Scalar("m17")),
	})
	return group(write.Object{}, map[string]*write.Group{
		"devices":             group(write.Object{}, map[string]*write.Group{"probe": device}, nil),
		"extracellular_ephys": group(write.Object{}, map[string]*write.Group{"shank": shank, "electrodes": table}, nil),
		"subject":             subject,
	}, map[string]*write.Dataset{"institution": dataset(write.Scalar("Omnizarr")), "session_id": dataset(write.Scalar("1"))})
}

func (s *exhibited) trials() *write.Group {
	n := len(s.Trials)
	start, stop, side, right := make([]float64, n), make([]float64, n), make([]string, n), make([]bool, n)
	first, count := make([]int32, n), make([]int32, n)
	for i, t := range s.Trials {
		start[i], stop[i], side[i], right[i] = t.Start, t.Stop, t.Side, t.Right
		first[i], count[i] = int32(t.Start*s.Rate), int32((t.Stop-t.Start)*s.Rate)
	}
	during := write.Compounds(
		write.Field{Name: "idx_start", Data: write.Numbers(first)}, write.Field{Name: "count", Data: write.Numbers(count)},
		write.Field{Name: "timeseries", Data: write.References(repeated(hdmf.Reference{Source: ".", Path: "/acquisition/lfp"}, n))})
	series := &write.Dataset{Object: core("TimeSeriesReferenceVectorData", attributes{"description": "what was recorded meanwhile"}), Data: during, Dims: []string{"rows"}}
	return group(core("TimeIntervals", attributes{"description": "a light goes on, and the mouse may go there", "colnames": []string{"start_time", "stop_time", "side", "correct", "timeseries"}}), nil,
		map[string]*write.Dataset{
			"id":               ids(n),
			"start_time":       column("seconds", write.Numbers(start)),
			"stop_time":        column("seconds", write.Numbers(stop)),
			"side":             column("where the light was", write.Text(side)),
			"correct":          column("whether it went there", write.Numbers(right)),
			"timeseries":       series,
			"timeseries_index": index("/intervals/trials/timeseries", repeated(1, n)),
		})
}

func (s *exhibited) units() *write.Group {
	n := len(s.Spikes)
	var times []float64
	counts, rows, quality := make([]int, n), make([]int64, n), make([]string, n)
	for i, list := range s.Spikes {
		times = append(times, list...)
		counts[i], rows[i], quality[i] = len(list), int64(i*scene.Probes/n), fmt.Sprint([]string{"good", "good", "mua"}[i%3])
	}
	spikes := column("when it fired", write.Numbers(times))
	spikes.Attributes["resolution"] = 1.0 / 30000
	return group(core("Units", attributes{"description": "neurons, as far as they could be told apart", "colnames": []string{"spike_times", "electrodes", "quality"}}), nil,
		map[string]*write.Dataset{
			"id":                ids(n),
			"spike_times":       spikes,
			"spike_times_index": index("/units/spike_times", counts),
			"electrodes":        region(rows),
			"electrodes_index":  index("/units/electrodes", repeated(1, n)),
			"quality":           column("by eye", write.Text(quality)),
		})
}

func (s *exhibited) behaviour() *write.Group {
	n := len(s.Where) / 2
	times := make([]float64, n)
	for i := range times {
		times[i] = float64(i) / s.WhereAll
	}
	data := dataset(write.Numbers(s.Where, n, 2), "num_times", "x,y")
	data.Attributes = attributes{"unit": "meters", "conversion": 0.01, "offset": 0.0, "resolution": -1.0}
	when := dataset(write.Numbers(times), "num_times")
	when.Attributes = attributes{"interval": int32(1), "unit": "seconds"}
	where := group(core("SpatialSeries", attributes{"description": "where the mouse is in its box", "comments": "made up"}), nil, map[string]*write.Dataset{
		"data": data, "timestamps": when, "reference_frame": dataset(write.Scalar("the lower left corner of the box")),
	})
	return group(core("ProcessingModule", attributes{"description": "what it does"}), map[string]*write.Group{
		"Position": group(core("Position", nil), map[string]*write.Group{"position": where}, nil),
	}, nil)
}
