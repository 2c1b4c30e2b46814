package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/web"
)

// readFolder compares the arrays below a folder with its manifest.
func readFolder(ctx context.Context, dir, results string) error {
	s, err := file.Open(dir, file.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	return readManifest(ctx, s, dir, results)
}

// readHTTP does the same through a server that knows ranges.
func readHTTP(ctx context.Context, dir, results string) error {
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	s, err := web.Open(server.URL, web.Options{})
	if err != nil {
		return err
	}
	return readManifest(ctx, s, dir, results)
}

func readManifest(ctx context.Context, s store.Store, dir, results string) error {
	m, err := loadManifest(manifestIn(dir))
	if err != nil {
		return err
	}
	return saveResults(results, readAll(ctx, s, "", m))
}

// readAll compares all arrays of a store with a manifest.
func readAll(ctx context.Context, s store.Store, prefix string, m manifest) []result {
	var out []result
	for _, e := range m.Cases {
		r := result{Case: prefix + e.Name}
		if err := e.compare(ctx, s); err != nil {
			r.Error = err.Error()
		}
		out = append(out, r)
	}
	return out
}

func (e entry) open(ctx context.Context, s store.Store, opts ...zarr.Option) (*zarr.Array, error) {
	path := e.Path
	if e.Group != "" {
		path = e.Group
	}
	n, err := zarr.OpenStore(ctx, s, path, opts...)
	if err != nil {
		return nil, err
	}
	switch n := n.(type) {
	case *zarr.Array:
		return n, nil
	case *zarr.Group:
		return n.Array(ctx, e.Path)
	}
	return nil, errors.New("no array")
}

func (e entry) compare(ctx context.Context, s store.Store) error {
	a, err := e.open(ctx, s)
	if err != nil {
		return err
	}
	return e.compareArray(ctx, a)
}

// compareArray reads an array whole, then a part of it by itself.
func (e entry) compareArray(ctx context.Context, a *zarr.Array) error {
	whole, err := read(ctx, a, zarr.All(), a.Shape())
	if err != nil {
		return err
	}
	if digest(a.DataType(), whole) != e.SHA256 {
		return errors.New("different values")
	}
	box := nd.Box{Start: make([]int, len(whole.Shape)), Shape: make([]int, len(whole.Shape))}
	for i, n := range whole.Shape {
		box.Start[i], box.Shape[i] = n/3, n-n/3-n/4
	}
	part, err := read(ctx, a, zarr.Box(box.Start, box.Shape), box.Shape)
	if err != nil {
		return fmt.Errorf("part: %w", err)
	}
	if digest(a.DataType(), part) != digest(a.DataType(), whole.Box(box)) {
		return errors.New("different values in a part")
	}
	if e.DimensionNames != nil && !reflect.DeepEqual(e.DimensionNames, a.Metadata().DimensionNames) {
		return errors.New("different dimension names")
	}
	return e.compareAttributes(a)
}

func (e entry) compareAttributes(n zarr.Node) error {
	for name, want := range e.Odd {
		if got := string(n.Attributes().Raw(name)); got != want {
			return fmt.Errorf("attribute %s is %s, not %s", name, got, want)
		}
	}
	if e.Attributes == nil {
		return nil
	}
	var want map[string]any
	if err := json.Unmarshal(e.Attributes, &want); err != nil {
		return err
	}
	got, err := n.Attributes().MarshalJSON()
	if err != nil {
		return err
	}
	var have map[string]any
	if err := json.Unmarshal(got, &have); err != nil {
		return err
	}
	if !reflect.DeepEqual(want, have) {
		return errors.New("different attributes")
	}
	if a, ok := n.(*zarr.Array); ok {
		if names, ok := want["_ARRAY_DIMENSIONS"]; ok && fmt.Sprint(names) != fmt.Sprint(a.DimensionNames()) {
			return errors.New("different dimension names")
		}
	}
	return nil
}

func read(ctx context.Context, a *zarr.Array, sel zarr.Selection, shape []int) (nd.View, error) {
	v := nd.Make(a.DataType().Size(), slices.Clone(shape)...)
	if dtype.IsReference(a.DataType()) {
		v.Heap = &nd.Heap{}
	}
	return v, a.ReadInto(ctx, sel, v)
}
