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
	f := nwb.New(texts, nwb.Session{Identifier: "m17-0312", Description: "a walk in the dark", Start: time.Date(2026, 3, 12, 9, 30, 0, 0, time.UTC)})
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

// read counts the units of a file.
func read(ctx context.Context, url string) error {
	f, err := hdmf.Open(ctx, url)
	if err != nil {
		return err
	}
	defer f.Close()
	o, err := f.Object(ctx, "/units")
	if err != nil {
		return err
	}
	t, err := hdmf.OpenTable(ctx, o.(*hdmf.Group))
	if err != nil {
		return err
	}
	fmt.Println(t.Rows(), "units")
	return nil
}

// inFolder calls what needs a file of pynwb's, in a folder of its own.
func inFolder(call func(ctx context.Context, dir, schemas string) error) {
	dir, err := os.MkdirTemp("", "nwb")
	if err == nil {
		defer os.RemoveAll(dir)
		err = nwbtest.UnpackTo(dir, "session_v3_plain.nwb.zarr")
	}
	if err == nil {
		err = call(context.Background(), dir, filepath.Join(dir, "session_v3_plain.nwb.zarr"))
	}
	if err != nil {
		fmt.Println(err)
	}
}

func Example() {
	inFolder(func(ctx context.Context, dir, schemas string) error {
		url := filepath.Join(dir, "m17.nwb.zarr")
		if err := session(ctx, url, schemas, [][]int16{{1, 2}, {3, 4}, {5, 6}}); err != nil {
			return err
		}
		return read(ctx, url)
	})
	// Output: 3 units
}

// rig makes a file with an object of a type that an extension has.
func rig(ctx context.Context, url, spec string, texts []hdmf.SchemaText) error {
	extension, err := hdmf.SchemasOf(ctx, spec)
	if err != nil {
		return err
	}
	f := nwb.New(append(texts, extension...), nwb.Session{Identifier: "m17-0312", Description: "a walk in the dark", Start: time.Date(2026, 3, 12, 9, 30, 0, 0, time.UTC)})
	camera := f.Add("/general/devices/camera", "Device", nil)
	f.Add("/general/rig", "Rig", nwb.Fields{"room": "K12", "camera": camera})
	return f.Create(ctx, url, write.Options{})
}

// An extension is a folder of YAML. What it asks for is asked for, and what it fixes
// is filled in.
func Example_extension() {
	inFolder(func(ctx context.Context, dir, schemas string) error {
		for name, text := range map[string]string{
			"ndx-lab.namespace.yaml": `
namespaces:
- name: ndx-lab
  version: 0.1.0
  doc: rigs of the lab
  schema:
  - namespace: core
  - source: ndx-lab.extensions.yaml
`,
			"ndx-lab.extensions.yaml": `
groups:
- neurodata_type_def: Rig
  neurodata_type_inc: LabMetaData
  doc: where it was
  attributes:
  - {name: room, dtype: text, doc: its number}
  - {name: version, dtype: text, value: "7", doc: of the rig}
  links:
  - {name: camera, target_type: Device, doc: what looks at it}
`,
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				return err
			}
		}
		texts, err := hdmf.SchemasOf(ctx, schemas)
		if err != nil {
			return err
		}
		url := filepath.Join(dir, "m17.nwb.zarr")
		if err := rig(ctx, url, filepath.Join(dir, "ndx-lab.namespace.yaml"), texts); err != nil {
			return err
		}
		f, err := hdmf.Open(ctx, url)
		if err != nil {
			return err
		}
		defer f.Close()
		o, err := f.Object(ctx, "/general/rig")
		if err != nil {
			return err
		}
		version, _ := o.Attribute("version")
		fmt.Println(o.Type(), string(version.Raw))
		return nil
	})
	// Output: ndx-lab.Rig "7"
}
