package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/nwb"
	"github.com/omnizarr/zarr/format/hdmf/write"
)

// writeValues makes NWB files of Go values in a layout below a folder, with the
// schemas of a place: a small one, one with most things, one with types of an
// extension.
func writeValues(ctx context.Context, layout, schemas, dir string) error {
	texts, err := hdmf.SchemasOf(ctx, schemas)
	if err != nil {
		return err
	}
	opts := write.Options{Layout: nwbLayouts[layout]}
	if opts.Layout == 0 {
		return fmt.Errorf("no layout %s", layout)
	}
	make := func(name string, texts []hdmf.SchemaText, fill func(f *nwb.File)) error {
		f := nwb.New(texts, nwb.Session{Identifier: name, Description: "a session in the dark", Start: time.Now().Add(-time.Hour), Fields: nwb.Fields{
			"general/experimenter": "Lovelace, Ada", "general/institution": "a lab", "general/keywords": []string{"eins", "数据"},
			"general/subject": nwb.Fields{"subject_id": "m17", "species": "Mus musculus", "sex": "F", "age": "P90D", "description": "a mouse"},
		}})
		fill(f)
		return f.Create(ctx, filepath.Join(dir, name+nwbEnd), opts)
	}
	return errors.Join(
		make("small", texts, smallValues),
		make("most", texts, func(f *nwb.File) { smallValues(f); mostValues(f) }),
		make("extension", append(texts, labExtension...), extensionValues),
	)
}

// smallValues are a series, electrodes and units.
func smallValues(f *nwb.File) {
	probe := f.Add("/general/devices/probe", "Device", nwb.Fields{"description": "of silicon"})
	shank := f.Add("/general/extracellular_ephys/shank", "ElectrodeGroup", nwb.Fields{"description": "the only one", "location": "CA1", "device": probe})
	electrodes := f.Electrodes(
		nwb.Col("location", []string{"CA1", "CA1"}),
		nwb.Col("group", []hdmf.Reference{shank, shank}),
		nwb.Col("group_name", []string{"shank", "shank"}),
		nwb.Col("depth", []float64{0.5, 1.5}, "below the surface, in mm"),
	)
	f.ElectricalSeries("/acquisition/raw", nwb.Series{Data: [][]int16{{1, 2}, {3, 4}, {5, 6}}, Rate: 30000, Conversion: 1e-6})
	f.Units(
		nwb.Col("spike_times", [][]float64{{0.1, 0.2}, {}, {0.3}}),
		nwb.Col("electrodes", nwb.Rows(electrodes, [][]int{{0}, {0, 1}, {1}})),
	)
}

// mostValues are links, tables, images, doubly ragged columns and nested objects.
func mostValues(f *nwb.File) {
	trace := f.TimeSeries("/acquisition/celsius", nwb.Series{Data: []float32{20, 21, 22}, Unit: "degrees", Timestamps: []float64{0.5, 2, 2.5}})
	f.TimeSeries("/acquisition/counts", nwb.Series{Data: []int{7, 8, 9}, Unit: "n.a.", Timestamps: hdmf.Reference{Path: trace.Path + "/timestamps"}})
	f.Add("/processing/behavior", "ProcessingModule", nwb.Fields{"description": "what it did"})
	f.Add("/processing/behavior/Position", "Position", nwb.Fields{"xy": nwb.Object{Type: "SpatialSeries", Fields: nwb.Fields{
		"data": [][]float64{{1, 2}, {3, 4}, {5, 6}}, "starting_time": 1.5, "rate": 30, "reference_frame": "the corner"}}})
	f.Trials(
		nwb.Col("start_time", []float64{0, 1}),
		nwb.Col("stop_time", []float64{0.5, 1.5}),
		nwb.Col("tags", [][]string{{"a"}, {"b", "ç"}}),
		nwb.Col("correct", []bool{true, false}, "whether it was"),
	)
	f.Table("/analysis/doses", "DynamicTable", "what was given", nwb.Col("milligrams", []float64{1, 2}, "of sugar"),
		nwb.Col("drops", [][][]int{{{1, 2}, {3}}, {{}}}, "counted by the minute"))
	plane := f.Add("/general/optophysiology/plane", "ImagingPlane", nwb.Fields{
		"description": "the plane", "excitation_lambda": 600.0, "indicator": "GFP", "location": "VISp",
		"device":  hdmf.Reference{Path: "/general/devices/probe"},
		"channel": nwb.Object{Type: "OpticalChannel", Fields: nwb.Fields{"description": "green", "emission_lambda": 500.0}}})
	f.Series("/acquisition/frames", "TwoPhotonSeries", nwb.Series{Data: write.Numbers(make([]uint16, 20*3*4), 20, 3, 4), Rate: 10, Unit: "n.a.",
		Fields: nwb.Fields{"imaging_plane": plane}})
	f.Add("/scratch/note", "ScratchData", nwb.Fields{"data": "by hand", "notes": "of the day"})
}

// labExtension is a namespace of types that NWB does not have.
var labExtension = []hdmf.SchemaText{
	{Namespace: "ndx-lab", Version: "0.1.0", Source: "namespace", Text: `{"namespaces":[{"name":"ndx-lab","version":"0.1.0","doc":"rigs","author":["a"],"contact":["a@example.org"],"schema":[{"namespace":"core"},{"source":"ndx-lab.extensions"}]}]}`},
	{Namespace: "ndx-lab", Version: "0.1.0", Source: "ndx-lab.extensions", Text: `{"groups":[
		{"neurodata_type_def":"Rig","neurodata_type_inc":"LabMetaData","doc":"where it was","attributes":[
			{"name":"version","dtype":"text","value":"7","doc":"of the rig"},{"name":"room","dtype":"text","doc":"its number"}],
		 "datasets":[{"name":"calibration","dtype":"float32","shape":[null,2],"dims":["point","xy"],"doc":"in mm"}],
		 "links":[{"name":"camera","target_type":"Device","doc":"what looks at it"}]},
		{"neurodata_type_def":"LickSeries","neurodata_type_inc":"TimeSeries","doc":"licks","attributes":[{"name":"spout","dtype":"text","doc":"which"}]}]}`},
}

// extensionValues are objects of the extension's types.
func extensionValues(f *nwb.File) {
	camera := f.Add("/general/devices/camera", "Device", nwb.Fields{"description": "fast"})
	f.Add("/general/rig", "Rig", nwb.Fields{"room": "K12", "camera": camera, "calibration": [][]float32{{1, 2}, {3, 4}}})
	f.Series("/acquisition/licks", "LickSeries", nwb.Series{Data: []int8{1, 0, 1}, Unit: "licks", Timestamps: []float64{1, 2, 4}, Fields: nwb.Fields{"spout": "left"}})
}
