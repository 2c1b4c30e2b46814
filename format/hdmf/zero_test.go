package hdmf_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/nwbtest"
)

// zeros calls every exported method of a value with the zero values of what it takes,
// and goes through what methods yield. A panic fails the test.
func zeros(t *testing.T, name string, of any) {
	t.Helper()
	v := reflect.ValueOf(of)
	for i := range v.NumMethod() {
		method := v.Type().Method(i).Name
		if method == "Close" {
			continue // the end of everything
		}
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("%s: %v.%s with zero values: %v", name, v.Type(), method, p)
				}
			}()
			call(v.Method(i))
		}()
	}
}

// call calls a function with zero values, and what comes back if it yields something.
func call(f reflect.Value) {
	var in []reflect.Value
	for i := range f.Type().NumIn() {
		arg := f.Type().In(i)
		switch {
		case arg == reflect.TypeFor[context.Context]():
			in = append(in, reflect.ValueOf(ctx))
		case f.Type().IsVariadic() && i == f.Type().NumIn()-1:
		default:
			in = append(in, reflect.Zero(arg))
		}
	}
	for _, out := range f.Call(in) {
		if out.Kind() != reflect.Func || out.IsNil() || out.Type().NumIn() != 1 || out.Type().In(0).Kind() != reflect.Func {
			continue
		}
		yield := out.Type().In(0)
		out.Call([]reflect.Value{reflect.MakeFunc(yield, func([]reflect.Value) []reflect.Value { return []reflect.Value{reflect.ValueOf(true)} })})
	}
}

// Nothing that a program can call panics, whatever it leaves out. Files, groups and
// what else is opened are asked when they are open.
func TestZeroValuesDoNotPanic(t *testing.T) {
	for _, value := range []any{
		&hdmf.Values{}, &hdmf.Cells{Values: &hdmf.Values{}}, &hdmf.Block{Values: &hdmf.Values{}}, &hdmf.Region{}, &hdmf.Reference{}, &hdmf.Link{},
		&hdmf.Mention{}, &hdmf.Attribute{}, &hdmf.DType{}, &hdmf.Field{}, hdmf.Type{}, hdmf.Layout(0), hdmf.Member{}, hdmf.SchemaText{}, hdmf.RegionAxis{},
	} {
		zeros(t, "zero", value)
	}
	for _, f := range []any{hdmf.Allow, hdmf.Zarr, hdmf.Catalog, hdmf.Is, hdmf.IsSeries, hdmf.IsTable, hdmf.Open, hdmf.OpenSeries, hdmf.OpenTable,
		hdmf.ParseReference, hdmf.ParseText, hdmf.References, hdmf.SliceOf[float64]} {
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("%v with zero values: %v", reflect.TypeOf(f), p)
				}
			}()
			call(reflect.ValueOf(f))
		}()
	}
	for _, name := range []string{"session_v2.nwb.zarr", "session_v3.nwb.zarr"} {
		f := open(t, nwbtest.Unpack(t, name)+"/"+name)
		zeros(t, name, f)
		zeros(t, name, f.Root())
		for _, at := range []string{"/units", "/intervals/trials"} {
			table, err := f.Table(ctx, at)
			check(t, err)
			zeros(t, at, table)
			for _, c := range append(table.Columns(), table.IDs()) {
				zeros(t, at+"/"+c.Name(), c)
				cells, err := c.Read(ctx, 0, 0)
				check(t, err)
				zeros(t, at+"/"+c.Name()+" without rows", cells.Values)
				cells, err = c.Read(ctx, 0, c.Rows())
				check(t, err)
				zeros(t, at+"/"+c.Name(), cells)
				zeros(t, at+"/"+c.Name(), cells.Values)
				zeros(t, at+"/"+c.Name(), c.Dataset())
			}
		}
		series, err := f.Series(ctx, "/acquisition/ElectricalSeries")
		check(t, err)
		zeros(t, name, series)
		for m, err := range hdmf.References(ctx, f.Root(), true) {
			check(t, err)
			zeros(t, fmt.Sprint(m.To), &m)
			if m.Link != nil {
				zeros(t, m.Link.Name, m.Link)
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
