package hdmf_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/zerotest"
)

// Nothing that a program can call panics, whatever it leaves out. Files, groups and
// what else is opened are asked when they are open.
func TestZeroValuesDoNotPanic(t *testing.T) {
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
		f := open(t, nwbtest.Unpack(t, name)+"/"+name)
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
