package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/web"
	"github.com/omnizarr/zarr/store/zip"
)

// writeN5 writes a container of N5 with the matrix of some types, or of all, and its
// manifest, whose digests and names are in the order of N5, x first.
func writeN5(ctx context.Context, dir string, types []string) error {
	if len(types) == 0 {
		types = n5Types
	}
	root, err := zarr.CreateGroup(ctx, dir, zarr.As("n5"))
	if err != nil {
		return err
	}
	if err := root.Close(); err != nil {
		return err
	}
	var m manifest
	cases := append(n5Matrix(types), n5Others()...)
	slices.SortFunc(cases, func(a, b n5Case) int { return strings.Compare(a.name, b.name) })
	for _, c := range cases {
		e, err := c.writeTo(ctx, dir)
		if err != nil {
			return fmt.Errorf("case %s: %w", c.name, err)
		}
		m.Cases = append(m.Cases, e)
	}
	return m.save(manifestIn(dir))
}

// writeTo writes a case below a folder. The root is opened anew for each, since
// cases have options of their own.
func (c n5Case) writeTo(ctx context.Context, dir string) (entry, error) {
	root, err := zarr.OpenGroup(ctx, dir, c.options()...)
	if err != nil {
		return entry{}, err
	}
	defer root.Close()
	if c.typ == "" {
		return c.writeGroup(ctx, root)
	}
	a, err := c.create(ctx, root)
	if err != nil {
		return entry{}, err
	}
	seed := fnv.New64a()
	seed.Write([]byte(c.name))
	v, err := values(c.values, a.DataType(), c.shape, seed.Sum64())
	if err == nil && c.values == "" {
		repeat(v)
	}
	if err == nil {
		err = c.clear(a.DataType(), v)
	}
	if err == nil && !c.empty {
		err = a.WriteFrom(ctx, zarr.All(), v)
	}
	if err != nil {
		return entry{}, err
	}
	e := entry{Name: c.name, Path: c.name, Type: a.DataType().Name(), Shape: slices.Clone(c.shape), Attributes: optional(c.attributes)}
	if c.names != nil {
		e.DimensionNames = slices.Clone(a.Metadata().DimensionNames)
	}
	if c.reversed {
		v = turned(v)
		slices.Reverse(e.Shape)
		slices.Reverse(e.DimensionNames)
	}
	e.SHA256 = digest(a.DataType(), v)
	return e, nil
}

func (c n5Case) writeGroup(ctx context.Context, root *zarr.Group) (entry, error) {
	g, err := root.CreateGroup(ctx, c.name)
	if err != nil || c.attributes == "" {
		return entry{Name: c.name, Path: c.name, Attributes: json.RawMessage("{}")}, err
	}
	attrs, err := meta.ParseAttributes([]byte(c.attributes))
	if err == nil {
		err = g.SetAttributes(ctx, attrs)
	}
	return entry{Name: c.name, Path: c.name, Attributes: json.RawMessage(c.attributes)}, err
}

// repeat sets most elements to the first, so that they can be compressed in any
// order.
func repeat(v nd.View) {
	var first []byte
	k := 0
	v.Each(func(elem []byte) {
		if first == nil {
			first = elem
		}
		if k++; k%13 != 0 {
			copy(elem, first)
		}
	})
}

// turned is a view with its axes in the opposite order.
func turned(v nd.View) nd.View {
	order := make([]int, len(v.Shape))
	for i := range order {
		order[i] = len(order) - 1 - i
	}
	return v.Permute(order)
}

// readN5 compares the nodes of a container with the manifest of a folder. where is
// the folder itself, a zip archive of it, or "http" for a server of it; order is
// straight, as N5 has its axes, reversed, or zarr3 for what the zarr.json of an adopted
// container says.
func readN5(ctx context.Context, where, order, dir, results string) error {
	m, err := loadManifest(manifestIn(dir))
	if err != nil {
		return err
	}
	s, err := openN5(ctx, where, dir)
	if err != nil {
		return err
	}
	var out []result
	for _, e := range m.Cases {
		r := result{Case: e.Name}
		if err := e.compareN5(ctx, s, order); err != nil {
			r.Error = err.Error()
		}
		out = append(out, r)
	}
	return saveResults(results, out)
}

// openN5 opens what readN5 reads, which ends with the process.
func openN5(ctx context.Context, where, dir string) (store.Store, error) {
	switch {
	case where == "http":
		server := httptest.NewServer(http.FileServer(http.Dir(dir)))
		return web.Open(server.URL, web.Options{})
	case strings.HasSuffix(where, ".zip"):
		return zip.OpenFile(ctx, where)
	}
	return file.Open(where, file.Options{})
}

// compareN5 compares a node in one of these orders.
func (e entry) compareN5(ctx context.Context, s store.Store, order string) error {
	opts, ok := map[string][]zarr.Option{
		"straight": nil, "reversed": {zarr.With(n5.Reversed)}, "zarr3": {zarr.As("zarr3")},
	}[order]
	if !ok {
		return fmt.Errorf("no order %s", order)
	}
	n, err := zarr.OpenStore(ctx, s, e.Path, opts...)
	if err != nil {
		return err
	}
	if order != "zarr3" && n.Format() != "n5" {
		return fmt.Errorf("format %s, not n5", n.Format())
	}
	a, ok := n.(*zarr.Array)
	switch isArray := e.SHA256 != ""; {
	case ok != isArray:
		return fmt.Errorf("an array: %v, not %v", ok, isArray)
	case !isArray:
		return e.compareAttributes(n)
	case order == "reversed":
		return e.compareReversed(ctx, a)
	}
	return e.compareArray(ctx, a)
}

// compareReversed is compareArray of the reversed view of an array.
func (e entry) compareReversed(ctx context.Context, a *zarr.Array) error {
	whole, err := read(ctx, a, zarr.All(), a.Shape())
	if err != nil {
		return err
	}
	if digest(a.DataType(), turned(whole)) != e.SHA256 {
		return errors.New("different values")
	}
	e.SHA256 = digest(a.DataType(), whole)
	e.DimensionNames = slices.Clone(e.DimensionNames)
	slices.Reverse(e.DimensionNames)
	return e.compareArray(ctx, a)
}
