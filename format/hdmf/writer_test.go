package hdmf_test

import (
	"path"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store/mem"
)

// writer makes files by hand.
type writer struct {
	t testing.TB
	g *zarr.Group
}

func newWriter(t testing.TB, opts ...zarr.Option) writer {
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "", opts...)
	check(t, err)
	return writer{t, g}
}

func (w writer) attrs(pairs ...any) *meta.Attributes {
	a := &meta.Attributes{}
	for i := 0; i < len(pairs); i += 2 {
		check(w.t, a.Set(pairs[i].(string), pairs[i+1]))
	}
	return a
}

func (w writer) group(at string, pairs ...any) {
	g := w.g
	if at != "" {
		var err error
		g, err = w.g.CreateGroup(ctx, at)
		check(w.t, err)
	}
	check(w.t, g.SetAttributes(ctx, w.attrs(pairs...)))
}

func array[T any](w writer, at, typ string, shape, chunks []int, data []T, pairs ...any) {
	a, err := w.g.CreateArray(ctx, at, zarr.ArraySpec{Shape: shape, DataType: typ, Chunks: chunks, Attributes: w.attrs(pairs...)})
	check(w.t, err)
	if data != nil {
		check(w.t, zarr.Write(ctx, a, zarr.All(), data))
	}
}

// array opens an array that was made.
func (w writer) array(at string) *zarr.Array {
	a, err := w.g.Array(ctx, at)
	check(w.t, err)
	return a
}

func (w writer) file(opts ...hdmf.Option) *hdmf.File {
	g, err := zarr.OpenStore(ctx, w.g.Store(), "")
	check(w.t, err)
	return hdmf.Of(ctx, g.(*zarr.Group), opts...)
}

// index writes a VectorIndex of a column.
func (w writer) index(table, name string, ends []uint32) {
	array(w, path.Join(table, name+"_index"), "uint32", []int{len(ends)}, []int{max(1, len(ends)/3)}, ends, "neurodata_type", "VectorIndex", "namespace", "hdmf-common",
		"target", map[string]any{"_REFERENCE": map[string]any{"source": ".", "path": "/" + path.Join(table, name)}})
}
