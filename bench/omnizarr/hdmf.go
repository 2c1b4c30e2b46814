//go:build !arrays

package main

import (
	"context"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
)

func init() {
	workloads["hdmf-walk"] = func(_ context.Context, t task) (run, error) { return walkNWB(nwbPath(t)), nil }
	workloads["hdmf-units"] = readUnits
	workloads["hdmf-series"] = readRecording
}

// The units table whose rows are picked, and how many of them; see hdmfs.py.
const (
	unitRows   = 200_000
	pickedRows = 2000
	pickStep   = 7919 * 13
)

// nwbPath is the file of DIR that is named after a workload.
func nwbPath(t task) string {
	return filepath.Join(t.dir, strings.ReplaceAll(t.name, "/", "-")+".nwb.zarr")
}

// nwb gives a workload on a file.
func nwb(path string, do func(ctx context.Context, f *hdmf.File) error, sum func() uint64) run {
	return run{
		do: func(ctx context.Context) error {
			f, err := hdmf.Open(ctx, path)
			if err != nil {
				return err
			}
			defer f.Close()
			return do(ctx, f)
		},
		check: func(context.Context) error { return nil }, // the driver compares sums
		done:  nothing,
		sum:   sum,
	}
}

// walkNWB opens a file with its schemas and visits everything that it holds: types,
// which must be known to the schemas, ids, lengths of data, and single values.
func walkNWB(path string) run {
	type found struct{ name, id string }
	var objects []found
	var lengths int
	visit := func(ctx context.Context, f *hdmf.File) error {
		objects, lengths = nil, 0
		schemas, err := f.Schemas(ctx)
		if err != nil {
			return err
		}
		typed := func(o hdmf.Object) error {
			if o.ID() == "" {
				return nil
			}
			typ := o.Type()
			objects = append(objects, found{typ.Name, o.ID()})
			_, err := schemas.Type(typ.Namespace, typ.Name)
			return err
		}
		if err := typed(f.Root()); err != nil {
			return err
		}
		for m, err := range f.Root().Walk(ctx) {
			if err == nil && m.Object != nil {
				err = typed(m.Object)
			}
			d, ok := m.Object.(*hdmf.Dataset)
			if err == nil && ok && d.Scalar() {
				_, err = d.Read(ctx, zarr.All())
			}
			if err != nil {
				return err
			}
			if ok && (m.Name == "data" || m.Name == "timestamps") {
				lengths += d.Shape()[0]
			}
		}
		return nil
	}
	return nwb(path, visit, func() uint64 {
		sum := uint64(lengths)
		for _, o := range objects {
			sum += uint64(crc32.ChecksumIEEE([]byte(o.name + " " + o.id)))
		}
		return sum
	})
}

// readUnits reads the spike times of rows that lie all over the table.
func readUnits(_ context.Context, t task) (run, error) {
	var cells *hdmf.Cells
	read := func(ctx context.Context, f *hdmf.File) error {
		o, err := f.Object(ctx, "/units")
		if err != nil {
			return err
		}
		g, ok := o.(*hdmf.Group)
		if !ok {
			return fmt.Errorf("%s is no group", o.Path())
		}
		table, err := hdmf.OpenTable(ctx, g)
		if err != nil {
			return err
		}
		times, err := table.Column("spike_times")
		if err != nil {
			return err
		}
		rows := make([]int, pickedRows*table.Rows()/unitRows)
		for i := range rows {
			rows[i] = (i + 1) * pickStep % table.Rows()
		}
		cells, err = times.ReadRows(ctx, rows)
		return err
	}
	return nwb(nwbPath(t), read, func() uint64 {
		sum := uint64(0)
		for i := range cells.Rows() {
			mem, _, _ := cells.Row(i).Memory()
			sum += uint64(crc32.ChecksumIEEE(mem))
		}
		return sum
	}), nil
}

// readRecording reads the data of a series whole into new memory.
func readRecording(ctx context.Context, t task) (run, error) {
	var values *hdmf.Values
	data := func(ctx context.Context, f *hdmf.File) (*hdmf.Dataset, error) {
		o, err := f.Object(ctx, "/acquisition/recording")
		if err != nil {
			return nil, err
		}
		g, ok := o.(*hdmf.Group)
		if !ok {
			return nil, fmt.Errorf("%s is no group", o.Path())
		}
		s, err := hdmf.OpenSeries(ctx, g)
		if err != nil {
			return nil, err
		}
		return s.Data(), nil
	}
	memory := func() []byte {
		mem, _, _ := values.Memory()
		return mem
	}
	size := 0
	measured := nwb(nwbPath(t), func(ctx context.Context, f *hdmf.File) error {
		d, err := data(ctx, f)
		if err == nil {
			values, err = d.Read(ctx, zarr.All())
		}
		return err
	}, func() uint64 { return uint64(crc32.ChecksumIEEE(memory())) })
	measured.done = func() error { values = nil; return nil }
	sized := nwb(nwbPath(t), func(ctx context.Context, f *hdmf.File) error {
		d, err := data(ctx, f)
		if err == nil {
			size = d.Array().DataType().Size()
			for _, n := range d.Shape() {
				size *= n
			}
		}
		return err
	}, nil)
	err := sized.do(ctx)
	measured.bytes = size
	return measured, err
}
