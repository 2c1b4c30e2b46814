package nwb

import (
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/schema"
	"github.com/omnizarr/zarr/format/hdmf/write"
)

// Column is a column of a table. Col makes one.
type Column struct {
	Name string
	// Data has a value for each row. Where each has a slice, they may differ in
	// length, and get an index; data with further axes is a write.Data.
	Data any
	// Ends says for data that has all values one after the other, such as compounds,
	// where those of each row end.
	Ends []int
	// Description is needed where the schema has no such column.
	Description string
}

// Col is a column of a table, with what it means if the schema does not have it.
func Col(name string, data any, description ...string) Column {
	c := Column{Name: name, Data: data}
	if len(description) > 0 {
		c.Description = description[0]
	}
	return c
}

// Region is some rows of a table. Rows makes one.
type Region struct {
	Table hdmf.Reference
	Rows  any // []int; as a column [][]int, some for each row
}

// Rows is some rows of a table by their numbers: []int, or as a column [][]int.
func Rows(table hdmf.Reference, rows any) Region { return Region{table, rows} }

// Table makes a table of a type with columns, in their order. The description may be
// empty where the schema has one for the place.
func (f *File) Table(at, typ, description string, columns ...Column) hdmf.Reference {
	fields := Fields{}
	if description != "" {
		fields["description"] = description
	}
	ref := f.Add(at, typ, fields)
	if g, err := f.group(ref.Path); err == nil { // else it is told already
		for _, c := range columns {
			f.fail(ref.Path, f.column(ref.Path, g, c))
		}
	}
	return ref
}

// electrodesAt is where the schema has the table of electrodes.
const electrodesAt = "/general/extracellular_ephys/electrodes"

// Electrodes makes the table of electrodes.
func (f *File) Electrodes(columns ...Column) hdmf.Reference {
	return f.Table(electrodesAt, "", "", columns...)
}

// Units makes the table of units: each has a row, and its spikes in the column
// spike_times.
func (f *File) Units(columns ...Column) hdmf.Reference { return f.Table("/units", "", "", columns...) }

// Trials makes the table of trials, with the columns start_time and stop_time.
func (f *File) Trials(columns ...Column) hdmf.Reference {
	return f.Table("/intervals/trials", "", "", columns...)
}

// isTable says whether specs are those of a table.
func isTable(specs []*schema.GroupSpec) bool {
	return slices.ContainsFunc(specs, func(s *schema.GroupSpec) bool {
		t, err := s.Type()
		return err == nil && t.Is("", "DynamicTable")
	})
}

// column puts a column into a table, and indexes before it if it is ragged.
func (f *File) column(at string, g *write.Group, c Column) error {
	if !isTable(f.specs[at]) {
		return fmt.Errorf("column %q: %s is no table", c.Name, at)
	}
	if g.Datasets[c.Name] != nil {
		return fmt.Errorf("column %q: %w", c.Name, errThere)
	}
	if err := f.putColumn(at, g, c); err != nil {
		return fmt.Errorf("column %q: %w", c.Name, err)
	}
	names, _ := g.Attributes["colnames"].([]string)
	g.Attributes["colnames"] = append(names, c.Name)
	return nil
}

func (f *File) putColumn(at string, g *write.Group, c Column) error {
	typ, data := "VectorData", c.Data
	region, isRegion := data.(Region)
	if isRegion {
		typ, data = "DynamicTableRegion", region.Rows
	}
	t, err := f.typeOf(typ)
	var slot *schema.DatasetSpec
	if slots := datasetSlots(f.specs[at], c.Name, nil); slots != nil {
		slot = slots[0]
		t, err = slot.Type()
	}
	if err != nil {
		return err
	}
	if t.Is("", "DynamicTableRegion") && !isRegion {
		return errors.New("is one of rows of a table: its data are Rows(table, numbers)")
	}
	specs := f.datasetSpecs(path.Join(at, c.Name), t)
	flat, ends, err := ragged(data, rank(specs))
	if err != nil {
		return err
	}
	if c.Ends != nil {
		ends = append(ends, convert(c.Ends, func(n int) uint64 { return uint64(max(n, 0)) }))
	}
	d, err := f.dataset(specs, t, flat)
	if err != nil {
		return err
	}
	if isRegion {
		d.Attributes["table"] = region.Table
	}
	switch {
	case c.Description != "":
		d.Attributes["description"] = c.Description
	case d.Attributes["description"] != nil:
	case slot != nil:
		d.Attributes["description"] = slot.Doc
	default:
		return errors.New("is none of the schema's, and needs a description")
	}
	shape := d.Data.Shape()
	if err := d.Data.Err(); err != nil {
		return err
	} else if len(shape) == 0 {
		return errors.New("is a single value, must be one for each row")
	}
	rows := shape[0]
	g.Datasets[c.Name] = d
	index, err := f.typeOf("VectorIndex")
	if err != nil {
		return err
	}
	name := c.Name
	for _, list := range slices.Backward(ends) {
		rows = len(list)
		i := &write.Dataset{Object: objectOf(index), Data: write.Numbers(list)}
		i.Attributes["target"] = hdmf.Reference{Path: path.Join(at, name)}
		i.Attributes["description"] = fmt.Sprintf("Index for VectorData '%s'", name)
		name += "_index"
		g.Datasets[name] = i
	}
	if before, ok := f.rows[at]; ok && before != rows {
		return fmt.Errorf("has %d rows, and the columns before it %d", rows, before)
	}
	f.rows[at] = rows
	return nil
}

// rank is how many axes the data of a column has at least.
func rank(specs []*schema.DatasetSpec) int {
	for _, s := range specs {
		if len(s.Shapes) > 0 {
			least := slices.MinFunc(s.Shapes, func(a, b schema.Shape) int { return len(a) - len(b) })
			return len(least)
		}
	}
	return 1
}

// ragged takes slices of slices apart, as far as more of them lie in each other than
// the data has axes: what is inside, and where that of each slice ends, the outermost
// first.
func ragged(data any, rank int) (inside any, ends [][]uint64, err error) {
	v := reflect.ValueOf(data)
	depth := 0
	if v.IsValid() {
		for t := v.Type(); t.Kind() == reflect.Slice; t = t.Elem() {
			depth++
		}
	}
	for range depth - rank {
		all, list, n := reflect.MakeSlice(v.Type().Elem(), 0, v.Len()), make([]uint64, v.Len()), uint64(0)
		for i := range v.Len() {
			n += uint64(v.Index(i).Len())
			list[i] = n
			all = reflect.AppendSlice(all, v.Index(i))
		}
		v, ends = all, append(ends, list)
	}
	if !v.IsValid() {
		return nil, nil, errors.New("has no data")
	}
	return v.Interface(), ends, nil
}
