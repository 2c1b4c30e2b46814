package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
)

// writeCases writes the matrix below a folder.
func writeCases(ctx context.Context, dir string) error {
	root, err := zarr.CreateGroup(ctx, dir)
	if err != nil {
		return err
	}
	defer root.Close()
	m, err := writeAll(ctx, root, specs())
	if err != nil {
		return err
	}
	hidden, err := writeConsolidated(ctx, root, dir)
	if err != nil {
		return err
	}
	m.Cases = append(m.Cases, hidden...)
	return m.save(manifestIn(dir))
}

// writeCases2 writes the matrix of Zarr v2 below a folder.
func writeCases2(ctx context.Context, dir string) error {
	root, err := zarr.CreateGroup(ctx, dir, zarr.As("zarr2"))
	if err != nil {
		return err
	}
	defer root.Close()
	m, err := writeAll(ctx, root, specs2())
	if err != nil {
		return err
	}
	hidden, err := writeConsolidated(ctx, root, dir)
	if err != nil {
		return err
	}
	m.Cases = append(m.Cases, hidden...)
	return m.save(manifestIn(dir))
}

func writeAll(ctx context.Context, root *zarr.Group, all []spec) (m manifest, err error) {
	for _, s := range all {
		// The name decides which values an array has, so that a new case changes
		// no other.
		seed := fnv.New64a()
		seed.Write([]byte(s.name))
		e, err := s.write(ctx, root, seed.Sum64())
		if err != nil {
			return m, fmt.Errorf("case %s: %w", s.name, err)
		}
		m.Cases = append(m.Cases, e)
	}
	return m, nil
}

func (s spec) write(ctx context.Context, root *zarr.Group, seed uint64) (entry, error) {
	a, err := s.create(ctx, root)
	if err != nil {
		return entry{}, err
	}
	v, err := values(s.values, a.DataType(), s.shape, seed)
	if err != nil {
		return entry{}, err
	}
	if s.bits != nil {
		keepBits(a.DataType(), v, s.bits[0], s.bits[1])
	}
	if err := s.clear(a.DataType(), v); err != nil {
		return entry{}, err
	}
	if !s.empty {
		if err := a.WriteFrom(ctx, zarr.All(), v); err != nil {
			return entry{}, err
		}
	}
	if s.lossy {
		if v, err = read(ctx, a, zarr.All(), s.shape); err != nil {
			return entry{}, err
		}
	}
	e := entry{Name: s.name, Path: s.name, Type: a.DataType().Name(), Shape: s.shape, SHA256: digest(a.DataType(), v)}
	if json.Valid([]byte(s.attributes)) {
		e.Attributes = optional(s.attributes)
	} else if s.attributes != "" {
		e.Odd = notNumbers(a)
	}
	if s.names != nil {
		e.DimensionNames = a.Metadata().DimensionNames
	}
	return e, nil
}

// create makes the array, or opens it where the document is that of another
// writer.
func (s spec) create(ctx context.Context, root *zarr.Group) (*zarr.Array, error) {
	if s.zarray != "" {
		dir := filepath.Join(strings.TrimPrefix(root.URL(), "file://"), s.name)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, ".zarray"), []byte(s.zarray), 0o666); err != nil {
			return nil, err
		}
		return root.Array(ctx, s.name)
	}
	attrs, err := meta.ParseAttributes([]byte("{}"))
	if s.attributes != "" {
		attrs, err = meta.ParseAttributes([]byte(s.attributes))
	}
	if err != nil {
		return nil, err
	}
	return root.CreateArray(ctx, s.name, zarr.ArraySpec{
		Shape: s.shape, DataType: s.typ, Chunks: s.chunks, Grid: optional(s.grid), Keys: optional(s.keys),
		FillValue: optional(s.fill), Codecs: optional(s.codecs), DimensionNames: s.names, Attributes: attrs,
	})
}

// notNumbers are the attributes, all of which JSON has no number for.
func notNumbers(a *zarr.Array) map[string]string {
	out := map[string]string{}
	for _, name := range a.Attributes().Names() {
		out[name] = string(a.Attributes().Raw(name))
	}
	return out
}

func optional(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

// clear sets elements to the fill value: those of the last chunk along every
// axis, which is not stored then, and the first 2 × 2, an inner chunk of shards.
func (s spec) clear(t dtype.Type, v nd.View) error {
	if v.Heap == nil {
		v.Heap = &nd.Heap{}
	}
	fill, err := t.ParseFill(json.RawMessage(s.fill), v.Heap)
	if err != nil {
		return err
	}
	rank := len(s.shape)
	idx := make([]int, rank)
	if v.Len() == 0 {
		return nil
	}
	for {
		first, last := rank > 1, rank > 1 && s.chunks != nil
		for i, k := range idx {
			first = first && k < 2
			last = last && k >= (s.shape[i]-1)/s.chunks[i]*s.chunks[i]
		}
		if s.empty || first || last {
			copy(v.At(idx...), fill)
		}
		if !nd.Next(idx, s.shape) {
			return nil
		}
	}
}

// writeConsolidated writes a hierarchy that only its consolidated metadata
// describes: the documents of the nodes below are deleted afterwards.
func writeConsolidated(ctx context.Context, root *zarr.Group, dir string) ([]entry, error) {
	const name = "consolidated"
	g, err := root.CreateGroup(ctx, name)
	if err != nil {
		return nil, err
	}
	u := serializer(`"uint16"`, "little")
	var all []spec
	for _, path := range []string{"a", "b", "sub/c", "sub/deeper/d"} {
		all = append(all, spec{name: path, typ: `"uint16"`, fill: "3", shape: []int{5, 6}, chunks: []int{2, 3}, codecs: u, attributes: `{"at":"` + path + `"}`})
	}
	m, err := writeAll(ctx, g, all)
	if err == nil {
		err = g.Consolidate(ctx)
	}
	if err != nil {
		return nil, err
	}
	for i := range m.Cases {
		e := &m.Cases[i]
		for _, document := range []string{"zarr.json", ".zarray", ".zattrs"} {
			if err := os.Remove(filepath.Join(dir, name, e.Path, document)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}
		e.Name, e.Group = name+"/"+e.Name, name
	}
	return m.Cases, nil
}
