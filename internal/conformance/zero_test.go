package conformance_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/describe"
	"github.com/omnizarr/zarr/format/hdmf/jobs"
	"github.com/omnizarr/zarr/format/hdmf/schema"
	resolved "github.com/omnizarr/zarr/format/hdmf/view"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/zerotest"
	"github.com/omnizarr/zarr/serve/series"
	"github.com/omnizarr/zarr/serve/table"
)

// The tests here call all methods by reflection, so that none is forgotten. A program
// that does so keeps the methods of everything that is linked into it: it takes long
// to link, and therefore there is one for many packages.

// openHDMF opens a file that another library wrote.
func openHDMF(t testing.TB, name string) *hdmf.File {
	t.Helper()
	f := must[*hdmf.File](t)(hdmf.Open(ctx, filepath.Join(nwbtest.Unpack(t, name), name)))
	t.Cleanup(func() { check(t, f.Close()) })
	return f
}

// Nothing that a program can call panics, whatever it leaves out. Files, groups and
// what else is opened are asked when they are open.
func TestZeroValuesOfHDMF(t *testing.T) {
	for _, value := range []any{
		&hdmf.Values{}, &hdmf.Cells{Values: &hdmf.Values{}}, &hdmf.Block{Values: &hdmf.Values{}}, &hdmf.Region{}, &hdmf.Reference{}, &hdmf.Link{},
		&hdmf.Mention{}, &hdmf.Attribute{}, &hdmf.DType{}, &hdmf.Field{}, hdmf.Type{}, hdmf.Layout(0), hdmf.Member{}, hdmf.SchemaText{}, hdmf.RegionAxis{},
	} {
		zerotest.Methods(t, "zero", value)
	}
	for _, f := range []any{hdmf.Allow, hdmf.Zarr, hdmf.Catalog, hdmf.Is, hdmf.IsSeries, hdmf.IsTable, hdmf.Open, hdmf.OpenSeries, hdmf.OpenTable,
		hdmf.ParseReference, hdmf.ParseText, hdmf.References, hdmf.SliceOf[float64]} {
		zerotest.Func(t, reflect.TypeOf(f).String(), f)
	}
	for _, name := range []string{"session_v2.nwb.zarr", "session_v3.nwb.zarr"} {
		f := openHDMF(t, name)
		zerotest.Methods(t, name, f)
		zerotest.Methods(t, name, f.Root())
		for _, at := range []string{"/units", "/intervals/trials"} {
			table, err := f.Table(ctx, at)
			check(t, err)
			zerotest.Methods(t, at, table)
			for _, c := range append(table.Columns(), table.IDs()) {
				zerotest.Methods(t, at+"/"+c.Name(), c)
				cells, err := c.Read(ctx, 0, 0)
				check(t, err)
				zerotest.Methods(t, at+"/"+c.Name()+" without rows", cells.Values)
				cells, err = c.Read(ctx, 0, c.Rows())
				check(t, err)
				zerotest.Methods(t, at+"/"+c.Name(), cells)
				zerotest.Methods(t, at+"/"+c.Name(), cells.Values)
				zerotest.Methods(t, at+"/"+c.Name(), c.Dataset())
			}
		}
		series, err := f.Series(ctx, "/acquisition/ElectricalSeries")
		check(t, err)
		zerotest.Methods(t, name, series)
		for m, err := range hdmf.References(ctx, f.Root(), true) {
			check(t, err)
			zerotest.Methods(t, fmt.Sprint(m.To), &m)
			if m.Link != nil {
				zerotest.Methods(t, m.Link.Name, m.Link)
			}
		}
		all, err := series.Data().Read(ctx, nil)
		check(t, err)
		want, err := series.Data().Read(ctx, zarr.All())
		check(t, err)
		if !reflect.DeepEqual(all.Shape, want.Shape) || all.Len() != 400*6 {
			t.Errorf("no selection gives %v, all is %v", all.Shape, want.Shape)
		}
	}
}

// What a program leaves out is an error or nothing, and never a panic.
func TestZeroValuesOfSchemas(t *testing.T) {
	for _, of := range []any{&schema.AttributeSpec{}, &schema.Catalog{}, &schema.DType{}, &schema.DatasetSpec{}, &schema.Error{}, &schema.Field{}, &schema.GroupSpec{}, schema.Kind(0), &schema.LinkSpec{}, &schema.Namespace{}, schema.Primitive(0), &schema.Quantity{}, schema.Shape(nil), &schema.Type{}} {
		zerotest.Methods(t, "zero", of)
	}
	zerotest.Func(t, "CompareVersions", schema.CompareVersions)
	zerotest.Func(t, "DateTime", schema.DateTime)
	zerotest.Func(t, "ShapesFit", schema.ShapesFit)
	zerotest.Func(t, "ParsePrimitive", schema.ParsePrimitive)
}

// What is left out is an error or nothing, and never a panic.
func TestZeroValuesOfViews(t *testing.T) {
	zerotest.Func(t, "New", resolved.New)
	zerotest.Methods(t, "of no file", resolved.New(nil))
	for _, name := range []string{"session_v2.nwb.zarr", "session_v3.nwb.zarr"} {
		zerotest.Methods(t, name, resolved.New(openHDMF(t, name)))
	}
}

// What is left out is an error or nothing, and never a panic.
func TestZeroValuesOfDescriptions(t *testing.T) {
	zerotest.Methods(t, "zero", &describe.Convention{})
	zerotest.Methods(t, "zero", describe.Info{})
	for _, name := range []string{"session_v2.nwb.zarr", "session_v3.nwb.zarr"} {
		dir := nwbtest.Unpack(t, name)
		for _, at := range []string{"", "/units", "/acquisition/ElectricalSeries", "/units/spike_times", "/general/devices"} {
			s, err := convention.Find(ctx, filepath.Join(dir, filepath.FromSlash(name+at)), []convention.Convention{&describe.Convention{}})
			check(t, err)
			zerotest.Methods(t, name+at, s.Object)
			check(t, s.Close())
		}
	}
}

// What is left out is an error or nothing, and never a panic.
func TestZeroValuesOfJobs(t *testing.T) {
	// Flags are always added to some.
	zerotest.Methods(t, "zero", &jobs.Kind{}, "CheckFlags", "CopyFlags")
	zerotest.Func(t, "Further", jobs.Further)
	var k jobs.Kind
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	k.CheckFlags(flags)
	k.CopyFlags(flags)
	zerotest.Methods(t, "flags", &k, "CheckFlags", "CopyFlags")
}

// What is left out is an error or nothing, and never a panic.
func TestZeroValuesOfServedSeries(t *testing.T) {
	zerotest.Func(t, "New", series.New)
	zerotest.Func(t, "Plain", series.Plain)
	zerotest.Methods(t, "Series", &series.Series{})
	zerotest.Methods(t, "View", &series.View{})
}

// What is left out is an error or nothing, and never a panic.
func TestZeroValuesOfServedTables(t *testing.T) {
	zerotest.Func(t, "New", table.New)
	zerotest.Func(t, "Of", table.Of)
	zerotest.Func(t, "ParseFilter", table.ParseFilter)
	zerotest.Methods(t, "Table", &table.Table{})
}
