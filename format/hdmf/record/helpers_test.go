package record_test

import (
	"context"
	"testing"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/record"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper() // which looks at the stack, and takes longer than most of what is checked
		t.Fatal(err)
	}
}

// on gives options with which a URL of the scheme test is a store.
func on(s store.Store) record.Options {
	o := record.Options{Lag: time.Hour, Unseen: -1} // no clock decides what is stored when
	o.Edit.Locate.Schemes = locate.Schemes{"test": func(context.Context, string, locate.Options) (locate.Location, error) {
		return locate.Location{Store: s}, nil
	}}
	return o
}

// session is a file with a series without samples, and some units without spikes.
func session(channels, units int, chunks, times []int) *write.Group {
	core := func(name string, attributes map[string]any) write.Object {
		return write.Object{Type: hdmf.Type{Namespace: "core", Name: name}, Attributes: attributes}
	}
	common := func(name string, attributes map[string]any) write.Object {
		return write.Object{Type: hdmf.Type{Namespace: "hdmf-common", Name: name}, Attributes: attributes}
	}
	ids := make([]int64, units)
	for i := range ids {
		ids[i] = int64(i)
	}
	series := &write.Group{Object: core("TimeSeries", map[string]any{"description": "raw", "comments": "none"}), Datasets: map[string]*write.Dataset{
		"data":       {Object: write.Object{Attributes: map[string]any{"unit": "volts"}}, Data: write.Numbers([]int16{}, 0, channels), Chunks: chunks},
		"timestamps": {Object: write.Object{Attributes: map[string]any{"unit": "seconds", "interval": 1}}, Data: write.Numbers([]float64{}), Chunks: times},
	}}
	table := &write.Group{Object: core("Units", map[string]any{"description": "sorted", "colnames": []string{"spike_times"}}), Datasets: map[string]*write.Dataset{
		"id":          {Object: common("ElementIdentifiers", nil), Data: write.Numbers(ids)},
		"spike_times": {Object: common("VectorData", map[string]any{"description": "in seconds"}), Data: write.Numbers([]float64{})},
		"spike_times_index": {Object: common("VectorIndex", map[string]any{"description": "ends", "target": hdmf.Reference{Path: "/units/spike_times"}}),
			Data: write.Numbers(make([]uint8, units))},
	}}
	return &write.Group{Groups: map[string]*write.Group{
		"acquisition": {Groups: map[string]*write.Group{"ap": series}},
		"units":       table,
	}}
}

// create makes such a file in a store.
func create(t testing.TB, s store.Store, layout hdmf.Layout, root *write.Group) {
	t.Helper()
	o := on(s).Edit
	o.Layout = layout
	check(t, write.Create(ctx, "test://", root, o))
}

// copyOf is another store with the same values.
func copyOf(t testing.TB, s store.Store) *mem.Store {
	t.Helper()
	out := mem.New()
	for e, err := range s.List(ctx, "", "") {
		check(t, err)
		data, _, err := s.Get(ctx, e.Key, store.All(), nil)
		check(t, err)
		_, err = out.Put(ctx, e.Key, data, store.PutOptions{})
		check(t, err)
	}
	return out
}

// open opens the file as other programs do: by its consolidated metadata.
func open(t testing.TB, s store.Store) *hdmf.File {
	t.Helper()
	n, err := zarr.OpenStore(ctx, s, "")
	check(t, err)
	return hdmf.Of(ctx, n.(*zarr.Group))
}

// all reads a dataset whole.
func all[T any](t testing.TB, f *hdmf.File, at string) []T {
	t.Helper()
	o, err := f.Object(ctx, at)
	check(t, err)
	v, err := zarr.Read[T](ctx, o.(*hdmf.Dataset).Array(), zarr.All())
	check(t, err)
	return v.Data
}

// values are samples of some channels from a row on, and their times.
func values(from, n, channels int) ([]int16, []float64) {
	data, times := make([]int16, n*channels), make([]float64, n)
	for i := range n {
		times[i] = float64(from+i) / 30000
		for c := range channels {
			data[i*channels+c] = int16((from+i)*7 + c)
		}
	}
	return data, times
}
